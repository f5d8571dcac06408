"""Whole runs, as small as they can be: every mode trains, and a run goes on."""

from __future__ import annotations

import json
import shutil
from functools import partial

import numpy as np
import pytest
import torch

from eightfold.arena import make_player
from eightfold.config import load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker, symmetries_after
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch
from eightfold.learning.loop import Training
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.trainer import AutoClip, Trainer
from eightfold.nets.inference.evaluator import MODES
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.symmetry import BoardSymmetry, slap_batch, slap_cc
from launching import eightfold
from refusals import refusal

SMALL = [
    "game=gomoku:size=5,win=4",
    "network=resnet:blocks=1,filters=8",
    "backend=torch",
    "minutes=0",
    "games=24",
    "selfplay.parallel_games=6",
    "selfplay.playouts=12",
    "selfplay.full_share=1.0",
    "selfplay.opening_stones=2",
    "training.batch_size=32",
    "training.games_a_round=6",
    "training.replay_ratio=2",
    "training.window=300",
    "training.later_window=0",
    "training.validation_every=5",
    "evaluation.every_minutes=0",
]


def small(*changes: str):
    return with_changes(load_preset(TrainConfig(), "quick"), [*SMALL, *changes])


@pytest.mark.parametrize("mode", MODES)
def test_every_symmetry_mode_trains_and_plays(mode, tmp_path):
    training = Training(small(f"symmetry={mode}"), tmp_path / "run")
    training.train()
    training.close()
    metrics = read_metrics(tmp_path / "run")
    assert metrics[-1]["games"] >= 24
    assert metrics[-1]["steps"] > 0
    assert np.isfinite([entry["policy_loss"] for entry in metrics if "policy_loss" in entry]).all()
    player = make_player(f"net:{tmp_path / 'run'},playouts=20", make_game("gomoku:size=5,win=4"), seed=1)
    position = make_game("gomoku:size=5,win=4").start()
    while not position.is_over:
        position = position.play(player.think(position).action)


def test_samples_are_what_was_searched(tmp_path):
    training = Training(small("training.validation_every=0"), tmp_path / "run")
    training.train()
    stored = training.buffer.read(np.arange(len(training.buffer)))
    training.close()
    games = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    assert len(stored.values) == min(300, sum(len(game["moves"]) - game["opening"] for game in games))
    np.testing.assert_allclose(stored.policies.sum(axis=1), 1, atol=1e-5)
    occupied = (stored.states[:, 0] + stored.states[:, 1]).reshape(len(stored.values), -1)
    assert not (stored.policies * occupied).any(), "no weight on taken points"
    assert (np.abs(stored.values) <= 1).all()
    last = stored.states[:, 2].reshape(len(stored.values), -1)
    for plane, move in zip(last, stored.last_moves, strict=True):
        assert plane.sum() == (move[0] >= 0)
        if move[0] >= 0:
            assert plane[move[0] * 5 + move[1]] == 1


