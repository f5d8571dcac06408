"""The menu: built-in players, networks, and what the server was started with; never a path."""

from __future__ import annotations

import pytest

from eightfold.games.game import make_game
from eightfold.nets.store import places
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.places import MODELS
from eightfold.web import menu as menu_of_page
from eightfold.web.menu import Menu
from refusals import refusal

GO = "go:size=9,komi=7.5,rules=chinese,handicap=0,ko=positional,suicide=forbidden"


def engine_in(folder, name="pbrain-x"):
    """A program that could be run; nobody does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_menu_has_the_built_in_players_and_those_that_were_asked_for(tmp_path):
    menu = Menu(["mcts:playouts=7", f"gomocup:seconds=2,{engine_in(tmp_path)} --fast"])
    keys = [entry.key for entry in menu.all()]
    assert {"mcts", "alphabeta", "greedy", "random", "mcts:playouts=7", "gomocup:pbrain-x"} <= set(keys)
    assert menu.find("mcts").level(0).text.startswith("mcts:playouts=100")
    assert str(tmp_path) not in str([entry.as_dict() for entry in menu.all()])


def test_the_network_of_the_nearest_board_is_the_default():
    menu = Menu()
    expected = {
        "gomoku:size=8": "net:gomoku-8",
        "gomoku:size=10": "net:gomoku-8",
        "gomoku:size=15": "net:gomoku-15",
        "gomoku:size=20,rule=renju": "net:gomoku-15",
        "gomoku:size=15,win=4": "alphabeta",
        "go:size=9": "net:go-9",
        "go:size=13,komi=0.5,rules=japanese": "net:go-9",
        "go:size=19": "mcts",
    }
    assert {text: menu.default_opponent(make_game(text)).key for text in expected} == expected
    assert menu.find("net:gomoku-15").as_dict()["tolerates"] == ["rule", "size"]
    assert [menu.find(f"net:{name}").as_dict()["usual_sizes"] for name in ("go-9", "gomoku-15")] == [[7, 13], [0, 25]]


def test_a_shipped_network_is_the_default_on_the_boards_that_it_names_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "MODELS", tmp_path)
    monkeypatch.setattr(menu_of_page, "MODELS", tmp_path)
    description = Description(
        network="resnet:blocks=1,filters=8", game=GO, encoder="rules", symmetry="augment", usual_on="7-13"
    )
    save_checkpoint(tmp_path / "tiny", description.make(), description)
    menu = Menu()
    usual = {size: menu.default_opponent(make_game(f"go:size={size}")).key for size in (6, 7, 9, 13, 14, 19)}
    assert usual == {6: "mcts", 7: "net:tiny", 9: "net:tiny", 13: "net:tiny", 14: "mcts", 19: "mcts"}
    assert menu.find("net:tiny").as_dict()["usual_sizes"] == [7, 13]
    menu.find("net:tiny").check_fits(make_game("go:size=19"))


def test_an_internal_symmetry_network_is_on_the_menu_for_go_alone(tmp_path):
    file = tmp_path / "mine.safetensors"
    file.write_bytes((MODELS / "isn-9" / "network.safetensors").read_bytes())
    menu = Menu([f"isn:{file},beta=20"])
    shipped, own = menu.find("isn:isn-9"), menu.find("isn:mine,beta=20")
    for size in (5, 9):
        game = make_game(f"go:size={size},komi=0.5")
        shipped.check_fits(game)
        assert shipped.make(0, game, seed=1).think(game.start()).action in game.start().legal_moves
    assert "was trained for go" in refusal(lambda: shipped.check_fits(make_game("gomoku:size=9")))
    file.unlink()
    said = refusal(lambda: own.make(0, make_game("go:size=5"), seed=1))
    assert "isn:mine" in said
    assert str(tmp_path) not in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mcts:x=1", "unknown option of player mcts"),
        ("fly", "unknown player 'fly'"),
        ("gomocup:", "names no command"),
        ("gomocup:no-such-program", "there is no program"),
        ("gomocup:speed=3,sh", "unknown option"),
        ("python:nothing", "is not of the form"),
        ("gtp:no-such-program", "there is no program"),
        ("isn:nowhere", "holds no network"),
        ("net:", "names no network"),
        ("net:no-such-run", "holds no network"),
    ],
)
def test_a_wrong_player_is_refused_when_the_server_starts(text, said):
    with pytest.raises(ValueError, match=said):
        Menu([text])


def test_two_of_a_name_are_told_apart(tmp_path):
    engines = [engine_in(tmp_path / folder, "engine") for folder in "ab"]
    entries = Menu([f"gomocup:{engine}" for engine in engines]).all()
    assert [entry.key for entry in entries if "engine" in entry.key] == ["gomocup:engine", "gomocup:engine (2)"]
