"""Renju positions with their forbidden points, as others have published them; the facts are theirs, the words ours.

In a diagram X is black and O white. Marks on empty points: 3, 4 and 6 are forbidden to black (double three, double
four, overline), f is forbidden and the source does not say why, a is allowed though it may not look so, w makes five
and wins. Where `complete` is set, the source shows the whole board: what is not marked is allowed.

Where they come from:
- RIF: the International Rules of Renju (renju.net), sections 3 (terms) and 9 (fouls), applied to the letter;
- AlphaGomoku: M. Fontan's and M. Kozarzewski's cases in that engine's tests of its renju rules;
- quintet: the cases in that renju solver's tests, two of them after a puzzle by Y. Tanase;
- mintaka: that engine's page on strict renju rules and its set of test positions and lines;
- OOXX: the notes on false double threes in that program's description;
- Okun: the remark on lines with room for five stones in M. Okun's page on renju.
"""

from __future__ import annotations

from typing import NamedTuple

MARKS = "346faw"
FAULTS = {"3": "double three", "4": "double four", "6": "overline"}


class Case(NamedTuple):
    name: str
    source: str
    diagram: str
    complete: bool = False

    def rows(self) -> list[list[str]]:
        return [line.split() for line in self.diagram.strip().splitlines()]


def _shifted(pattern: str, down: int = 4, right: int = 4, size: int = 15) -> str:
    """A small pattern, placed on an empty board."""
    board = [["."] * size for _ in range(size)]
    for row, line in enumerate(pattern.strip().splitlines()):
        for column, mark in enumerate(line.split()):
            board[down + row][right + column] = mark
    return "\n".join(" ".join(line) for line in board)


