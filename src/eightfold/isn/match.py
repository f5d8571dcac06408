"""Games between two Internal Symmetry Networks without look-ahead, many at once (document 003, section V).

Either network sees every position with its own eyes: the classes of groups come from what it said itself a move before.
Colours alternate from game to game. Read before: `eightfold.isn.choice`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random
from eightfold.core.threads import run_parts, usable_cores
from eightfold.games.game import Game
from eightfold.games.go.rules import play, reset, stones
from eightfold.games.go.score import double_margin
from eightfold.games.state import BLACK, ONGOING, RESULT, SIDE
from eightfold.isn.choice import draw_move, first_look, look, move_values
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.tables import IsnTables

OUTPUTS = len(OUTPUT_NAMES)


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """Games of one network against another."""

    margins: NDArray[np.float64]  # [B], the lead of the first-named network
    moves: Ints  # [B]

    @property
    def games(self) -> int:
        return len(self.margins)

    @property
    def points(self) -> float:
        """One for a win, a half for a draw."""
        return float((self.margins > 0).sum() + (self.margins == 0).sum() / 2)


def play_pairs(
    game: Game,
    networks: Sequence[IsnTables],
    pairs: Sequence[tuple[int, int]],
    *,
    games: int = 10,
    beta: float = 20.0,
    seed: int = 0,
    threads: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> list[PairResult]:
    """So many games for each pair of places in `networks`; the first of a pair has black in every other game."""
    rules = np.array([game.size, *game.numbers], np.int64)
    results: list[PairResult | None] = [None] * len(pairs)
    parts = max(1, min(threads or usable_cores(), len(pairs)))

    def part(number: int) -> None:
        for k in range(number, len(pairs), parts):
            one, two = pairs[k]
            randoms = np.random.SeedSequence([seed, k]).generate_state(games, np.uint64)
            margins, moves = np.zeros(games, np.int64), np.zeros(games, np.int64)
            contest(
                rules, game.spec.state_length(game.size), networks[one], networks[two], float(beta),
                3 * game.points, np.maximum(randoms, np.uint64(1)), margins, moves, 0, games,
            )  # fmt: skip
            results[k] = PairResult(margins=margins / 2, moves=moves)
            progress()

    run_parts(part, parts)
    return [result for result in results if result is not None]


@kernel
def contest(
    rules: Ints,  # [4]: size and the three options of the game
    state_length: int,
    one: IsnTables,
    two: IsnTables,
    beta: float,
    longest: int,
    randoms: Random,  # [B]
    margins: Ints,  # [B], to be filled: twice the lead of `one`
    lengths: Ints,  # [B], to be filled
    first: int,
    stop: int,
) -> None:
    """The games from `first` to `stop`; `one` has black in those of even number."""
    size = int(rules[0])
    state, moves = np.zeros(state_length, np.int64), np.zeros(size * size + 1, np.int64)
    board, classes = np.zeros((1, size, size), np.int8), np.zeros((1, size, size), np.uint8)
    said_one = np.zeros((1, OUTPUTS, size, size), np.float32)
    said_two = np.zeros((1, OUTPUTS, size, size), np.float32)
    values = np.zeros((1, size * size + 1), np.float64)
    for game in range(first, stop):
        reset(state, size, rules[1:])
        first_look(state, one, board, classes, said_one)
        first_look(state, two, board, classes, said_two)
        ply = 0
        while state[RESULT] == ONGOING and ply < longest:
            ones = (state[SIDE] == BLACK) == (game % 2 == 0)
            if ones:
                count = move_values(state, board, said_one, one, moves, values)
            else:
                count = move_values(state, board, said_two, two, moves, values)
            play(state, draw_move(values, state[SIDE], beta, moves, count, randoms[game : game + 1]))
            stones(state, board[0])
            look(board, one, classes, said_one)
            look(board, two, classes, said_two)
            ply += 1
        margin = double_margin(state)
        margins[game] = margin if game % 2 == 0 else -margin
        lengths[game] = ply
