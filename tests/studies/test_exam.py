"""The exam: equal seeds give equal exams, proofs are proofs, labels are symmetric, and marks are what they say."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.cli.main import app
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import Game, Position, make_game
from eightfold.games.state import NO_MOVE
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.search.solving import solve
from eightfold.studies.exam import (
    Exam,
    ExamSettings,
    exam_inputs,
    exam_stage_settings,
    labels,
    make_exam,
    mark_network,
    read_exam,
    record,
)
from eightfold.studies.exam.positions import choose_positions
from eightfold.studies.frame import Stage, Study, run_study
from eightfold.symmetry.transform import BoardSymmetry
from refusals import refusal

GAME = make_game("gomoku:size=8")
OPEN_THREE = ("c5", "a1", "d5", "h8", "e5", "a8")  # black makes an open four, and may make it at either end


@dataclass(frozen=True, kw_only=True)
class Settings(ExamSettings):
    game: str = setting("gomoku:size=8", "the game")
    device: str = setting("cpu", "where the labels are made")


STUDY = Study(
    name="only-an-exam",
    title="An exam",
    introduction="",
    settings=Settings(exam_positions=16, exam_playouts=24),
    small=(),
    stages=(
        Stage(
            name="exam",
            settings=exam_stage_settings,
            inputs=exam_inputs,
            measure=make_exam,
            section=lambda report, found: report.text(found["hash"]),
        ),
    ),
)


def made(folder: Path, *changes: str) -> dict:
    run_study(STUDY, folder, changes=changes)
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))["stages"]["exam"]["result"]


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("exam")
    return folder / made(folder)["file"]


@pytest.fixture(scope="module")
def exam(file) -> Exam:
    return read_exam(file)


@pytest.fixture(scope="module")
def network() -> PolicyValueNetwork:
    return open_network("gomoku-8", GAME, kind=PolicyValueNetwork)


# ---- making one ---------------------------------------------------------------------------------------------


def test_equal_settings_give_the_same_file_and_another_seed_another(exam, file, tmp_path):
    again = made(tmp_path / "again")
    assert again["hash"] == exam.hash
    assert again["file"] == file.name == f"exam-{exam.hash}.npz"
    assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
    assert again["positions"] == len(exam) == 16
    assert again["proven"] + again["dead"] + again["labelled"] == 16
    assert made(tmp_path / "other", "exam_seed=1", "exam_playouts=1")["hash"] != exam.hash


def test_positions_are_open_and_differ_by_more_than_a_turn(exam):
    assert len({position.orbit_key for position in exam.positions}) == len(exam)
    assert {position.to_move for position in exam.positions} == {1, 2}
    for position in exam.positions:
        assert not position.is_over
        after = [position.play(int(move)) for move in position.legal_moves]
        assert not any(each.is_over and not each.is_draw for each in after), "won by the next stone"


def test_games_give_as_many_positions_as_they_have():
    rows = [([0, 8, 1, 9, 2, 10, 3, 11, 4], 2), ([0, 8, 1, 9, 2, 10, 3, 11, 4], 2)]
    assert sorted(each.ply for each in choose_positions(GAME, rows, wanted=6, seed=0)) == [2, 3, 4, 5, 6, 7]
    assert "only 6 positions" in refusal(lambda: choose_positions(GAME, rows, wanted=7, seed=0))


# ---- labels -------------------------------------------------------------------------------------------------


def wins(position: Position, attacker: int, plain: PlainGomoku) -> bool:
    """Whether the attacker wins against every reply, by the moves that `find_win` gives; plain rules say who won."""
    if plain.result:
        return plain.result == attacker
    if plain.side == attacker:
        scratch = np.zeros(GAME.scratch, np.int64)
        moves = [int(GAME.kernels.find_win(position.state.copy(), labels.CHAIN_NODES, scratch))]
        if moves[0] < 0:
            return False
    else:
        moves = plain.legal()
    return all(wins(*_played(position, move, plain, attacker)) for move in moves)


def _played(position: Position, move: int, plain: PlainGomoku, attacker: int) -> tuple[Position, int, PlainGomoku]:
    after = plain.copy()
    after.play(move)
    return position.play(move), attacker, after


def plainly(position: Position) -> PlainGomoku:
    plain = PlainGomoku(8)
    for move in position.moves:
        plain.play(move)
    return plain


def proven_by_the_rules(position: Position) -> bool:
    """Whether the side to move wins, by a proof that is played out with every reply."""
    solution = solve(position, nodes=labels.THREAT_NODES)
    return solution.check is not None and solution.check.lines > 0


def beats_every_reply(position: Position, side: int) -> bool:
    """Whether a side that has just moved wins whatever comes."""
    if position.is_over:
        return position.winner == side
    replies = [position.play(int(reply)) for reply in position.legal_moves]
    return all(reply.winner == side if reply.is_over else proven_by_the_rules(reply) for reply in replies)


def greedy_positions(count: int) -> list[Position]:
    from eightfold.arena.match import play_match

    report = play_match(GAME, "greedy", "alphabeta:depth=2", games=count, seed=3, opening_plies=4)
    return choose_positions(GAME, [(r.position.moves, 4) for r in report.results], wanted=3 * count, seed=0)


def test_what_fours_prove_is_won_by_plain_rules_against_every_reply(monkeypatch):
    monkeypatch.setattr(labels, "THREAT_NODES", 1)  # no threes
    seen = {record.WON: 0, record.LOST: 0}
    for position in [GAME.after(OPEN_THREE), *greedy_positions(20)]:
        label, plain = labels.prove(position), plainly(position)
        if label is None or seen.get(label.kind, 9) >= 2:
            continue
        seen[label.kind] += 1
        side = position.to_move if label.kind == record.WON else 3 - position.to_move
        assert label.value == (1 if label.kind == record.WON else -1)
        for move in np.flatnonzero(label.policy):
            assert wins(*_played(position, int(move), plain, side))
        if label.kind == record.LOST:
            assert set(np.flatnonzero(label.policy)) == set(plain.legal()), "no move is better than another"
    assert seen == {record.WON: 2, record.LOST: 2}


def test_what_is_proven_is_won_by_the_rules_against_every_reply():
    seen = {record.WON: 0, record.LOST: 0}
    for position in [GAME.after(OPEN_THREE), *greedy_positions(20)]:
        label = labels.prove(position)
        if label is None or seen.get(label.kind, 9) >= 2:
            continue
        seen[label.kind] += 1
        moves = np.flatnonzero(label.policy).tolist()
        if label.kind == record.WON:
            assert label.value == 1
            assert all(beats_every_reply(position.play(move), position.to_move) for move in moves)
        else:
            assert label.value == -1
            assert moves == sorted(position.legal_moves.tolist()), "no move is better than another"
            assert all(proven_by_the_rules(position.play(move)) for move in moves)
    assert seen == {record.WON: 2, record.LOST: 2}


def test_a_win_by_threes_is_proven_too():
    position = GAME.after(["d4", "a1", "e4", "h1", "d5", "a8", "e5", "h8"])  # a square: threes, and no chain of fours
    scratch = np.zeros(GAME.scratch, np.int64)
    assert GAME.kernels.find_win(position.state.copy(), labels.CHAIN_NODES, scratch) == NO_MOVE
    label = labels.prove(position)
    assert label.kind == record.WON
    move = int(label.policy.argmax())
    assert beats_every_reply(position.play(move), position.to_move)


def test_both_ends_of_an_open_three_win_and_its_far_ends_do_not_share_by_chance():
    label = labels.prove(GAME.after(OPEN_THREE))
    assert label.kind == record.WON
    assert {GAME.name_of(move) for move in np.flatnonzero(label.policy)} >= {"b5", "f5"}
    assert label.policy.sum() == pytest.approx(1)
    assert len(set(label.policy[label.policy > 0])) == 1


def test_a_dead_position_is_a_draw_and_an_open_one_is_unknown():
    board = make_game("gomoku:size=3,win=3")
    dead = board.after([0, 1, 2, 4, 3, 6, 7, 5])  # every line of three has both colours
    assert (labels.prove(dead).kind, labels.prove(dead).value) == (record.DEAD, 0)
    assert labels.prove(GAME.start()) is None


def test_labels_have_the_symmetry_of_their_position(network):
    mirrored = GAME.after([(3, 3), (4, 4)])  # its own mirror image at a diagonal
    start = GAME.start()
    alone, empty = labels.search(network, [mirrored, start], playouts=64)
    grid = alone.policy.reshape(8, 8)
    assert np.array_equal(grid, grid.T)
    assert not np.array_equal(grid, grid[::-1])
    for g in range(8):
        assert np.array_equal(BoardSymmetry.transform_board_tensor(empty.policy.reshape(8, 8), g).ravel(), empty.policy)


def test_a_label_does_not_depend_on_how_the_board_lies(network):
    """But for ties, which a search breaks by the order of moves."""
    moves = [(2, 3), (3, 3), (2, 5), (5, 1), (4, 4)]
    turned = [BoardSymmetry.transform_coordinates(row, column, 8, 3) for row, column in moves]
    one, other = (labels.search(network, [GAME.after(m)], playouts=200)[0] for m in (moves, turned))
    assert one.value == pytest.approx(other.value, abs=0.02)
    back = BoardSymmetry.transform_board_tensor(one.policy.reshape(8, 8), 3).ravel()
    assert np.abs(back - other.policy).sum() < 0.1


def test_a_search_on_a_device_gives_the_same_labels(network):
    """The way through a device's evaluator, here on the processor."""
    positions = [GAME.after([(2, 3), (3, 3), (2, 5)]), GAME.start()]
    here = open_network("gomoku-8", GAME, backend="torch:precision=fp32", kind=PolicyValueNetwork)
    evaluator = labels.averaging_on_device(network, 16)
    planes = np.stack([position.encode("last-move") for position in positions])
    (logits, values), theirs = evaluator.evaluate(planes), here.evaluator(symmetry="average").evaluate(planes)
    assert logits == pytest.approx(theirs[0], abs=1e-4)
    assert values[:, 0] == pytest.approx(theirs[1].reshape(2, -1)[:, 0], abs=1e-4)


