"""Who owns what, by random games: areas, and dead stones against what GNU Go reads out."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.setup import start_from
from eightfold.search.ownership import areas, dead_groups, estimate_ownership, groups
from gnugo import action, gnugo, needs_gnugo
from refusals import refusal

BOARD = [
    ". X . X O . O",
    "X X X X O O O",
    ". . . X O . .",
    ". O . X O X .",
    ". . . X O . .",
    ". . . X O O O",
    "X X X X O . O",
]  # two living walls, and a stone in either that is lost


def position_of(rows: list[str]):
    size = len(rows)
    stones = {
        row * size + column: ".XO".index(mark)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line.split())
        if mark != "."
    }
    return start_from(make_game(f"go:size={size}"), stones)


def test_a_settled_board_is_seen_as_it_is():
    position = position_of(BOARD)
    seen = estimate_ownership(position, games=200, seed=1)
    stones = position.stones
    walls = {BLACK: (1, 3), WHITE: (1, 4)}
    for colour, (row, column) in walls.items():
        assert stones[row, column] == colour
        assert seen.owners[row, column] * (1 if colour == BLACK else -1) > 0.9
    assert dead_groups(position, seed=1) == [[3 * 7 + 1], [3 * 7 + 5]]


def test_a_game_that_both_passed_is_judged_by_its_stones():
    game = make_game("go:size=5")
    wall = ["c5", "d5", "c4", "d4", "c3", "d3", "c2", "d2", "c1", "d1"]  # black has the left, white the right
    position = game.after([*wall, "b2", "a5", "b4", "pass", "pass"])
    assert position.is_over
    assert dead_groups(position, seed=1) == [[game.action("a5")]]


def test_equal_seeds_see_the_same():
    position = make_game("go:size=7").after(["d4", "c3"])
    first, second = (estimate_ownership(position, games=40, seed=3) for _ in range(2))
    assert (first.owners == second.owners).all()
    assert (first.lead, first.deviation) == (second.lead, second.deviation)
    assert first.lead == pytest.approx(first.owners.sum() - 7.5)


def test_groups_and_areas_cover_the_stones_once():
    random = np.random.default_rng(4)
    for _ in range(20):
        position = make_game("go:size=7").start()
        for _ in range(30):
            position = position.play(int(random.choice(position.legal_moves)))
            if position.is_over:
                break
        stones = position.stones.ravel()
        listed = sorted(point for group in groups(position) for point in group)
        assert listed == np.flatnonzero(stones).tolist()
        for group in groups(position):
            assert len(set(stones[group])) == 1
        in_areas = sorted(point for area in areas(position) for point in area if stones[point])
        assert in_areas == listed
        for area in areas(position):
            assert len(set(stones[area].tolist()) - {0}) == 1


def test_other_games_have_no_owners():
    assert "has no territory" in refusal(lambda: estimate_ownership(make_game("gomoku:size=7").start()))


def test_no_games_tell_nothing():
    assert "0 random games tell nothing" in refusal(lambda: dead_groups(make_game("go:size=5").start(), games=0))


def finished_games(count: int, size: int) -> tuple[int, int]:
    """GNU Go against itself with some random moves; how many stones were judged, and how many as it judges them."""
    judged = agreed = 0
    with gnugo("--level", "1", "--chinese-rules") as engine:
        for seed in range(count):
            random = np.random.default_rng(seed)
            game = make_game(f"go:size={size},ko=simple")
            engine.ask([f"boardsize {size}", "clear_board", "komi 7.5", f"set_random_seed {seed}"])
            position = game.start()
            while not position.is_over:
                colour = "black" if position.to_move == BLACK else "white"
                if position.ply < 6 or (position.ply < 40 and random.random() < 0.15):
                    move = int(random.choice(position.legal_moves))
                    engine.ask([f"play {colour} {game.name_of(move)}"])
                else:
                    move = action(engine.ask([f"genmove {colour}"])[0], size)
                position = position.play(move)
            [answer] = engine.ask(["final_status_list dead"])
            theirs = {action(vertex, size) for vertex in answer.split()}
            ours = {point for group in dead_groups(position) for point in group}
            stones = int(np.count_nonzero(position.stones))
            judged, agreed = judged + stones, agreed + stones - len(theirs ^ ours)
    return judged, agreed


@needs_gnugo
def test_dead_stones_are_mostly_those_of_gnugo():
    judged, agreed = finished_games(3, 7)
    assert agreed / judged > 0.95


@needs_gnugo
@pytest.mark.slow
def test_dead_stones_of_many_games_are_mostly_those_of_gnugo():
    judged, agreed = finished_games(12, 9)
    assert agreed / judged > 0.95
