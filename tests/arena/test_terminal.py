"""A game in the terminal, as a person types it."""

from __future__ import annotations

import sys

import pytest

from eightfold.arena.report import draw_board
from eightfold.games import make_game
from eightfold.games.records.files import read_records
from launching import eightfold


def play(*lines, player="greedy", game="gomoku:size=7,win=4", options=(), cwd=None):
    typed = "".join(f"{line}\n" for line in lines)
    return eightfold("play", player, "--game", game, *options, input=typed, cwd=cwd)


def test_a_game_is_drawn_with_its_coordinates():
    done = play("d4", "quit")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "a b c d e f g" in done.stdout
    assert "◉" in done.stdout, "the last move is marked"
    assert "greedy plays" in done.stdout
    assert "you play black" in done.stdout


@pytest.mark.parametrize(
    ("game", "named"),
    [
        ("gomoku:size=8", "net:gomoku-8,level=master plays"),
        ("gomoku:size=6,win=4", "alphabeta plays"),
    ],
)
def test_without_an_opponent_the_best_one_for_the_game_plays(game, named):
    done = eightfold("play", "--game", game, input="c3\nquit\n")
    assert done.returncode == 0, done.stderr
    assert named in done.stdout


def test_forbidden_points_are_marked(capsys):
    game = make_game("gomoku:size=15,rule=renju")
    draw_board(game.after(["h9", "a1", "h7", "o1", "g8", "a15", "i8", "o15"]))
    board = capsys.readouterr().out
    assert board.splitlines()[7].split()[1 + 7] == "×"  # h8, in the eighth row from the top
    assert "× forbidden" in board
    draw_board(game.after(["h9"]))
    assert "×" not in capsys.readouterr().out


def test_the_end_of_the_input_is_a_polite_end():
    done = play("d4")
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("that was the end of the input; good bye")


