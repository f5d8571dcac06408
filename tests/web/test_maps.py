"""Maps of the points: random games, and the outputs of an Internal Symmetry Network as people read them."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.games.game import make_game
from eightfold.isn.classes import liberty_classes
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.network import ISN
from eightfold.isn.store import read_isn
from eightfold.search.ownership import estimate_ownership
from eightfold.web.maps import EYES_AND_CAPTURES, MapSources, SymmetryNetwork
from refusals import refusal
from strange_networks import save_isn

WALL = ["c5", "d5", "c4", "d4", "c3", "d3", "c2", "d2", "c1", "d1"]  # black has the left, white the right


def test_random_games_know_a_wall():
    position = make_game("go:size=5,komi=0.5").after(WALL)
    told = MapSources().find("random games").compute(position.game.start(), position)
    [found] = told["maps"]
    owners = np.array(found["values"]).reshape(5, 5)
    assert found["ownership"]
    assert owners == pytest.approx(estimate_ownership(position).owners, abs=6e-4)
    settled = estimate_ownership(position, games=20_000).owners  # so many that chance has no say
    assert settled[:, 0].min() > 0.5
    assert settled[:, 4].max() < -0.5
    lead = estimate_ownership(position).lead
    assert f"{'white' if lead < 0 else 'black'} leads by {abs(lead):.1f} after komi" in told["note"]


def test_outputs_are_those_of_the_last_position_of_the_game(isn_file):
    game = make_game("go:size=5")
    position = game.after(WALL[:5])
    evaluator, outputs = FusedEvaluator(read_isn(isn_file)[0]), np.zeros((1, 7, 5, 5), np.float32)
    for plies in range(6):
        stones = game.after(WALL[:plies]).stones[None]
        outputs = evaluator.run(liberty_classes(stones, outputs))
    source = SymmetryNetwork(isn_file)
    assert np.array_equal(source.outputs(game.start(), position), outputs)
    told = source.compute(game.start(), position)
    assert [found["name"] for found in told["maps"]] == [name for name, *_ in EYES_AND_CAPTURES]
    white_captured = np.array(told["maps"][0]["values"]).reshape(5, 5)
    assert white_captured == pytest.approx(1 - outputs[0, 1], abs=6e-4), "Z° is the likelihood that a stone stays"
    assert sorted(number for _, _, number, _, _ in EYES_AND_CAPTURES) == list(range(7))


def test_a_network_that_counts_liberties_is_asked_with_such_classes(isn_file, tmp_path):
    network = ISN.from_weights(read_isn(isn_file)[0])
    save_isn(network, tmp_path / "count.safetensors", classes="count")
    game = make_game("go:size=5")
    position, outputs = game.after(WALL[:3]), np.zeros((1, 7, 5, 5), np.float32)
    for plies in range(4):
        outputs = FusedEvaluator(network).run(
            liberty_classes(game.after(WALL[:plies]).stones[None], outputs, by_count=True)
        )
    assert np.array_equal(SymmetryNetwork(tmp_path / "count.safetensors").outputs(game.start(), position), outputs)
    assert not np.array_equal(SymmetryNetwork(isn_file).outputs(game.start(), position), outputs)
    save_isn(ISN(outputs=1), tmp_path / "one.safetensors", classes="count")
    assert "predicts no eyes" in refusal(lambda: MapSources([tmp_path / "one.safetensors"]))


def test_sources_are_those_of_the_server_and_speak_of_go_alone(isn_file, tmp_path):
    sources = MapSources([isn_file])
    assert [source["key"] for source in sources.all()] == ["random games", "isn:isn-9", "isn:snapshot"]
    assert "known: random games, isn:isn-9, isn:snapshot" in refusal(lambda: sources.find("/etc/passwd"))
    start = make_game("gomoku:size=7").start()
    for source in ("random games", "isn:snapshot"):
        assert "has none" in refusal(lambda source=source: sources.find(source).compute(start, start))
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"nonsense")
    assert "other.safetensors" in refusal(lambda: MapSources([other]))
    assert "absent" in refusal(lambda: MapSources([tmp_path / "absent"]))


def test_a_run_stands_for_its_newest_network(isn_file, tmp_path):
    run = tmp_path / "first"
    run.mkdir()
    (run / "network.safetensors").write_bytes(isn_file.read_bytes())
    start = make_game("go:size=5").start()
    source = SymmetryNetwork(run)
    assert source.key == "isn:first"
    assert np.array_equal(source.outputs(start, start), SymmetryNetwork(isn_file).outputs(start, start))


def test_a_network_that_vanished_is_told_without_its_path(isn_file, tmp_path):
    copy = tmp_path / "copy.safetensors"
    copy.write_bytes(isn_file.read_bytes())
    source = SymmetryNetwork(copy)
    copy.unlink()
    start = make_game("go:size=5").start()
    said = refusal(lambda: source.compute(start, start))
    assert "isn:copy" in said
    assert str(tmp_path) not in said


def test_a_network_with_an_ownership_head_is_a_source_and_others_are_not(tmp_path):
    from eightfold.nets.store.checkpoint import save_checkpoint
    from eightfold.nets.store.description import Description
    from eightfold.web.menu import Menu

    game = make_game("go:size=5")
    for name, auxiliary in (("seer", 1), ("blind", 0)):
        network = f"resnet:blocks=1,filters=8,auxiliary={auxiliary}"
        made = Description(network=network, game=game.text, encoder="liberties", symmetry="augment")
        save_checkpoint(tmp_path / name, made.make(), made)
    menu = Menu([f"net:{tmp_path / 'seer'}", f"net:{tmp_path / 'blind'}"])
    sources = MapSources([], menu)
    assert [source["key"] for source in sources.all()] == ["random games", "isn:isn-9", "net:go-9", "net:seer"]
    black, white = game.start(), game.after(["c3"])
    told = sources.find("net:seer").compute(black, black)
    [found] = told["maps"]
    assert found["ownership"]
    assert len(found["values"]) == 25
    assert "lead by" in told["note"]
    assert sources.find("net:seer").compute(black, white)["maps"][0]["values"] != found["values"]
    other_komi = make_game("go:size=5,komi=0.5").start()
    assert sources.find("net:seer").compute(other_komi, other_komi)["maps"], "it bears another komi"
    other = make_game("gomoku:size=5").start()
    said = refusal(lambda: sources.find("net:seer").compute(other, other))
    assert "net:seer" in said or "seer was trained for" in said
    assert str(tmp_path) not in said
