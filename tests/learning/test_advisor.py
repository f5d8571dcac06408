"""Advisors: who plays games for a network, what is kept of them, and how a run learns from them."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eightfold.config import with_changes
from eightfold.games import make_game
from eightfold.games.records import GameRecord, write_records
from eightfold.learning.advisor.advising import advise_into
from eightfold.learning.advisor.folder import ADVICE, AdviceFolder, read_advice, read_settings
from eightfold.learning.advisor.opening import open_advisor
from eightfold.learning.advisor.targets import policy_targets, scaled_scores, softmax
from eightfold.learning.advisor.teacher import Teacher, make_advisor
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.config import AdvisorConfig
from eightfold.learning.data.record import PlayedGame, samples_of
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from launching import eightfold
from refusals import refusal
from tiny_runs import tiny

GAME = "gomoku:size=5,win=4"
TEACHING = Teaching(player="alphabeta:depth=2", seed=7)


def play(numbers, teaching=TEACHING, *, game=GAME, threads=1) -> dict[int, PlayedGame]:
    found: dict[int, PlayedGame] = {}
    with Teacher(make_game(game), teaching, threads=threads) as teacher:
        teacher.play(numbers, on_game=found.__setitem__)
    return found


@pytest.fixture(scope="module")
def advice(tmp_path_factory) -> Path:
    """Eight games of tic-tac-toe, as the tiny runs play it."""
    path = tmp_path_factory.mktemp("advisor") / "advice"
    advise_into(path, make_game("gomoku:size=3,win=3"), TEACHING, games=8)
    return path


# ---- the teacher ------------------------------------------------------------------------------------------


def test_a_game_depends_on_the_seed_and_its_number_alone():
    all_of_them, some = play(range(6), threads=2), play([5, 2])
    for number, played in some.items():
        assert played.to_bytes() == all_of_them[number].to_bytes()
    assert play([2], replace(TEACHING, seed=8))[2].moves != some[2].moves


def test_samples_hold_what_the_advisor_thinks_whatever_was_played():
    game = make_game(GAME)
    explored = 0
    for played in play(range(8), replace(TEACHING, low_from=0.3, low_to=0.3, high_from=0.6, high_to=0.6)).values():
        player = make_advisor("alphabeta:depth=2", game, seed=1)
        positions = played.replay(game)
        assert positions[-1].is_over or game.kernels.is_dead(positions[-1].state)
        assert played.scores is not None
        for ply, (policy, scores) in enumerate(zip(played.policies, played.scores, strict=True)):
            exact = player.think(positions[ply]).scores
            assert exact is not None
            np.testing.assert_array_equal(np.isfinite(scores), np.isfinite(exact))
            best = np.flatnonzero(exact == np.nanmax(exact))
            assert policy.argmax() in best
            explored += played.moves[ply] not in best
    assert explored


def test_all_four_combinations_of_low_and_high_epsilons_occur():
    with Teacher(make_game(GAME), TEACHING) as teacher:
        epsilons = [teacher._begin(0, number).epsilons for number in range(8)]
    low = {(black < 0.1, white < 0.1) for black, white in epsilons}
    assert low == {(True, True), (True, False), (False, True), (False, False)}
    assert all(0.02 <= each <= 0.2 for pair in epsilons for each in pair)


@pytest.mark.parametrize("player", ["greedy", "random", "mcts:playouts=10,style=plain"])
def test_any_player_advises(player):
    played = play(range(2), Teaching(player=player), game="gomoku:size=3,win=3")[1]
    again = PlayedGame.from_bytes(played.to_bytes())
    assert (again.scores is not None) == (player == "greedy")
    targets = policy_targets(again, "softmax", 0.05)
    np.testing.assert_allclose(targets.sum(axis=1), 1, rtol=1e-5)
    if again.scores is None:
        np.testing.assert_array_equal(targets, played.policies)


# ---- targets ------------------------------------------------------------------------------------------------


def test_scaled_scores_keep_the_order_and_run_from_minus_one_to_one():
    game = make_game("gomoku:size=6,win=4")
    position = game.after(["c1", "a6", "c2", "f6", "c3"])  # whoever does not play c4 loses at once
    result = make_advisor("alphabeta:depth=3", game).think(position)
    scaled = scaled_scores(result, position)
    assert scaled is not None
    assert result.scores is not None
    scored = np.isfinite(result.scores)
    assert (np.abs(scaled[scored]) <= 1).all()
    order = np.argsort(result.scores[scored], kind="stable")
    assert (np.diff(scaled[scored][order]) >= 0).all()
    assert len(np.unique(scaled[scored])) == len(np.unique(result.scores[scored])), "different scores stay different"
    assert scaled[game.action("c4")] > np.nanmin(scaled) == -1


def test_onehot_softmax_and_the_discount():
    game = make_game(GAME)
    played = play([3])[3]
    hot, soft, cold = (policy_targets(played, *how) for how in (("onehot", 1.0), ("softmax", 1.0), ("softmax", 0.001)))
    np.testing.assert_array_equal(hot, played.policies)
    assert (soft.max(axis=1) <= cold.max(axis=1) + 1e-6).all()
    assert played.scores is not None
    for row, scores in enumerate(played.scores):
        np.testing.assert_array_equal(softmax(scores, 1.0), soft[row])
        assert scores[cold[row].argmax()] == np.nanmax(scores)
    positions, length = played.replay(game), len(played.moves)
    plain = samples_of(played, positions, encoder="last-move")
    less = samples_of(played, positions, encoder="last-move", discount=0.9)
    for ply, (one, other) in enumerate(zip(plain, less, strict=True)):
        assert other.value == pytest.approx(one.value * 0.9 ** (length - 1 - ply))


def test_a_played_game_keeps_its_scores_and_earlier_bytes_are_read():
    played = play([1])[1]
    again = PlayedGame.from_bytes(played.to_bytes())
    np.testing.assert_array_equal(again.scores, played.scores)
    without = replace(played, scores=None).to_bytes()
    assert without[:4] == b"8fg1", "as every earlier version wrote it"
    assert PlayedGame.from_bytes(without).scores is None
    assert "not a played game" in refusal(lambda: PlayedGame.from_bytes(b"8fg2" + without[4:]))


# ---- the folder ---------------------------------------------------------------------------------------------


def test_a_folder_that_was_cut_goes_on_and_loses_unfinished_games_alone(tmp_path):
    game, whole = make_game(GAME), tmp_path / "whole"
    advise_into(whole, game, TEACHING, games=6)
    cut = tmp_path / "cut"
    shutil.copytree(whole, cut)
    part = cut / "games-0001.part"
    part.write_bytes(part.read_bytes()[:-20])
    _, left = read_advice(cut)
    assert len(left.games) == 5
    assert "is cut after 5 games" in left.faults[0]
    summary = advise_into(cut, game, TEACHING, games=6)
    assert (summary.games, summary.played) == (6, 1)
    (_, mended), (_, expected) = read_advice(cut), read_advice(whole)
    assert {n: g.to_bytes() for n, g in mended.games.items()} == {n: g.to_bytes() for n, g in expected.games.items()}
    assert advise_into(cut, game, TEACHING, games=3).played == 0, "none is taken away"


def test_a_game_that_was_scribbled_on_is_left_out_and_named(tmp_path):
    game, path = make_game(GAME), tmp_path / "advice"
    advise_into(path, game, TEACHING, games=4)
    part = path / "games-0001.part"
    data = bytearray(part.read_bytes())
    data[30] ^= 255
    part.write_bytes(data)
    advisor = open_advisor(AdvisorConfig(folder=str(path)), game)
    assert len(advisor.games) == 3
    assert "is damaged" in advisor.notices[0]
    assert "3 games" in advisor.notices[-1]


def test_equal_games_are_counted(tmp_path):
    still = Teaching(player="greedy", low_from=0, low_to=0, high_from=0, high_to=0)
    summary = advise_into(tmp_path / "same", make_game("gomoku:size=3,win=3"), still, games=9)
    assert summary.distinct < 9
    assert sum(map(len, summary.same)) >= 2


def test_the_command_advises_as_the_settings_say(tmp_path):
    small = ("--games", "1", "--player", "random", "--game", "gomoku:size=3,win=3", "--json")
    done = eightfold("advise", "lessons", *small, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert read_settings(tmp_path / "lessons") == ("gomoku:size=3,win=3,rule=freestyle", Teaching(player="random"))


def test_folders_that_are_something_else_are_refused(tmp_path):
    game, advice = make_game(GAME), tmp_path / "advice"
    with AdviceFolder(advice, game, TEACHING):
        assert "in use" in refusal(lambda: AdviceFolder(advice, game, TEACHING))
    assert "seed = 7, not 8" in refusal(lambda: AdviceFolder(advice, game, replace(TEACHING, seed=8)))
    other = make_game("gomoku:size=6")
    assert "not of gomoku:size=6" in refusal(lambda: AdviceFolder(advice, other, TEACHING))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine")
    assert "holds other files" in refusal(lambda: AdviceFolder(tmp_path / "mine", game, TEACHING))
    assert "is a file" in refusal(lambda: AdviceFolder(tmp_path / "mine" / "notes", game, TEACHING))
    for text in ("", "format = 9", 'format = 1\ngame = "chess"', "format = 1\ngame = 3", "]"):
        (advice / ADVICE).write_text(text)
        assert ADVICE in refusal(lambda: AdviceFolder(advice, game, TEACHING))
    assert "is no range" in refusal(lambda: Teaching(low_from=0.5, low_to=0.1))


# ---- records ------------------------------------------------------------------------------------------------


def test_records_advise_and_those_that_cannot_are_named(tmp_path):
    folder, text = tmp_path / "records", "gomoku:size=6,win=5,rule=freestyle"
    folder.mkdir()
    won = GameRecord(game=text, moves=(0, 6, 1, 7, 2, 8, 3, 9, 4))
    given_up = GameRecord(game=text, moves=(0, 6, 1), result="W+R")
    for name, record in {
        "a.sgf": won, "b.psq": won, "c.sgf": given_up, "d.sgf": GameRecord(game=text, moves=(0, 6)),
        "e.sgf": GameRecord(game="gomoku:size=7,win=5,rule=freestyle", moves=(0, 6), result="B+"),
    }.items():  # fmt: skip
        write_records(folder / name, [record])
    (folder / "f.sgf").write_text("(;GM[4]SZ[6]")
    (folder / "readme.txt").write_text("not a record")
    game = make_game(text)
    advisor = open_advisor(AdvisorConfig(folder=str(folder)), game)
    assert [(len(each.moves), each.result) for each in advisor.games] == [(9, 1), (9, 1), (3, 2)]
    said = " ".join(advisor.notices)
    for name, reason in (("d.sgf", "does not tell who won"), ("e.sgf", "size=7"), ("f.sgf", "")):
        assert name in said
        assert reason in said
    assert advisor.source == "records"
    one = open_advisor(AdvisorConfig(folder=str(folder / "c.sgf")), game).games[0]
    np.testing.assert_array_equal(policy_targets(one, "softmax", 0.05), one.policies)
    assert [sample.value for sample in samples_of(one, one.replay(game), encoder="last-move")] == [-1, 1, -1]
    undecided = AdvisorConfig(folder=str(folder / "d.sgf"))
    assert "no records to learn from" in refusal(lambda: open_advisor(undecided, game))


# ---- a run --------------------------------------------------------------------------------------------------


def advised(folder: Path, *changes: str):
    return tiny(f"advisor.folder={folder}", "advisor.epochs=3", "training.batch_size=8", *changes)


def test_a_run_learns_from_its_advisor_first_and_says_from_whom(tmp_path, advice):
    run = tmp_path / "run"
    training = Training(advised(advice, "advisor.share_games=4", "games=3"), run)
    try:
        training.train()
        learned, samples = training.learned_from, training._tuition.samples
        progress = training.progress
    finally:
        training.close()
    lines = [entry for entry in read_metrics(run) if "samples_from" in entry]
    stage = [entry for entry in lines if "advisor_epoch" in entry]
    assert stage[-1]["advisor_epoch"] == 3
    assert stage[-1]["games"] == 0
    assert stage[-1]["samples_from"] == {"self-play": 0, "alphabeta:depth=2": 3 * samples}
    assert learned["alphabeta:depth=2"] > 3 * samples, "a share of the batches of self-play"
    assert learned["self-play"] > 0
    assert sum(learned.values()) == 3 * samples + 8 * (progress.steps - progress.advised_steps)
    assert "alphabeta:depth=2" in (run / "checkpoint" / "card.md").read_text()
    assert (
        f'digest = "{open_advisor(AdvisorConfig(folder=str(advice)), make_game("gomoku:size=3,win=3")).digest}"'
        in (run / "config.toml").read_text()
    )


def test_passes_over_the_advisors_samples_stay_as_many_whatever_a_batch_holds(tmp_path, advice):
    training = Training(advised(advice, "games=1"), tmp_path / "run")
    tuition, progress, seen = training._tuition, SelfPlayProgress(), []

    def take_step() -> None:
        seen.append(len(tuition.next_batch(progress)))
        tuition.count_step(progress)

    try:
        tuition.prepare(progress)
        take_step()
        before = tuition.epoch(progress)
        assert before == sum(seen) / tuition.samples > 0
        tuition.config = with_changes(tuition.config, ["training.batch_size=13"])  # a run may go on so
        assert tuition.epoch(progress) == before
        while not progress.advised:
            take_step()
        assert sum(seen) == progress.from_advisor == 3 * tuition.samples
    finally:
        training.close()


def test_a_run_that_was_stopped_in_the_first_stage_goes_on_without_its_advisor(tmp_path, advice):
    gone, run = tmp_path / "gone", tmp_path / "run"
    shutil.copytree(advice, gone)
    config = advised(gone, "games=1")
    training = Training(config, run)
    step = training.trainer.step

    def step_and_stop(batch):
        if training.progress.advised_steps == 3:
            training.stop()
        return step(batch)

    training.trainer.step = step_and_stop  # type: ignore[method-assign]
    try:
        training.train()
    finally:
        training.close()
    assert json.loads((run / "checkpoint" / "progress.json").read_text())["advised_steps"] == 4
    shutil.rmtree(gone)
    again = Training(config, run)
    try:
        again.train()
        assert again.progress.advised == 1
        assert again.progress.games >= 1
        assert again.learned_from["alphabeta:depth=2"] >= 3 * again._tuition.samples
    finally:
        again.close()
    assert "advisor.targets" in refusal(lambda: Training(advised(gone, "advisor.targets=softmax"), run))


def test_a_bad_advisor_is_refused_before_a_folder_is_made(tmp_path, advice):
    run, empty, other = tmp_path / "run", tmp_path / "empty", tmp_path / "other"
    empty.mkdir()
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    cases = {
        tmp_path / "nowhere": "no such advisor",
        empty: "is empty",
        other: "no advice.toml and no records",
    }
    for folder, said in cases.items():
        assert said in refusal(lambda folder=folder: Training(advised(folder), run))
    assert "plays gomoku:size=3" in refusal(lambda: Training(advised(advice, f"game={GAME}"), run))
    assert "has 8 games" in refusal(lambda: Training(advised(advice, "advisor.games=9"), run))
    assert "has changed" in refusal(lambda: Training(advised(advice, "advisor.digest=abc"), run))
    cut = tmp_path / "cut"
    shutil.copytree(advice, cut)
    (cut / "games-0001.part").write_bytes(b"broken")
    assert "no games to learn from" in refusal(lambda: Training(advised(cut), run))
    assert not run.exists()
