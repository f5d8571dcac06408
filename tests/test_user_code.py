"""Code runs only for who typed its name: nothing that a file, a browser or a protocol says is ever imported.

`stranger` is a whole game that leaves a mark when it is imported. Every road by which a text could bring it in is
walked here, with a network that is sound in all else.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from controllers import Controller
from eightfold.cli.main import app
from eightfold.core.errors import EightfoldError
from eightfold.games import game as game_module
from eightfold.games import make_game
from launching import eightfold
from managers import Manager
from refusals import refusal

USER_GAME = "python:stranger,size=2"
SAID = "python:stranger is code of somebody's own"
LIKE = "gomoku:size=3,win=3,rule=freestyle"  # as many planes; a network that plays any size has the same weights


class Place:
    """A folder with the stranger's module, where Python would find it, and the mark that importing it leaves."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mark = folder, folder / "imported"

    def untouched(self) -> bool:
        return not self.mark.exists() and "stranger" not in sys.modules

    def environment(self) -> dict[str, str]:
        paths = [str(self.folder), os.environ.get("PYTHONPATH", "")]
        return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The command in a process of its own; uncompiled, because a new game would take a minute."""
        return eightfold(*arguments, cwd=self.folder, compiled=False, **self.environment())


@pytest.fixture
def place(tmp_path, examples, monkeypatch):
    found = Place(tmp_path)
    source = (examples / "squares.py").read_text()
    (tmp_path / "stranger.py").write_text(f"{source}\nopen({str(found.mark)!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield found
    sys.modules.pop("stranger", None)


@pytest.fixture
def network(place):
    """A checkpoint whose description names the stranger's game."""
    from eightfold.nets.store.checkpoint import save_checkpoint
    from eightfold.nets.store.description import Description

    torch.manual_seed(1)
    sound = Description(network="resnet:blocks=1,filters=8", game=LIKE, encoder="last-move", symmetry="none")
    folder = place.folder / "net"
    save_checkpoint(folder, sound.make(), sound)
    (folder / "network.json").write_text(json.dumps({**asdict(sound), "game": USER_GAME}))
    return folder


@pytest.fixture
def exported(network):
    """The same as one ONNX file."""
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    from eightfold.nets.store.description import Description
    from eightfold.nets.store.onnx_graph import onnx_bytes

    sound = Description(network="resnet:blocks=1,filters=8", game=LIKE, encoder="last-move", symmetry="none")
    model = onnx.load_model_from_string(onnx_bytes(sound.make(), sound, any_size=True, facts={}))
    for pair in model.metadata_props:
        if pair.key == "game":
            pair.value = USER_GAME
    path = network / "network.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def command(*arguments: str) -> None:
    app(list(arguments), standalone_mode=False)


# ---- files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "net", "--games", "1"),
        ("export", "net", "--onnx"),
        ("match", "net:net", "random", "--game", "gomoku:size=3,win=3"),
        ("match", "random", "net:net,playouts=2", "--game", LIKE),
        ("play", "net:net", "--game", "gomoku:size=3,win=3"),
    ],
)
def test_a_network_that_names_a_strangers_game_is_refused(arguments, place, network):
    assert SAID in refusal(lambda: command(*arguments))
    assert place.untouched()


def test_so_is_an_exported_one(place, exported):
    for game in ("gomoku:size=3,win=3", "go:size=2"):
        said = refusal(lambda game=game: command("match", f"net:{exported}", "random", "--game", game))
        assert SAID in said
    assert place.untouched()


def test_a_text_from_a_file_is_not_disguised_by_its_writing(place, network):
    for text in ("PYTHON:stranger", " python : stranger ,size=2", "Python:stranger"):
        assert SAID in refusal(lambda text=text: make_game(text))
    assert place.untouched()


@pytest.mark.parametrize(("program", "file"), [("train", "own.toml"), ("train-isn", "own.toml")])
def test_a_preset_in_a_file_names_no_code(program, file, place):
    (place.folder / file).write_text(f'game = "{USER_GAME}"\n')
    assert SAID in refusal(lambda: command(program, file, "--run", "new"))
    assert place.untouched()
    assert not (place.folder / "new").exists()


@pytest.mark.parametrize("program", ["train", "train-isn"])
def test_the_folder_of_a_run_names_no_code(program, place):
    folder = place.folder / "run"
    folder.mkdir()
    (folder / "config.toml").write_text(f'game = "{USER_GAME}"\n')
    (folder / "games.jsonl").write_text(json.dumps({"game": USER_GAME, "moves": [0], "opening": 0, "result": 1}) + "\n")
    assert refusal(lambda: command(program, "--run", "run", "--games", "1"))
    assert place.untouched()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sgf", f"(;GM[4]EIGHTFOLD[{USER_GAME}];B[aa])"),
        ("a.sgf", f"(;GM[1]EIGHTFOLD[{USER_GAME}];B[aa])"),
        ("a.sgf", f"(;GM[{USER_GAME}];B[aa])"),
        ("a.sgf", f"(;GM[4]RU[{USER_GAME}]SZ[{USER_GAME}];B[aa])"),
        ("a.sgf", f"(;GM[1]RU[{USER_GAME}];B[aa])"),
        ("a.psq", f"Piskvorky {USER_GAME}, 11:11, 1\n1,1,0\n{USER_GAME}\n"),
    ],
)
def test_a_record_names_no_code(name, text, place):
    (place.folder / name).write_text(text)
    with contextlib.suppress(EightfoldError):  # some of these are games all the same, of other rules
        command("show", name)
    assert place.untouched()


