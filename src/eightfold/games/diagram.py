"""A game as one diagram, as printed records show it: every stone with the number of its move.

    >>> from eightfold.games.game import make_game
    >>> go = make_game("go:size=3")
    >>> diagram = diagram_of(go.start(), [go.action(name) for name in ("b1", "a1", "a2", "c3", "c2", "pass", "a1")])
    >>> [(go.name_of(stone.point), stone.number, stone.is_gone) for stone in diagram.stones]
    [('b1', 1, False), ('a1', 2, True), ('a2', 3, False), ('c3', 4, False), ('c2', 5, False)]
    >>> diagram.notes
    ('7 at 2', '6 pass')

A point shows the first stone that lay there, in the colour that it had last: a stone that is turned over (Othello)
keeps its number, and one that was taken (Go) stays in the diagram, pale. What the board cannot show is noted below it,
as usual: a move on the point of an earlier one ("7 at 2"), and passes. Read next: `pictures.py`, which draws diagrams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of
from eightfold.games.game import Game, Position
from eightfold.games.records.record import GameRecord
from eightfold.games.winning_line import winning_line


@dataclass(frozen=True, kw_only=True)
class NumberedStone:
    point: int
    colour: int  # BLACK or WHITE
    number: int  # of its move, from 1; 0: it was there from the start
    is_gone: bool  # no stone of its colour lies there at the end


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """What is drawn of a game, and the words beside it."""

    size: int
    letters: str  # of the columns
    board: str = "lines"  # stones lie on crossings of lines, in "cells", or on lines with rising "diagonals" as in Hex
    edges: Mapping[str, int] = field(default_factory=dict)  # sides of the board that belong to a colour: "top" ...
    stones: tuple[NumberedStone, ...]  # in the order of their numbers
    last: int | None = None  # the point of the last move, unless that was a pass
    line: tuple[int, ...] = ()  # the points of the rows that won
    notes: tuple[str, ...] = ()  # the moves that the board does not show
    title: str = ""
    warning: str = ""
    caption: tuple[str, ...] = ()


def diagram_of(
    start: Position, moves: Sequence[int], *, title: str = "", warning: str = "", caption: Sequence[str] = ()
) -> Diagram:
    """The diagram of moves from a position; an error for a move that the rules forbid."""
    game, position, board = start.game, start, start.stones.ravel()
    colours = {int(point): int(board[point]) for point in board.nonzero()[0]}  # of the first stone on each point
    numbers = dict.fromkeys(colours, 0)
    lying = set(colours)  # the points whose first stone was never taken
    again: dict[int, list[int]] = {}  # point -> the numbers of further moves there
    passes: list[int] = []
    for number, move in enumerate(moves, start=1):
        mover = position.to_move
        try:
            position = position.play(move)
        except EightfoldError as error:
            raise EightfoldError(f"move {number}: {error}") from None
        board = position.stones.ravel()
        if move >= game.points:
            passes.append(number)
        elif move in numbers:
            again.setdefault(move, []).append(number)
        else:
            numbers[move], colours[move] = number, mover
            lying.add(move)
        lying = {point for point in lying if board[point]}
        colours.update((point, int(board[point])) for point in lying)
    last = moves[-1] if moves and moves[-1] < game.points else None
    return Diagram(
        size=game.size,
        letters=game.spec.letters,
        board=game.spec.board,
        edges=game.spec.edges,
        stones=tuple(
            NumberedStone(point=point, colour=colour, number=numbers[point], is_gone=int(board[point]) != colour)
            for point, colour in colours.items()
        ),
        last=last,
        line=tuple(winning_line(position)),
        notes=_notes(game, numbers, again, passes),
        title=title,
        warning=warning,
        caption=tuple(caption),
    )


def record_diagram(record: GameRecord, plies: int | None = None, *, game: Game | None = None) -> Diagram:
    """The diagram of a record, or of so many of its moves, with its players and its result in words."""
    if plies is not None and not 0 <= plies <= len(record.moves):
        raise EightfoldError(f"the game has {len(record.moves)} moves; move {plies} is not one of them")
    start, moves = record.start(game), record.moves[:plies]
    end = record.result or "result unknown"
    how = f"{end}, {number_of(len(record.moves), 'move')}"
    if len(moves) < len(record.moves):
        how = f"move {len(moves)} of {len(record.moves)}"
    names = f"{record.black or 'black'} – {record.white or 'white'}"
    caption = [how, ", ".join(filter(None, (record.event, record.date)))]
    return diagram_of(start, moves, title=names, caption=[*filter(None, caption)])


def _notes(game: Game, numbers: dict[int, int], again: dict[int, list[int]], passes: list[int]) -> tuple[str, ...]:
    """Of a stone that lay there from the start, which has no number, the point is named."""
    there = [
        f"{', '.join(map(str, later))} at {numbers[point] or game.name_of(point)}" for point, later in again.items()
    ]
    return (*there, f"{', '.join(map(str, passes))} pass") if passes else tuple(there)
