"""Steps that games earn, evaluations that are due, and the three-sigma rule: as Suen & Alonso trained."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from eightfold.config import load_preset, with_changes
from eightfold.learning.check import check_config
from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.config import EvaluationConfig, SelfPlayConfig, TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.runs import shell
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.schedule import steps_earned, weight_of_rollouts, whole_steps
from refusals import refusal
from tiny_runs import tiny

PAPER = [  # on a tiny board: one game, then ten steps
    "games=30",
    "selfplay.parallel_games=1",
    "selfplay.full_share=1.0",
    "selfplay.opening_share=0.0",
    "training.steps_a_round=10",
    "training.batch_size=40",
    "training.window=200",
    "training.validation_every=0",
]


def rounds(run) -> list[dict]:
    return [entry for entry in read_metrics(run) if "steps" in entry]


def test_ten_steps_follow_a_game_and_none_are_owed_from_before_there_was_a_batch(tmp_path):
    training = Training(tiny(*PAPER), tmp_path / "run")
    training.train()
    training.close()
    entries = rounds(tmp_path / "run")
    begun = next(k for k, entry in enumerate(entries) if entry["samples"] >= 40)
    assert begun >= 4, "some games go by before there is a batch"
    steps = np.diff([0, *(entry["steps"] for entry in entries)])
    assert set(steps[: begun + 1]) == {0}
    assert set(steps[begun + 1 :]) == {10}


def test_a_run_that_goes_on_owes_ten_steps_a_game_too(tmp_path):
    first = Training(tiny(*PAPER), tmp_path / "run")
    first.train()
    before = replace(first.progress)
    first.players.selfplay.play(3, on_game=first._store)  # three games after the last checkpoint
    first.close()
    second = Training(tiny(*PAPER, "games=60"), tmp_path / "run")
    assert second.progress.games == before.games + 3
    assert second.progress.owed == before.owed + 30
    second.close()


def test_samples_from_before_the_first_batch_earn_their_share_and_no_more(tmp_path):
    changes = [*PAPER, "training.steps_a_round=0", "training.replay_ratio=4", "games=20"]
    training = Training(tiny(*changes), tmp_path / "run")
    training.train()
    training.close()
    entries = rounds(tmp_path / "run")
    steps = np.diff([0, *(entry["steps"] for entry in entries)])
    longest = 9 * 4 / 40  # steps that one game earns at most
    waited = next(entry["samples"] for entry in entries if entry["samples"] >= 40)
    assert steps.max() <= 4 + longest + 1, "fewer samples than a batch can wait: no more than four steps"
    assert steps[np.flatnonzero(steps)[0]] == int(waited * 4 / 40)
    assert training.progress.steps + training.progress.owed == pytest.approx(training.progress.samples * 4 / 40)


@pytest.mark.parametrize("games", [(9,) * 400, (1,) * 40, (5, 3) * 5])
def test_shares_of_steps_that_make_a_whole_number_give_all_of_them(games):
    """One by one they are no binary fractions: 40 samples at a tenth of a step each may sum up to 3.9999999."""
    settings = tiny("training.steps_a_round=0", "training.replay_ratio=4", "training.batch_size=40").training
    owed, taken = 0.0, 0
    for samples in games:
        owed += steps_earned(settings, games=1, samples=samples, buffered=1000)
        steps = whole_steps(owed)
        owed, taken = owed - steps, taken + steps
        assert owed > -1e-6, "none is taken before it is earned"
    assert taken == sum(games) * 4 // 40


def test_what_rounding_takes_from_what_is_owed_is_no_fault_of_a_run(tmp_path):
    """Shares of steps add up to a little less than a whole one, which is taken all the same."""
    training = Training(tiny("games=6", "training.batch_size=8"), tmp_path / "run")
    training.train()
    training.progress.owed = 2 - 1e-9
    assert len(training._train_steps(math.inf)) == 2
    assert training.progress.owed == 0
    training.progress.owed = -8.9e-16  # as earlier versions left it
    training.save()
    training.close()
    again = Training(tiny("games=8", "training.batch_size=8"), tmp_path / "run")
    again.train()
    assert again.progress.games >= 8
    again.close()


def never_due(monkeypatch) -> None:
    """No checkpoint comes because time has passed."""
    monkeypatch.setattr(shell.SaveSchedule, "due", False)


def test_evaluations_come_every_so_many_games_and_a_run_remembers_them(tmp_path, monkeypatch):
    def evaluated(config) -> list[int]:
        training = Training(config, tmp_path / "run")
        training.train()
        training.close()
        return [entry["games"] for entry in read_metrics(tmp_path / "run") if "evaluation" in entry]

    never_due(monkeypatch)
    changes = ["selfplay.parallel_games=1", "evaluation.every_games=4", "evaluation.playouts=2"]
    assert evaluated(tiny(*changes, "games=11")) == [4, 8]
    assert evaluated(tiny(*changes, "games=11")) == [4, 8], "what was measured is not measured again"
    assert evaluated(tiny(*changes, "games=14")) == [4, 8, 12]
    assert evaluated(tiny(*changes, "games=15", "evaluation.every_games=0")) == [4, 8, 12]


def test_a_late_round_does_not_put_off_the_evaluations_after_it():
    from eightfold.learning.schedule import evaluation_is_due

    settings, progress = EvaluationConfig(every_minutes=0.0, every_games=250), SelfPlayProgress()
    seen = []
    for games in range(0, 1300, 60):
        progress.games = games
        if evaluation_is_due(settings, progress):
            seen.append(games)
            progress.evaluated_games = games
    assert seen == [300, 540, 780, 1020, 1260]


def test_a_killed_run_keeps_the_evaluation_it_made(tmp_path, monkeypatch):
    never_due(monkeypatch)
    training = Training(tiny("selfplay.parallel_games=1", "evaluation.every_games=4", "games=7"), tmp_path / "run")

    def dies(entry) -> None:
        if entry["games"] == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(dies)
    training.close()
    again = Training(tiny("selfplay.parallel_games=1", "evaluation.every_games=4", "games=7"), tmp_path / "run")
    assert again.progress.evaluated_games == 4
    assert again.progress.games == 6
    again.close()


def test_the_preset_of_the_paper_is_measured_twenty_times():
    config = load_preset(TrainConfig(), "suen-alonso")
    assert config.evaluation.every_minutes == 0
    assert config.games / config.evaluation.every_games == 20


# ---- the three-sigma rule -------------------------------------------------------------------------------


def test_the_error_is_that_of_a_mean_over_samples():
    from eightfold.learning.validation import mean_loss

    random = np.random.default_rng(5)
    means, errors = zip(*(mean_loss(random.normal(2.0, 0.5, 150)) for _ in range(400)), strict=True)
    assert np.std(means) == pytest.approx(np.mean(errors), rel=0.1), "it says how much such a mean wavers"
    assert np.mean(errors) == pytest.approx(0.5 / np.sqrt(150), rel=0.02)


def validated(tmp_path, samples: int) -> Training:
    """A run whose network is untrained, and which has so many samples of random games kept from training."""
    training = Training(tiny("training.decay=three-sigma"), tmp_path / "run")
    random = np.random.default_rng(6)
    planes, size = training.description.shape().planes, 3
    policies = random.dirichlet(np.full(9, 0.3), samples).astype(np.float32)
    states = (random.random((samples, planes, size, size)) < 0.3).astype(np.float32)
    training.validation.add_data(
        [(states[k], policies[k], float(random.choice((-1, 1))), None) for k in range(samples)]
    )
    training.progress.games = 100
    return training


def look_again(training: Training, rise: float) -> float:
    """The factor of the learning rate after the loss has risen by so many standard errors."""
    progress = training.progress
    progress.games += 100
    progress.validation_mean -= rise * progress.validation_error
    training._validate()
    return progress.rate_factor


@pytest.mark.parametrize("samples", [150, 256, 300, 700])
def test_the_rate_is_halved_by_a_rise_of_three_errors_and_not_by_less(samples, tmp_path):
    """With samples for one batch alone the error was 0, and any rise halved the rate."""
    training = validated(tmp_path, samples)
    training.maker.allowed = np.array([0])  # no turns: the loss stays as it is
    assert training._validate() > 0
    assert training.progress.validation_error > 0
    assert look_again(training, 1.0) == 1.0
    assert look_again(training, 2.9) == 1.0
    assert look_again(training, 3.1) == 0.5
    assert look_again(training, -5.0) == 0.5
    training.close()


def test_a_rate_that_falls_by_a_schedule_is_not_halved_by_the_rule(tmp_path):
    training = validated(tmp_path, 150)
    training.config = with_changes(training.config, ["training.decay=linear"])
    training.maker.allowed = np.array([0])
    assert training._validate() > 0
    assert look_again(training, 9.0) == 1.0
    training.close()


def test_a_handful_of_samples_says_nothing(tmp_path):
    training = validated(tmp_path, 100)
    assert training._validate() is None
    assert training.progress.validated_at == 0, "it looks again as soon as there are enough"
    training.close()


def test_losses_of_samples_are_the_loss_of_their_batch():
    from eightfold.learning.data.sample import Batch
    from eightfold.learning.trainer import Trainer
    from eightfold.nets.networks import make_network
    from eightfold.nets.shape import Shape

    random = np.random.default_rng(7)
    states = random.random((9, 4, 5, 5)).astype(np.float32)
    batch = Batch(states, random.dirichlet(np.ones(25), 9).astype(np.float32), random.random(9).astype(np.float32))
    for name in ("a1", "resnet:blocks=1,filters=4"):
        trainer = Trainer(make_network(name, Shape(planes=4, size=5)), precision="fp32")
        each = trainer.sample_losses(batch)
        assert each.shape == (9,)
        assert each.mean() == pytest.approx(trainer.losses(batch).total, rel=1e-5)
        alone = [trainer.losses(batch.part(slice(k, k + 1))).total for k in range(9)]
        np.testing.assert_allclose(each, alone, rtol=1e-4)


def test_the_weight_of_rollouts_falls_to_nothing():
    settings = SelfPlayConfig(leaves="mixed", theta=0.8, theta_until=0.5)
    weights = [weight_of_rollouts(settings, done=done) for done in (0, 0.125, 0.25, 0.5, 0.75, 1)]
    assert weights == pytest.approx([0.8, 0.6, 0.4, 0, 0, 0])
    assert weight_of_rollouts(SelfPlayConfig(leaves="mixed", theta=0.8), done=0.9) == 0.8
    assert weight_of_rollouts(SelfPlayConfig(leaves="minmax"), done=0.9) == 1
    assert weight_of_rollouts(SelfPlayConfig(theta=0.8), done=0.0) == 0


def test_a_run_lets_go_of_its_rollouts(tmp_path):
    mixed = ["selfplay.leaves=mixed", "selfplay.theta=0.8", "selfplay.theta_until=0.5", "games=8"]
    run = Training(tiny(*mixed), tmp_path / "run")
    played = []

    def note(entry):
        rollouts = run.players.selfplay.search.rollouts
        assert rollouts is not None
        played.append(rollouts.games)

    run.train(note)
    run.close()
    thetas = [entry["theta"] for entry in rounds(tmp_path / "run") if "theta" in entry]  # not when all games are played
    assert thetas[0] == 0.8
    assert sorted(thetas, reverse=True) == thetas
    assert thetas[-1] == 0
    assert 0 < played[0] < played[-1], "games were played from leaves"
    assert len(set(played[-2:])) == 1, "and none when they count for nothing"


def test_passes_over_the_window_follow_a_round():
    """Zhao & Zhang: 25 games, then 100 passes over all samples so far, 50 rounds."""
    config = load_preset(TrainConfig(), "zhao-zhang")
    settings = config.training
    assert (config.games / settings.games_a_round, config.selfplay.playouts) == (50, 400)
    earned = steps_earned(settings, games=25, samples=700, buffered=2048)
    assert earned == 100 * 2048 / settings.batch_size
    assert steps_earned(settings, games=25, samples=100, buffered=settings.batch_size - 1) == 0
    assert "one of them must be 0" in refusal(
        lambda: check_config(tiny("training.epochs_a_round=2", "training.steps_a_round=3"))
    )
