"""A person as a player of a match, as it is typed at a terminal or comes from a pipe."""

from __future__ import annotations

import subprocess

import pytest

from eightfold.arena import make_player
from eightfold.games import make_game
from eightfold.games.records.files import read_records
from launching import eightfold
from refusals import refusal

GAME = "gomoku:size=5,win=4"


def match(*arguments: str, lines=(), game: str = GAME, stdin=None) -> subprocess.CompletedProcess[str]:
    typed = None if stdin == "closed" else "".join(f"{line}\n" for line in lines)
    return eightfold("match", *arguments, "--game", game, input=typed, COLUMNS="100")


def test_a_person_plays_a_match_against_a_player(tmp_path):
    done = match("human", "random", "--sgf", str(tmp_path), lines=["c3", "b3", "d3", "a3", "e3", "b2", "c2", "d2"])
    assert done.returncode == 0, done.stderr
    assert "you play black" in done.stdout
    assert "a b c d e" in done.stdout
    assert "1 game, seed 0" in done.stdout, "one game unless more are asked for"
    [file] = tmp_path.iterdir()
    [record] = read_records(file)
    assert (record.black, record.white) == ("human", "random")
    assert make_game(GAME).name_of(record.moves[0]) == "c3"


def test_two_people_play_at_one_terminal_and_the_first_wins():
    done = match("human", "human", lines=["a1", "a5", "b1", "b5", "c1", "c5", "d1"])
    assert done.returncode == 0, done.stderr
    assert "+1  =0  -0" in done.stdout
    assert "white>" in done.stdout


def test_what_is_no_move_is_answered_and_asked_again():
    done = match("human", "human", lines=["z9", "a1", "a1", "", "a5", "b1", "b5", "c1", "c5", "d1"])
    assert done.returncode == 0, done.stderr
    assert "'z9' is not a point of a 5x5 board" in done.stdout
    assert "a black stone is there" in done.stdout
    assert done.stdout.count("resign to give up") >= 3
    assert "+1  =0  -0" in done.stdout


@pytest.mark.parametrize("lines", [["a1"], [], ["a1", "resign"], ["quit"]])
def test_the_end_of_the_input_gives_the_game_up(lines):
    done = match("human", "mcts:playouts=20", lines=lines)
    assert done.returncode == 0, done.stderr
    assert "+0  =0  -1" in done.stdout
    assert done.stderr == ""
    assert "forfeited" not in done.stdout


def test_games_after_the_end_of_the_input_are_not_played():
    done = match("human", "random", "--games", "3", lines=["a1"])
    assert done.returncode == 2
    assert done.stderr == (
        "eightfold: player human has left: the input ended before all games of the match were played\n"
    )


def test_colours_alternate_over_several_games():
    done = match("human", "random", "--games", "2", lines=["resign", "resign"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("you play black") < done.stdout.index("you play white")
    assert "+0  =0  -2" in done.stdout


def test_without_any_input_a_person_is_refused():
    done = match("human", "random", stdin="closed")
    assert done.returncode == 2
    assert "player human needs a terminal to type at" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_json_and_a_person_do_not_go_together():
    done = match("human", "random", "--json", lines=["a1"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "--json prints one object and nothing else" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("play", "human"), ("gtp", "--player", "human"), ("gomocup", "--player", "human")]
)
def test_elsewhere_it_is_said_where_a_person_can_play(arguments):
    done = eightfold(*arguments, input="quit\n")
    assert done.returncode == 2
    assert "use `eightfold match human OPPONENT` or `eightfold play OPPONENT`" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_misspelt_person_is_hinted_at():
    assert "did you mean 'human'?" in refusal(lambda: make_player("humann", make_game(GAME)))
