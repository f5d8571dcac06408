"""One way to open a network: every place, every kind, shared weights, and no PyTorch where none is needed."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict

import numpy as np
import pytest
import torch

from eightfold.games import make_game
from eightfold.isn import ISN, GoIsn
from eightfold.nets import PolicyValueNetwork, open_network
from eightfold.nets.store import policy_value
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.network import Network
from eightfold.nets.store.open import MOST_KEPT
from eightfold.nets.store.places import find_network, shipped_networks
from refusals import refusal
from strange_networks import save_isn

GAME = "gomoku:size=5,win=4,rule=freestyle"


def checkpoint(folder, network="resnet:blocks=1,filters=8", game=GAME, encoder="last-move", seed=1):
    torch.manual_seed(seed)
    description = Description(network=network, game=game, encoder=encoder, symmetry="none")
    save_checkpoint(folder, description.make(), description, card="a card")
    return description


def test_every_place_leads_to_the_same_network(tmp_path):
    run = tmp_path / "run"
    checkpoint(run / "checkpoint")
    networks = {open_network(place) for place in (run, run / "checkpoint", run / "checkpoint" / "network.safetensors")}
    assert len(networks) == 1, "opened once"
    [network] = networks
    assert isinstance(network, PolicyValueNetwork)
    assert (network.game.text, network.any_size, network.card) == (GAME, True, "a card")
    (tmp_path / "td" / "snapshots").mkdir(parents=True)
    newest, snapshot = tmp_path / "td" / "network.safetensors", tmp_path / "td" / "snapshots" / "000000010.safetensors"
    for file in (newest, snapshot):
        save_isn(ISN(), file)
    assert open_network(tmp_path / "td").file == newest
    assert open_network(snapshot).file == snapshot
    assert isinstance(open_network("isn-9"), GoIsn)
    assert set(shipped_networks()) == {*shipped_networks(PolicyValueNetwork), *shipped_networks(GoIsn)}
    assert {"gomoku-8", "isn-9"} <= set(shipped_networks())


def test_what_is_not_there_or_of_another_kind_is_named(tmp_path):
    said = refusal(lambda: open_network(tmp_path / "nothing"))
    assert "holds no network; give the folder of a run" in said
    assert "gomoku-8" in said
    said = refusal(lambda: open_network("isn-9", kind=PolicyValueNetwork))
    assert "an Internal Symmetry Network for Go, which plays as isn:isn-9" in said
    assert "which plays as net:gomoku-8" in refusal(lambda: find_network("gomoku-8", GoIsn))
    assert "plays go, not gomoku" in refusal(lambda: open_network("isn-9", make_game("gomoku:size=8")))
    (tmp_path / "notes.txt").write_text("notes")
    for kind in (Network, PolicyValueNetwork, GoIsn):
        assert "notes.txt holds no network" in refusal(
            lambda kind=kind: open_network(tmp_path / "notes.txt", kind=kind)
        )


def test_one_copy_however_the_place_and_the_game_are_written(tmp_path, monkeypatch):
    checkpoint(tmp_path / "net")
    network = open_network(tmp_path / "net")
    (tmp_path / "link").symlink_to("net")
    monkeypatch.chdir(tmp_path)
    for place in ("net", tmp_path / "net" / ".." / "net", "link"):
        for game in (None, make_game(GAME)):
            assert open_network(place, game) is network
    assert open_network("net", make_game("gomoku:size=6,win=4")) is not network
    (tmp_path / "net" / "network.onnx").write_bytes(b"new")
    assert open_network("net") is not network, "an export is what may be run"


def test_no_more_networks_are_kept_than_needed(tmp_path):
    opened = []
    for number in range(MOST_KEPT + 1):
        checkpoint(tmp_path / str(number))
        opened.append(open_network(tmp_path / str(number)))
    game = make_game(GAME)
    assert all(open_network(tmp_path / str(k), game) is opened[k] for k in range(1, MOST_KEPT + 1))
    assert open_network(tmp_path / "0") is not opened[0]


def test_the_module_and_a_runner_may_be_asked_for_at_once(tmp_path, monkeypatch):
    checkpoint(tmp_path)
    network = open_network(tmp_path, backend="torch", kind=PolicyValueNetwork)
    asked, loading = threading.Event(), threading.Event()
    load = PolicyValueNetwork._load

    def slow_need(*_args, **_more):
        asked.set()
        loading.wait(0.5)  # so that the other thread comes as far as it can

    def load_and_tell(network):
        loading.set()
        return load(network)

    monkeypatch.setattr(policy_value, "need", slow_need)
    monkeypatch.setattr(PolicyValueNetwork, "_load", load_and_tell)
    threads = [threading.Thread(target=ask, daemon=True) for ask in (lambda: network.module, network.runner)]
    threads[0].start()
    asked.wait(60)
    threads[1].start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert network.module is network.module


@pytest.mark.parametrize("content", [b"", b"not an onnx file at all"])
def test_an_export_that_cannot_be_read_does_not_block_the_checkpoint(content, tmp_path):
    checkpoint(tmp_path)
    expected = open_network(tmp_path).evaluate([make_game(GAME).start()])
    (tmp_path / "network.onnx").write_bytes(content)
    network = open_network(tmp_path, kind=PolicyValueNetwork)
    assert network.any_size
    assert network._exported() is None
    for ours, theirs in zip(network.evaluate([make_game(GAME).start()]), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-3)


def test_ownership_of_a_game_that_is_over(tmp_path):
    game = make_game("go:size=5,komi=0.5")
    checkpoint(tmp_path, "resnet:blocks=1,filters=8,auxiliary=1", game.text, "liberties")
    network = open_network(tmp_path, kind=PolicyValueNetwork)
    over = game.after(["c3", "pass", "pass"])
    assert over.is_over
    assert network.ownership(over)[0].shape == (25,)
    assert "name the game when you open it" in refusal(lambda: network.ownership(make_game("go:size=7").start()))


def test_weights_are_loaded_once_and_again_when_they_change(tmp_path, monkeypatch):
    checkpoint(tmp_path)
    game = make_game(GAME)
    loads = []
    load = PolicyValueNetwork._load
    monkeypatch.setattr(PolicyValueNetwork, "_load", lambda network: loads.append(1) or load(network))
    first = open_network(tmp_path, game, kind=PolicyValueNetwork)
    before, _ = first.evaluate([game.start()])
    open_network(tmp_path, game, kind=PolicyValueNetwork).runner()
    assert open_network(tmp_path, game) is first
    assert len(loads) == 1
    checkpoint(tmp_path, seed=2)
    os.utime(tmp_path / "network.safetensors", ns=(1, 1))  # whatever the clock's steps
    second = open_network(tmp_path, game)
    after, _ = second.evaluate([game.start()])
    assert second is not first
    assert np.abs(after - before).max() > 1e-4
    assert len(loads) == 2


def test_runners_of_one_network_do_not_disturb_each_other(tmp_path):
    description = checkpoint(tmp_path)
    network = open_network(tmp_path, kind=PolicyValueNetwork)
    shape, random = description.shape(), np.random.default_rng(1)
    batches = [random.random((4, shape.planes, 5, 5)).astype(np.float32) for _ in range(4)]
    expected = [[part.copy() for part in network.runner().run(planes)] for planes in batches]
    troubles = []

    def ask(number):
        runner = network.runner()
        for _ in range(50):
            for ours, theirs in zip(runner.run(batches[number]), expected[number], strict=True):
                if not np.array_equal(ours, theirs):
                    troubles.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not troubles


@pytest.mark.parametrize(("place", "text"), [("gomoku-8", "gomoku:size=8"), ("isn-9", "go:size=5")])
def test_policies_and_values_of_positions(place, text):
    game = make_game(text)
    network = open_network(place, game)
    positions = [game.start(), game.after(["c3"]), game.after(["c3", "b2"])]
    policies, values = network.evaluate(positions)
    assert (policies.shape, values.shape) == ((3, game.actions), (3,))
    assert policies.dtype == values.dtype == np.float32
    np.testing.assert_allclose(policies.sum(axis=1), 1, atol=1e-5)
    for position, policy in zip(positions, policies, strict=True):
        assert (policy[~position.legal_mask] == 0).all()
    assert (np.abs(values) <= 1).all()
    alone = [network.evaluate([position]) for position in positions]
    np.testing.assert_allclose(policies, np.concatenate([policy for policy, _ in alone]), atol=1e-3)
    assert [len(part) for part in network.evaluate([])] == [0, 0]
    assert "name the game when you open it" in refusal(lambda: network.evaluate([make_game("gomoku:size=7").start()]))


def test_a_game_that_is_over_has_no_policy():
    game = make_game("gomoku:size=8")
    over = game.after(["a1", "h8", "b1", "h7", "c1", "h6", "d1", "h5", "e1"])
    assert "over" in refusal(lambda: open_network("gomoku-8").evaluate([over]))


def test_an_export_takes_the_place_of_its_checkpoint_until_the_weights_change(tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    from eightfold.nets.store.export import export_onnx

    checkpoint(tmp_path / "checkpoint")
    export_onnx(tmp_path)
    network = open_network(tmp_path, kind=PolicyValueNetwork)
    assert network._exported() == tmp_path / "network.onnx"
    assert open_network(tmp_path, backend="torch", kind=PolicyValueNetwork)._exported() is None
    checkpoint(tmp_path / "checkpoint", seed=2)
    network = open_network(tmp_path, kind=PolicyValueNetwork)
    assert network._exported() is None, "it is of other weights"
    monkeypatch.setattr(policy_value, "is_installed", lambda module: module != "torch")
    assert network._exported() == tmp_path / "network.onnx", "nothing else could be run"


def test_names_of_earlier_versions_are_converted(tmp_path):
    from safetensors.torch import load_file, save_file

    network = "resnet:blocks=1,filters=8,auxiliary=1"
    described = checkpoint(tmp_path, network=network, game="go:size=5,komi=0.5", encoder="liberties")
    position = make_game(described.game).after(["c3"])
    expected, lead = open_network(tmp_path, kind=PolicyValueNetwork).ownership(position)
    state = load_file(tmp_path / "network.safetensors")
    old = {name.replace("auxiliary.ownership", "foresight.owners").replace("auxiliary", "foresight"): tensor
           for name, tensor in state.items()}  # fmt: skip
    assert old.keys() != state.keys()
    save_file(old, tmp_path / "network.safetensors")
    stored = {**asdict(described), "network": network.replace("auxiliary", "foresight")}
    (tmp_path / "network.json").write_text(json.dumps(stored))
    again = open_network(tmp_path, kind=PolicyValueNetwork)
    assert again.description.network == network
    found, same = again.ownership(position)
    np.testing.assert_array_equal(found, expected)
    assert same == lead
    typed = refusal(Description(**stored).make)
    assert "option 'foresight' is now called 'auxiliary'" in typed


BARE = """
import sys
sys.modules["torch"] = None  # as if it were not installed
from eightfold.arena.players import make_player
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets import open_network
for text, place in (("gomoku:size=8", "net:gomoku-8,playouts=20"), ("go:size=5", "isn:isn-9")):
    game = make_game(text)
    print(game.name, make_player(place, game).think(game.after(["c3", "b2"])).action >= 0)
print(open_network("gomoku-8").evaluate([make_game("gomoku:size=8").start()])[0].shape)
try:
    open_network(sys.argv[1]).evaluate([make_game("{game}").start()])
except EightfoldError as error:
    print(error)
"""


def test_a_bare_install_plays_the_shipped_networks(tmp_path, run_python):
    checkpoint(tmp_path / "net")
    folder = tmp_path / "net"
    code = BARE.replace("{game}", GAME).replace("sys.argv[1]", repr(str(folder)))
    lines = run_python(code).splitlines()
    assert lines[:3] == ["gomoku True", "go True", "(1, 64)"]
    assert f'{folder} needs PyTorch: pip install "eightfold[train]"' in lines[3]
