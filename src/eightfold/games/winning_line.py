"""The stones that won, for boards to mark them."""

from __future__ import annotations

from eightfold.games.game import COLOUR_NAMES, Position


def winning_line(position: Position) -> list[int]:
    """The stones of the rows that won, for games that are won by a row through the last move."""
    last, winner, size = position.last_move, position.result, position.game.size
    need = int(position.game.values.get("win", 0))
    if last is None or winner not in COLOUR_NAMES or not need or last >= position.game.points:
        return []
    stones = position.stones
    row, column = divmod(last, size)
    if int(stones[row, column]) != winner:
        return []
    line: set[int] = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = [last]
        for side in (1, -1):
            r, c = row + side * down, column + side * right
            while 0 <= r < size and 0 <= c < size and int(stones[r, c]) == winner:
                run.append(r * size + c)
                r, c = r + side * down, c + side * right
        if len(run) >= need:
            line.update(run)
    return sorted(line)
