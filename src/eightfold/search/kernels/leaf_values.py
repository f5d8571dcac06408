"""What the kernels that play games from leaves share; nothing here is specialised to a game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_word
from eightfold.games.state import BLACK, DRAW, WHITE


@kernel
def draw_generators(streams: Random, games: NDArray[np.int32], count: int, randoms: Random) -> None:
    """A generator for each of `count` leaves [B], from the stream [G] of its game: other games play no part in it."""
    for leaf in range(count):
        game = games[leaf]
        randoms[leaf] = random_word(streams[game : game + 1])


@kernel
def write_value(results: Ints, side: int, value: NDArray[np.float32]) -> None:  # [4], [2]
    """The mean result for `side`, and the share of draws, of games counted by how they ended."""
    games = results[BLACK] + results[WHITE] + results[DRAW]
    value[0] = (results[side] - results[BLACK + WHITE - side]) / games
    value[1] = results[DRAW] / games


@kernel
def mix_values(
    values: NDArray[np.float32], rollouts: NDArray[np.float32], theta: float, mixed: NDArray[np.float32]
) -> None:  # [B, 2] each
    """theta * R + (1 - theta) * v (Zhao & Zhang, equation 9), for values and for chances of a draw."""
    for leaf in range(values.shape[0]):
        for k in range(2):
            mixed[leaf, k] = theta * rollouts[leaf, k] + (1 - theta) * values[leaf, k]
