"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from eightfold.games.records.files import read_records
from launching import eightfold, server
from processes import is_running


def new_interpreter(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a shell starts it."""
    return subprocess.run(
        [sys.executable, "-m", "eightfold", *arguments],
        env={**os.environ, "COLUMNS": "80", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_names_every_command():
    done = new_interpreter("--help")
    assert done.returncode == 0
    for command in ("match", "players", "gomocup", "gtp", "bench", "warmup"):
        assert command in done.stdout


def test_help_imports_nothing_heavy():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "eightfold", "--help"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not loaded & {"numba", "numpy", "torch", "scipy"}


def test_json_is_one_object_alone_on_stdout():
    done = eightfold(
        "match", "greedy", "random", "--game", "gomoku:size=6,win=4", "--games", "6", "--seed", "1", "--json"
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["games"] == 6
    assert report["wins"] + report["draws"] + report["losses"] == 6
    assert report["first"]["games"] == report["second"]["games"] == 3
    assert report["seconds_per_move"] > 0
    assert report["game"] == "gomoku:size=6,win=4,rule=freestyle"


def test_the_table_fits_a_terminal_and_says_what_it_should():
    done = eightfold("match", "greedy", "random", "--game", "gomoku:size=6,win=4", "--games", "4", "--show")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for words in ("score", "95 % interval", "moving first", "moving second", "mean time a move", "greedy", "random"):
        assert words in done.stdout
    assert "●" in done.stdout


def test_games_are_kept_and_never_overwritten(tmp_path):
    arguments = ("match", "greedy", "random", "--game", "gomoku:size=5,win=4", "--games", "3", "--sgf", "games")
    assert eightfold(*arguments, cwd=tmp_path).returncode == 0
    files = sorted((tmp_path / "games").iterdir())
    assert [file.name for file in files] == ["game-0001.sgf", "game-0002.sgf", "game-0003.sgf"]
    [record] = read_records(files[1])
    assert (record.black, record.white) == ("random", "greedy")
    assert record.position().is_over
    before = [file.read_bytes() for file in files]
    again = eightfold(*arguments, cwd=tmp_path)
    assert again.returncode == 2
    assert again.stderr == "eightfold: games already holds games; choose another folder or empty it\n"
    assert [file.read_bytes() for file in files] == before


def test_go_is_played_kept_and_shown(tmp_path):
    game = "go:size=5,komi=2.5,rules=japanese"
    done = eightfold("match", "greedy", "random", "--game", game, "--games", "2", "--json", "--sgf", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 2
    shown = eightfold("show", str(tmp_path / "game-0001.sgf"))
    assert shown.returncode == 0, shown.stderr
    assert "go:size=5,komi=2.5,rules=japanese" in shown.stdout
    assert "greedy - random" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("match", "gredy", "random"), "unknown player 'gredy' (did you mean 'greedy'?)"),
        (("match", "mcts:x=1", "random"), "unknown option of player mcts 'x'"),
        (("match", "random", "random", "--game", "chess"), "unknown game 'chess'; known: gomoku, go, python:MODULE"),
        (("match", "random", "random", "--game", "gomoku:size=99"), "size=99 is not a whole number from 3 to 25"),
        (
            ("match", "random", "random", "--games", "2", "--game", "gomoku:size=3", "--sgf", "/dev/null"),
            "not a folder",
        ),
        (("match", "mcts:playouts=99999999999999999999", "random"), "is not a whole number from 1 to 1,000,000,000"),
        (("match", "mcts:exploration=inf", "random"), "exploration=inf is not a number from 0 to 1,000,000"),
        (("match", "[/x]", "random"), "unknown player '[/x]'"),
        (("show", "no-such.sgf"), "no-such.sgf: no such file"),
        (("show", "/dev/null"), "/dev/null: is empty"),
        (("bench", "speed"), "unknown benchmark 'speed'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, said):
    done = eightfold(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.startswith("eightfold: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("match", "random", "random", "--games", "0"), "'--games'"),
        (("match", "random", "random", "--games", "few"), "'--games'"),
        (("match", "random"), "'second'"),
        (("match", "random", "random", "--gamse", "2"), "--gamse"),
        (("patterns", "fly"), "'fly'"),
    ],
)
def test_bad_usage_is_one_line_too(arguments, said):
    done = eightfold(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.startswith("eightfold: ")
    assert done.stderr.endswith(f"; see eightfold {arguments[0]} --help\n")
    assert done.stderr.count("\n") == 1


def test_without_a_command_the_help_is_printed():
    for arguments in ((), ("patterns",)):
        done = eightfold(*arguments)
        assert "Usage: eightfold" in done.stdout
        assert done.stderr == ""


def test_a_wrong_opening_is_refused_before_anything_is_said():
    done = eightfold("play", "--opening", "gambit")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("eightfold: unknown opening 'gambit'")


def test_nothing_is_left_behind_when_a_match_cannot_begin(tmp_path):
    for arguments in (("gredy", "random"), ("random", "random", "--opening-plies", "999")):
        assert eightfold("match", *arguments, "--sgf", "games", cwd=tmp_path).returncode == 2
        assert not (tmp_path / "games").exists()


def test_a_record_is_shown(tmp_path):
    record = tmp_path / "game.sgf"
    record.write_text("(;GM[4]SZ[9]PB[ann]PW[bob]RE[B+];B[ee];W[ff];B[ed])")
    done = eightfold("show", str(record), "--ply", "2")
    assert done.returncode == 0, done.stderr
    assert "ann - bob, B+, 3 moves" in done.stdout
    assert done.stdout.count("●") == 2, "one stone, and the legend"
    assert eightfold("show", str(record), "--game", "2").returncode == 2
    assert eightfold("show", str(record), "--ply", "4").returncode == 2


def test_a_stream_that_knows_no_stones_is_no_reason_to_fail():
    for command in (("players",), ("match", "random", "random", "--game", "gomoku:size=3", "--games", "2", "--show")):
        done = new_interpreter(*command, PYTHONIOENCODING="ascii")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("player", ["mcts:playouts=1000000000", "alphabeta:depth=12"])
def test_ctrl_c_is_heard_while_a_player_thinks(player):
    started = server().launch("match", player, "random", "--game", "gomoku:size=15", "--opening-plies", "6")
    time.sleep(3)
    assert is_running(started.process), "it was to think for long"
    started.signal(signal.SIGINT)
    assert started.wait() == 130
    assert "Traceback" not in started.said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_training_that_is_stopped_before_it_begins_says_so(tmp_path, number):
    (tmp_path / "endless.py").write_text("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(1000)\n")
    started = server().launch("train", "--game", "python:endless", cwd=tmp_path)
    while not (tmp_path / "begun").exists():
        assert is_running(started.process), started.said
        time.sleep(0.01)
    started.signal(number)
    assert started.wait() == 128 + number
    assert started.said == "eightfold: stopped before training began; the same command begins it\n"
    assert not (tmp_path / "runs").exists()


def test_players_explains_every_player_and_option():
    from eightfold.core.settings import settings_of
    from eightfold.parts import PLAYERS

    done = eightfold("players")
    assert done.returncode == 0
    for name, player in PLAYERS.items():
        assert name in done.stdout
        for option in settings_of(player.Options):
            assert f"{option.name}={'' if option.absent else option.default}" in done.stdout


def test_players_explains_those_that_are_named():
    done = eightfold("players", "greedy", "net:gomoku-8")
    assert done.returncode == 0
    table = done.stdout.partition("\nName one")[0]
    assert [line.split()[0] for line in table.splitlines() if line[:1].isalpha()] == ["greedy", "net"]
    assert "lambda=0.5" in done.stdout
    assert "playouts=400" in done.stdout
    assert "depth=" not in done.stdout.replace("rollout_depth=", "")

    assert "a person at this terminal" in eightfold("players", "human").stdout

    unknown = eightfold("players", "gredy")
    assert unknown.returncode == 2
    assert unknown.stderr.startswith("eightfold: unknown player 'gredy' (did you mean 'greedy'?); known: random, ")


@pytest.mark.slow
def test_warmup_compiles_what_players_need(tmp_path):
    """After a warm-up no kernel of a player is compiled again."""
    assert new_interpreter("warmup", "gomoku", EIGHTFOLD_CACHE=str(tmp_path)).returncode == 0
    kernels = set(tmp_path.rglob("*.nbc"))
    assert kernels
    for player in ("random", "greedy", "alphabeta:depth=2", "mcts:playouts=20"):
        done = new_interpreter(
            "match", player, "random", "--game", "gomoku:size=7", "--games", "2", EIGHTFOLD_CACHE=str(tmp_path)
        )
        assert done.returncode == 0, done.stderr
    for command in (
        ("solve", "h8 a1 h9 a2 h10 b1"),
        ("match", "net:gomoku-15,playouts=4", "greedy", "--openings", "balanced:gomoku-8", "--games", "2"),
    ):
        done = new_interpreter(*command, EIGHTFOLD_CACHE=str(tmp_path))
        assert done.returncode == 0, done.stderr
    assert set(tmp_path.rglob("*.nbc")) == kernels


def test_a_game_that_cannot_be_warmed_up_is_named():
    done = eightfold("warmup", "chess")
    assert done.returncode == 2
    assert "unknown game 'chess'; known: gomoku, go" in done.stderr


def test_version():
    from eightfold import __version__

    assert new_interpreter("--version").stdout == f"eightfold {__version__}\n"


def test_an_isn_is_trained_stopped_and_let_play(tmp_path):
    options = ["--run", "run", "--set", "game=go:size=3,komi=0.5", "--set", "snapshot_every=4"]
    done = eightfold("train-isn", "paper", "--games", "4", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "games/s" in done.stderr
    assert "candidates/s" in done.stderr
    again = eightfold("train-isn", "paper", "--games", "8", *options, cwd=tmp_path)
    assert "going on with run: 0.0 minutes, 4 games so far" in again.stderr
    assert [file.name for file in sorted((tmp_path / "run/snapshots").iterdir())] == [
        f"00000000{games}.safetensors" for games in (0, 4, 8)
    ]
    played = eightfold("match", "isn:run", "random", "--game", "go:size=3", "--games", "2", "--json", cwd=tmp_path)
    assert json.loads(played.stdout)["games"] == 2
    for arguments, said in (
        (["train-isn", "papier"], "fast, paper"),
        (["train-isn", "paper", "--set", "lambda=1"], "trace"),
        (["study", "isnn", "--run", "run"], "known: isn"),
        (["study", "isn", "--run", "nowhere"], "no snapshots"),
        (["study", "isn", "--set", "gamez=1"], "known: game, snapshots, games"),
        (["experiment", "nothing"], "study 'nothing'"),  # another name of `study`
    ):
        wrong = eightfold(*arguments, cwd=tmp_path)
        assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
        assert said in wrong.stderr
