"""Diagrams of games and their pictures: numbers and stones where they belong, whatever was taken, turned or passed."""

from __future__ import annotations

import re
import types
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace

import numpy as np
import pytest

from eightfold.core.settings import setting
from eightfold.games import BLACK, WHITE, Game, GameSpec, make_game
from eightfold.games.diagram import Diagram, diagram_of, record_diagram
from eightfold.games.pictures import CELL, EDGE, LAST, STONE, WON, draw_game, draw_sheet, star_points
from eightfold.games.records import GameRecord, read_sgf
from eightfold.games.state import HEADER, PLY, SIDE, SIZE
from eightfold.games.state import LAST as LAST_MOVE
from eightfold.symmetry import BoardSymmetry
from refusals import refusal
from self_made_records import random_moves

SVG = "{http://www.w3.org/2000/svg}"
GOMOKU = make_game("gomoku:size=8,win=4")
WIN = ["d4", "a1", "d5", "b1", "d6", "c1", "d7"]


def played(game: Game, *names: str) -> Diagram:
    return diagram_of(game.start(), [game.action(name) for name in names])


def numbered(diagram: Diagram, game: Game) -> dict[str, int]:
    return {game.name_of(stone.point): stone.number for stone in diagram.stones}


def drawn(diagram: Diagram) -> dict[tuple[int, int], tuple[str, str]]:
    """Column and row of every stone of a bare picture: its colour, and the number on it."""
    root = ET.fromstring(draw_game(diagram))
    found: dict[tuple[int, int], tuple[str, str]] = {}
    at = (0, 0)
    for element in root.iter():
        if element.tag == f"{SVG}circle" and element.get("r") == str(STONE):
            at = tuple((int(element.get(key, "")) - EDGE) // CELL for key in ("cx", "cy"))
            found[at] = element.get("fill", ""), ""
        elif element.tag == f"{SVG}text" and element.get("fill") in ("#fdfaf4", "#23201e", "#6f665d") and found:
            found[at] = found[at][0], element.text or ""
    return found


def test_every_stone_has_its_number_and_its_colour():
    diagram = played(GOMOKU, *WIN)
    assert numbered(diagram, GOMOKU) == {name: number for number, name in enumerate(WIN, start=1)}
    assert [stone.colour for stone in diagram.stones] == [BLACK, WHITE] * 3 + [BLACK]
    assert [GOMOKU.name_of(point) for point in diagram.line] == ["d7", "d6", "d5", "d4"]
    assert (GOMOKU.name_of(diagram.last), diagram.notes) == ("d7", ())


def test_a_picture_shows_what_the_diagram_says():
    diagram = played(GOMOKU, *WIN)
    points = [divmod(GOMOKU.action(name), 8) for name in WIN]
    black, white = "#23201e", "#fdfaf4"
    assert drawn(diagram) == {
        (column, row): (black if k % 2 == 0 else white, str(k + 1)) for k, (row, column) in enumerate(points)
    }
    root = ET.fromstring(draw_game(diagram))
    rings = {g.get("stroke"): len(g.findall(f"{SVG}circle")) for g in root.iter(f"{SVG}g") if g.get("stroke")}
    assert (rings[WON], rings[LAST]) == (4, 1)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert [word for word in words if word and word.isalpha()] == list("abcdefgh")
    assert words[:16].count("8") == 1, "the rows are numbered from below"


def test_a_turned_game_is_the_turned_picture():
    game = make_game("gomoku:size=9")
    moves = random_moves(game, 3, 12)
    upright = drawn(diagram_of(game.start(), moves))
    for g in range(8):
        turned = [BoardSymmetry.transform_coordinates(*divmod(move, 9), 9, g) for move in moves]
        expected = {
            BoardSymmetry.transform_coordinates(row, column, 9, g)[::-1]: seen
            for (column, row), seen in upright.items()
        }
        assert drawn(diagram_of(game.start(), [row * 9 + column for row, column in turned])) == expected


def test_a_ko_is_noted_below_and_what_was_taken_is_pale():
    go = make_game("go:size=5")
    # Black 7 takes white 6, white 10 takes black 7, and black 15 takes white 10.
    first = ["b3", "c3", "a2", "d2", "b1", "b2", "c2"]
    diagram = played(go, *first)
    assert {go.name_of(stone.point) for stone in diagram.stones if stone.is_gone} == {"b2"}
    assert diagram.notes == ()
    diagram = played(go, *first, "c1", "e4", "b2", "d5", "pass", "e5", "pass", "c2")
    assert diagram.notes == ("10 at 6", "15 at 7", "12, 14 pass")
    assert numbered(diagram, go)["b2"] == 6
    gone = {go.name_of(stone.point): stone.is_gone for stone in diagram.stones}
    assert gone["b2"]
    assert not gone["c2"], "the same colour lies there again"
    fills = {element.get("fill") for element in ET.fromstring(draw_game(diagram)).iter(f"{SVG}circle")}
    assert "#eeddba" in fills
    assert "10\u00a0at\u00a06" in draw_game(diagram)


def test_stones_of_a_setup_have_no_number():
    go = make_game("go:size=9,handicap=2")
    diagram = played(go, "e5", "d4")
    assert sorted(numbered(diagram, go).values()) == [0, 0, 1, 2]
    assert [stone.colour for stone in diagram.stones if stone.number == 1] == [WHITE]
    assert sorted(number for _, number in drawn(diagram).values()) == ["", "", "1", "2"]
    [record] = read_sgf("(;GM[1]SZ[5]AB[ee]AW[ab][ba]PL[B];B[cc];W[aa])")
    assert [stone.number for stone in record_diagram(record).stones] == [0, 0, 0, 1, 2]


def turning_game() -> Game:
    """A stone turns the stones beside it over, as in Othello and simpler; plain Python, nothing is compiled."""

    @dataclass(frozen=True, kw_only=True)
    class Options:
        size: int = setting(3, "points on a side")

    def reset(state, size, options):
        state[SIZE], state[SIDE], state[LAST_MOVE] = size, BLACK, -1

    def legal(state, moves):
        free = np.flatnonzero(state[HEADER:] == 0)
        moves[: len(free)] = free
        return len(free)

    def play(state, move):
        board = state[HEADER:].reshape(3, 3)
        row, column = divmod(move, 3)
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if min(near) >= 0 and max(near) < 3 and board[near]:
                board[near] = state[SIDE]
        board[row, column] = state[SIDE]
        state[LAST_MOVE], state[PLY], state[SIDE] = move, state[PLY] + 1, 3 - state[SIDE]

    def stones(state, board):
        board[:] = state[HEADER:].reshape(3, 3)

    spec = GameSpec(name="turning", summary="", options=Options, state_length=lambda size: HEADER + 9, encoders={})
    rules = types.ModuleType("turning")
    rules.__dict__.update(reset=reset, legal=legal, play=play, stones=stones)
    return Game(name="turning", spec=spec, rules=rules, values={"size": 3}, numbers=(0, 0, 0))


def test_a_stone_that_is_turned_over_keeps_its_number():
    diagram = diagram_of(turning_game().start(), [4, 1, 0])
    assert [(stone.point, stone.number, stone.colour, stone.is_gone) for stone in diagram.stones] == [
        (4, 1, WHITE, False),
        (1, 2, BLACK, False),
        (0, 3, BLACK, False),
    ]


def test_words_of_strangers_are_text_and_nothing_else():
    record = GameRecord(
        game=GOMOKU.text,
        moves=(1, 2),
        black='<script>alert("1")</script>',
        white="\x00\x1b\ud800&amp; ]]>",
        result="B+R",
    )
    svg = draw_game(record_diagram(record))
    assert "<script" not in svg
    said = [text.text for text in ET.fromstring(svg.encode()).iter(f"{SVG}text")]
    assert "".join(said[:2]).replace(" ", "") == '<script>alert("1")</script>–???&amp;]]>'
    assert "B+R, 2 moves" in said
    assert not re.search(r"<(style|image|a|use|foreignObject)\b|href|url\(", svg)


def test_a_sheet_has_its_games_beside_and_below_each_other():
    one, other = played(GOMOKU, "d4"), played(make_game("gomoku:size=10"), "d4", "e5")
    root = ET.fromstring(draw_sheet([one, other, None, one], columns=3, title="Four"))
    places = [g.get("transform") for g in root.findall(f"{SVG}g")]
    assert len(places) == 3, "an empty place is left empty"
    across = [float(place[len("translate(") :].split()[0]) for place in places]
    down = [float(place[:-1].split()[1]) for place in places]
    assert across[0] == across[2] < across[1]
    assert down[0] == down[1] < down[2]
    width, height = (float(root.get(key)) for key in ("width", "height"))
    assert across[1] + 9 * CELL + 2 * EDGE < width
    assert down[2] + 7 * CELL + 2 * EDGE < height
    with pytest.raises(ValueError, match="needs a game"):
        draw_sheet([None])


def test_a_bare_board_has_no_paper_and_words_have_some():
    bare = ET.fromstring(draw_game(played(GOMOKU, "d4")))
    assert bare.get("width") == bare.get("height") == str(7 * CELL + 2 * EDGE)
    titled = ET.fromstring(draw_game(record_diagram(GameRecord(game=GOMOKU.text, moves=(1,)))))
    assert float(titled.get("height")) > float(titled.get("width"))
    assert titled.find(f"{SVG}title").text == "black – white, result unknown, 1 move"


def test_stars_are_where_the_page_has_them():
    assert star_points(6) == []
    assert star_points(8) == [18, 21, 42, 45]
    assert star_points(9) == [20, 24, 40, 56, 60]
    assert len(star_points(15)) == len(star_points(19)) == 9


def test_moves_that_cannot_be_are_refused():
    assert refusal(lambda: diagram_of(GOMOKU.start(), [3, 3])) == "move 2: move d8 is not legal: a black stone is there"
    record = GameRecord(game=GOMOKU.text, moves=(1, 2))
    assert refusal(lambda: record_diagram(record, 3)) == "the game has 2 moves; move 3 is not one of them"
    assert record_diagram(record, 1).caption == ("move 1 of 2",)


def test_cells_diagonals_and_sides_in_colour():
    def lines(diagram):
        [path] = ET.fromstring(draw_game(diagram)).iter(f"{SVG}path")
        return path.get("d")

    plain = played(GOMOKU, "d4")
    cells, diagonals = replace(plain, board="cells"), replace(plain, board="diagonals")
    assert [lines(each).count("H") for each in (plain, cells, diagonals)] == [8, 9, 8], "nine lines make eight cells"
    assert [lines(each).count("L") for each in (plain, diagonals)] == [0, 13]
    assert lines(diagonals).endswith(f"M{EDGE + 6 * CELL} {EDGE + 7 * CELL}L{EDGE + 7 * CELL} {EDGE + 6 * CELL}")
    bars = replace(diagonals, edges={"top": BLACK, "bottom": BLACK, "left": WHITE, "right": WHITE})
    boxes = [rect.attrib for rect in ET.fromstring(draw_game(bars)).iter(f"{SVG}rect") if rect.get("rx") == "2"]
    assert [(box["fill"], int(box["width"]) > int(box["height"])) for box in boxes] == [
        ("#23201e", True),
        ("#23201e", True),
        ("#fdfaf4", False),
        ("#fdfaf4", False),
    ]
