"""Go in plain Python: a dictionary of stones, groups found by flooding, all positions of the game in a set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BLACK, WHITE, DRAW = 1, 2, 3
Point = tuple[int, int]


class PlainGo:
    """`ko`: simple, positional or situational. A move is row * size + column; size * size passes."""

    def __init__(
        self,
        size: int,
        *,
        komi: float = 7.5,
        ko: str = "positional",
        suicide: bool = False,
        stones: Mapping[int, int] | None = None,  # there at the start: points and colours
        side: int = BLACK,
    ) -> None:
        self.size, self.komi, self.ko, self.suicide = size, komi, ko, suicide
        self.stones: dict[Point, int] = {divmod(point, size): colour for point, colour in (stones or {}).items()}
        self.side = side
        self.result = 0
        self.moves: list[int] = []
        self.taken = {BLACK: 0, WHITE: 0}
        self.retake: Point | None = None  # forbidden by simple ko
        self.seen = {self._situation(self.stones, self.side)}

    def _situation(self, stones: dict[Point, int], side: int) -> object:
        board = frozenset(stones.items())
        return (board, side) if self.ko == "situational" else board

    def beside(self, point: Point) -> list[Point]:
        row, column = point
        around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
        return [(r, c) for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def flood(self, start: Point, stones: dict[Point, int]) -> tuple[set[Point], set[Point]]:
        """All points like `start` that hang together with it, and the other points around them."""
        kind = stones.get(start)
        inside, around, open_ends = {start}, set(), [start]
        while open_ends:
            for point in self.beside(open_ends.pop()):
                if stones.get(point) != kind:
                    around.add(point)
                elif point not in inside:
                    inside.add(point)
                    open_ends.append(point)
        return inside, around

    def liberties(self, point: Point) -> set[Point]:
        return {each for each in self.flood(point, self.stones)[1] if each not in self.stones}

    def after(self, point: Point, side: int) -> tuple[dict[Point, int], set[Point]]:
        """The stones after a stone on `point`, and which were taken off."""
        stones = {**self.stones, point: side}
        taken: set[Point] = set()
        for start in self.beside(point):
            if stones.get(start) == 3 - side:
                group, around = self.flood(start, stones)
                if all(each in stones for each in around):
                    taken |= group
                    stones = {each: colour for each, colour in stones.items() if each not in group}
        group, around = self.flood(point, stones)
        if all(each in stones for each in around):
            taken |= group
            stones = {each: colour for each, colour in stones.items() if each not in group}
        return stones, taken

    def is_legal(self, move: int) -> bool:
        if self.result:
            return False
        if move == self.size**2:
            return True
        point = divmod(move, self.size)
        if point in self.stones or point == self.retake:
            return False
        stones, taken = self.after(point, self.side)
        if point in taken and (not self.suicide or taken == {point}):
            return False
        return self.ko == "simple" or self._situation(stones, 3 - self.side) not in self.seen

    def legal(self) -> list[int]:
        return [move for move in range(self.size**2 + 1) if self.is_legal(move)]

    def play(self, move: int) -> None:
        passed = self.size**2
        self.retake = None
        if move != passed:
            point = divmod(move, self.size)
            assert point not in self.stones, "taken"
            self.stones, taken = self.after(point, self.side)
            self.taken[self.side if point in taken else 3 - self.side] += len(taken)
            if len(taken) == 1 and self.flood(point, self.stones)[0] == {point} and self.liberties(point) == taken:
                self.retake = next(iter(taken))
        self.side = 3 - self.side
        self.seen.add(self._situation(self.stones, self.side))
        if move == passed and self.moves[-1:] == [passed]:
            lead = self.area() - self.komi
            self.result = BLACK if lead > 0 else WHITE if lead < 0 else DRAW
        self.moves.append(move)

    def owners(self, dead: Iterable[Point] = ()) -> dict[Point, int]:
        """Who owns what: living stones, and empty points that one side alone reaches."""
        alive = {point: colour for point, colour in self.stones.items() if point not in set(dead)}
        owned = dict(alive)
        for row in range(self.size):
            for column in range(self.size):
                if (row, column) not in alive:
                    reached = {alive[point] for point in self.flood((row, column), alive)[1]}
                    if len(reached) == 1:
                        owned[row, column] = reached.pop()
        return owned

    def area(self, dead: Iterable[Point] = ()) -> int:
        """Black's points minus white's, komi aside."""
        owned = list(self.owners(dead).values())
        return owned.count(BLACK) - owned.count(WHITE)

    def territory(self, dead: Iterable[Point] = ()) -> int:
        """The same by territory and prisoners."""
        dead = set(dead)
        lead = self.taken[WHITE] - self.taken[BLACK]
        lead += sum(1 if self.stones[point] == WHITE else -1 for point in dead)
        for point, owner in self.owners(dead).items():
            if point not in self.stones or point in dead:
                lead += 1 if owner == BLACK else -1
        return lead

    def is_eye(self, point: Point, side: int) -> bool:
        """Surrounded by own stones, with no more than one diagonal lost in the middle and none at the edge."""
        row, column = point
        if any(self.stones.get(each) != side for each in self.beside(point)):
            return False
        diagonals = [(row + down, column + right) for down in (-1, 1) for right in (-1, 1)]
        inside = [(r, c) for r, c in diagonals if 0 <= r < self.size and 0 <= c < self.size]
        lost = sum(self.stones.get(each) == 3 - side for each in inside)
        return lost + (len(inside) < 4) < 2
