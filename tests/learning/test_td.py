"""TD(λ) self-play: the kernels against a plain implementation, move by move and weight by weight."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from eightfold.benchmarks.reference.isn import BLACK, EMPTY, WHITE, plain_reward
from eightfold.benchmarks.reference.td import (
    NAMES,
    PRESENT,
    final_target,
    plain_game,
    plain_targets,
    plain_update,
    told_before,
)
from eightfold.core.rng import make_random
from eightfold.isn.network import ISN, one_hot
from eightfold.isn.store import snapshots_of
from eightfold.isn.tables import playing_tables
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.runs.provenance import this_machine
from eightfold.learning.td.checkpointing import read_progress
from eightfold.learning.td.config import ClimbConfig, TdConfig, UnitsConfig
from eightfold.learning.td.gradient import Gradient, add_gradient, gradient_of
from eightfold.learning.td.loop import TdTrainer, TdTraining
from eightfold.learning.td.targets import final_targets, scaled, step_back
from launching import eightfold
from refusals import refusal

SMALL = TdConfig(game="go:size=3,komi=0.5", games=12, linear_games=0, learning_rate=1e-3, decay=0.999, snapshot_every=4)


def weights(network):
    return np.concatenate([parameter.detach().double().numpy().ravel() for parameter in network.parameters()])


@pytest.mark.parametrize(("size", "games", "linear"), [(2, 6, 2), (3, 6, 2), (4, 3, 0), (5, 2, 0)])
def test_the_same_games_and_the_same_weights_as_the_plain_implementation(size, games, linear):
    """One game, one change of the weights, as Blair has it; captures and long games are among them."""
    config = replace(SMALL, game=f"go:size={size},komi=0.5", games=games, linear_games=linear, seed=4)
    trainer = TdTrainer(config)
    plain = copy.deepcopy(trainer.network)
    moves = captures = 0
    for number in range(games):
        before = weights(plain)
        trainer.update(1)
        game = plain_game(
            plain, size, beta=4.0, c=0.4, s=0.4, longest=3 * size * size, random=make_random(config.seed, number)
        )
        plain_update(plain, game, c=0.4, trace=0.9, rate=1e-3, decay=0.999, linear=number < linear)
        moves += len(game.moves)
        captures += sum(
            move < size * size and np.count_nonzero(after) <= np.count_nonzero(board)
            for board, after, move in zip(game.boards, game.boards[1:], game.moves, strict=False)
        )
        assert trainer.progress.moves == moves
        assert np.abs(weights(plain) - before).max() > 1e-4
        np.testing.assert_allclose(weights(trainer.network), weights(plain), atol=2e-7, rtol=0)
    if size > 2:
        assert captures > 0


def states_of(seed, count=400):
    """States before and after a move as they can follow each other, and outputs."""
    random = np.random.default_rng(seed)
    possible = [
        (EMPTY, EMPTY),
        (EMPTY, WHITE),
        (EMPTY, BLACK),
        (WHITE, WHITE),
        (BLACK, BLACK),
        (WHITE, EMPTY),
        (BLACK, EMPTY),
    ]
    chosen = random.integers(0, len(possible), count)
    before, after = (np.array([possible[k][side] for k in chosen], np.int8) for side in (0, 1))
    return before, after, random.random((7, count), np.float32), random.random((7, count))


@pytest.mark.parametrize("c", [0.0, 0.4, 1.0])
def test_a_step_back_is_the_plain_one(c):
    before, after, said, targets = states_of(1)
    aims = targets.copy()
    step_back(before, after, said, 0.9, c, 0, targets)
    for point in range(len(before)):
        mixed = {
            name: 0.9 * aims[NAMES.index(name), point] + (1 - 0.9) * float(said[NAMES.index(name), point])
            for name in PRESENT[after[point]]
        }
        for name, value in told_before(int(before[point]), int(after[point]), mixed, c).items():
            assert targets[NAMES.index(name), point] == pytest.approx(value, abs=1e-12)


@given(
    st.sampled_from([(WHITE, EMPTY), (BLACK, EMPTY), (WHITE, WHITE), (EMPTY, EMPTY)]),
    st.lists(st.floats(0, 1), min_size=3, max_size=3),
    st.floats(0, 2),
    st.floats(0, 1),
)
def test_a_capture_leaves_no_step_in_the_reward(states, values, c, s):
    """The reward before is that after, and what the capture was worth: for any c and s, so for R¹ and R⁰ alike."""
    was, now = states
    target = dict(zip(PRESENT[now], values, strict=False))
    told = told_before(was, now, target, c, clip=False)
    rewards = []
    for state, said in ((was, told), (now, target)):
        outputs = np.array([said.get(name, np.nan) for name in NAMES])
        rewards.append(plain_reward(state, np.nan_to_num(outputs), c, s))
    captured = {(WHITE, EMPTY): -c, (BLACK, EMPTY): c}.get(states, 0.0)
    assert rewards[0] == pytest.approx(rewards[1] + captured, abs=1e-9)
    assert set(told) == set(PRESENT[was])


@pytest.mark.parametrize("colour", [WHITE, BLACK])
def test_an_empty_point_foresees_what_becomes_of_the_stone_that_is_played_there(colour):
    """A stone that stays, and one that is captured and leaves an eye to the other side: as table IV has them."""
    z, a, eye = ("Z°", "A°", "A•+") if colour == WHITE else ("Z•", "A•", "A°+")
    stays, goes = (1.0, 0.0) if colour == WHITE else (0.0, 1.0)
    nothing = {"Z+": stays, "A°+": 0.0, "A•+": 0.0}
    assert told_before(EMPTY, colour, {z: stays, a: 0.0}, 0.4) == nothing
    assert told_before(EMPTY, colour, {z: goes, a: 1.0}, 0.4) == {**nothing, "Z+": goes, eye: 1.0}


@pytest.mark.parametrize("c", [0.4, 1.0])
def test_table_iv_follows_from_the_end_of_a_game_and_the_steps_back(c):
    """A stone now, an end of the point later: every cell of the table, with the captures on the way."""
    ends = {
        "white territory": (EMPTY, {"Z+": 1.0, "A°+": 1.0, "A•+": 0.0}),
        "neutral": (EMPTY, {"Z+": 0.5, "A°+": 0.0, "A•+": 0.0}),
        "black territory": (EMPTY, {"Z+": 0.0, "A°+": 0.0, "A•+": 1.0}),
        "white stone": (WHITE, {"Z°": 1.0, "A°": 0.0}),
        "black stone": (BLACK, {"Z•": 0.0, "A•": 0.0}),
    }
    expected = {
        (EMPTY, "white stone"): {"Z+": 1, "A°+": 0, "A•+": 0},
        (EMPTY, "black stone"): {"Z+": 0, "A°+": 0, "A•+": 0},
        (WHITE, "neutral"): {"Z°": 1 / (2 + c), "A°": c / (2 + c)},
        (WHITE, "black territory"): {"Z°": 0, "A°": 1},
        (WHITE, "black stone"): {"Z°": 0, "A°": 0},
        (BLACK, "white territory"): {"Z•": 1, "A•": 1},
        (BLACK, "neutral"): {"Z•": (1 + c) / (2 + c), "A•": c / (2 + c)},
        (BLACK, "white stone"): {"Z•": 1, "A•": 0},
    }
    for (was, end), table in expected.items():
        state, target = ends[end]
        if state != EMPTY and was != EMPTY:  # captured first, then the other colour plays there
            target = told_before(EMPTY, state, target, c)
            state = EMPTY
        told = told_before(was, state, target, c)
        assert told == pytest.approx(table, abs=1e-12), (was, end)


def test_the_end_of_a_game_is_the_plain_one():
    board = np.array([[1, 1, 0, 2, 0], [0, 1, 0, 2, 2], [1, 1, 0, 0, 2], [2, 2, 2, 2, 2], [0, 2, 0, 2, 0]], np.int8)
    owners = np.array([[1, 1, 0, 2, 2], [1, 1, 0, 2, 2], [1, 1, 0, 0, 2], [2] * 5, [2] * 5], np.int8)
    targets = np.full((7, 25), -1.0)
    final_targets(board.ravel(), owners.ravel(), 0.4, 0.4, 0, targets)
    for point in np.ndindex(5, 5):
        for name, value in final_target(board, point).items():
            assert targets[NAMES.index(name), point[0] * 5 + point[1]] == value
    single = np.zeros((7, 25))
    final_targets(board.ravel(), owners.ravel(), 0.4, 0.3, 1, single)
    assert single[0, [0, 2, 3, 4, 5]] == pytest.approx([scaled(r, 0.4) for r in (-0.3, 0.0, 0.3, 1.0, -1.0)])


def test_a_single_output_keeps_the_reward_of_captures():
    before, after, said, targets = states_of(2)
    said[:], targets[:] = 0.5, 0.5  # a reward of nothing
    step_back(before, after, said, 0.9, 0.4, 1, targets)
    taken = (after == EMPTY) * ((before == BLACK) * 0.4 - (before == WHITE) * 0.4)
    np.testing.assert_allclose(targets[0], [scaled(each, 0.4) for each in taken], atol=1e-12)


def test_looking_back_from_the_end_is_td_with_eligibility_traces():
    """Traces that are told in the outputs of the state before: the same sum of errors, if nothing is clipped."""
    torch.manual_seed(2)
    network, trace, c = ISN().double(), 0.8, 0.4
    game = plain_game(network, 3, beta=4.0, c=c, s=0.4, longest=20, random=make_random(5))
    targets = plain_targets(game, c, trace, clip=False)
    length = len(game.boards)
    forward = [
        {
            point: {n: v - game.outputs[t][NAMES.index(n), *point] for n, v in aims.items()}
            for point, aims in each.items()
        }
        for t, each in enumerate(targets)
    ]

    def told_back(start, stop, point, target):
        for ply in range(start, stop, -1):
            target = told_before(int(game.boards[ply - 1][point]), int(game.boards[ply][point]), target, c, clip=False)
        return target

    for point in np.ndindex(3, 3):
        said = [
            {n: game.outputs[t][NAMES.index(n), *point] for n in PRESENT[int(game.boards[t][point])]}
            for t in range(length)
        ]
        last = final_target(game.boards[-1], point)
        for t in range(length):
            error = dict.fromkeys(said[t], 0.0)
            for k in range(t, length):  # the difference of two predictions in a row, weighed by the trace
                newer = (
                    last
                    if k == length - 1
                    else told_before(
                        int(game.boards[k][point]), int(game.boards[k + 1][point]), said[k + 1], c, clip=False
                    )
                )
                after, now = told_back(k, t, point, newer), told_back(k, t, point, said[k])
                for name in error:
                    error[name] += trace ** (k - t) * (after[name] - now[name])
            assert error == pytest.approx(forward[t][point], abs=1e-9)


@pytest.mark.parametrize(
    "units",
    [
        {},
        {"chiral": 1, "faithful": 1, "trivial": 1, "symmetrical": 3, "diagonal": 1},
        {"recurrent": 1},
        {"recurrent": 3, "chiral": 1},
        {"outputs": 1},
        {"bias": False},
    ],
)
def test_the_gradient_is_the_one_that_torch_finds(units):
    torch.manual_seed(3)
    network, random = ISN(**units).double(), np.random.default_rng(4)
    single = int(units.get("outputs") == 1)
    tables = playing_tables(network, by_count=bool(single))
    board = random.integers(0, 3, (4, 5), np.int8)
    classes = np.where(board == 0, 12, np.where(board == 1, 6, 0) + random.integers(0, 6, board.shape)).astype(np.uint8)
    said = network(one_hot(torch.from_numpy(classes[None])).double())[0]
    outputs = np.full((7, 20), 0.5, np.float32)
    outputs[: len(said)] = said.detach().numpy().reshape(len(said), -1)
    targets = random.random((7, 20))
    gradient = Gradient.zeros_for(tables)
    loss = add_gradient(board.ravel(), classes, outputs, targets, tables, 0, gradient)
    expected = torch.zeros((), dtype=torch.float64)
    best = 0.0
    for point, state in enumerate(board.ravel()):
        for name in ("Z+",) if single else PRESENT[int(state)]:
            aim, value = targets[NAMES.index(name), point], said[NAMES.index(name)].ravel()[point]
            expected = expected - aim * torch.log(value) - (1 - aim) * torch.log(1 - value)
            best -= aim * np.log(aim) + (1 - aim) * np.log(1 - aim)
    expected.backward()
    assert loss == pytest.approx(float(expected.detach()) - best, rel=1e-5)
    found = gradient_of(network, gradient)
    assert set(found) == {name for name, _ in network.named_parameters()}
    for name, parameter in network.named_parameters():
        np.testing.assert_allclose(found[name], -parameter.grad.numpy(), atol=2e-5, err_msg=name)
        assert np.abs(found[name]).max() > 1e-3 or not parameter.numel()


def test_threads_change_nothing_and_seeds_do():
    ends = []
    for threads, seed in ((1, 0), (2, 0), (1, 1)):
        trainer = TdTrainer(replace(SMALL, game="go:size=5,komi=0.5", seed=seed), threads=threads)
        trainer.network = TdTrainer(SMALL).network
        for _ in range(2):
            trainer.update(6)
        ends.append(weights(trainer.network))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)
    assert np.abs(ends[0] - ends[2]).max() > 1e-6


def test_the_preliminary_phase_trains_the_shortcut_alone():
    trainer = TdTrainer(replace(SMALL, linear_games=4))
    before = copy.deepcopy(trainer.network.state_dict())
    assert not before["output.weight"].any()
    trainer.update(4)
    after = trainer.network.state_dict()
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert changed == {"shortcut.weight", "shortcut.bias"}
    trainer.update(2)
    assert trainer.network.state_dict()["output.weight"].any()


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    config = replace(SMALL, game="go:size=4,komi=0.5", games_an_update=2, linear_games=3)
    whole = TdTraining(config, tmp_path / "whole")
    whole.train()
    whole.close()
    part = TdTraining(replace(config, games=5), tmp_path / "part")
    part.train()
    part.close()
    part = TdTraining(config, tmp_path / "part")
    assert part.folder.resumed
    assert part.trainer.progress.games == 5
    part.train()
    part.close()
    # Five games are no multiple of two: the last weights differ in how games were put together, not in the games.
    assert part.trainer.progress.games == whole.trainer.progress.games == 12
    assert list(snapshots_of(tmp_path / "whole")) == [0, 4, 8, 12]
    assert list(snapshots_of(tmp_path / "part")) == [0, 4, 5, 8, 12], "the end of a run is a snapshot too"
    single = replace(config, games_an_update=1)
    ends = []
    for folder, stops in (("one", [12]), ("two", [5, 12])):
        for games in stops:
            training = TdTraining(replace(single, games=games), tmp_path / folder)
            training.train()
            training.close()
        ends.append(weights(training.trainer.network))
    np.testing.assert_array_equal(ends[0], ends[1])


def test_the_hill_climb_gives_up_what_loses():
    climb = ClimbConfig(every=4, games=4, accept=1.0, beta=4.0)
    trainer = TdTrainer(replace(SMALL, games=40, climb=climb))
    start = weights(trainer.network)
    seen = []
    for _ in range(4):
        accepted = trainer.progress.accepted
        trainer.update(4)
        seen.append((trainer.progress.accepted > accepted, bool((weights(trainer.network) == start).all())))
        if seen[-1][0]:
            start = weights(trainer.network)
    assert trainer.progress.contests == 4
    assert any(not accepted for accepted, _ in seen), "all of four games are rarely won against oneself"
    assert all(same for accepted, same in seen if not accepted)
    always = TdTrainer(replace(SMALL, games=40, climb=replace(climb, accept=0.0)))
    always.update(4)
    assert always.progress.accepted == 1


@pytest.mark.parametrize(
    "changes", [{"units": UnitsConfig(outputs=1), "classes": "count"}, {"units": UnitsConfig(recurrent=1)}]
)
def test_ablations_and_recurrent_networks_learn(changes):
    """The cross entropy of later games is well below that of the first ones."""
    trainer = TdTrainer(replace(SMALL, game="go:size=4,komi=0.5", learning_rate=2e-4, **changes))
    losses = []
    for _ in range(12):
        trainer.recent.loss, trainer.recent.games = 0.0, 0
        trainer.update(8)
        losses.append(trainer.recent.loss / trainer.recent.games)
    assert np.mean(losses[-3:]) < 0.8 * np.mean(losses[:2])


def test_bad_settings_are_named(tmp_path):
    for changes, said in (
        ({"game": "gomoku:size=8"}, "learns go"),
        ({"classes": "colour"}, "eyes, count"),
        ({"units": UnitsConfig(outputs=1)}, "classes=count"),
        ({"units": UnitsConfig(outputs=3), "classes": "count"}, "units.outputs = 3"),
        ({"trace": 1.5}, "trace = 1.5"),
        ({"games": 0}, "neither games nor minutes"),
        ({"seed": -1}, "seed = -1"),
        ({"longest": -5}, "longest = -5"),
        ({"climb": ClimbConfig(beta=-3.0)}, "climb.beta = -3"),
        ({"units": UnitsConfig(trivial=40)}, "room for 16 hidden channels"),
        ({"start": "isn-9", "classes": "count"}, "classes = eyes"),
        ({"start": "isn-9", "units": UnitsConfig(recurrent=1)}, "'recurrent': 0"),
    ):
        assert said in refusal(lambda changes=changes: TdTrainer(replace(SMALL, **changes)))
    assert "room for 16" in refusal(lambda: TdTraining(replace(SMALL, units=UnitsConfig(trivial=40)), tmp_path / "big"))
    assert not (tmp_path / "big").exists(), "nothing is begun that cannot be done"
    TdTraining(replace(SMALL, games=1), tmp_path / "run").close()
    assert "choose another folder" in refusal(
        lambda: TdTraining(replace(SMALL, game="go:size=4,komi=0.5"), tmp_path / "run")
    )


def test_a_run_notes_where_it_was_trained_and_how_far_it_is(tmp_path):
    training = TdTraining(SMALL, tmp_path)
    training.train()
    training.close()
    assert [entry["machine"] for entry in read_metrics(tmp_path)] == [this_machine()]
    assert read_progress(tmp_path) == training.trainer.progress
    for content in ("{", "[]", '{"turns": 3}', '{"games": "x"}', '{"games": -1}'):
        (tmp_path / "progress.json").write_text(content, encoding="utf-8")
        assert "progress.json is damaged" in refusal(lambda: TdTraining(SMALL, tmp_path))
    (tmp_path / "checksums.json").unlink()
    for content in ("{", "[]", '{"turns": 3}', '{"games": "x"}', '{"games": -1}'):
        (tmp_path / "progress.json").write_text(content, encoding="utf-8")
        assert "how far the run is" in refusal(lambda: TdTraining(SMALL, tmp_path))


def test_kernels_play_the_same_games_as_plain_python(run_python):
    """NUMBA_DISABLE_JIT=1, for debuggers: the same moves, and the same weights but for rounding."""
    code = (
        "from eightfold.learning.td.loop import TdTrainer\n"
        "from eightfold.learning.td.config import TdConfig, UnitsConfig\n"
        "units = UnitsConfig(recurrent=1)\n"
        "trainer = TdTrainer(TdConfig(game='go:size=2,komi=0.5', linear_games=0, learning_rate=1e-3, units=units))\n"
        "trainer.update(1)\n"
        "print(trainer.progress.moves, trainer.progress.candidates)\n"
        "print(*(parameter.sum().item() for parameter in trainer.network.parameters()))\n"
    )
    compiled, plain = (run_python(code, NUMBA_DISABLE_JIT=disable).splitlines() for disable in ("0", "1"))
    assert compiled[0] == plain[0]
    np.testing.assert_allclose(*(np.array(lines[1].split(), float) for lines in (compiled, plain)), atol=1e-6)


def test_brackets_in_a_folder_are_printed_as_they_are(tmp_path):
    changes = ("--set", "game=go:size=3", "--set", "games=2", "--set", "linear_games=1")
    done = eightfold("train-isn", "--run", "mine[/b]", *changes, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "into mine[/b]" in done.stderr
    assert "let it play: eightfold match isn:mine[/b]" in done.stderr
