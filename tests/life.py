"""Which points of a Go board are a side's whatever happens: unconditional life, plainly, after Benson (1976).

Chains live if each of them borders two regions that its own side encloses and all of whose empty points are liberties
of the chain, when all chains round these regions live as well: they cannot be captured even by an opponent who moves
all the time. A region enclosed by living chains all of whose points lie beside one of them is its owner's too: no
opponent has an eye in there, and what it puts there can be taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eightfold.games import Position
from eightfold.games.setup import stones_of

Points = frozenset[int]


def neighbours(point: int, size: int) -> list[int]:
    row, column = divmod(point, size)
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * size + c for r, c in steps if 0 <= r < size and 0 <= c < size]


def connected(points: Iterable[int], size: int) -> list[Points]:
    """The parts of a set of points that hang together."""
    left, parts = set(points), []
    while left:
        found, new = set(), {left.pop()}
        while new:
            found |= new
            new = {other for point in new for other in neighbours(point, size)} & left
            left -= new
        parts.append(frozenset(found))
    return parts


def border(points: Points, size: int) -> set[int]:
    return {other for point in points for other in neighbours(point, size)} - points


def settled_points(position: Position, colour: int) -> set[int]:
    """The points that are a side's for good, by area."""
    size, stones = position.game.size, stones_of(position)
    empty = set(range(size * size)) - stones.keys()
    own = {point for point, side in stones.items() if side == colour}
    chains, regions = connected(own, size), connected(set(range(size * size)) - own, size)
    around = {region: border(region, size) for region in regions}
    while True:
        alive = set().union(*chains)
        enclosed = [region for region in regions if around[region] and around[region] <= alive]
        living = [chain for chain in chains if _eyes(chain, enclosed, empty, size) >= 2]
        if len(living) == len(chains):
            break
        chains = living
    beside: Callable[[int], bool] = lambda point: not alive.isdisjoint(neighbours(point, size))  # noqa: E731
    return alive.union(*(region for region in enclosed if all(map(beside, region))))


def _eyes(chain: Points, regions: Iterable[Points], empty: set[int], size: int) -> int:
    """How many of the regions are eyes of a chain: all that is empty in them are its liberties."""
    liberties = border(chain, size)
    return sum(bool(region & empty) and region & empty <= liberties for region in regions)


def has_won(position: Position, colour: int) -> bool:
    """Whether a side wins by area whatever happens: its settled points are enough against all others."""
    points, komi = position.game.points, float(position.game.values["komi"])
    lead = 2 * len(settled_points(position, colour)) - points
    return lead > komi if colour == 1 else lead + komi > 0
