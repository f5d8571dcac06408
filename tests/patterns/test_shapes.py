"""The shapes of a position against a plain reading of its stones, and what points are worth by them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eightfold.games.game import make_game
from eightfold.patterns.library import Library, Table
from eightfold.patterns.shapes import DOUBT, measure_named, measures_of, shapes_round, shares, worth_of_points
from eightfold.patterns.templates import CENTRE, TEMPLATES, place_of
from patterns.libraries import combined_library, random_games_library
from refusals import refusal

MOVES = ["d4", "c4", "d3", "c3", "e2", "a1", "g7"]


@pytest.fixture(scope="module")
def position():
    return make_game("go:size=7").after(MOVES)  # white is to move


def test_a_shape_is_what_lies_on_the_board(position):
    library, stones = random_games_library(), position.stones
    for point in range(49):
        row, column = divmod(point, 7)
        for shape in shapes_round(library, position, point):
            top, left = (row - shape.picture.anchor[0], column - shape.picture.anchor[1])
            side = shape.template.side
            block = stones[top : top + side, left : left + side]
            assert block.shape == (side, side), "its block lies on the board"
            own = np.array([0, 2, 1])[block]  # white's stones are its own
            cells = np.array(shape.picture.cells)
            cells[shape.picture.anchor] = own[shape.picture.anchor]  # a picture has nothing on the anchor
            assert cells.tolist() == own.tolist()
            everywhere = {(top + r) * 7 + left + c for r in range(side) for c in range(side)}
            assert {*shape.points, point} == everywhere
            assert shape.template.place == place_of(row, column, 7)
    names = [shape.template.name for shape in shapes_round(library, position, 24)]
    assert names == ["3x3-centre", *(f"4x4-centre-{letter}" for letter in "abcd")]
    assert [shape.template.name for shape in shapes_round(library, position, 48)] == ["3x3-corner", "4x4-corner"]
    assert "49 is not a point" in refusal(lambda: shapes_round(library, position, 49))


def test_statistics_are_the_same_from_all_sides_in_a_combined_library():
    library, game = combined_library(), make_game("go:size=7")
    name = {(0, 1): "b7", (1, 0): "a6", (6, 5): "f1", (5, 6): "g2"}
    known = set()
    for move in name.values():
        position = game.after([move])
        near = {"b7": "a7", "a6": "a7", "f1": "g1", "g2": "g1"}[move]  # the corner beside it
        known.add(tuple(shape.statistics for shape in shapes_round(library, position, game.action(near))))
    assert len(known) == 1


def by_hand(library, position, side):
    """What points are worth by posterior, one at a time."""
    worth = {}
    for point in position.legal_moves.tolist():
        if point == 49:
            continue
        found = shapes_round(library, position, point)
        estimate = library.mean_posterior
        for size in (3, 4):
            logs = [
                math.log((s.statistics.plays + DOUBT * estimate) / (s.statistics.matches + DOUBT))
                for s in found
                if s.template.side == size
            ]
            if size <= side and logs:
                estimate = math.exp(sum(logs) / len(logs))
        worth[point] = estimate
    return worth


@pytest.mark.parametrize("make", [random_games_library, combined_library])
def test_the_worth_of_all_points_at_once_is_that_of_each(make, position):
    library = make()
    for side in (3, 4):
        worth = worth_of_points(library, position, measure_named(library, f"{side}x{side} posterior"))
        expected = by_hand(library, position, side)
        assert set(np.flatnonzero(worth).tolist()) == set(expected)
        assert [worth[point] for point in expected] == pytest.approx(list(expected.values()))
        assert shares(worth).sum() == pytest.approx(1)
    if library.has_elo:
        worth = worth_of_points(library, position, measure_named(library, "Elo"))
        for point in expected:
            elos = [shape.statistics.elo or 0.0 for shape in shapes_round(library, position, point)]
            assert worth[point] == pytest.approx(10 ** (sum(elos) / 400))


def test_measures_are_what_a_library_has():
    assert [measure.name for measure in measures_of(combined_library())] == ["4x4 posterior", "3x3 posterior", "Elo"]
    assert [measure.name for measure in measures_of(random_games_library())] == ["4x4 posterior", "3x3 posterior"]
    said = refusal(lambda: measure_named(random_games_library(), "Elo"))
    assert "known: 4x4 posterior, 3x3 posterior" in said


def test_a_library_of_the_middle_alone_knows_nothing_of_the_edge_and_a_finished_game_no_points(position):
    table = Table(codes=np.array([0], np.uint32), matches=np.array([10]), plays=np.array([1]))
    library = Library(game="go", combined=False, tables={"3x3-centre": table})
    assert shapes_round(library, position, 0) == []
    assert len(shapes_round(library, position, 24)) == (TEMPLATES["3x3-centre"].place == CENTRE)
    worth = worth_of_points(library, position, measures_of(library)[0])
    assert worth[0] == pytest.approx(library.mean_posterior)
    over = position.play("pass").play("pass")
    assert not worth_of_points(library, over, measures_of(library)[0]).any()
    assert not shares(np.zeros(49)).any()
