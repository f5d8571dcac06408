"""Renju and caro in plain Python, word for word after the rules: `games/gomoku/renju.py` and `caro.py` must equal it.

Renju after the rules of the Renju International Federation, section 3 (terms) and section 9 (fouls). Every term is
tried out on a dictionary of stones: a four by adding the fifth stone, a three by adding the fourth, and whether that
stone may be added is asked in the same way, with the first one on the board. Nothing is remembered from before, and
nothing is recognised by its shape.
"""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.benchmarks.reference.fours import PlainFours, Stones

BLACK, WHITE, DRAW = 1, 2, 3
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

Point = tuple[int, int]
Direction = tuple[int, int]


class PlainRenju:
    """A game of renju. Its questions about stones take a dictionary, so that they can be asked of any position."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = [(row, column) for row in range(size) for column in range(size)]
        self.stones: Stones = {}
        self.side = BLACK
        self.result = 0

    def legal(self) -> list[int]:
        if self.result:
            return []
        return [row * self.size + column for row, column in self.points if self._is_legal((row, column))]

    def _is_legal(self, point: Point) -> bool:
        return point not in self.stones and (self.side == WHITE or self.fault(self.stones, point) is None)

    def play(self, move: int) -> None:
        point = divmod(move, self.size)
        assert self._is_legal(point), "taken or forbidden"
        self.stones[point] = self.side
        rows = [len(unbroken_row(self.stones, point, direction)) for direction in DIRECTIONS]
        if 5 in rows or (self.side == WHITE and max(rows) > 5):
            self.result = self.side
        elif len(self.stones) == len(self.points):
            self.result = DRAW
        self.side = BLACK + WHITE - self.side
        if not self.result and not self.legal():
            self.result = WHITE

    def forbidden(self, stones: Stones) -> dict[Point, str]:
        """The points that black may not play, each with its fault."""
        faults = {point: self.fault(stones, point) for point in self.points if point not in stones}
        return {point: fault for point, fault in faults.items() if fault}

    def fault(self, stones: Stones, point: Point) -> str | None:
        """Why black may not play on an empty point; None if it may."""
        after = {**stones, point: BLACK}
        if makes_five(after, point):
            return None
        if any(len(unbroken_row(after, point, direction)) > 5 for direction in DIRECTIONS):
            return "overline"
        if len({four for direction in DIRECTIONS for four in self.fours(after, point, direction)}) > 1:
            return "double four"
        if len({three for direction in DIRECTIONS for three in self.threes(after, point, direction)}) > 1:
            return "double three"
        return None

    def fours(self, stones: Stones, point: Point, direction: Direction) -> dict[frozenset[Point], int]:
        """The fours through a stone along a line, each with the number of ways to make five of it."""
        found: dict[frozenset[Point], int] = {}
        for fifth in self._empty_near(stones, point, direction):
            row = unbroken_row({**stones, fifth: BLACK}, fifth, direction)
            if len(row) == 5 and point in row:
                four = row - {fifth}
                found[four] = found.get(four, 0) + 1
        return found

    def straight_four(self, stones: Stones, point: Point, direction: Direction) -> frozenset[Point] | None:
        """The unbroken row of four through a stone that can become five in two ways."""
        row = unbroken_row(stones, point, direction)
        return row if len(row) == 4 and self.fours(stones, point, direction).get(row) == 2 else None

    def threes(self, stones: Stones, point: Point, direction: Direction) -> set[frozenset[Point]]:
        """The threes through a stone along a line: one more makes a straight four, makes no five, and is allowed."""
        found: set[frozenset[Point]] = set()
        for fourth in self._empty_near(stones, point, direction):
            after = {**stones, fourth: BLACK}
            straight = self.straight_four(after, fourth, direction)
            if straight is None or point not in straight or makes_five(after, fourth):
                continue
            if self.fault(stones, fourth) is None:
                found.add(straight - {fourth})
        return found

    def _empty_near(self, stones: Stones, point: Point, direction: Direction) -> Iterator[Point]:
        for distance in range(-4, 5):
            row, column = point[0] + distance * direction[0], point[1] + distance * direction[1]
            inside = 0 <= row < self.size and 0 <= column < self.size
            if inside and (row, column) not in stones:
                yield row, column


def unbroken_row(stones: Stones, point: Point, direction: Direction) -> frozenset[Point]:
    """The stones of one colour, one beside the other, that a stone belongs to along a line."""
    row = {point}
    for way in (1, -1):
        beside = point
        while True:
            beside = beside[0] + way * direction[0], beside[1] + way * direction[1]
            if stones.get(beside) != stones[point]:
                break
            row.add(beside)
    return frozenset(row)


def makes_five(stones: Stones, point: Point) -> bool:
    return any(len(unbroken_row(stones, point, direction)) == 5 for direction in DIRECTIONS)


class PlainRenjuFours(PlainFours):
    """Wins by fours under renju: black plays what it may, and parries only where it may."""

    def __init__(self, size: int) -> None:
        super().__init__(size, 5, False)
        self.rules = PlainRenju(size)

    def winning_points(self, stones: Stones, colour: int) -> list[Point]:
        self.exactly = colour == BLACK
        return super().winning_points(stones, colour)

    def may_play(self, stones: Stones, point: Point, colour: int) -> bool:
        return colour == WHITE or self.rules.fault(stones, point) is None

    def wins(self, stones: Stones, attacker: int) -> bool:
        return super().wins(stones, attacker) or (attacker == WHITE and self._stalemates(stones))

    def _stalemates(self, stones: Stones) -> bool:
        empty = [point for point in self.points if point not in stones]
        if not 2 <= len(empty) <= 6:  # with more, none is known
            return False
        return any(
            all(self.rules.fault({**stones, move: WHITE}, point) for point in empty if point != move) for move in empty
        )


class PlainCaro:
    """A game of caro: a row wins that is longer than `win`, or as long and not closed at both ends."""

    def __init__(self, size: int, win: int = 5, exactly: bool = False) -> None:
        self.size, self.win, self.exactly = size, win, exactly
        self.stones: Stones = {}
        self.side = BLACK
        self.result = 0

    def legal(self) -> list[int]:
        if self.result:
            return []
        return [move for move in range(self.size**2) if divmod(move, self.size) not in self.stones]

    def play(self, move: int) -> None:
        point = divmod(move, self.size)
        assert point not in self.stones, "taken"
        self.stones[point] = self.side
        if any(self._wins(point, direction) for direction in DIRECTIONS):
            self.result = self.side
        elif len(self.stones) == self.size**2:
            self.result = DRAW
        self.side = BLACK + WHITE - self.side

    def _wins(self, point: Point, direction: Direction) -> bool:
        row = sorted(unbroken_row(self.stones, point, direction))
        if len(row) != self.win:
            return len(row) > self.win and not self.exactly
        down, right = direction
        (top, left), (bottom, end) = min(row), max(row)
        ends = [(top - down, left - right), (bottom + down, end + right)]
        return not all(self.stones.get(beyond) == BLACK + WHITE - self.side for beyond in ends)
