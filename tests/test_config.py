"""Configurations: presets, changes, and what is said about mistakes."""

from __future__ import annotations

import pytest

from eightfold.config import load_config, load_preset, preset_names, to_toml, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.learning.config import TrainConfig


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_goes_round(name, tmp_path):
    config = load_preset(TrainConfig(), name)
    path = tmp_path / "config.toml"
    path.write_text(to_toml(config, {"version": "1"}))
    assert load_config(TrainConfig(), path) == config


def test_the_preset_of_suen_and_alonso_is_their_experiment():
    config = load_preset(TrainConfig(), "suen-alonso")
    assert config.symmetry == "slap"
    assert (config.network, config.selfplay.playouts, config.selfplay.exploration) == ("a1", 400, 5.0)
    assert (config.training.batch_size, config.training.steps_a_round, config.training.games_a_round) == (512, 10, 1)
    assert (config.training.window, config.training.later_window, config.training.later_games) == (1250, 5000, 1000)
    assert (config.selfplay.noise, config.selfplay.noise_alpha, config.selfplay.temperature) == (0.25, 0.3, 1.0)
    assert not config.selfplay.count_reused_visits
    assert config.selfplay.opening_share == 0


def test_former_names_are_read_from_files_and_answered_with_the_new_ones_where_they_are_typed(tmp_path):
    file = tmp_path / "old.toml"
    file.write_text("[selfplay]\nunvisited = 0.5\nthreats = 7\n[training]\nsamples_per_sample = 3\nturns = [0, 4]\n")
    config = load_config(TrainConfig(), file)
    assert (config.selfplay.fpu_reduction, config.selfplay.proof_nodes) == (0.5, 7)
    assert (config.training.replay_ratio, config.training.symmetries) == (3.0, (0, 4))
    with pytest.raises(EightfoldError, match=r"--set: selfplay.threats is now called selfplay.proof_nodes"):
        with_changes(TrainConfig(), ["selfplay.threats=7"])
    with pytest.raises(EightfoldError, match="preset paper-slap is now called suen-alonso, with --symmetry slap"):
        load_preset(TrainConfig(), "paper-slap")


def test_changes_are_looked_at_together():
    config = with_changes(TrainConfig(), ["selfplay.forced_playouts=2"])
    changes = ["selfplay.root=gumbel", "selfplay.forced_playouts=0"]
    for order in (changes, changes[::-1]):
        assert with_changes(config, order).selfplay.root == "gumbel"


def test_changes_reach_every_kind_of_value():
    config = with_changes(
        TrainConfig(),
        [
            "selfplay.playouts=64",
            "minutes=5",
            "symmetry=slap",
            "training.symmetries=[0, 4]",
            "selfplay.count_reused_visits=false",
        ],
    )
    assert config.selfplay.playouts == 64
    assert config.minutes == 5.0
    assert config.symmetry == "slap"
    assert config.training.symmetries == (0, 4)
    assert config.selfplay.count_reused_visits is False
    assert config.training.batch_size == TrainConfig().training.batch_size


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("selfplay.playout=3", "unknown key in --set 'selfplay.playout' (did you mean 'selfplay.playouts'?)"),
        ("colour=3", "unknown key in --set 'colour'; known: game, network"),
        ("selfplay=3", "selfplay is a section, not a value"),
        ("selfplay.playouts=many", "selfplay.playouts = 'many' is not a whole number"),
        ("minutes", "'minutes' is not of the form key=value"),
        ("training.symmetries=3", "training.symmetries = 3 is not a list of whole numbers"),
    ],
)
def test_mistakes_are_answered_with_what_would_be_right(change, said):
    with pytest.raises(EightfoldError) as caught:
        with_changes(TrainConfig(), [change])
    assert said in str(caught.value)


def test_files_that_are_no_configuration(tmp_path):
    (tmp_path / "bad.toml").write_text("playouts = [")
    with pytest.raises(EightfoldError, match="is not TOML"):
        load_preset(TrainConfig(), str(tmp_path / "bad.toml"))
    with pytest.raises(EightfoldError, match="cannot read the configuration"):
        load_preset(TrainConfig(), str(tmp_path / "none.toml"))
    with pytest.raises(EightfoldError, match="unknown preset 'quik' \\(did you mean 'quick'"):
        load_preset(TrainConfig(), "quik")


def test_a_run_of_before_goes_on_unless_it_was_trained_against_a_rival(tmp_path):
    path = tmp_path / "config.toml"
    written = to_toml(TrainConfig(), {})
    before = written.replace("[selfplay]\n", '[selfplay]\nrival = ""\nrival_share = 0.75\nrival_exploration = 40.0\n')
    path.write_text(before)
    assert load_config(TrainConfig(), path) == TrainConfig()
    path.write_text(before.replace('rival = ""', 'rival = "mcts:playouts=5000"'))
    with pytest.raises(EightfoldError, match="is no longer offered; begin a new run"):
        load_config(TrainConfig(), path)
    with pytest.raises(EightfoldError, match=r"unknown key in --set 'selfplay\.rival'"):
        with_changes(TrainConfig(), ["selfplay.rival=random"])


def test_no_network_is_told_whom_it_meets():
    from eightfold.games import GAMES, make_game, state

    assert "rival" not in preset_names()
    assert not hasattr(state, "RIVAL")
    for name in GAMES:
        with pytest.raises(EightfoldError, match=r"unknown encoder of .* 'rival'"):
            make_game(f"{name}:size=8").encoder("rival")


def test_what_is_written_is_toml_whatever_the_numbers_and_texts_are(tmp_path):
    import numpy as np

    path = tmp_path / "config.toml"
    config = TrainConfig(seed=np.int64(3), minutes=np.float64(1.5), backend='a\n"b"\\\x7f')  # type: ignore[arg-type]
    path.write_text(to_toml(config, {}))
    assert load_config(TrainConfig(), path) == config


def test_a_file_that_is_nothing_but_brackets_is_refused(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("game = " + "[" * 100_000)
    with pytest.raises(EightfoldError, match="is not TOML"):
        load_config(TrainConfig(), path)
