"""Openings for games that are to teach or to measure something: random stones, and of many the balanced ones.

An opening is balanced where neither side is lost: nobody wins by force (as far as a short proof sees), and an evaluator
values the position near 0, as the openings of Gomocup are chosen by strong engines. Self-play makes a book of them
with its own network (`eightfold.learning.opening_book`), matches with any (`eightfold.arena.openings`).

Shapes: B openings, S stones of the longest, L state row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.rng import Random
from eightfold.core.specialise import specialise
from eightfold.games.game import Game
from eightfold.search.forest import Evaluator

PROOF_NODES = 1000  # to see whether the side to move wins by force
BATCH = 128  # positions that an evaluator is asked for at once


class Openings(NamedTuple):
    """Openings, and where they lead."""

    states: Ints  # [B, L]
    moves: NDArray[np.int16]  # [B, S]
    lengths: NDArray[np.int16]  # [B]

    def rows(self, rows: NDArray[np.int64]) -> Openings:
        """Some of them."""
        return Openings(self.states[rows], self.moves[rows], self.lengths[rows])

    def moves_of(self, row: int) -> list[int]:
        return [int(move) for move in self.moves[row, : self.lengths[row]]]


def opening_points(size: int, everywhere: bool) -> list[int]:
    """Where random stones may lie: anywhere, or a fifth of the board away from the edge."""
    edge = 0 if everywhere else max(1, size // 5)
    return [row * size + column for row in range(edge, size - edge) for column in range(edge, size - edge)]


def free_points(game: Game, everywhere: bool) -> list[int]:
    """The same for a game; none where stones fall to the bottom, for one: there only legal moves lead anywhere."""
    points = opening_points(game.size, everywhere)
    return points if game.start().legal_mask[points].all() else []


def draw_openings(
    game: Game, count: int, *, least: int, most: int, random: Random, everywhere: bool = False
) -> Openings:
    """Openings of `least` to `most` random stones that end nothing. Where none is found a row is the empty board."""
    states = np.empty((count, game.spec.state_length(game.size)), np.int64)
    moves, lengths = np.zeros((count, max(most, 1)), np.int16), np.zeros(count, np.int16)
    points = np.array(free_points(game, everywhere), np.int64)
    _kernels(game).draw_openings(
        states, moves, lengths, game.start().state, least, most, points, random, np.empty(game.scratch, np.int64)
    )
    return Openings(states, moves, lengths)


def values_of(game: Game, evaluator: Evaluator, states: Ints) -> NDArray[np.float64]:
    """[B]: what an evaluator says of positions to the side to move; infinity where that side wins by force."""
    number, planes = game.encoder(evaluator.encoder)
    values = np.empty(len(states))
    for first in range(0, len(states), BATCH):
        part = states[first : first + BATCH]
        shown = np.empty((len(part), planes, game.size, game.size), np.float32)
        game.kernels.encode_batch(part, number, shown)
        told = evaluator.evaluate(shown)[1]
        values[first : first + len(part)] = told[:, 0] if told.ndim == 2 else told
    values[won_by_force(game, states)] = np.inf
    return values


def won_by_force(game: Game, states: Ints) -> NDArray[np.bool_]:
    """[B]: where the side to move wins by force, as far as a short proof sees."""
    won = np.zeros(len(states), np.bool_)
    _kernels(game).find_wins(states, PROOF_NODES, np.empty(game.scratch, np.int64), won)
    return won


def balanced(values: NDArray[np.float64], limit: float, least: int = 1) -> NDArray[np.int64]:
    """The numbers of the values from -limit to limit; if those are fewer than `least`, of the so many nearest to 0.

    What is won by force is never among them.

    >>> balanced(np.array([0.1, -0.9, np.inf, -0.3]), 0.2, least=2)
    array([0, 3])
    """
    distance = np.abs(values)
    near = np.flatnonzero(distance <= limit)
    if len(near) < least:
        nearest = np.argsort(distance, kind="stable")[:least]
        near = np.sort(nearest[np.isfinite(distance[nearest])])
    return near


def _kernels(game: Game) -> Any:
    return specialise("eightfold.search.kernels.openings", game.rules)
