"""Networks from exported files: the same answers, no torch."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from eightfold.arena import make_player
from eightfold.arena.players import best_player
from eightfold.core.extras import is_installed
from eightfold.games import make_game
from eightfold.nets.inference.backends import has_openvino
from eightfold.nets.inference.backends.torch_backend import TorchBackend
from eightfold.nets.store import places, policy_value
from eightfold.nets.store.checkpoint import load_checkpoint, save_checkpoint
from eightfold.nets.store.description import Description, load_description
from eightfold.nets.store.exported import read_description
from eightfold.nets.store.onnx_metadata import read_metadata
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork, best_shipped, find_exported
from eightfold.protocols.default_player import engine_player
from managers import Manager, move_of
from patience import LONG, finished
from refusals import refusal

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

GAME = "gomoku:size=7,win=5,rule=freestyle"


def opened(path, game, backend="auto"):
    network = open_network(path, game, backend=backend, kind=PolicyValueNetwork)
    return network.runner(), network.description


def export(folder, *, network="resnet:blocks=1,filters=8", symmetry="augment", game=GAME, usual_on=""):
    from eightfold.nets.store.export import export_onnx

    torch.manual_seed(1)
    description = Description(network=network, game=game, encoder="last-move", symmetry=symmetry, usual_on=usual_on)
    folder.mkdir(parents=True, exist_ok=True)
    save_checkpoint(folder, description.make(), description)
    return export_onnx(folder).path


@pytest.fixture(params=["openvino", "onnxruntime"])
def runtime(request):
    if request.param == "openvino" and not has_openvino():
        pytest.skip("openvino is not installed")
    return request.param


@pytest.mark.parametrize("network", ["a1", "resnet:blocks=1,filters=8"])
@pytest.mark.parametrize("symmetry", ["augment", "slap-cc"])
def test_answers_are_those_of_torch(runtime, network, symmetry, tmp_path):
    path = export(tmp_path / "net", network=network, symmetry=symmetry)
    runner, description = opened(path, make_game(GAME), runtime)
    weights, _ = load_checkpoint(tmp_path / "net")
    reference = TorchBackend(weights, description.shape())
    for batch in (1, 8, 3):
        planes = np.random.default_rng(batch).integers(0, 2, (batch, description.shape().planes, 7, 7))
        planes = planes.astype(np.float32)
        for ours, theirs in zip(runner.run(planes), reference.run(planes), strict=True):
            assert ours.shape == theirs.shape
            # bf16, where the processor has it, has three digits
            np.testing.assert_allclose(ours, theirs, atol=0.03 * max(1, np.abs(theirs).max()))


@pytest.mark.parametrize("symmetry", ["none", "slap", "slap-cc", "random", "average"])
def test_an_exported_network_plays_in_every_symmetry_mode(symmetry, tmp_path):
    path = export(tmp_path / "net", symmetry=symmetry)
    game = make_game(GAME)
    player = make_player(f"net:{path},playouts=30", game, seed=1)
    position = game.start()
    for _ in range(4):
        result = player.think(position)
        assert result.effort > 0
        position = position.play(result.action)
    assert position.legal_mask[player.think(position, seconds=0.3).action]


def test_limits_of_a_search_with_a_network(tmp_path):
    path = export(tmp_path / "net")
    game = make_game(GAME)
    position = game.after(["d4", "c3"])
    player = make_player(f"net:{path},playouts=20,memory=16", game, seed=1)
    plain = player.think(position)
    assert 0 < plain.effort <= 20
    told = []
    enough = threading.Event()

    def hear(snapshot):
        told.append(snapshot)
        if snapshot.effort > plain.effort:
            enough.set()

    assert plain.variations == ()
    timed = finished(lambda: player.think(position, seconds=1e6, stop=enough, on_progress=hear))
    assert timed.principal_variation in timed.variations
    assert timed.visits is not None
    assert all(timed.visits[line[0]] > 0 and game.after([*position.moves, *line]) for line in timed.variations)
    assert timed.effort > plain.effort, "time takes the place of playouts"
    assert all(position.legal_mask[snapshot.action] for snapshot in told)
    hurried = player.think(game.after(["d4", "e5"]), seconds=0)
    assert hurried.visits is not None
    assert 0 < np.count_nonzero(hurried.visits) <= 8, "moves were looked at, not only the position"
    stop = threading.Event()
    stop.set()
    small = make_player(f"net:{path},memory=1", game, seed=1)
    for ended in (
        finished(lambda: player.think(position, seconds=1e6, stop=stop)),
        finished(lambda: small.think(position, seconds=1e6)),  # by its full tree
    ):
        assert position.legal_mask[ended.action]
    watched = make_player(f"net:{path},playouts=20", game, seed=1).think(position, stop=threading.Event())
    assert watched.action == plain.action
    np.testing.assert_array_equal(watched.policy, plain.policy)


def test_an_exported_network_plays_other_sizes_where_its_weights_fit(runtime, tmp_path):
    path = export(tmp_path / "net")
    game = make_game("gomoku:size=9")
    runner, description = opened(path, game, runtime)
    assert description.game == game.text
    weights, _ = load_checkpoint(tmp_path / "net")
    planes = np.random.default_rng(1).integers(0, 2, (3, description.shape().planes, 9, 9)).astype(np.float32)
    for ours, theirs in zip(runner.run(planes), TorchBackend(weights, description.shape()).run(planes), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.03 * max(1, np.abs(theirs).max()))


def test_metadata_is_read_without_the_package_onnx(tmp_path):
    path = export(tmp_path / "net")
    model = onnx.load(path)
    assert read_metadata(path.read_bytes()) == {entry.key: entry.value for entry in model.metadata_props}
    assert read_description(path)[0].game == GAME


def test_an_exported_file_runs_without_the_package_onnx(runtime, tmp_path, monkeypatch):
    path = export(tmp_path / "net")
    monkeypatch.setitem(sys.modules, "onnx", None)  # as if it were not installed
    assert not is_installed("onnx")
    runner, description = opened(path, make_game(GAME), runtime)
    planes = np.zeros((1, description.shape().planes, 7, 7), np.float32)
    assert runner.run(planes)[0].shape == (1, 49)


def test_bad_files_are_one_clear_line(tmp_path):
    game = make_game(GAME)
    path = export(tmp_path / "net")
    data = path.read_bytes()
    bad = tmp_path / "bad.onnx"
    for content, said in (
        (b"", "does not say its network"),
        (b"not an onnx file at all", "is not an ONNX file"),
        (data[: len(data) // 2], "bad.onnx"),
        (bytes(1000), "bad.onnx"),
    ):
        bad.write_bytes(content)
        assert said in refusal(lambda: opened(bad, game))
    assert "holds no network" in refusal(lambda: opened(tmp_path / "none.onnx", game))
    assert "was trained for" in refusal(lambda: opened(path, make_game("gomoku:size=7,win=4")))
    fixed = export(tmp_path / "fixed", network="a1")
    assert "was trained for" in refusal(lambda: make_player(f"net:{fixed}", make_game("gomoku:size=8")))
    model = onnx.load(path)
    del model.graph.node[:]
    onnx.save(model, bad)
    refusal(lambda: opened(bad, game))


def test_where_exported_files_are_found(tmp_path, monkeypatch):
    path = export(tmp_path / "net")
    assert find_exported(tmp_path / "net") == path
    assert find_exported(path) == path
    (tmp_path / "alone").mkdir()
    alone = tmp_path / "alone" / "network.onnx"
    alone.write_bytes(path.read_bytes())
    assert find_exported(tmp_path / "alone") == alone, "a folder with nothing else"
    assert engine_player(f"net:{tmp_path / 'alone'}", make_game(GAME)).startswith(f"net:{alone},")
    path.rename(tmp_path / "elsewhere.onnx")
    assert "has no network.onnx yet; write it with: eightfold export" in refusal(
        lambda: find_exported(tmp_path / "net")
    )
    assert "holds no network" in refusal(lambda: find_exported(tmp_path / "nothing"))


def test_the_largest_shipped_network_of_a_game_is_the_default(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "MODELS", tmp_path)
    game = make_game(GAME)
    assert best_shipped(game) is None
    assert engine_player(None, game).startswith("alphabeta")
    export(tmp_path / "small")
    large = export(tmp_path / "large", network="resnet:blocks=2,filters=16")
    other = export(tmp_path / "other", network="resnet:blocks=3,filters=16", game="gomoku:size=12,win=5,rule=freestyle")
    export(tmp_path / "fixed", network="a1", game="gomoku:size=13,win=5,rule=freestyle")
    save_checkpoint(tmp_path / "plain", load_checkpoint(tmp_path / "small")[0], load_description(tmp_path / "small"))
    assert best_shipped(game) == large
    nearest = {13: tmp_path / "fixed" / "network.onnx", 14: other, 20: other, game.size + 1: large}
    assert {size: best_shipped(make_game(f"gomoku:size={size},win=5")) for size in nearest} == nearest
    assert best_shipped(make_game("gomoku:size=12,rule=renju")) == other
    assert best_shipped(make_game("gomoku:size=12,win=4")) is None, "it was trained for another length"
    with monkeypatch.context() as bare:
        bare.setattr(policy_value, "installed_runtimes", list)
        assert best_shipped(game) is None, "nothing here could run it"
    assert find_exported("small") == tmp_path / "small" / "network.onnx"
    assert engine_player(None, game) == f"net:{large},seconds=5,memory=96"
    assert (
        engine_player("net:small,exploration=2", game, memory=300)
        == f"net:{tmp_path}/small/network.onnx,exploration=2,memory=80"
    )


def test_a_shipped_network_is_the_default_on_the_boards_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "MODELS", tmp_path)
    go = "go:size=9,komi=7.5,rules=chinese,handicap=0,ko=positional,suicide=forbidden"
    export(tmp_path / "small", game=go, usual_on="7-13")
    small, large = "net:small", "net:large"
    usual = {size: best_player(make_game(f"go:size={size}")) for size in (6, 7, 9, 13, 14, 19)}
    assert usual == {6: "mcts", 7: small, 9: small, 13: small, 14: "mcts", 19: "mcts"}
    assert best_player(make_game("go:size=9,komi=0.5,rules=japanese")) == small
    assert make_player(f"{small},playouts=2", make_game("go:size=19")), "whoever is asked for plays there all the same"
    export(tmp_path / "large", game=go.replace("size=9", "size=13"))
    assert {size: best_player(make_game(f"go:size={size}")) for size in (9, 13, 19)} == {9: small, 13: large, 19: large}
    description = load_description(tmp_path / "small")
    for wrong in ("9", "seven to nine", "7-13 "):
        (tmp_path / "small" / "network.json").write_text(json.dumps(asdict(replace(description, usual_on=wrong))))
        assert "not two sizes of boards" in refusal(lambda: load_description(tmp_path / "small"))


@pytest.mark.parametrize(("family", "size"), [("gomoku", 8), ("gomoku", 15), ("go", 9)])
def test_the_shipped_networks_are_exported_too_and_are_the_default_on_their_boards(family, size):
    game = make_game(f"{family}:size={size}")
    path = best_shipped(game)
    assert path is not None
    assert path.parent.name == f"{family}-{size}"
    weights, stored = load_checkpoint(path.parent)
    runner, description = opened(path, game)
    assert description.game == stored.game == game.text
    planes = np.random.default_rng(1).integers(0, 2, (5, stored.shape().planes, size, size)).astype(np.float32)
    for ours, theirs in zip(runner.run(planes), TorchBackend(weights, stored.shape()).run(planes), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.03 * max(1, np.abs(theirs).max()))
    assert engine_player(None, game).startswith(f"net:{path},seconds=")


def test_boards_of_other_sizes_have_the_network_of_the_nearest_one():
    names = {size: best_player(make_game(f"gomoku:size={size}")) for size in (7, 9, 13, 19, 20)}
    assert names == {7: "net:gomoku-8", 9: "net:gomoku-8", **dict.fromkeys((13, 19, 20), "net:gomoku-15")}
    assert best_player(make_game("gomoku:size=15,rule=renju")) == "net:gomoku-15"
    assert best_player(make_game("gomoku:size=15,win=4")) == "alphabeta"
    go = {size: best_player(make_game(f"go:size={size}")) for size in (5, 7, 9, 13, 19)}
    assert go == {5: "mcts", **dict.fromkeys((7, 9, 13), "net:go-9"), 19: "mcts"}
    assert best_player(make_game("go:size=9,komi=0.5,rules=japanese")) == "net:go-9"


SPY = """
import sys
from eightfold.protocols.gomocup.session import serve
serve(sys.argv[1])
print("torch:", "torch" in sys.modules, "onnx:", "onnx" in sys.modules, file=sys.stderr)
"""


def test_the_engine_runs_a_network_without_torch_and_in_little_memory(tmp_path):
    export(tmp_path / "net", network="resnet:blocks=6,filters=64", game="gomoku:size=20,win=5,rule=freestyle")
    with Manager(f"net:{tmp_path / 'net'}", command=[sys.executable, "-c", SPY]) as manager:
        assert manager.ask("START 20") == "OK"
        move_of(manager.ask("INFO timeout_turn 2000", "BEGIN"), 20)
        used = manager.high_water() if sys.platform == "linux" else 0
        manager.send("END")
        manager.process.wait(60)
        assert "torch: False onnx: False" in manager.errors()
    print(f"a network at 20x20: {used:.0f} MB")
    assert used < 350


def test_an_engine_without_an_export_says_how_to_make_one(tmp_path):
    path = export(tmp_path / "net")
    path.unlink()
    assert json.loads((tmp_path / "net" / "network.json").read_text())["game"] == GAME
    with Manager("--player", f"net:{tmp_path / 'net'}") as manager:
        assert manager.process.wait(LONG) == 2
        said = manager.errors()
    assert said.startswith("pbrain-eightfold: ")
    assert "eightfold export" in said
    assert said.count("\n") == 1
