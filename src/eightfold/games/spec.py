"""What a game says of itself besides its kernels: its options, its encoders, its symmetries, and how it is written.

A game module has one `GAME = GameSpec(...)`; `eightfold.games.game` makes games from a text by it. No other room asks
for a game's name: it asks for what is declared here, or for what the module offers (`eightfold.games.contract`).
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.specs import Value
from eightfold.games.state import BLACK, SIZE, WHITE
from eightfold.symmetry.group import ALL, read_symmetries

BOARDS = ("lines", "cells", "diagonals")
EDGES = ("top", "bottom", "left", "right")


@dataclass(frozen=True, kw_only=True)
class GameSpec:
    name: str
    summary: str
    options: type  # a dataclass of settings, `size` among them
    state_length: Callable[[int], int]  # board size -> length of a state row
    encoders: Mapping[str, int]  # name -> number of planes; its place in the order is its number
    complete: Callable[[dict[str, Value]], tuple[int, int, int]] = lambda values: (0, 0, 0)
    """Check the values of the options, fill in what depends on others, give the three numbers for `reset`."""
    fixed: tuple[int, ...] = (SIZE,)
    """Places of a state's row that stay as `reset` left them: on a GPU kernels are compiled with what is there."""
    symmetries: str | Iterable[int | str] = ALL
    """Which of the eight symmetries the rules have: a subgroup by its name, or its members by numbers or names."""
    has_pass: bool = False
    has_draws: bool = True  # whether a game may end in a draw
    letters: str = string.ascii_lowercase  # of the columns, in names of moves
    board: str = "lines"
    """How it is drawn: stones on the crossings of lines, in `cells`, or on lines with rising `diagonals` as in Hex."""
    edges: Mapping[str, int] = field(default_factory=dict)
    """Sides of the board that belong to a colour, {"top": BLACK}; they are drawn in it."""
    marks_legal: bool = False  # whether the legal moves are marked: where few of the empty points are
    networks_tolerate: frozenset[str] = frozenset()
    """Options in which a network may meet other values than it was trained with."""
    usual_player: str = ""  # the classical player that suits it; "": alphabeta if it scores moves, else mcts
    sgf: int = 0  # its number GM in SGF files, such as 2 for Othello and 11 for Hex; 0: it is not written so
    swap2: bool = False  # whether a game of it may begin with swap2 (`eightfold.arena.openings.swap2`)
    psq: bool = False  # whether Piskvork's files and the Gomocup protocol can hold it
    longest: Callable[[int], int] = lambda size: 2 * size * size + 2
    """Board size -> the most moves that a game can have; a longer one is a draw where games are played on a GPU."""
    scratch: int = 0  # numbers that `find_win` and `find_win_together` need room for, if more than a state has
    threat_room: Callable[[int, int], int] | None = None
    """Board size and nodes -> numbers that `find_threats` needs room for; None: the game has no `find_threats`."""
    has_go_rows: bool = False
    """Whether its rows are laid out as in `eightfold.games.go.layout`: Internal Symmetry Networks read those."""

    def __post_init__(self) -> None:
        read_symmetries(self.symmetries)  # an error now, where it was written
        if self.board not in BOARDS:
            raise unknown("board", self.board, BOARDS)
        for edge, colour in self.edges.items():
            if edge not in EDGES:
                raise unknown("edge of a board", edge, EDGES)
            if colour not in (BLACK, WHITE):
                raise EightfoldError(f"the edge {edge} belongs to {colour!r}; black is {BLACK}, white {WHITE}")
