"""Runs that version 0.1.0 wrote go on: `earlier_runs.tar.xz` holds one of each kind, made by its commands."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

from eightfold.config import load_config, with_changes
from eightfold.isn.store import snapshots_of
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining
from refusals import refusal


@pytest.fixture
def runs(tmp_path) -> Path:
    with tarfile.open(Path(__file__).with_name("earlier_runs.tar.xz")) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.mark.parametrize("kind", ["eager", "ownership"])
def test_a_self_play_run_goes_on(kind, runs):
    run = runs / kind
    written = (run / "config.toml").read_text()
    assert "samples_per_sample" in written
    before = json.loads((run / "checkpoint" / "progress.json").read_text())
    config = with_changes(load_config(TrainConfig(), run / "config.toml"), ["games=12"])
    training = Training(config, run)
    assert training.folder.notices == []
    assert {name: getattr(training.progress, name) for name in before} == before
    count, stored = len(training.buffer), training.buffer.read(np.arange(len(training.buffer)))
    assert count == 40 * (8 if kind == "eager" else 1) or count == before["samples"] * (8 if kind == "eager" else 1)
    assert (stored.ownership is not None) == (kind == "ownership")
    training.train()
    training.close()
    assert training.progress.games >= 12
    assert training.progress.steps > before["steps"]
    assert len((run / "games.jsonl").read_text().splitlines()) == training.progress.games
    assert read_metrics(run)[-1]["games"] == training.progress.games
    now = (run / "config.toml").read_text()
    assert "replay_ratio" in now
    assert "samples_per_sample" not in now


def test_a_td_run_goes_on(runs):
    run = runs / "td"
    before = json.loads((run / "progress.json").read_text())
    config = with_changes(load_config(TdConfig(), run / "config.toml"), ["games=16"])
    training = TdTraining(config, run)
    assert training.folder.notices == []
    assert training.progress.moves == before["moves"]
    training.train()
    training.close()
    assert list(snapshots_of(run)) == [0, 4, 8, 12, 16]
    whole = TdTraining(config, runs / "whole")
    whole.train()
    whole.close()
    for one, other in zip(training.trainer.network.parameters(), whole.trainer.network.parameters(), strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), atol=1e-9)


def test_a_run_of_another_command_is_refused_in_one_line(runs):
    before = (runs / "td" / "config.toml").read_bytes()
    assert "unknown key in" in refusal(lambda: Training(TrainConfig(), runs / "td"))
    assert "unknown key in" in refusal(lambda: TdTraining(TdConfig(), runs / "eager"))
    assert (runs / "td" / "config.toml").read_bytes() == before
    Training(TrainConfig(backend="torch"), runs / "new").close()
    TdTraining(TdConfig(), runs / "new-td").close()
    said = refusal(lambda: Training(TrainConfig(), runs / "new-td"))
    assert said == f"{runs / 'new-td'} is a run of eightfold train-isn, not of train; choose another folder"
    assert "is a run of eightfold train, not of" in refusal(lambda: TdTraining(TdConfig(), runs / "new"))
