"""The benchmark of training, small: its figures are there and say what they should."""

from __future__ import annotations

import dataclasses

import pytest

from eightfold.benchmarks import training
from eightfold.config import load_preset
from eightfold.learning.config import TrainConfig


def test_the_figures_of_a_small_window(monkeypatch):
    quick = load_preset(TrainConfig(), "quick")
    small = dataclasses.replace(quick, training=dataclasses.replace(quick.training, window=1000))
    monkeypatch.setattr(training, "load_preset", lambda defaults, name: small)
    monkeypatch.setattr(training, "_peak_memory", lambda config: (1.0, "not here"))
    for name in ("STEPS", "ROUNDS", "BATCHES", "BATCH_ROUNDS"):
        monkeypatch.setattr(training, name, 2)
    # Every job really runs; the clock is ours, so that what the figures say can be checked to the last digit.
    seconds = {"none": 1.0, "augment": 1.25, "augment-eager": 1.0, "slap": 2.0}

    def taking_turns(jobs, times, rounds):
        for job in jobs.values():
            job()
        return {name: [seconds[name]] * rounds for name in jobs}

    monkeypatch.setattr(training, "_taking_turns", taking_turns)
    figures = training.run().as_dict()
    assert figures["trained_samples_per_s"] > 0
    assert 6 < figures["eager_times_disk"] < 9
    costs = [figures[f"{mode}_cost"] for mode in ("lazy", "eager", "slap")]
    assert costs == pytest.approx([0.2, 0, 0.5])
    assert figures["lazy_slower_than_eager"] == pytest.approx(0.25)


def test_jobs_take_turns_and_costs_are_shares_of_the_rate():
    done = []
    seconds = training._taking_turns({name: lambda name=name: done.append(name) for name in "abc"}, 2, 3)
    assert "".join(done) == "abc" + "aabbcc" + "bbccaa" + "ccaabb"
    assert {name: len(taken) for name, taken in seconds.items()} == {"a": 3, "b": 3, "c": 3}
    assert training._lost([1.0, 1.0, 1.0], [1.25, 1.25, 9.0]) == pytest.approx(0.2)


@pytest.mark.slow
def test_a_run_stays_below_two_gigabytes():
    memory, how = training._peak_memory(load_preset(TrainConfig(), "quick"))
    assert 100 < memory < 2000
    assert "30,000 samples" in how