def test_metrics_reach_tensorboard(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    training = Training(small("backend=auto"), tmp_path / "run")
    training.train()
    training.close()
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    assert {"policy_loss", "value_loss", "learning_rate", "games_per_s"} <= set(events.Tags()["scalars"])
    entries = read_metrics(tmp_path / "run")
    assert len(entries) > 1
    for name in ("steps", "games", "policy_loss", "learning_rate"):
        told = [(event.step, event.value) for event in events.Scalars(name)]
        noted = [(entry["games"], entry[name]) for entry in entries if name in entry]
        assert [step for step, _ in told] == [games for games, _ in noted]
        np.testing.assert_allclose([value for _, value in told], [value for _, value in noted], rtol=1e-6)


def test_a_run_goes_on_where_it_stopped(tmp_path):
    first = Training(small(), tmp_path / "run")
    first.train()
    weights = {name: tensor.clone() for name, tensor in first.network.state_dict().items()}
    moments = first.trainer.optimiser.state_dict()["state"]
    before = first.progress
    first.close()

    second = Training(small("games=36"), tmp_path / "run")
    assert second.folder.resumed
    assert second.progress.games == before.games
    assert second.progress.steps == before.steps
    for name, tensor in second.network.state_dict().items():
        torch.testing.assert_close(tensor, weights[name])
    restored = second.trainer.optimiser.state_dict()["state"]
    assert restored.keys() == moments.keys()
    for number, entry in moments.items():
        torch.testing.assert_close(restored[number]["exp_avg"], entry["exp_avg"])
    second.train()
    second.close()
    assert read_metrics(tmp_path / "run")[-1]["games"] >= 36


def test_a_run_is_for_one_process_and_one_network(tmp_path):
    training = Training(small(), tmp_path / "run")
    with pytest.raises(EightfoldError, match="in use by another process"):
        Training(small(), tmp_path / "run")
    training.close()
    with pytest.raises(EightfoldError, match="was started with network"):
        Training(small("network=a1"), tmp_path / "run")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("...")
    with pytest.raises(EightfoldError, match="holds other files and no run"):
        Training(small(), tmp_path / "other")
    assert (tmp_path / "other" / "thesis.tex").read_text() == "..."


def test_a_run_in_use_and_a_strange_buffer_are_one_line_of_the_command(tmp_path):
    def said() -> str:
        changes = [part for change in SMALL for part in ("--set", change)]
        done = eightfold("train", "quick", "--run", "run", *changes, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        return done.stderr

    training = Training(small(), tmp_path / "run")
    assert said() == "eightfold: the run run is in use by another process\n"
    training.close()
    shutil.rmtree(tmp_path / "run" / "buffer", ignore_errors=True)
    with DataBuffer(tmp_path / "run" / "buffer", 300, encoder="history") as buffer:
        buffer.add_data([(np.zeros((4, 5, 5)), np.full(25, 0.04), 0.0, None)])
    assert said() == "eightfold: run/buffer was made by encoder 'history', not 'last-move'\n"


def test_an_epoch_on_a_buffer_learns():
    torch.manual_seed(1)
    random = np.random.default_rng(1)
    buffer = DataBuffer(None, seed=1)
    points = random.integers(0, 25, 400)
    states = np.zeros((400, 2, 5, 5), np.float32)
    states[np.arange(400), 0, points // 5, points % 5] = 1
    policies = np.eye(25, dtype=np.float32)[points]  # play where the stone is
    buffer.add_data([(states[k], policies[k], 1.0, divmod(int(points[k]), 5)) for k in range(400)])
    trainer = Trainer(make_network("a1", Shape(planes=2, size=5)), lr=3e-3, device="cpu")
    first = trainer.train_epoch(buffer, batch_size=64, steps_per_epoch=20)
    last = trainer.train_epoch(buffer, batch_size=64, steps_per_epoch=80)
    assert last["loss"] < 0.3 * first["loss"]
    assert last["steps"] == 100


def test_batches_are_made_as_the_modes_say():
    random = np.random.default_rng(2)
    states = (random.random((64, 4, 5, 5)) < 0.3).astype(np.float32)
    policies, values = random.random((64, 25)).astype(np.float32), random.random(64).astype(np.float32)
    stored = Batch(states, policies, values)
    for mode in ("none", "augment-eager"):
        batch = BatchMaker(mode, random=random).make(stored)
        np.testing.assert_array_equal(batch.states, states)
    np.testing.assert_array_equal(BatchMaker("slap", random=random).make(stored).states, slap_batch(states)[0])
    turned = BatchMaker("augment", random=random).make(stored)
    assert not np.array_equal(turned.states, states)
    np.testing.assert_array_equal(slap_batch(turned.states)[0], slap_batch(states)[0])
    fixed = BatchMaker("slap-cc", random=random, allowed=[0]).make(stored)
    np.testing.assert_array_equal(fixed.states, slap_cc(states))
    np.testing.assert_array_equal(fixed.policies, policies)


def turns_seen(before: np.ndarray, after: np.ndarray) -> list[set[int]]:
    """For each sample the symmetries that lead from its stored state to the one in a batch."""
    turn_one = BoardSymmetry.transform_board_tensor
    variants = [[turn_one(state, turn) for state in before] for turn in range(8)]
    return [{turn for turn in range(8) if np.array_equal(variants[turn][k], after[k])} for k in range(len(after))]


@pytest.mark.parametrize("mode", ["augment", "slap-cc", "random", "average"])
@pytest.mark.parametrize("allowed", [(0,), (4,), (0, 2), (1, 3, 6), tuple(range(8))])
def test_only_allowed_turns_are_drawn_and_all_of_them_alike(mode, allowed):
    random = np.random.default_rng(3)
    states, policies = random.random((1600, 2, 5, 5)).astype(np.float32), random.random((1600, 25)).astype(np.float32)
    stored = Batch(states, policies, np.zeros(1600, np.float32))
    batch = BatchMaker(mode, random=random, allowed=allowed).make(stored)
    drawn = [turn for (turn,) in turns_seen(states, batch.states[:, :2])]
    for k in range(0, 1600, 100):
        np.testing.assert_array_equal(
            batch.policies[k], BoardSymmetry.transform_policy_flat(policies[k], 5, drawn[k]), "targets turn with states"
        )
    counts = np.bincount(drawn, minlength=8)
    assert set(np.flatnonzero(counts)) == set(allowed)
    assert counts[list(allowed)].min() > 0.7 * 1600 / len(allowed)


def test_the_curriculum_of_turns():
    every = tuple(range(8))
    assert symmetries_after(0, every, 0) == every
    assert {symmetries_after(games, every, 100) for games in (0, 50, 99, 100, 112)} == {(0,)}
    assert symmetries_after(150, every, 100) == (0, 1, 2, 3)
    assert symmetries_after(199, every, 100) == (0, 1, 2, 3, 4, 5, 6)
    assert symmetries_after(200, every, 100) == symmetries_after(10_000, every, 100) == every
    assert [symmetries_after(games, (5, 0), 10) for games in (9, 14, 15, 20)] == [(0,), (0,), (5,), (5, 0)]
    lengths = [len(symmetries_after(games, every, 64)) for games in range(200)]
    assert lengths == sorted(lengths)


def test_a_run_follows_its_curriculum_and_goes_on_with_it(tmp_path):
    seen: list[tuple[int, set[int]]] = []

    def watched(config) -> None:
        training = Training(config, tmp_path / "run")
        make = training.maker.make

        def noting(stored):
            batch = make(stored)
            sure = [turns for turns in turns_seen(stored.states, batch.states) if len(turns) == 1]
            seen.append((training.progress.games, set().union(*sure)))
            return batch

        training.maker.make = noting
        training.train()
        training.close()

    options = ("training.symmetries=[0, 2, 5]", "training.symmetries_from_game=24", "training.replay_ratio=4")
    watched(small(*options, "games=24", "training.validation_every=0"))
    assert seen
    assert set().union(*(turns for games, turns in seen if games < 24)) == {0}
    seen.clear()
    watched(small(*options, "games=90", "training.validation_every=0"))
    late = set().union(*(turns for games, turns in seen if games >= 60))
    assert late == {0, 2, 5}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["training.symmetries=[]"], "training.symmetries = [] is not a list of numbers from 0 to 7, one at least"),
        (["training.symmetries=[0, 8]"], "is not a list of numbers from 0 to 7, one at least"),
        (["training.symmetries=[3, 3]"], "is not a choice of different numbers from 0 to 7"),
        (["training.symmetries_from_game=-1"], "symmetries_from_game = -1 is too small; 0 or more is needed"),
        (["training.symmetries=[0, 1]", "symmetry=slap"], "symmetry mode 'slap' draws no symmetries"),
        (
            ["training.symmetries_from_game=9", "symmetry=augment-eager"],
            "symmetry mode 'augment-eager' draws no symmetries",
        ),
        (["selfplay.cache=100", "selfplay.cache_key=orbit"], "orbit keys are for slap and average"),
        (
            ["selfplay.cache=100", "selfplay.cache_key=stones"],
            "unknown selfplay.cache_key in --set 'stones'",
        ),
        (["selfplay.cache=-1"], "selfplay.cache = -1 is too small; 0 or more is needed"),
    ],
)
def test_options_that_cannot_be_are_refused_before_a_folder_is_made(changes, said, tmp_path):
    assert said in refusal(lambda: Training(small(*changes), tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("mode", "key"), [("augment", "position"), ("slap", "orbit")])
def test_self_play_with_a_cache(mode, key, tmp_path):
    """The same games as without one, and no answer of old weights."""
    played = {}
    for entries in (0, 5000):
        torch.manual_seed(0)
        changes = (f"symmetry={mode}", f"selfplay.cache={entries}", f"selfplay.cache_key={key}", "backend=torch")
        training = Training(small(*changes), tmp_path / f"run{entries}")
        for number in range(3):
            for parameter in training.network.parameters():
                parameter.data += 0.05 * torch.randn_like(parameter)
            training._hand_over_weights()
            if training.players.cache is not None:
                assert len(training.players.cache) == 0, "new weights, new answers"
            played[entries, number] = [game.moves for game in training.players.selfplay.play(6)]
            if training.players.cache is not None:
                assert 0 < training.players.cache.hit_rate < 1
        training.train()
        metrics = read_metrics(tmp_path / f"run{entries}")
        hits = [entry.get("cache_hits") for entry in metrics if "games_per_s" in entry]
        assert (all(0 <= share < 1 for share in hits) and max(hits) > 0) if entries else set(hits) == {None}
        training.close()
    for number in range(3):
        assert played[0, number] == played[5000, number]


def test_autoclip_cuts_what_is_unusual():
    network = torch.nn.Linear(4, 1, bias=False)
    clip = AutoClip(0.9)
    for norm in [1.0] * 20 + [100.0]:
        network.weight.grad = torch.full((1, 4), norm / 2)
        assert clip.clip(network) == pytest.approx(norm, rel=1e-5)
    assert float(network.weight.grad.norm()) <= 1.01


def test_monitors_name_collapsed_and_redundant_play():
    game = make_game("gomoku:size=8")
    monitor, straight = SelfPlayMonitor(game), [game.start()]
    for move in (0, 8, 1, 9, 2, 10, 3, 11, 4):
        straight.append(straight[-1].play(move))
    for _ in range(150):
        monitor.add(straight, 0, 1)
    assert [warning.split(":")[0] for warning in monitor.warnings()] == ["collapsed self-play", "redundant self-play"]
    healthy, random = SelfPlayMonitor(game), np.random.default_rng(3)
    for number in range(150):
        positions = [game.start()]
        while not positions[-1].is_over:
            positions.append(positions[-1].play(int(random.choice(positions[-1].legal_moves))))
        healthy.add(positions, 0, 1 + number % 2)
    assert healthy.warnings() == []


def test_the_command_trains_evaluates_and_refuses_nonsense(tmp_path):
    run = partial(eightfold, cwd=tmp_path, COLUMNS="120")
    settings = (*SMALL, "backend=auto", "evaluation.final_games=2", "evaluation.playouts=8")
    changes = [part for change in settings for part in ("--set", change)]
    done = run("train", "quick", "--run", "first", *changes)
    assert done.returncode == 0, done.stderr
    assert "mcts:style=plain,playouts=5000" in done.stdout
    assert "let it play: eightfold match net:first" in " ".join(done.stderr.split())
    assert "score" in (tmp_path / "first" / "checkpoint" / "card.md").read_text()
    measured = run("evaluate", "first", "--games", "1", "--playouts", "8", "--json", "--as-paper")
    assert json.loads(measured.stdout)["mcts"]["second"]["games"] == 0
    for arguments, said in (
        (("train", "fast"), "unknown preset 'fast'"),
        (("train", "--symmetry", "slop"), "unknown symmetry mode 'slop' (did you mean 'slap'?)"),
        (("train", "--set", "x=1"), "unknown key in --set 'x'"),
        (("evaluate", "nowhere"), "nowhere holds no network"),
        (("match", "net:nowhere", "random"), "nowhere holds no network"),
        (("match", "net:first", "random"), "was trained for gomoku:size=5"),
    ):
        refused = run(*arguments)
        assert refused.returncode == 2, arguments
        assert said in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists(), "nothing half-made is left behind"


def test_a_run_keeps_to_its_minutes(tmp_path):
    """A round is cut short at the limit, and what it played and trained by then counts."""
    training = Training(small("games=0", "minutes=0.05", "training.games_a_round=100000"), tmp_path / "run")
    training.train()
    assert 3 <= training.progress.seconds < 30
    assert training.progress.games > 0
    assert [entry["games"] for entry in read_metrics(tmp_path / "run")][-1] == training.progress.games
    training.close()