CASES = [
    Case(
        "five at the edge of the board, at either end",
        "AlphaGomoku",
        _shifted("w\nX\nX\nX\nX\nw", down=0, right=0),
    ),
    Case(
        "six in a row are an overline, five beside them win",
        "AlphaGomoku",
        _shifted("w\nX\nX\nX\nX\n6\nX", down=0, right=0),
    ),
    Case(
        "five wins though the same stone makes six in another line",
        "AlphaGomoku",
        _shifted("w\nX\nX\nX\nX\nw X X X X\nX", down=0, right=0),
    ),
    Case(
        "six double fours: across, along the edge, and three in one line",
        "AlphaGomoku",
        """
        . . . . . . . . . X 4 . X X .
        . . X 4 X X O . . . . . . . .
        . . . . . . . . . . . . X . .
        . . . X . . . . . . . . . X .
        . . . X . . O X X X 4 . . . X
        . . . X . . . . . . X . . . .
        X . . O . . . . . . X . . . .
        X . . . . . . . . . X . . . .
        . . . . . . . . . . O . . . .
        4 . . . . X . X 4 X . X . . .
        X . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        X . . . . . . . . . . . . . .
        O . . . . X X X . 4 . X X X .
        """,
    ),
    Case(
        "a four and a three are allowed",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . a . . . . O . X a X . O
        . . X X . . . . . . . X . . .
        . X . X . . . . . . . X . . .
        . . . X . . . . . . . X . . .
        . . . O . . . . . . . O . . .
        . . . . . X X a . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        X . . . . . . O . . . X . . .
        . . . . . . . . . . X . . . .
        . . a . X X . . . a . X X X O
        . . . X . . . . . . . . . . .
        . . . . X . . . . . . . . . .
        """,
    ),
    Case(
        "double threes, with a gap and without; one is closed by a white stone",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . O X a X . . . . . X . 3 X .
        . . . X . . . . . . . . X . .
        . . . X . . . . . . . . X . .
        . . . . . . . . X . . . . . .
        . . . . . . . 3 . . . . . . .
        . . . . . . X X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . . . .
        . . X . . . . . . . . . . X .
        . . . X . X . . . . . . X . .
        . . . . 3 . . . . . . . . . .
        . . . X . . . . X X 3 . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a three between a white stone and a black one that would make six is dead",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . X . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . X X . a . . . . .
        . . . . . . . . X . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "two points that look forbidden and two that are",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . X
        . . . . X . . . . . . . . a .
        X . . a X X . . X . . . . . .
        . . X . . . . . . . . X . X .
        . . . . . . . . . . X . . X .
        . . . . . . . . . X . . . X .
        . . . . . . . . O . . . . O .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . X . . . . . . . O X O . .
        . . X f . X . . . . O . O . .
        . . . . X . . . . . X f X . .
        . . . . . . . . . O O X O O .
        . . . . . . O . . . O . O . .
        """,
    ),
    Case(
        "two of three threes have a forbidden extension",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . O . . . . . .
        . . . . . . . . X a X . . . .
        . . . . . . . X O X O X . . .
        . . . . . . O X O X O X O . .
        . . . . . . . X . . . X . . .
        . . . . . . . O . . . O . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a chain of forbidden points: one rests on the other, to the fourth level",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . O . . . . . O . . . .
        . . . . X . . . . . X . . . .
        . . . f X . . . . . X f . . .
        . . X X f . . . . . f X X . .
        . . . . . X . . . X . . . . .
        . . . . . . X . X . . . . . .
        . . . . . . . f . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . f X a X f . . . . .
        . . . . X X X f X X X . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "the same chain without one white stone turns round at its end",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . O . . . .
        . . . . X . . . . . X . . . .
        . . . . X . . . . . X . . . .
        . . X X . . . . . . . X X . .
        . . . . . X . . . X . . . . .
        . . . . . . X . X . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . X f X . . . . . .
        . . . . X X X . X X X . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a point from a game that only looks forbidden",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O X . . . . . .
        . . . . . X . O X . . . . . .
        . . . . . . O a X . . . . . .
        . . . . . O X O . X . . . . .
        . . . . . . X O O X O O . . .
        . . . . . . O X O X X . . . .
        . . . . . . . . X O . . . . .
        . . . . . . . . O . X . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a double three is undone by a double four at the extension of one",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . O . . . . .
        . . . . . . . . O . . . . . .
        . . . . O O X O O . . . . . .
        . . . . X . a X . . . . . . .
        . . . . X O . . . . . . . . .
        . . . . X X X . . . . . . . .
        . . . . X . . . . . . . . . .
        . . . . O . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "forks of three and four lines",
        "AlphaGomoku",
        """
        . . . . . . . . . . . O X O .
        . X . . . . . . . . X O X O X
        . . . . . . . . . . O X X X O
        . . X f X . . . . . . . f . .
        . . X O X . . . . . . X . . .
        . X O . O . . . . . . . . . X
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . X . .
        . X X f X O . . . . X . f X .
        . . O X X O . . . . O X X O O
        . . O X O X . . . . X O . . .
        . . . X . . . . . X . . . . .
        . . . O . . . . O . . . . . .
        """,
    ),
    Case(
        "the same forks win where they also make five",
        "AlphaGomoku",
        """
        . . . . . . . . . . . O X O .
        . X . . . . . . . . X O X O X
        . . . . . . . . . . O X X X O
        X X X w X . . . . . . . w . .
        . . X O X . . . . . . X . X .
        . X O . O . . . . . . . . . X
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . X .
        X X X w X O . . . . X . w X .
        . . O X X O . . . . O X X O O
        . . O X O X . . . . X O . . .
        . . . X . . . . . X . . . . .
        . . . O . . . . O . . . . . .
        """,
    ),
    Case(
        "white forces black to a forbidden point: before",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . X . . . . . .
        . . . . . . . O O X X . . . .
        . . . . . . . X O O f O . . .
        . . . . . . . X O X X . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "the same after a black stone that makes it a four and a three",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . X . X . . . .
        . . . . . . . O O X X . . . .
        . . . . . . . X O O a O . . .
        . . . . . . . X O X X . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . O . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "and after two stones more: forbidden again, and the only parry",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . X . X . . . .
        . . . . . . . O O X X . . . .
        . . . . . . . X O O f O O . .
        . . . . . . . X O X X . . . .
        . . . . . . . O X . . . . . .
        . . . . . . . . O . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a double three across three lines",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . X . O . . . . . .
        . . . . . X X f . . . . . . .
        . . . . X . O X X . . . . . .
        . . . O . O O X O X . . . . .
        . . . . . . O X . . O . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "black removes it with a stone that makes an overline of its fours",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . O . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . X . O . . . . . .
        . . . . . X X a . . . . . . .
        . . . . X . O X X . . . . . .
        . . . O . O O X O X . . . . .
        . . . . . . O X . . O . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "a four with two threes of which one is false",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . X O . . . . . . . . . .
        . . a . X . . . . . . . . . .
        . X . X . O . . . . . . . . .
        . . . . X . . . . . . . . . .
        O X . X X . . . . . . . . . .
        . . X X a . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "from a game: forbidden",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . X . . . . . .
        . . . . . . . X O X . . . . .
        . . . . . . O X . . . . . . .
        . . . . . f X X . O . . . . .
        . . . . . X . O . . . . . . .
        . . . . . . O . . . . . . . .
        . . . O . X . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "allowed after a black stone that forbids the extension",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . X . . . . . .
        . . . . . . . X O X . . . . .
        . . . . . . O X X . . . . . .
        . . . . . a X X . O . . . . .
        . . . . . X . O . . . . . . .
        . . . . . . O . . . . . . . .
        . . . O . X . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "and forbidden again after a white stone",
        "AlphaGomoku",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . X . . . . . .
        . . . . . . . X O X . . . . .
        . . . . . . O X X . . . . . .
        . . . . . f X X . O . . . . .
        . . . . . X O O . . . . . . .
        . . . . . . O . . . . . . . .
        . . . O . X . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "one of each kind",
        "quintet",
        """
        . . . . . . . . . . . . . . .
        . . X . . . . . . . . . . . .
        . X 3 X . . . . . . . . . . .
        . . X . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . X . . .
        . . . . . . . . . . X . . . .
        . . . . . . . . . X . . . . .
        . . . . X X X . 4 . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . X X 6 X X X .
        """,
        complete=True,
    ),
    Case("a cross", "quintet", _shifted(". X .\nX 3 X\n. X .", 6, 6)),
    Case("two threes with gaps", "quintet", _shifted(". . . 3\n. . . .\n. X . X\nX . . X", 7, 4)),
    Case(
        "a cross with room for five in one line",
        "quintet",
        _shifted(". . . X . . .\nO . X a X . O\n. . . X . . .", 6, 4),
    ),
    Case(
        "three points of one shape: two false, one real",
        "quintet",
        _shifted(
            """
            . O . . .
            . . . . .
            . X X X O
            O a . . .
            X X a 3 .
            X . X X O
            """,
            4,
            6,
        ),
    ),
    Case(
        "Tanase's chain, allowed for a stone at the far end",
        "quintet",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . X . . X a X . . . . . . .
        . . . . . X . . X X . . . . .
        . . . . X . . . . . . X X . O
        . . . . . . . . X O X X . . .
        . . . . . . . . . . X . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case(
        "Tanase's chain, forbidden without it",
        "quintet",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O . . . . . . . .
        . . X . . X 3 X . . . . . . .
        . . . . . X . . X X . . . . .
        . . . . X . . . . . . X X . .
        . . . . . . . . X O X X . . .
        . . . . . . . . . . X . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
    ),
    Case("a double four, straight and with a gap", "quintet", _shifted("X . . .\n. X . .\nX X 4 X\n. . . X", 5, 5)),
    Case("two fours in one line, one stone apart", "quintet", _shifted("X . X 4 X . X", 7, 4)),
    Case("two fours in one line, two and two", "quintet", _shifted("X X . 4 X . X X", 7, 4)),
    Case("two fours in one line, three and three", "quintet", _shifted("X X X . 4 . X X X", 7, 3)),
    Case("a straight four is one four", "quintet", _shifted("X X a X", 7, 5)),
    Case(
        "a four that could only become six is none",
        "quintet",
        _shifted(
            "X . . . . . .\n. . . . . . .\n. . X . . . .\n. . . X . . .\n. . X X a X .\n. . . . . X .\n. . . . . . O",
            3,
            3,
        ),
    ),
    Case("an overline over a gap", "quintet", _shifted("X X X 6 X X", 7, 4)),
    Case("a gap of two makes no overline", "quintet", _shifted("X X X a . X X", 7, 4)),
    Case(
        "double fours in one line, and a line of eight stones with none",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . X . X 4 X . X . . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . . . X . X X 4 . X . . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . . . X X . X 4 . X X . . .
        . . . . . . . . . . . . . . .
        . . . . O O O O O O O . . . .
        . . . . . . . . . . . . . . .
        . . X . X . X X . . X X . X .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "one of each kind, and threes beside a corner",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . 4 . . . . . . . . . .
        . . . . X . . . . . . . . . .
        . . X . X . . . . . . . . . .
        . X . . X . . . . . . . . . .
        X . . . O . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . X X 6 X X X . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . 3 . .
        . X . . . . . . . . . X X . .
        . X . X . . . . . . X . X . .
        . . . X . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nothing is forbidden: the extension is a double four",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . X X . . . . . . . .
        . . . . . . O X O . . . . . .
        . . . . . . O X O . . . . . .
        . . . . . . . . X X X O . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nothing is forbidden: false double threes among white stones",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . O . . . . . . . . . .
        . . . . . X . . . . . . . . .
        . . . . . . X O O X . . . . .
        . . . . . . . X X . . . . . .
        . . . . . X . O O . . . . . .
        . . . . O X X . O X . . . . .
        . . . . . O . O . X . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nothing is forbidden: two false threes",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . O . . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . X O . O X . . . . .
        . . . . . . X . X . . . . . .
        . . . . . . . X O X . . . . .
        . . . . . X O X O X O . . . .
        . . . . . X . . . O . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "the extension is a false double three, so the double three is real",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . X O . O . . . . . .
        . . . . . . X . X . O . . . .
        . . . . O . O X . . . . . . .
        . . . . . X O X O . . . . . .
        . . . . . X . 3 X . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nested: one double three makes others false",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . O . . O . . . . . . . .
        . . . . X . . X . O . . . . .
        . . . . O X O X X . . . . . .
        . . . . . . X X 3 . . . . . .
        . . . . . . O O X X . . . . .
        . . . . . X . . . . . . . . .
        . . . . O X . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nested: two white stones more bring two of them back",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . O . . O . . . . . . . .
        . . . . X . 3 X 3 O . . . . .
        . . . . O X O X X . . . . . .
        . . . . . . X X 3 . O . . . .
        . . . . . . O O X X . . . . .
        . . . . . X O . . . . . . . .
        . . . . O X . . . . . . . . .
        . . . . . O . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nested in a closed fight",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . O . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . O . X . . . . . . .
        . . . . . X O X O . . . . . .
        . . . . 3 X . X . O . . . . .
        . . O X X X X O X . . . . . .
        . . . . 3 X . O . O . . . . .
        . . . . X O O . . . . . . . .
        . . . O . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "ten forbidden points on an open board",
        "mintaka",
        """
        . . . . . . . . . . . . . . O
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . X . X . . . . . . . .
        . . . . . . . . . X . . . . .
        . . . . . . 4 . . . . . . . .
        . . . . 3 . X X 3 . . . . . .
        . . . . X . 3 . X X . 3 . . .
        . . . . X . X . X . 3 . . . .
        . . . . . . . 3 4 X X X . . .
        . . . . . . . . X . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "nested several times",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . X . . . . . . .
        . . . . . . . . . . . . X . .
        . . . . . O . . . 3 . . O X .
        . . O X . . X O X X X O X . .
        . . . X O O . X O 3 . . . . .
        . O . . X X 3 . . X 3 . . . .
        . . . . . . X . . . X X O . .
        . . . . O . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "four points that rest on each other",
        "mintaka",
        """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . O O . . . . . . .
        . . . . . 3 X X 3 . . . . . .
        . . . . O X X X X O . . . . .
        . . . . O X X X X O . . . . .
        . . . . . 3 X X 3 . . . . . .
        . . . . . . O O . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """,
        complete=True,
    ),
    Case(
        "a false double three: the gap of one is a double four",
        "OOXX",
        _shifted(". . . X . . . .\n. . . X . . . X\n. . . X . . X .\n. . X . X a . .", 5, 4),
    ),
    Case(
        "inside a ring of eight stones",
        "OOXX",
        _shifted(". . X X . .\n. X a . X .\n. X . . X .\n. . X X . .", 5, 4),
    ),
    Case(
        "a three in a diagonal of five points is none",
        "Okun",
        _shifted(". . . X .\n. . . . .\n. a X X .\nX . . . .", 1, 0),
    ),
    Case(
        "on the edge there is no double three: only the line along it can hold one",
        "RIF, section 3: a straight four needs two ways to become five",
        _shifted(
            """
            . X X a . . .
            . . . X . . .
            . . . X . . .
            . . . . . . .
            a X X . . . .
            X . . . . . .
            X . . . . . .
            """,
            0,
            0,
        ),
    ),
    Case(
        "three stones of which the fourth makes five elsewhere are no three",
        "RIF, section 3: a three becomes a straight four without making five at the same time",
        _shifted(". X . . . .\n. X . . . .\n. a . X X .\n. . X . . .\n. . X . . .\n. . X . . .\n. . X . . .", 5, 6),
    ),
    Case(
        "an overline that makes a four in another line",
        "RIF, section 9: an overline is a foul whatever else is made",
        _shifted("X X X 6 X X\n. . . X . .\n. . . X . .\n. . . X . .", 5, 4),
    ),
    Case(
        "two fours and a three",
        "RIF, section 9",
        _shifted("X X X 4 . .\n. . X X . .\n. X . X . .\n. . . X . .", 5, 4),
    ),
    Case(
        "five beats a double three and a double four",
        "RIF, section 9: five in a row wins though a foul is made with it",
        _shifted("X X X X w . .\n. . . X X . .\n. . X . X . .\n. X . . X . .", 5, 3),
    ),
]

# Single lines of a board, from mintaka's set. They show all that is forbidden in the line.
STRIPS = [
    ". . . X . X X 4 . X . . .",
    ". . . X . 4 X X . X . . .",
    ". . . X X X . 4 . X X X . . .",
    ". . . X X . 4 X . X X . . .",
    ". . . X . X 4 X . X . . .",
    ". . . X . X 4 X 4 X . X . . .",
    ". . . X . X 4 X 4 X 4 X 4 X 4 X . X . . .",
    ". . . X X X . . X . X X . . .",
    ". . . X . X . X . X X . . .",
    ". . . X X X 6 X X . . .",
    ". . . X 6 X X X X . . .",
    ". . . X . X X X 6 X X X . . .",
    ". . . O X X X X 6 X . . .",
]
