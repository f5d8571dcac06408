"""Games and steps side by side: the loop of a GPU with games and batches of the CPU, and on CUDA where there is one."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.learning.config import TrainConfig
from eightfold.learning.gpu_loop import GpuTraining, training_of
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.storing import StoringThread
from tiny_runs import tiny

SHORT = ["games=40", "selfplay.parallel_games=8", "training.batch_size=8", "training.replay_ratio=4"]


def play_out(config: TrainConfig, run, *, seconds: float = 0.1) -> GpuTraining:
    """A whole run; a round lasts a fraction of a second."""
    training = GpuTraining(config, run)
    training.round_seconds = seconds
    try:
        training.train()
    finally:
        training.close()
    return training


def test_a_run_trains_from_its_window_and_on_no_sample_too_often(tmp_path):
    training = GpuTraining(tiny(*SHORT, "symmetry=slap", "games=0"), tmp_path / "run")
    training.round_seconds = 0.2

    def enough(entry: dict) -> None:
        if entry["steps"] >= 20:
            training.stop()

    training.train(enough)
    feed = training._feed
    assert feed is not None
    feed.ring.flush()
    slots = np.arange(len(training.buffer))
    np.testing.assert_array_equal(feed.ring.read(torch.from_numpy(slots)).states, training.buffer.read(slots).states)
    training.close()
    progress, entries = training.progress, read_metrics(tmp_path / "run")
    assert 0 < progress.steps <= progress.samples * 4 / 8
    assert progress.from_selfplay == 8 * progress.steps
    assert entries[-1]["steps"] == progress.steps
    assert all(np.isfinite(entry["policy_loss"]) for entry in entries if "policy_loss" in entry)
    assert any(entry["training_busy"] > 0 for entry in entries)
    games = (tmp_path / "run" / "games.jsonl").read_text().splitlines()
    assert len(games) == progress.games
    assert all(json.loads(line)["moves"] for line in games)


def test_a_run_goes_on_with_its_window_and_its_optimiser(tmp_path):
    first = play_out(tiny(*SHORT), tmp_path / "run")
    second = GpuTraining(tiny(*SHORT, "games=60"), tmp_path / "run")
    assert second._feed is not None
    assert second._feed.ring.count == len(second.buffer) > 0
    assert (second.progress.steps, second.progress.games) == (first.progress.steps, first.progress.games)
    assert second.trainer.clip_history == pytest.approx(first.trainer.clip_history)
    second.round_seconds = 0.1
    second.train()
    second.close()
    assert second.progress.steps > first.progress.steps
    waits = Training(tiny(*SHORT, "games=70"), tmp_path / "run")  # the same run without a GPU
    waits.train()
    waits.close()
    assert waits.progress.games >= 70
    assert waits.progress.steps > second.progress.steps


@pytest.mark.parametrize("steps", ["training.steps_a_round=3", "training.epochs_a_round=1"])
def test_rounds_with_steps_of_their_own_wait_for_them(steps, tmp_path):
    """No game more than a round has, and the same steps as without a GPU, on batches that are drawn on the device."""
    changes = [*SHORT, "games=24", "training.games_a_round=8", "training.batch_size=4", "training.window=200", steps]
    entries: list[dict] = []
    training = GpuTraining(tiny(*changes), tmp_path / "run")
    assert training._feed is not None
    training.train(entries.append)
    taken = training.progress
    training.close()
    rounds = [entry for entry in entries if "games_per_s" in entry]
    games = [entry["games"] for entry in rounds]
    assert len(games) >= 2
    assert rounds[0]["steps"] == 0, "they are owed for the round before"
    most = max(after - before for before, after in zip([0, *games], games, strict=False))
    assert most < 8 + 8, "a round, and what ended at the same moment"
    assert taken.owed < 1
    assert taken.from_selfplay == 4 * taken.steps > 0
    if "steps_a_round" in steps:
        assert taken.steps + taken.owed == pytest.approx(3 * taken.games / 8)
    else:
        assert taken.steps > taken.samples // 4


def test_steps_on_what_is_stored(tmp_path):
    for kind in (GpuTraining, Training):
        training = kind(tiny(*SHORT), tmp_path / kind.__name__)
        for game in training.players.selfplay.play(4):
            training.store.add([game])
        assert training.train_on_stored(7) == 7
        assert training.progress.steps == 7
        training.close()


def test_steps_that_could_not_be_taken_are_not_owed_for_long(tmp_path):
    training = GpuTraining(tiny(*SHORT, "games=0"), tmp_path / "run")
    training.round_seconds = 0.0
    training.prepare()
    training.progress.owed, training._earned = 1e9, 3.0  # of a round that has earned three
    training.train_round()
    progress = training.progress
    assert 0 < progress.steps + progress.owed <= 3 + progress.samples * 4 / 8
    assert training._earned == pytest.approx(progress.samples * 4 / 8), "what this round has earned, for the next"
    training.close()


def test_an_optimiser_that_waits_trains_from_the_host(tmp_path):
    training = GpuTraining(tiny(*SHORT, "training.optimiser=sgd"), tmp_path / "run")
    assert training._feed is None
    training.round_seconds = 0.1
    training.train()
    training.close()
    assert training.progress.steps > 0


def test_who_is_asked_to_train():
    def kind(*changes: str) -> type:
        made = []

        class Made(Exception):
            pass

        def noting(self, *arguments) -> None:
            made.append(type(self))
            raise Made

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Training, "__init__", noting)
            with pytest.raises(Made):
                training_of(tiny(*changes), None)
        return made[0]

    assert kind() is Training
    assert kind("device=cuda") is GpuTraining
    assert kind("device=cuda", "training.steps_a_round=10") is GpuTraining


# ---- storing ----------------------------------------------------------------------------------------------


def test_a_kill_between_samples_and_the_lines_of_several_games_loses_none(tmp_path, monkeypatch):
    config = tiny(*SHORT, "training.validation_every=0")
    training = Training(config, tmp_path / "run")
    training.train()
    before = training.progress.games

    def killed(games: object) -> None:
        raise RuntimeError("killed")

    games = training.players.selfplay.play(3)
    monkeypatch.setattr(training.folder, "log_games", killed)
    with pytest.raises(RuntimeError, match="killed"):
        training.store.add(games)
    training.close()
    resumed = Training(config, tmp_path / "run")
    resumed.close()
    lines = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    assert len(lines) == resumed.progress.games == before + len(games)
    assert [tuple(line["moves"]) for line in lines[before:]] == [game.moves for game in games]


def test_several_games_are_stored_as_one_after_another(tmp_path):
    one, other = (Training(tiny("training.validation_every=4"), tmp_path / name) for name in ("one", "other"))
    games = one.players.selfplay.play(10)
    for game in games:
        one.store.add([game])
    other.store.add(games)
    assert (one.progress.games, one.progress.samples) == (other.progress.games, other.progress.samples)
    assert one.monitor.figures() == other.monitor.figures()
    for name in ("buffer", "validation"):
        mine, theirs = (getattr(each, name) for each in (one, other))
        slots = np.arange(len(mine))
        assert len(mine) == len(theirs) > 0
        for column, same in zip(mine.read(slots), theirs.read(slots), strict=True):
            np.testing.assert_array_equal(column, same)
    for each in (one, other):
        each.close()
    kept = [sorted((tmp_path / name / "games.jsonl").read_text().splitlines()) for name in ("one", "other")]
    assert kept[0] == kept[1]


def test_what_goes_wrong_with_storing_ends_the_run(tmp_path, monkeypatch):
    training = GpuTraining(tiny(*SHORT, "games=0"), tmp_path / "run")

    def full(games: object) -> None:
        raise EightfoldError("no space left")

    monkeypatch.setattr(training.store, "add", full)
    with pytest.raises(EightfoldError, match="no space left"):
        training.train()
    training.close()
    assert training.progress.games == 0


def test_games_are_stored_together_and_all_of_them():
    stored: list[list[int]] = []
    thread = StoringThread(lambda games: stored.append(list(games)))
    for number in range(50):
        thread.add(number)
    thread.finish()
    assert [number for part in stored for number in part] == list(range(50))
    assert len(stored) < 10


# ---- on a GPU -------------------------------------------------------------------------------------------


@pytest.mark.gpu(kernels=True)
@pytest.mark.parametrize("mode", ["augment", "slap", "slap-cc", "none"])
def test_a_run_on_a_gpu_and_on_again(mode, tmp_path):
    config = [*SHORT, "device=cuda", f"symmetry={mode}", "backend=auto", "games=200", "selfplay.gpu_games=64"]
    first = play_out(tiny(*config), tmp_path / "run")
    assert first.progress.games >= 200
    assert first.progress.steps > 0
    again = play_out(tiny(*config, "games=400"), tmp_path / "run")
    assert again.progress.games >= 400
    assert again.progress.steps > first.progress.steps
    losses = [entry["policy_loss"] for entry in read_metrics(tmp_path / "run") if "policy_loss" in entry]
    assert np.isfinite(losses).all()
