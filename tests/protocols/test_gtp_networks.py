"""Networks behind a real `eightfold gtp`: front ends send a komi, rules and handicaps that it was not trained with."""

from __future__ import annotations

import re

import pytest
import torch

from controllers import Controller
from eightfold.arena import make_player
from eightfold.games import make_game
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from refusals import refusal

TRAINED = "go:size=9,komi=7.5,rules=chinese,handicap=0,ko=positional,suicide=forbidden"
VERTEX = r"[A-HJ]\d|pass|PASS"


def make_network(folder, network: str = "resnet:blocks=1,filters=8"):
    torch.manual_seed(1)
    description = Description(network=network, game=TRAINED, encoder="liberties", symmetry="none")
    save_checkpoint(folder, description.make(), description)
    return folder


def test_a_network_plays_any_komi_rules_and_handicap(tmp_path):
    pytest.importorskip("onnx")
    from eightfold.nets.store.export import export_onnx

    file = export_onnx(make_network(tmp_path)).path
    with Controller("--player", f"net:{file},playouts=4") as engine:
        for line in ("boardsize 9", "komi 6.5", "clear_board"):
            assert engine.gtp(line) == ""
        assert re.fullmatch(VERTEX, engine.gtp("genmove black"))
        assert engine.gtp("komi 5.5") == "", "in the middle of a game too"
        assert re.fullmatch(VERTEX, engine.gtp("genmove white"))
        assert engine.gtp("kata-set-rules japanese") == ""
        assert engine.gtp("clear_board") == ""
        assert len(engine.gtp("fixed_handicap 2").split()) == 2
        assert re.fullmatch(VERTEX, engine.gtp("genmove white"))
        for line in ("boardsize 7", "clear_board"):  # its weights fit any board
            assert engine.gtp(line) == ""
        assert re.fullmatch(VERTEX, engine.gtp("genmove black"))
        assert engine.gtp("komi 5.5") == ""
        assert engine.quit() == 0
        notes = [line for line in engine.errors().splitlines() if "compil" not in line]  # on a machine's first start
    assert all("note:" in note and "was trained for" in note for note in notes), notes
    assert sum("komi=6.5" in note for note in notes) == 1, "it is said once"
    assert any("(ko, komi, rules, size)" in note for note in notes)


def test_an_internal_symmetry_network_plays_any_komi_and_handicap():
    with Controller("--player", "isn:isn-9") as engine:
        for line in ("boardsize 9", "komi 6.5", "clear_board"):
            assert engine.gtp(line) == ""
        assert re.fullmatch(VERTEX, engine.gtp("genmove black"))
        assert engine.gtp("clear_board") == ""
        assert len(engine.gtp("fixed_handicap 2").split()) == 2
        assert re.fullmatch(VERTEX, engine.gtp("genmove white"))
        assert engine.quit() == 0


@pytest.mark.parametrize(
    ("game", "any_size", "expected"),
    [
        ("go:size=9,komi=6.5", False, True),
        ("go:size=9,rules=japanese,handicap=4", False, True),
        ("go:size=13,komi=0.5", False, False),
        ("go:size=13,komi=0.5", True, True),
        ("gomoku:size=9", True, False),
    ],
)
def test_which_games_a_network_of_go_plays(game, any_size, expected):
    from eightfold.nets.store.description import plays

    assert plays(TRAINED, make_game(game), any_size=any_size) == expected


def test_the_length_of_a_row_makes_another_game_and_so_does_a_board_that_does_not_fit(tmp_path):
    from eightfold.nets.store.description import plays

    trained = "gomoku:size=8,win=5,rule=freestyle"
    assert not plays(trained, make_game("gomoku:size=8,win=4"), any_size=True)
    for other in ("gomoku:size=8,rule=standard", "gomoku:size=8,rule=renju"):
        assert plays(trained, make_game(other), any_size=False)
    make_network(tmp_path, "a1")
    said = refusal(lambda: make_player(f"net:{tmp_path}", make_game("go:size=7,komi=6.5")))
    assert "was trained for go:size=9" in said


def test_what_differs_from_the_training_is_said_once(tmp_path, caplog):
    make_network(tmp_path)
    for _ in range(2):
        make_player(f"net:{tmp_path},playouts=2", make_game("go:size=9,komi=6.5,handicap=2"))
        make_player(f"net:{tmp_path},playouts=2", make_game(TRAINED))
    [note] = caplog.messages
    assert "it plays go:size=9,komi=6.5" in note
    assert note.endswith("all the same (handicap, komi)")
