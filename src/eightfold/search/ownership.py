"""Who will own which point of a board in a game of points: random games to the end, and what they leave.

Nothing is known here but the rules, as in `mcts`: stones in areas that random games lose more often than not are dead.
It is meant for finished games: of 32 that GNU Go had played, it agreed with GNU Go, which reads such things out, about
every stone of 31. Sekis, and shapes that only the right answer saves, are misjudged.

    >>> from eightfold.games.game import make_game
    >>> position = make_game("go:size=5").after(["c1", "d1", "c2", "d2", "c3", "d3", "c4", "d4", "c5", "d5", "e3"])
    >>> game = position.game
    >>> [[game.name_of(point) for point in group] for group in dead_groups(position, seed=1)]
    [['e3']]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games.game import Position
from eightfold.games.points import connected, neighbours
from eightfold.games.setup import start_from, stones_of, with_side
from eightfold.games.state import BLACK, WHITE

GAMES = 300
RANDOM_ENDS = "eightfold.search.kernels.random_ends"


@dataclass(frozen=True, kw_only=True, eq=False)
class Ownership:
    """What random games say of a position."""

    owners: NDArray[np.float64]  # [N, N]: 1 is surely black's, -1 surely white's
    lead: float  # black's, in points by area, komi taken off
    deviation: float  # of that


def estimate_ownership(position: Position, *, games: int = GAMES, seed: int = 0) -> Ownership:
    """Play random games from a position, over or not, either side beginning half of them."""
    game = position.game
    if not game.has_ownership:
        raise EightfoldError(f"{game.text} has no territory; ownership needs a game such as go")
    if games < 1:
        raise EightfoldError(f"{games} random games tell nothing; one or more do")
    starts = [_begun_by(position, colour).state for colour in (BLACK, WHITE)]
    leads, totals = np.zeros(games), np.zeros(game.points, np.int64)
    random_ends = specialise(RANDOM_ENDS, game.rules)
    random_ends.play_out(starts[0], starts[1], make_random(seed), np.zeros(game.actions, np.int64), leads, totals)
    return Ownership(
        owners=(totals / games).reshape(game.size, game.size),
        lead=float(leads.mean()) - float(game.values.get("komi", 0)),
        deviation=float(leads.std()),
    )


def _begun_by(position: Position, colour: int) -> Position:
    """The stones of a position as the start of a game that a colour begins; where a game is over by the rules alone,
    it stays so."""
    game = position.game
    return start_from(game, stones_of(position), to_move=colour) if game.can_be_set_up else with_side(position, colour)


def groups(position: Position) -> list[list[int]]:
    """The connected stones of one colour, each group a list of points in ascending order."""
    found, seen = [], set[int]()
    for point in stones_of(position):
        if point not in seen:
            found.append(connected(position, point))
            seen.update(found[-1])
    return found


def dead_groups(position: Position, *, games: int = GAMES, seed: int = 0) -> list[list[int]]:
    """The groups that cannot be kept: those in areas that random games leave to the other side.

    An area is what a colour can reach without crossing the other's stones; its stones live or die together.
    """
    owners = estimate_ownership(position, games=games, seed=seed).owners.ravel()
    dead = set[int]()
    for area in areas(position):
        stones = [point for point in area if position.stones.flat[point]]
        sign = 1 if position.stones.flat[stones[0]] == BLACK else -1
        if sign * owners[area].mean() < 0:
            dead.update(stones)
    return [group for group in groups(position) if group[0] in dead]


def dead_stones(position: Position, *, games: int = GAMES, seed: int = 0) -> tuple[int, ...]:
    """The points of all dead groups, ascending."""
    return tuple(sorted(point for group in dead_groups(position, games=games, seed=seed) for point in group))


def areas(position: Position) -> list[list[int]]:
    """What each colour's groups reach without crossing the other's stones: their stones, and empty points."""
    found: list[list[int]] = []
    placed = set[int]()
    stones, size = position.stones.ravel(), position.game.size
    for group in groups(position):
        if group[0] in placed:
            continue
        other = BLACK + WHITE - int(stones[group[0]])
        area, seen = list(group), set(group)
        for point in area:  # it grows meanwhile
            for beside in neighbours(point, size):
                if stones[beside] != other and beside not in seen:
                    seen.add(beside)
                    area.append(beside)
        placed.update(point for point in area if stones[point])
        found.append(sorted(area))
    return found
