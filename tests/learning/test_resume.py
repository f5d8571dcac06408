"""Stop anywhere, go on anywhere: a run that goes on is as if it had never stopped, and says what it cannot keep."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from test_training import SMALL, small

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining
from eightfold.nets.inference.evaluator import MODES
from launching import server
from refusals import refusal

COUNTERS = ("games", "samples", "steps", "owed")
SHORT = ("games=12", "training.window=5000", "training.replay_ratio=4")


def counters(training: Training) -> dict[str, float]:
    return {name: getattr(training.progress, name) for name in COUNTERS}


def trained(run: Path, *changes: str) -> dict[str, float]:
    """A run that was stopped; its counters."""
    training = Training(small(*SHORT, *changes), run)
    training.train()
    training.close()
    return counters(training)


@pytest.fixture(scope="module")
def _finished(tmp_path_factory):
    run = tmp_path_factory.mktemp("finished") / "run"
    trained(run)
    return run


@pytest.fixture
def run(_finished, tmp_path):
    """A copy of a run that was stopped."""
    return Path(shutil.copytree(_finished, tmp_path / "run"))


# ---- counters -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_counters_are_as_if_never_stopped_in_every_mode(mode, tmp_path):
    run, changes = tmp_path / "run", (*SHORT, f"symmetry={mode}")
    before = trained(run, f"symmetry={mode}")
    assert before["steps"] > 0
    for _ in range(2):  # what is opened and closed changes nothing
        again = Training(small(*changes), run)
        assert counters(again) == pytest.approx(before)
        again.close()
    # As after a kill: games that were stored, and steps that were taken, after the last checkpoint.
    killed = Training(small(*changes, "games=100"), run)
    killed.train_round()
    after, at = counters(killed), killed.progress
    killed.close()
    assert after["games"] > before["games"]
    resumed = Training(small(*changes), run)
    found = counters(resumed)
    resumed.close()
    assert {name: found[name] for name in ("games", "samples")} == {name: after[name] for name in ("games", "samples")}
    assert before["steps"] <= found["steps"] <= after["steps"], "of the weights that were saved"
    assert found["steps"] + found["owed"] == pytest.approx(at.samples * 4 / 32), "each sample is owed once"


@pytest.mark.parametrize("mode", ["augment", "augment-eager"])
def test_a_fixed_number_of_steps_a_round_is_kept_to(mode, tmp_path):
    changes = (f"symmetry={mode}", "training.steps_a_round=5")
    before = trained(tmp_path / "run", *changes)
    assert before["steps"] + before["owed"] == pytest.approx(5 * before["games"] / 6)
    killed = Training(small(*SHORT, *changes, "games=100"), tmp_path / "run")
    killed.players.selfplay.play(3, on_game=killed._store)
    games = killed.progress.games
    killed.close()
    resumed = Training(small(*SHORT, *changes), tmp_path / "run")
    assert resumed.progress.samples == killed.progress.samples
    share = (games - before["games"]) / 6  # of the round that the kill cut short
    assert resumed.progress.owed == pytest.approx(before["owed"] + 5 * share)
    resumed.close()


def test_a_kill_between_samples_and_the_line_of_a_game_loses_neither(run, monkeypatch):
    training = Training(small(*SHORT, "games=100"), run)
    lines = (run / "games.jsonl").read_bytes()

    def killed(game: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(training.folder, "log_games", killed)
    with pytest.raises(RuntimeError, match="killed"):
        training.players.selfplay.play(1, on_game=training._store)
    stored = len(training.buffer) + len(training.validation)
    training.close()
    assert (run / "games.jsonl").read_bytes() == lines
    resumed = Training(small(*SHORT, "games=100"), run)
    resumed.close()
    games = (run / "games.jsonl").read_text().splitlines()
    assert len(games) == resumed.progress.games == 13
    assert stored == sum(len(g["moves"]) - g["opening"] for g in map(json.loads, games))


def test_metrics_tell_of_no_weights_that_are_not_on_the_disk(run):
    class Killed(Exception):
        pass

    def dies(entry: dict[str, object]) -> None:
        if len(seen) == 4:
            raise Killed
        seen.append(entry)

    for _ in range(2):
        seen: list[object] = []
        training = Training(small(*SHORT, "games=1000"), run)
        with pytest.raises(Killed):
            training.train(dies)
        training.close()
        saved = json.loads((run / "checkpoint" / "progress.json").read_text())
        entries = [entry for entry in read_metrics(run) if "steps" in entry]
        assert entries[-1]["steps"] <= saved["steps"]
        for name in ("games", "samples", "steps", "minutes"):
            values = [entry[name] for entry in entries]
            assert values == sorted(values), f"{name} never goes back"


def test_lines_that_a_save_let_in_are_written_by_the_next_launch(run, monkeypatch):
    training = Training(small(*SHORT), run)
    training.folder.log({"games": 12, "minutes": 1.0, "steps": 0, "late": True})

    def killed() -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(training.folder._metrics, "write", killed)
    with pytest.raises(RuntimeError, match="killed"):
        training.save()
    training.close()
    assert not any("late" in entry for entry in read_metrics(run))
    for _ in range(2):
        Training(small(*SHORT), run).close()
        assert sum("late" in entry for entry in read_metrics(run)) == 1


# ---- what may change --------------------------------------------------------------------------------------------


OTHERS = {
    "game": "gomoku:size=6,win=4",
    "network": "resnet:blocks=1,filters=16",
    "encoder": "history",
    "symmetry": "slap-cc",
    "start_from": "gomoku-8",
    "training.optimiser": "sgd",
    "advisor.folder": "nowhere",
    "advisor.games": "7",
    "advisor.targets": "softmax",
    "advisor.softmax_temperature": "0.5",
    "advisor.discount": "0.5",
}


def test_what_may_not_change_is_refused_before_anything_is_written(run):
    assert OTHERS.keys() == Training.layout.fixed.keys()
    before = files_of(run)
    for key, value in OTHERS.items():
        assert f"was started with {key} = " in refusal(lambda: Training(small(*SHORT, f"{key}={value}"), run))  # noqa: B023
        assert files_of(run) == before
    for changes in (["selfplay.cache=-1"], ["backend=abacus"], ["training.precision=fp7"], ["device=abacus"]):
        refusal(lambda: Training(small(*SHORT, *changes), run))  # noqa: B023
        assert files_of(run) == before
    Training(small(*SHORT), run).close()


def test_a_game_may_be_spelled_otherwise(run):
    game = small(*SHORT).game
    written_out = make_game(game).text
    assert written_out != game
    Training(small(*SHORT, f"game={written_out}"), run).close()


def files_of(run: Path) -> dict[str, bytes]:
    """All that a launch may not change before it knows that it can go on."""
    skipped = ("lock", "lock.mdb")
    return {
        str(path): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file() and path.name not in skipped
    }


def test_every_other_key_may_change(run):
    changed = {
        "seed": 5, "minutes": 100.0, "games": 18, "backend": "torch", "device": "cpu", "start_from": "",
        "selfplay.games": "", "selfplay.root": "gumbel", "selfplay.cache_key": "position", "selfplay.full_share": 0.9,
        "selfplay.forced_playouts": 0.0, "training.decay": "none", "training.precision": "fp32",
        "training.symmetries": [0, 1], "training.batch_size": 16, "training.window": 40, "training.later_window": 80,
        "advisor.digest": "", "selfplay.leaves": "mixed", "selfplay.rollout": "random",
    }  # fmt: skip
    for item in dataclasses.fields(TrainConfig):
        value = getattr(small(), item.name)
        if not dataclasses.is_dataclass(value):
            assert item.name in changed or item.name in Training.layout.fixed
            continue
        for inner in dataclasses.fields(value):
            key, old = f"{item.name}.{inner.name}", getattr(value, inner.name)
            if key not in Training.layout.fixed and key not in changed:
                changed[key] = {bool: lambda o: not o, int: lambda o: o + 1, float: lambda o: o / 2}[type(old)](old)
    texts = [f"{key}={json.dumps(value) if not isinstance(value, str) else value}" for key, value in changed.items()]
    training = Training(small(*texts), run)
    assert training.progress.games == 12
    training.train()
    training.close()
    assert training.progress.games >= 18


def test_the_documentation_lists_what_may_not_change():
    from eightfold.learning.loop import SELF_PLAY
    from eightfold.learning.td.loop import TD as TD_LAYOUT

    docs = Path(__file__).parents[2] / "docs"
    for page, fixed in (("training.md", SELF_PLAY.fixed), ("td.md", TD_LAYOUT.fixed)):
        for key, reason in fixed.items():
            assert f"- `{key}`: {reason}" in (docs / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("mode", ["augment", "augment-eager"])
def test_another_window_is_taken_at_once_and_keeps_what_fits_in_order(mode, tmp_path):
    run, turns = tmp_path / "run", 8 if mode == "augment-eager" else 1

    def opened(window: int) -> tuple[Training, np.ndarray]:
        training = Training(small(*SHORT, f"symmetry={mode}", f"training.window={window}"), run)
        count = len(training.buffer)
        slots = (training.buffer.newest - count + np.arange(count)) % max(count, 1)
        return training, training.buffer.read(slots).states if count else np.zeros(0)

    training, _ = opened(60)  # comes round
    training.train()
    assert len(training.buffer) == 60 * turns
    training.close()
    training, before = opened(60)
    training.close()
    training, grown = opened(1000)
    np.testing.assert_array_equal(grown, before)
    training.players.selfplay.play(3, on_game=training._store)
    assert len(training.buffer) > 60 * turns, "there is room for more"
    training.close()
    training, more = opened(1000)
    np.testing.assert_array_equal(more[: len(before)], before)
    training.close()
    training, shrunk = opened(40)
    np.testing.assert_array_equal(shrunk, more[-40 * turns :])
    training.close()


# ---- weights ------------------------------------------------------------------------------------------------


def test_weights_are_on_the_disk_soon_and_within_a_round(tmp_path, monkeypatch):
    """One round without an end: checkpoints come all the same, the first at once and the others later and later."""
    changes = ("training.games_a_round=1000000", "games=1000000", "training.replay_ratio=10000")
    training = Training(small("games=12"), tmp_path / "run")
    training.train()
    training.close()
    training = Training(small(*changes), tmp_path / "run")
    training.progress.owed = 1e9
    saved: list[int] = []
    save = training.save

    def watched() -> None:
        save()
        saved.append(json.loads((tmp_path / "run" / "checkpoint" / "progress.json").read_text())["steps"])
        if len(saved) == 3:
            training.stop()

    monkeypatch.setattr(training, "save", watched)
    first = training.progress.steps
    ended = threading.Timer(120, training.stop)
    ended.start()
    training.train()
    ended.cancel()
    training.close()
    assert len(saved) >= 3
    assert first < saved[0] < saved[1] < saved[2]
    assert len(read_metrics(tmp_path / "run")) >= 1


def test_when_to_save(monkeypatch):
    from eightfold.learning.runs import shell

    now = [100.0]
    monkeypatch.setattr(shell.time, "monotonic", lambda: now[0])
    schedule, saved = shell.SaveSchedule(), []
    for tick in range(12000):
        now[0] = 100 + tick / 100
        if schedule.due:
            schedule.saved()
            saved.append(tick / 100)
    assert saved[0] <= 1
    gaps = np.diff([0, *saved])
    assert max(gaps) <= 20
    assert len(saved) < 15, "and no more often than needed"


def test_fresh_weights_never_take_the_place_of_trained_ones(run):
    weights = (run / "checkpoint" / "network.safetensors").read_bytes()
    (run / "checkpoint" / "progress.json").unlink()
    training = Training(small(*SHORT), run)
    assert training.progress.steps > 0
    assert any("progress.json is missing" in notice for notice in training.folder.notices)
    training.save()
    training.close()
    assert (run / "checkpoint" / "network.safetensors").read_bytes() == weights
    (run / "checkpoint" / "progress.json").unlink()
    (run / "metrics.jsonl").unlink()
    assert "put it back" in refusal(lambda: Training(small(*SHORT), run))
    assert (run / "checkpoint" / "network.safetensors").read_bytes() == weights


def test_a_checkpoint_that_is_gone_is_missed(run):
    shutil.rmtree(run / "checkpoint")
    assert "which held the weights, is gone" in refusal(lambda: Training(small(*SHORT), run))
    assert not (run / "checkpoint").exists()


def test_the_optimiser_and_its_clipping_go_on(run):
    first = Training(small(*SHORT, "games=18"), run)
    first.train()
    first.close()
    second = Training(small(*SHORT, "games=18"), run)
    assert second.trainer.clip_history == first.trainer.clip_history != []
    second.close()


# ---- saving together, and drafts ----------------------------------------------------------------------------------


def test_files_that_are_saved_together_are_all_new_or_all_old(tmp_path, monkeypatch):
    from eightfold.learning.runs.atomic_save import open_saved, remove_drafts, save_together

    old, new = ({name: bytes([k]) * 1000 for name in ("a", "b", "c/d")} for k in (1, 2))

    class Killed(BaseException):
        pass

    seen = set()
    for nth in range(1, 9):
        folder = tmp_path / str(nth)
        save_together(folder, old, notes={"n": 1})
        calls = 0

        def dying(call, nth=nth):
            def dies(*arguments):
                nonlocal calls
                calls += 1
                if calls == nth:
                    raise Killed
                return call(*arguments)

            return dies

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", dying(os.fsync))
            patched.setattr(os, "replace", dying(os.replace))
            with pytest.raises(Killed):
                save_together(folder, new, notes={"n": 2})
        seal = open_saved(folder)
        remove_drafts([folder, folder / "c"])
        assert seal is not None
        assert not any(seal.fault(name) for name in old)
        found = {name: (folder / name).read_bytes() for name in old}
        assert found == (old if seal.notes["n"] == 1 else new)
        assert sorted(p.name for p in folder.rglob("*") if p.is_file()) == ["a", "b", "checksums.json", "d"]
        seen.add(seal.notes["n"])
    assert seen == {1, 2}


def test_drafts_of_a_kill_are_cleaned_up_and_nothing_else(run):
    ours = [
        "checkpoint/.network.safetensors.123.draft", "checkpoint/.progress.json.draft", ".config.toml.77.draft",
        "buffer/.draft/data.mdb", "validation/.draft/lock.mdb",
    ]  # fmt: skip
    theirs = ["notes.draft", ".hidden", "checkpoint/thesis.tex", "checkpoint/.thesis.swp"]
    for name in (*ours, *theirs):
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_bytes(b"half")
    Training(small(*SHORT), run).close()
    assert [name for name in ours if (run / name).exists()] == []
    assert all((run / name).read_bytes() == b"half" for name in theirs)


def test_a_run_of_the_version_before_goes_on(run):
    """Without checksums, and with a progress that knows nothing of credits."""
    (run / "checkpoint" / "checksums.json").unlink()
    path = run / "checkpoint" / "progress.json"
    old = {name: value for name, value in json.loads(path.read_text()).items() if not name.startswith("credited")}
    path.write_text(json.dumps(old))
    training = Training(small(*SHORT, "games=18"), run)
    assert counters(training) == {name: old[name] for name in COUNTERS}
    assert any("checksums.json is missing" in notice for notice in training.folder.notices)
    training.train()
    training.close()
    assert (run / "checkpoint" / "checksums.json").exists()


# ---- TD runs ------------------------------------------------------------------------------------------------------


TD = TdConfig(game="go:size=3,komi=0.5", games=12, linear_games=0, learning_rate=1e-3, snapshot_every=4)


def td_run(run: Path, config: TdConfig = TD) -> TdTraining:
    training = TdTraining(config, run)
    training.train()
    training.close()
    return training


def test_a_td_run_is_refused_or_goes_on_from_its_weights(tmp_path):
    run = tmp_path / "run"
    td_run(run)
    before = files_of(run)
    changes = {
        "game": {"game": "go:size=4,komi=0.5"}, "classes": {"classes": "count"},
        "units": {"units": replace(TD.units, trivial=3)}, "start": {"start": "isn-9"},
    }  # fmt: skip
    assert changes.keys() == TdTraining.layout.fixed.keys()
    for key, change in changes.items():
        assert f"was started with {key} = " in refusal(lambda: TdTraining(replace(TD, **change), run))  # noqa: B023
        assert files_of(run) == before
    for name in ("progress.json", "training.safetensors"):
        shutil.copytree(run, tmp_path / name)
        (tmp_path / name / name).unlink()
        assert f"{name} is missing" in refusal(lambda: TdTraining(TD, tmp_path / name))  # noqa: B023
    for name in ("progress.json", "training.safetensors", "network.safetensors", "checksums.json"):
        (run / name).unlink()
    assert "is missing: the run cannot go on from there" in refusal(lambda: TdTraining(TD, run))


def test_td_metrics_and_snapshots_come_with_their_weights(tmp_path, monkeypatch):
    from eightfold.learning.td import loop as td

    monkeypatch.setattr(td, "LOG_SECONDS", 0.0)
    run = tmp_path / "run"

    class Killed(Exception):
        pass

    def dies(entry: dict[str, object]) -> None:
        if entry["games"] == 10:
            raise Killed

    training = TdTraining(TD, run)
    with pytest.raises(Killed):
        training.train(dies)
    training.close()
    saved = json.loads((run / "progress.json").read_text())["games"]
    assert saved >= 8, "a snapshot is a save too"
    assert [entry["games"] for entry in read_metrics(run)][-1] <= saved
    resumed = td_run(run)
    whole = td_run(tmp_path / "whole")
    assert [entry["games"] for entry in read_metrics(run)] == list(range(1, 13))
    for one, other in zip(resumed.trainer.network.parameters(), whole.trainer.network.parameters(), strict=True):
        assert torch.equal(one, other), "as if it had never been killed"
    assert asdict(resumed.trainer.progress) | {"seconds": 0} == asdict(whole.trainer.progress) | {"seconds": 0}


# ---- signals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["train", "train-isn"])
def test_sigterm_saves_and_says_how_to_go_on(kind, tmp_path):
    run = tmp_path / "run"
    td = ("game=go:size=3,komi=0.5", "games=1000000", "snapshot_every=1000000")
    settings = (*SMALL, "games=1000000") if kind == "train" else td
    changes = [part for change in settings for part in ("--set", change)]
    progress = run / "checkpoint" / "progress.json" if kind == "train" else run / "progress.json"
    launch = server().launch(kind, "--run", str(run), *changes)
    patience = time.monotonic() + 240
    while time.monotonic() < patience:
        if progress.exists() and json.loads(progress.read_text())["games"]:
            break
        time.sleep(0.1)
    launch.signal(signal.SIGTERM)
    assert launch.wait() == 0, launch.said
    assert f"stopped and saved; the same command goes on with {run}" in launch.said
    games = json.loads(progress.read_text())["games"]
    assert games > 0
    if kind == "train":
        assert games == len((run / "games.jsonl").read_text().splitlines())


def test_nobody_plays_on_when_training_has_failed(tmp_path, monkeypatch):
    """A step or a save that fails ends self-play too: a game that came later would open the closed buffer again."""
    training = Training(small("games=1000"), tmp_path / "run")

    def fails(*arguments) -> None:
        raise EightfoldError("no step today")

    monkeypatch.setattr(training, "_train_steps", fails)
    with pytest.raises(EightfoldError, match="no step today"):
        training.train()
    assert not [thread for thread in threading.enumerate() if thread.name == "self-play"]
    training.close()


def test_a_launch_that_is_killed_at_its_very_start_leaves_nothing_in_the_way(tmp_path):
    for make in (lambda run: Training(small("games=6"), run), lambda run: TdTraining(TD, run)):
        run = tmp_path / str(len(list(tmp_path.iterdir())))
        run.mkdir()
        (run / "lock").touch()
        (run / ".config.toml.77.draft").write_text("half")
        training = make(run)
        training.train()
        training.close()
        assert not list(run.rglob("*.draft"))
        (run / "config.toml").unlink()
        shutil.rmtree(run / "checkpoint", ignore_errors=True)
        assert "holds other files" in refusal(lambda run=run, make=make: make(run))


def test_a_buffer_that_is_killed_while_it_is_made_is_none(tmp_path):
    from eightfold.learning.data.buffer import DataBuffer

    (tmp_path / "buffer" / ".draft").mkdir(parents=True)
    (tmp_path / "buffer" / ".draft" / "data.mdb").write_bytes(b"")
    example = (np.zeros((4, 5, 5), np.float32), np.full(25, 1 / 25, np.float32), 0.0, None)
    with DataBuffer(tmp_path / "buffer", 10) as buffer:
        assert len(buffer) == 0
        buffer.add_data([example])
        assert not (tmp_path / "buffer" / ".draft").exists()
    with DataBuffer(tmp_path / "buffer", 10) as buffer:
        assert len(buffer) == 1