def test_white_waits_for_black():
    done = play("quit", options=("--colour", "white"))
    assert done.stdout.index("greedy plays") < done.stdout.index("white>")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("z9", "'z9' is not a point of a 7x7 board: a1 to g7; or type help"),
        ("fly away", "is not a point"),
        ("undo", "there is no move of yours to take back"),
        ("save", "save needs a file: save game.sgf"),
        ("save game.txt", "unknown extension '.txt'"),
        ("save /no/such/folder/game.sgf", "cannot be written"),
        ("d44", "is not a point"),
        ("\x00", "is not a point"),
    ],
)
def test_bad_input_is_one_clear_line_and_the_game_goes_on(line, said, tmp_path):
    done = play(line, "d4", "quit", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert said in done.stdout
    assert "greedy plays" in done.stdout


def test_a_point_that_is_taken_is_refused():
    done = play("d4", "d4", "quit")
    assert "move d4 is not legal: a black stone is there" in done.stdout


def test_undo_takes_back_both_moves():
    done = play("d4", "undo", "d4", "quit")
    assert "is not legal" not in done.stdout


def test_a_hint_names_a_point():
    assert "greedy would play" in play("hint", "quit").stdout


def test_help_names_every_command():
    done = play("help", "quit")
    for command in ("undo", "hint", "save FILE", "resign", "quit"):
        assert command in done.stdout


def test_a_game_is_saved_and_nothing_is_overwritten(tmp_path):
    done = play("d4", "resign", "save game.sgf", "save game.sgf", "quit", cwd=tmp_path)
    assert "black resigns" in done.stdout
    assert "kept in game.sgf" in done.stdout
    assert "game.sgf is there already" in done.stdout
    [record] = read_records(tmp_path / "game.sgf")
    assert (record.black, record.white, record.result) == ("human", "greedy", "W+R")
    assert len(record.moves) == 2


def test_a_whole_game_to_its_end():
    points = [f"{column}{row}" for row in range(1, 8) for column in "abcdefg"]
    done = play(*points, "quit", player="random")
    assert done.returncode == 0
    assert "wins" in done.stdout
    assert "the game is over" in done.stdout


@pytest.mark.parametrize(
    ("player", "options", "said"),
    [("gredy", (), "unknown player 'gredy'"), ("greedy", ("--colour", "red"), "unknown colour 'red'")],
)
def test_a_wrong_start_is_one_line_and_exit_code_2(player, options, said):
    done = play(player=player, options=options)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


FAILING = """
import sys
for line in sys.stdin:
    if line.startswith("START"):
        print("OK", flush=True)
    elif line.startswith(("TURN", "BOARD")):
        sys.exit(3)
"""


RESIGNING = """
import sys
for line in sys.stdin:
    number, command = line.split()[:2]
    known = "boardsize\\nclear_board\\nplay\\ngenmove\\nlist_commands\\nquit"
    print(f"={number} " + {"genmove": "resign", "list_commands": known}.get(command, "") + "\\n", flush=True)
"""


def test_an_engine_may_resign(tmp_path):
    (tmp_path / "cat.py").write_text(RESIGNING)
    engine = f"gtp:{sys.executable} {tmp_path / 'cat.py'}"
    done = play("c3", "save x.sgf", "quit", player=engine, cwd=tmp_path, options=["--game", "go:size=5"])
    assert done.returncode == 0, done.stderr
    assert "white resigns" in done.stdout
    assert read_records(tmp_path / "x.sgf")[0].result == "B+R"


@pytest.mark.slow
def test_an_engine_that_fails_forfeits_and_the_game_can_go_on(tmp_path):
    (tmp_path / "cat.py").write_text(FAILING)
    engine = f"gomocup:{sys.executable} {tmp_path / 'cat.py'}"
    done = play("d4", "c3", "save x.sgf", "hint", "undo", "hint", "quit", player=engine, cwd=tmp_path, options=FIVE)
    assert done.returncode == 0, done.stderr
    assert "white forfeits: it ended with exit code 3" in done.stdout
    assert "the game is over (white forfeits" in done.stdout
    assert read_records(tmp_path / "x.sgf")[0].result == "B+F"
    assert "black to move after 0 moves" in done.stdout.rpartition("white forfeits")[2], "undo takes it up again"
    assert "would play" not in done.stdout


FIVE = ("--game", "gomoku:size=7,win=5")


def test_an_engine_that_does_not_start_is_one_line():
    done = play(player="gomocup:false", options=FIVE)
    assert done.returncode == 2
    assert done.stderr == "eightfold: player gomocup:false: it ended with exit code 1\n"
    assert done.stdout == ""


def test_the_name_of_an_engine_is_no_picture(tmp_path):
    """Rich would draw a cat for `:cat:`."""
    done = eightfold("match", "gomocup:cat", "greedy", "--games", "1")
    assert "forfeited by gomocup:cat: it answered START 15 with" in done.stdout


def test_go_is_played_with_passes_and_counted_with_dead_stones(tmp_path):
    moves = ["c3", *["pass"] * 40]  # until greedy has nothing left but eyes
    done = play(*moves, "dead c3", "save game.sgf", "quit", game="go:size=5,komi=0.5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a b c d e" in done.stdout
    assert "greedy passes" in done.stdout
    assert "; dead POINT, undo, save FILE or quit> " in done.stdout
    [record] = read_records(tmp_path / "game.sgf")
    position = record.position()
    assert position.is_over
    if position.stones[2, 2]:
        assert "counted with" in done.stdout
        assert record.dead
        assert record.result.startswith("W+")
    else:
        assert "no stone lies on c3" in done.stdout


def test_undo_with_a_handicap_gives_the_move_back_to_its_owner():
    done = play("pass", "undo", "undo", "quit", player="random", game="go:size=9,handicap=2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("random ") >= 2
    assert "there is no move of yours to take back" in done.stdout


def test_the_ko_is_marked_and_prisoners_are_counted(capsys):
    game = make_game("go:size=5")
    draw_board(game.after(["b3", "c3", "a2", "d2", "b1", "c1", "c2", "b2"]))
    board = capsys.readouterr().out
    assert board.splitlines()[3].split()[1 + 2] == "×"
    assert "× ko" in board
    assert "prisoners: black 0, white 1" in board
