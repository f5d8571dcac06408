"""What cannot be trained is refused before a folder is made; what is allowed trains, at the ends of every range too."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.config import with_changes
from eightfold.core.settings import setting_of, settings_of
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining
from eightfold.search.temperature import draw_move
from launching import eightfold
from refusals import refusal
from tiny_runs import tiny


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["game=gomoku:size=4,win=4", "selfplay.opening_stones=6"], "there is room for 4 in the middle of the board"),
        (
            ["selfplay.opening_anywhere=true", "selfplay.opening_stones=10"],
            "selfplay.opening_stones = 10 is too large for gomoku:size=3,win=3,rule=freestyle: there is room for 9 on",
        ),
        (["selfplay.fast_playouts=0"], "selfplay.fast_playouts = 0 is too small for them, 1 or more is needed"),
        (["selfplay.root=gumbel", "selfplay.forced_playouts=2"], "forced_playouts = 2.0 goes with root = puct"),
        (["training.validation_every=1"], "training.validation_every = 1 keeps every game from training; 0, for"),
        (["training.batch_size=64"], "training.window = 40 is too small for training.batch_size = 64"),
        (["training.later_window=1"], "training.later_window = 1 is too small for training.batch_size = 2"),
        (
            ["training.symmetries=[0, 0]"],
            "training.symmetries = [0, 0] is not a choice of different numbers",
        ),
        (["selfplay.leaves=mcts"], "unknown selfplay.leaves in --set 'mcts'; known: network, random"),
        (["selfplay.theta=1.5"], "selfplay.theta = 1.5"),
        (["selfplay.theta=0.8"], "theta=0.8 goes with leaves=mixed, and leaves=network has none of it"),
        (["selfplay.theta_until=0.5"], "lets theta fall, which selfplay.leaves = network has none of"),
        (["selfplay.leaves=mixed", "selfplay.theta_until=0.5", "games=0"], "and this one has no end; set minutes"),
        (["encoder=planes"], "unknown encoder of gomoku 'planes'"),
        (["network=b2"], "unknown network 'b2'"),
        (["symmetry=slop"], "unknown symmetry mode 'slop'"),
        (["device=gpu"], "unknown device 'gpu'"),
        (["backend=tensorflow"], "unknown backend 'tensorflow'"),
        (["backend=torch:precision=fp8"], "unknown value for 'precision' of backend torch 'fp8'"),
        (["game=chess"], "unknown game 'chess'"),
    ],
)
def test_values_that_do_not_go_together_are_refused_before_a_folder_is_made(changes, said, tmp_path):
    assert said in refusal(lambda: Training(tiny(*changes), tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_stored_turns_count_towards_a_batch(tmp_path):
    Training(tiny("symmetry=augment-eager", "training.window=5", "training.batch_size=40"), tmp_path / "run").close()
    said = refusal(lambda: Training(tiny("training.window=5", "training.batch_size=40"), tmp_path / "other"))
    assert "the window must hold a batch" in said


@pytest.mark.parametrize(
    "change",
    [
        "game=gomoku:size=4,win=4",
        "training.batch_size=0",
        "training.learning_rate=-1",
        "training.clip_quantile=1.5",
        "training.decay=cosine",
        "selfplay.parallel_games=0",
        "selfplay.playouts=-5",
        "games=-3",
        "minutes=nan",
    ],
)
def test_the_command_refuses_in_one_line_and_leaves_no_folder(change, tmp_path):
    done = eightfold("train", "--run", "run", "--set", change, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    key = "selfplay.opening_stones" if change.startswith("game=") else change.partition("=")[0]
    assert done.stderr.startswith("eightfold: ")
    assert key in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_board_of_four_trains_with_stones_that_fit(tmp_path):
    training = Training(tiny("game=gomoku:size=4,win=4", "selfplay.opening_stones=4"), tmp_path / "run")
    training.train()
    training.close()
    assert training.progress.games >= 2


TOGETHER = {  # what goes with the least value of another key
    "training.window": ["training.batch_size=1"],
    "selfplay.fast_playouts": ["selfplay.full_share=1.0"],
    "selfplay.full_share": ["games=8"],
    "selfplay.theta": ["selfplay.leaves=mixed"],
    "selfplay.rollouts": ["selfplay.leaves=random"],
    "selfplay.rollout_epsilon": ["selfplay.leaves=minmax"],
}


@pytest.mark.parametrize("key", [one.name for one in settings_of(TrainConfig) if type(one.default) in (int, float)])
def test_every_number_can_be_the_least(key, tmp_path):
    least = setting_of(TrainConfig, key).least
    training = Training(tiny(f"{key}={least}", *TOGETHER.get(key, [])), tmp_path / "run")
    if key == "games":  # no limit, and none by minutes: it ends when it is told to
        training.train(lambda entry: training.stop())
    else:
        training.train()
    if key.startswith("evaluation.") or key == "selfplay.proof_nodes":
        training.evaluate(training.config.evaluation.final_games)
    training.close()
    assert training.progress.games >= 1
    assert all(np.isfinite(tensor.detach().numpy()).all() for tensor in training.network.parameters())


@pytest.mark.parametrize("network", ["a1", "resnet:blocks=1,filters=4", "isn"])
def test_a_batch_of_one_and_a_window_of_one(network, tmp_path):
    training = Training(tiny(f"network={network}", "training.batch_size=1", "training.window=1"), tmp_path / "run")
    training.train()
    training.close()
    assert training.progress.steps > 0


@pytest.mark.parametrize("temperature", [0.0, 0.0009, 0.0011, 0.01, 1.0, 100.0])
def test_moves_are_drawn_among_those_with_a_weight_at_any_temperature(temperature):
    """At a low temperature all weights vanished, and the move drawn lay beyond the board."""
    random = np.random.default_rng(1)
    policy = np.array([0, 0.2, 0.2, 0, 0.2, 0.2, 0.2, 0, 0], np.float32)
    drawn = {draw_move(policy, temperature, random) for _ in range(200)}
    assert drawn == {1, 2, 4, 5, 6}


TD_TOGETHER = {
    "games": ["minutes=0.002"],
    "units.outputs": ["classes=count"],
    "climb.games": ["climb.every=1"],
    "climb.accept": ["climb.every=1"],
    "climb.beta": ["climb.every=1"],
}


@pytest.mark.parametrize("key", [one.name for one in settings_of(TdConfig) if type(one.default) in (int, float)])
def test_every_number_of_td_can_be_the_least(key, tmp_path):
    least = setting_of(TdConfig, key).least
    small = ["game=go:size=2,komi=0.5", "games=2", "linear_games=1", "snapshot_every=2", "climb.games=2"]
    config = with_changes(TdConfig(), [*small, f"{key}={least}", *TD_TOGETHER.get(key, [])])
    training = TdTraining(config, tmp_path / "run")
    training.train()
    training.close()
    assert training.trainer.progress.games >= 1
    assert all(np.isfinite(tensor.detach().numpy()).all() for tensor in training.trainer.network.parameters())
