"""Gomoku in plain Python: a dictionary of stones, and every line of the board looked at after every move."""

from __future__ import annotations

BLACK, WHITE, DRAW = 1, 2, 3


class PlainGomoku:
    def __init__(self, size: int, win: int = 5, exactly: bool = False) -> None:
        self.size, self.win, self.exactly = size, win, exactly
        self.stones: dict[tuple[int, int], int] = {}
        self.side = BLACK
        self.result = 0

    def copy(self) -> PlainGomoku:
        other = PlainGomoku(self.size, self.win, self.exactly)
        other.stones, other.side, other.result = dict(self.stones), self.side, self.result
        return other

    def legal(self) -> list[int]:
        if self.result:
            return []
        return [move for move in range(self.size**2) if divmod(move, self.size) not in self.stones]

    def play(self, move: int) -> None:
        point = divmod(move, self.size)
        assert point not in self.stones, "taken"
        self.stones[point] = self.side
        if self._has_won(self.side):
            self.result = self.side
        elif len(self.stones) == self.size**2:
            self.result = DRAW
        self.side = BLACK + WHITE - self.side

    def _has_won(self, colour: int) -> bool:
        return any(self._run_wins(run) for line in self._lines() for run in self._runs(line, colour))

    def _run_wins(self, length: int) -> bool:
        return length == self.win if self.exactly else length >= self.win

    def _runs(self, line: list[tuple[int, int]], colour: int) -> list[int]:
        """The lengths of the unbroken rows of a colour along a line."""
        pattern = "".join("x" if self.stones.get(point) == colour else " " for point in line)
        return [len(run) for run in pattern.split()]

    def _lines(self) -> list[list[tuple[int, int]]]:
        span = range(self.size)
        lines = [[(row, column) for column in span] for row in span]
        lines += [[(row, column) for row in span] for column in span]
        lines += [[(row, row + shift) for row in span if 0 <= row + shift < self.size] for shift in self._shifts(0)]
        lines += [
            [(row, total - row) for row in span if 0 <= total - row < self.size]
            for total in self._shifts(self.size - 1)
        ]
        return lines

    def _shifts(self, middle: int) -> range:
        return range(middle - self.size + 1, middle + self.size)


def winning_lines(size: int, win: int) -> list[list[tuple[int, int]]]:
    """Every row of `win` points that fits on the board (96 on 8x8 for five: Suen & Alonso, experiment 1)."""
    found = []
    for row in range(size):
        for column in range(size):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(row + k * down, column + k * right) for k in range(win)]
                if all(0 <= r < size and 0 <= c < size for r, c in line):
                    found.append(line)
    return found
