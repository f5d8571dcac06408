"""Swap2: whose turn it is, what players do, and the opening in a terminal."""

from __future__ import annotations

import numpy as np
import pytest

import eightfold
from eightfold.arena.openings.balanced import LIMIT
from eightfold.arena.openings.swap2 import (
    ANSWER,
    CHOOSE,
    FIRST,
    OVER,
    PLACE,
    PLACE_MORE,
    SECOND,
    Swap2,
    choose_colour,
    judge_of,
    place_stones,
)
from eightfold.arena.terminal import TerminalGame
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, WHITE, make_game

GAME = make_game("gomoku:size=8")


def opened(moves: str, game=GAME) -> tuple[Swap2, object]:
    swap2, position = Swap2(game), game.start()
    for move in moves.split():
        position = position.play(move)
        swap2.placed(position)
    return swap2, position


def test_the_first_places_three_stones_and_the_second_chooses():
    swap2, position = opened("d4 e5")
    assert (swap2.stage, swap2.actor, swap2.choices, swap2.stones_left(position)) == (PLACE, FIRST, (), 1)
    with pytest.raises(EightfoldError, match="nothing to choose"):
        swap2.choose("black")
    for choice, has_black in (("black", SECOND), ("white", FIRST)):
        swap2, position = opened("d4 e5 d5")
        assert (swap2.stage, swap2.actor, swap2.choices) == (CHOOSE, SECOND, ("black", "white", "more"))
        assert position.to_move == WHITE
        assert swap2.choose(choice) == has_black
        assert swap2.stage == OVER


def test_after_two_more_stones_the_first_chooses():
    for choice, has_black in (("black", FIRST), ("white", SECOND)):
        swap2, position = opened("d4 e5 d5")
        assert swap2.choose("more") is None
        assert (swap2.stage, swap2.actor, swap2.stones_left(position)) == (PLACE_MORE, SECOND, 2)
        for move in ("c3", "c4"):
            position = position.play(move)
            swap2.placed(position)
        assert (swap2.stage, swap2.actor, swap2.choices) == (ANSWER, FIRST, ("black", "white"))
        with pytest.raises(EightfoldError, match="unknown choice 'more'"):
            swap2.choose("more")
        assert swap2.choose(choice) == has_black


def test_only_games_that_say_so_begin_with_it():
    with pytest.raises(EightfoldError, match="does not begin with swap2"):
        Swap2(make_game("go:size=9"))
    swap2, _ = opened("a1 c3 b1", make_game("gomoku:size=3,win=2"))
    assert swap2.stage == OVER, "two in a row have won already"


@pytest.mark.parametrize("size", [3, 5, 8, 15, 20])
def test_stones_without_a_network_fit_any_board(size):
    game = make_game(f"gomoku:size={size},win=3")
    found = {tuple(place_stones(game, np.random.default_rng(seed))) for seed in range(30)}
    assert all(len(set(stones)) == 3 and not game.after(stones).is_over for stones in found)
    assert len(found) > 5 or size == 3


def test_stones_of_a_network_are_balanced_by_its_own_value():
    judge = judge_of("net:gomoku-8,level=casual", GAME)
    found = [place_stones(GAME, np.random.default_rng(seed), judge) for seed in range(12)]
    _, values = eightfold.load_network("gomoku-8").evaluate([GAME.after(stones) for stones in found])
    assert abs(values).max() <= LIMIT + 1e-3
    assert len({tuple(stones) for stones in found}) > 6
    assert judge_of("alphabeta:depth=2", GAME) is None
    assert (choose_colour(0.2), choose_colour(-0.2)) == ("white", "black")


def play(lines: list[str], *, colour: int, player: str = "alphabeta:depth=1") -> None:
    left = iter(lines)

    def read(prompt: str) -> str:
        print(prompt, end="")
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    TerminalGame(GAME, player, colour=colour, swap2=True, seed=1).run(read)


def test_a_person_opens_in_the_terminal_and_the_player_takes_a_colour(capsys, tmp_path):
    file = tmp_path / "game.sgf"
    play(["d4", "d4", "e5", "d5", f"save {file}", "undo", "quit"], colour=BLACK)
    said = capsys.readouterr().out
    assert "a black stone (3 to place)>" in said
    assert "move d4 is not legal" in said
    assert "alphabeta:depth=1: " in said
    assert "there is no move of yours to take back" in said, "the opening stays"
    assert (
        "Opened with swap2: human placed three stones; with 3 on the board alphabeta:depth=1 chose " in file.read_text()
    )


def test_a_person_answers_in_the_terminal(capsys):
    play(["what", "more", "a8", "h8", "quit"], colour=WHITE)
    said = capsys.readouterr().out
    assert "swap2: alphabeta:depth=1 first" in said
    assert "unknown choice 'what'" in said
    assert "you: two more stones, white and black" in said
    assert "after 5 moves" in said
    play(["white", "quit"], colour=WHITE)
    assert "you play white" in capsys.readouterr().out
    play(["black", "quit"], colour=WHITE)
    assert "you play black" in capsys.readouterr().out
    play(["quit"], colour=WHITE)
    assert "you play" not in capsys.readouterr().out