def test_the_notes_of_an_internal_symmetry_network_name_no_code(place):
    from eightfold.isn.network import ISN
    from strange_networks import save_isn

    save_isn(ISN(), place.folder / "isn.safetensors", game=USER_GAME, classes=USER_GAME, player=USER_GAME)
    command("match", "isn:isn.safetensors", "random", "--game", "go:size=3", "--games", "2")
    (place.folder / "run").mkdir()
    (place.folder / "run" / "config.toml").write_text(f'game = "{USER_GAME}"\n')
    save_isn(ISN(), place.folder / "run" / "network.safetensors", game=USER_GAME)
    command("match", "isn:run", "random", "--game", "go:size=3", "--games", "2")
    assert place.untouched()


# ---- the page and the protocols -----------------------------------------------------------------------


def test_the_page_offers_such_a_network_to_nobody_and_imports_nothing(place, network):
    pytest.importorskip("fastapi")
    from eightfold.web.lobby import Lobby
    from eightfold.web.messages import Seat, read_message
    from eightfold.web.session import Session

    lobby = Lobby(players=[f"net:{network}"], runs=[network], workers=1, seed=1)
    try:
        seat = {"player": "human", "level": 0}
        for changes in (
            {"game": USER_GAME},
            {"game": "PYTHON:stranger"},
            {"black": {"player": "python:stranger:GAME", "level": 0}},
            {"black": {"player": f"net:{network}", "level": 0}},
            {"black": {"player": "net:net", "level": 0}},
        ):
            asked = {"type": "new", "game": "gomoku:size=3,win=3", "black": seat, "white": seat, **changes}

            def begin(asked=asked):
                message = read_message(json.dumps(asked))
                lobby.check_players(message)
                Session.new(message.game, [], message.black, message.white, playing=True, now=0.0)

            assert refusal(begin)
        assert refusal(lambda: Session.from_sgf(f"(;GM[4]EIGHTFOLD[{USER_GAME}];B[aa])", now=0.0))
        game = make_game("gomoku:size=3,win=3")
        assert SAID in refusal(lambda: lobby.menu.find("net:net").make(0, game, seed=1))
        human = Seat(player="net:net")
        with pytest.raises(EightfoldError), lobby.borrow(human, game, "table"):
            pass
    finally:
        lobby.close()
    assert place.untouched()


def test_gtp_names_no_code(place, exported):
    (place.folder / "a.sgf").write_text(f"(;GM[1]EIGHTFOLD[{USER_GAME}];B[aa])")
    with Controller("--player", f"net:{exported.parent}", "--game", LIKE, **place.environment()) as engine:
        for line in (
            f"boardsize {USER_GAME}",
            f"kata-set-rules {USER_GAME}",
            f"set_game {USER_GAME}",
            f"loadsgf {place.folder / 'a.sgf'}",
        ):
            assert engine.refused(line)
        assert SAID in engine.refused("genmove black")
        assert engine.quit() == 0
    assert place.untouched()


def test_gomocup_names_no_code(place, exported):
    with Manager("--player", f"net:{exported.parent}", **place.environment()) as manager:
        answers = [manager.ask(line) for line in (f"START {USER_GAME}", f"RECTSTART {USER_GAME},5", "START 5")]
        if answers[-1] == "OK":  # no manager waits long for that: who is still opening the network refuses to move
            answers[-1] = manager.ask("INFO timeout_turn 600000", "BEGIN")
        assert all(answer.startswith("ERROR") for answer in answers), answers
    assert place.untouched()


# ---- what a user types --------------------------------------------------------------------------------


def test_only_a_typed_game_is_imported_and_then_its_texts_are_known(place, monkeypatch):
    monkeypatch.setattr(game_module, "_trusted", {})
    assert SAID in refusal(lambda: make_game(USER_GAME))
    typed = game_module.make_game("python:stranger,size=3", trusted=True)
    assert place.mark.exists()
    assert make_game(USER_GAME).text == USER_GAME
    position = copy.deepcopy(typed.start())  # by the way that another process gets it: `Game.__reduce__`
    assert position.game.text == "python:stranger,size=3"


def test_who_types_the_game_can_use_such_a_network(place, network):
    pytest.importorskip("onnx")
    for arguments, expected in (
        (("match", "net:net,playouts=2", "random", "--game", USER_GAME, "--games", "2", "--json"), '"games": 2'),
        (("evaluate", "net", "--game", USER_GAME, "--games", "2", "--playouts", "2", "--json"), '"games": 6'),
        (("export", "net", "--onnx", "--game", USER_GAME), f"for {USER_GAME}"),
    ):
        place.mark.unlink(missing_ok=True)
        done = place.run(*arguments)
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout
        assert place.mark.exists()
    refused = place.run("export", "net", "--onnx", "--game", "python:stranger,size=3")
    assert refused.returncode == 2
    assert f"was trained for {USER_GAME}, not for python:stranger,size=3" in refused.stderr


@pytest.mark.parametrize("typed", [("--game", USER_GAME), ("--set", f'game = "{USER_GAME}"')])
def test_who_types_the_game_can_train_for_it(typed, place):
    changes = ["evaluation.every_minutes=0", "selfplay.parallel_games=2", "selfplay.playouts=2", "encoder=last-move"]
    changes += ["evaluation.final_games=1", "evaluation.playouts=2", "network=a1", "selfplay.opening_share=0"]
    (place.folder / "own.toml").write_text(f'game = "{USER_GAME}"\n')
    arguments = [part for change in changes for part in ("--set", change)]
    done = place.run("train", "own.toml", "--run", "new", "--games", "2", *arguments, *typed)
    assert done.returncode == 0, done.stderr
    assert json.loads((place.folder / "new" / "checkpoint" / "network.json").read_text())["game"] == USER_GAME