# ---- marks --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["as it was trained", "slap", "slap-cc", "average"])
def place(request, tmp_path_factory) -> str:
    """A trained network, and small ones with fresh weights in other symmetry modes."""
    if request.param == "as it was trained":
        return "gomoku-8"
    about = Description(network="a1", game=GAME.text, encoder="last-move", symmetry=request.param)
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp(request.param)
    save_checkpoint(folder, about.make(), about)
    return str(folder)


def test_marks_are_those_of_a_plain_loop(exam, place):
    policies, values = open_network(place, GAME).evaluate(exam.positions)
    losses, excesses, right, errors = [], [], [], []
    for k, kind in enumerate(exam.kinds):
        errors.append((float(values[k]) - float(exam.values[k])) ** 2)
        if kind in (record.LOST, record.DEAD):
            continue
        wanted = exam.policies[k]
        loss = -sum(float(w) * math.log(p) for w, p in zip(wanted, policies[k], strict=True) if w > 0)
        losses.append(loss)
        excesses.append(loss + sum(float(w) * math.log(w) for w in wanted if w > 0))
        right.append(wanted[policies[k].argmax()] == wanted.max())
    marks = mark_network(exam, place)
    assert set(marks) == {"policy_loss", "policy_excess", "top1", "value_error"}
    assert marks["policy_loss"] == pytest.approx(np.mean(losses), rel=1e-3)
    assert marks["policy_excess"] == pytest.approx(np.mean(excesses), rel=1e-3)
    assert marks["top1"] == pytest.approx(np.mean(right))
    assert marks["value_error"] == pytest.approx(np.mean(errors), rel=1e-3)


