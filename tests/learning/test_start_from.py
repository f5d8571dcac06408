"""A run that starts from the weights of another network."""

from __future__ import annotations

import shutil

import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.learning.config import train_config
from eightfold.learning.loop import Training
from tiny_runs import TINY, tiny


def test_a_run_starts_from_the_weights_of_another(tmp_path):
    first = Training(tiny("games=4"), tmp_path / "first")
    first.train()
    first.close()
    config = tiny("games=4", "seed=5", f"start_from={tmp_path / 'first'}")
    second = Training(config, tmp_path / "second")
    for name, tensor in second.network.state_dict().items():
        assert torch.equal(tensor.cpu(), first.network.state_dict()[name].cpu()), name
    assert second.progress.games == 0
    second.train()
    second.close()
    assert any(
        not torch.equal(tensor.cpu(), first.network.state_dict()[name].cpu())
        for name, tensor in second.network.state_dict().items()
    )


def test_a_run_that_was_killed_before_its_first_checkpoint_still_starts_from_those_weights(tmp_path):
    first = Training(tiny("games=2"), tmp_path / "first")
    first.train()
    first.close()
    config = tiny("games=4", "seed=5", f"start_from={tmp_path / 'first'}")
    Training(config, tmp_path / "second").close()  # as if it was killed: there is a folder and no checkpoint
    assert not (tmp_path / "second" / "checkpoint").exists()
    again = Training(config, tmp_path / "second")
    for name, tensor in again.network.state_dict().items():
        assert torch.equal(tensor.cpu(), first.network.state_dict()[name].cpu()), name
    again.train()
    again.close()
    shutil.rmtree(tmp_path / "first")  # a run that has weights of its own no longer asks for them
    changes = ["games=6", "seed=5"]
    taken = train_config("quick", [*TINY, *changes], str(tmp_path / "first"), tmp_path / "second")
    more = Training(taken, tmp_path / "second")
    assert more.progress.games == 4
    more.close()


def test_a_run_starts_from_a_smaller_network_and_learns_on(tmp_path):
    first = Training(tiny("games=4", "network=resnet:blocks=1,filters=8"), tmp_path / "first")
    first.train()
    first.close()
    changes = [*TINY, "games=4", "network=resnet:blocks=2,filters=12,auxiliary=next"]
    second = Training(train_config("quick", changes, str(tmp_path / "first")), tmp_path / "second")
    planes = torch.rand(5, second.description.shape().planes, second.game.size, second.game.size)
    with torch.inference_mode():
        for one, other in zip(first.network.eval()(planes), second.network.eval()(planes), strict=True):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=0)
    second.train()
    second.close()
    assert second.progress.steps > 0


def test_the_kind_of_network_and_the_game_are_those_of_the_weights_to_start_from():
    config = train_config("quick", ["minutes=1"], "gomoku-8")
    assert (config.network, config.start_from) == ("resnet:blocks=6,filters=64", "gomoku-8")
    assert config.game == "gomoku:size=8,win=5,rule=freestyle"
    assert config.minutes == 1


def test_weights_of_another_network_are_refused_before_a_folder_is_made(tmp_path):
    config = train_config("quick", ["network=resnet:blocks=2,filters=16"], "gomoku-8")
    with pytest.raises(EightfoldError, match="networks do not shrink; blocks must be 6 or more; leave out network, or"):
        Training(config, tmp_path / "run")
    other = train_config("quick", ["network=densenet"], "gomoku-8")
    with pytest.raises(EightfoldError, match="a network grows to one of its own kind"):
        Training(other, tmp_path / "run")
    planes = train_config("quick", ["encoder=history"], "gomoku-8")
    with pytest.raises(EightfoldError, match="gomoku-8 has encoder 'last-move' and this run 'history'"):
        Training(planes, tmp_path / "run")
    slap_cc = train_config("quick", ["symmetry=slap-cc"], "gomoku-8")  # which has more planes
    with pytest.raises(EightfoldError, match="does not fit this network"):
        Training(slap_cc, tmp_path / "run")
    with pytest.raises(EightfoldError, match="nowhere holds no network"):
        train_config("quick", [], "nowhere")
    assert not (tmp_path / "run").exists()