def test_who_answers_what_is_right_gets_the_best_marks(exam):
    from eightfold.studies.exam.marks import marks_of

    logits = np.where(exam.policies > 0, np.log(np.maximum(exam.policies, 1e-30)), -80).astype(np.float32)
    logits[~exam.legal] = 90  # of no account: the rules forbid it
    marks = marks_of(exam, logits, exam.values)
    assert marks["policy_excess"] == pytest.approx(0, abs=1e-5)
    assert (marks["top1"], marks["value_error"]) == (1, 0)
    assert marks_of(exam, -logits * exam.legal, -exam.values)["top1"] < 0.5


def test_networks_are_marked_on_the_command_line(exam, file):
    done = CliRunner().invoke(app, ["exam", "gomoku-8", "--exam", str(file), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert (told["exam"], told["positions"]) == (exam.hash, len(exam))
    assert told["networks"] == [{"network": "gomoku-8", **mark_network(exam, "gomoku-8")}]
    table = CliRunner().invoke(app, ["exam", "gomoku-8", "--exam", str(file)]).output
    assert exam.hash in table
    assert f"{told['networks'][0]['policy_loss']:.4f}" in table


# ---- files --------------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_was_written(exam, file):
    assert exam.bytes() == file.read_bytes()
    assert exam.game == GAME
    assert (exam.policies[~exam.legal] == 0).all()
    assert exam.planes("last-move").shape == (16, 4, 8, 8)


def test_a_damaged_file_is_one_line(exam, file, tmp_path):
    whole, damaged = file.read_bytes(), tmp_path / "exam.npz"
    for at in range(0, len(whole), len(whole) // 60):
        broken = bytearray(whole)
        broken[at] ^= 0x55
        damaged.write_bytes(broken)
        with contextlib.suppress(EightfoldError):  # else it is a byte that means nothing, such as a date
            assert read_exam(damaged).hash == exam.hash
    for data in (whole[: len(whole) // 2], b"", b"not a zip"):
        damaged.write_bytes(data)
        assert "exam.npz" in refusal(lambda: read_exam(damaged))
    damaged.write_bytes(b"(;GM[4])")
    assert "pickle" not in refusal(lambda: read_exam(damaged))
    assert "there is no exam" in refusal(lambda: read_exam(tmp_path / "nowhere.npz"))
    assert "is a folder" in refusal(lambda: read_exam(tmp_path))


def test_a_file_with_other_numbers_is_refused(exam, tmp_path):
    values = exam.values.copy()
    values[0] = 0.123
    changed = replace(exam, values=values)
    assert changed.hash != exam.hash
    path = tmp_path / "exam.npz"
    arrays = dict(np.load(record.write_exam(changed, tmp_path)))
    np.savez(path, **{**arrays, "hash": np.array(exam.hash)})
    assert "its hash is another" in refusal(lambda: read_exam(path))
    np.savez(path, **{**arrays, "policies": np.array([{}], dtype=object)})
    assert "is no exam" in refusal(lambda: read_exam(path))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda exam: {"policies": exam.policies[:, :5]}, "do not fit"),
        (lambda exam: {"policies": exam.policies * 2}, "policy or a value"),
        (lambda exam: {"values": exam.values + np.nan}, "policy or a value"),
        (lambda exam: {"positions": (won(GAME), *exam.positions[1:])}, "is over"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_though_its_hash_is_right(exam, tmp_path, change, said):
    path = record.write_exam(replace(exam, **change(exam)), tmp_path)
    assert said in refusal(lambda: read_exam(path))


def won(game: Game) -> Position:
    return game.after([0, 8, 1, 9, 2, 10, 3, 11, 4])
