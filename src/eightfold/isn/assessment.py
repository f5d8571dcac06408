"""What an ISN thinks of a position of Go, for the side to move.

The seven outputs are white's. Here they become the side to move's: what every point, the board and every move is worth
to it. The classes of groups come from the outputs one move earlier, and those from
the outputs before, so a position is followed from the start of its game; what is known of the last one is kept.

    >>> from eightfold.games.game import make_game
    >>> from eightfold.isn.network import ISN
    >>> evaluator = IsnEvaluator(make_game("go:size=5"), ISN())
    >>> found = evaluator.assess(make_game("go:size=5").after(["c3"]))
    >>> found.outputs.shape, found.moves.shape
    ((7, 5, 5), (26,))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.games.game import Game, Position
from eightfold.games.go.legal import is_legal
from eightfold.games.go.rules import play, stones
from eightfold.games.state import WHITE
from eightfold.isn.classes import OUTPUT_NAMES
from eightfold.isn.move_selection import evaluate_board, evaluate_start, move_values
from eightfold.isn.reward import reward_weights
from eightfold.isn.tables import USED, IsnTables, playing_tables
from eightfold.isn.weights import HasWeights
from eightfold.symmetry.group import ALL


@dataclass(frozen=True, kw_only=True, eq=False)
class Assessment:
    """A position by an ISN. N N board, A moves."""

    outputs: NDArray[np.float32]  # [7, N, N], white's, as the network gave them
    rewards: NDArray[np.float64]  # [N, N], to the side to move
    moves: NDArray[np.float64]  # [A], what the board after each is worth to the side to move; nan if not legal
    lead: float  # what the side to move will be ahead by area, komi included


class IsnEvaluator:
    """A network, or what plays with one, for positions of one game; `c` and `s`: what captures and stones are worth."""

    def __init__(
        self, game: Game, network: HasWeights | IsnTables, *, c: float = 0.4, s: float = 0.4, by_count: bool = False
    ) -> None:
        check_go(game)
        self.game = game
        if not isinstance(network, IsnTables):
            network = playing_tables(network, c=c, s=s, by_count=by_count)
        self.tables = network
        self._area = reward_weights(0.0, 1.0)
        size = game.size
        self._outputs = np.zeros((1, len(OUTPUT_NAMES), size, size), np.float32)
        self._board = np.zeros((1, size, size), np.int8)
        self._seen: Position | None = None  # what the outputs are for
        self._known: tuple[int, ...] | None = None  # the moves that lead there from the start
        self._state = game.start().state

    def forget(self) -> None:
        """A new game begins."""
        self._seen = self._known = None

    def outputs(self, position: Position) -> NDArray[np.float32]:
        """[1, 7, N, N]; the array is this evaluator's own."""
        if position is self._seen:
            return self._outputs
        self._seen, known = position, self._known
        if known is None or position.moves[: len(known)] != known:
            known = ()
            self._state = self.game.start().state.copy()
            enter(self._state, self.tables, self._board, self._outputs)
        fresh = np.array(position.moves[len(known) :], np.int64)
        followed = follow(self._state, fresh, self.tables, self._board, self._outputs)
        self._known = position.moves
        # The game began with stones that were set up by hand, or somebody moved twice in a row.
        if followed < len(fresh) or (self._board[0] != position.stones).any():
            enter(position.state, self.tables, self._board, self._outputs)
            self._known = None
        return self._outputs

    def move_values(self, position: Position) -> NDArray[np.float64]:
        """[A]: what the board after each move is worth to the side to move; nan if it is not legal."""
        outputs = self.outputs(position)
        values, moves = np.full((1, self.game.actions), np.nan), np.zeros(self.game.actions, np.int64)
        if not position.is_over:
            move_values(position.state, self._board, outputs, self.tables, moves, values)
        return values[0] if position.to_move == WHITE else -values[0]

    def lead(self, position: Position) -> float:
        """What the side to move will be ahead by area, komi included."""
        outputs = self.outputs(position)
        if self.tables.single:
            area = float(self._rewards(position.stones).sum())
        else:
            weights = self._area[position.stones]  # [N, N, 8]
            area = float(np.einsum("rck,krc->", weights[..., :7], outputs[0]) + weights[..., 7].sum())
        return (area + float(self.game.values["komi"])) * (1 if position.to_move == WHITE else -1)

    def value(self, position: Position) -> float:
        """The lead between -1 and 1: one board side ahead is three quarters of a won game."""
        return float(np.tanh(self.lead(position) / self.game.size))

    def policy(self, position: Position, beta: float) -> NDArray[np.float64]:
        """[A]: a move as likely as exp(β R), R being what the board after it is worth; 0 if not legal."""
        moves = self.move_values(position)
        legal = np.isfinite(moves)
        weights = np.zeros(len(moves))
        weights[legal] = np.exp(beta * (moves[legal] - moves[legal].max(initial=-np.inf)))
        return weights / max(weights.sum(), 1e-300)

    def assess(self, position: Position) -> Assessment:
        """The position for the side to move."""
        moves, lead = self.move_values(position), self.lead(position)
        rewards = self._rewards(position.stones)
        return Assessment(
            outputs=self._outputs[0].copy(),
            rewards=rewards if position.to_move == WHITE else -rewards,
            moves=moves,
            lead=lead,
        )

    def _rewards(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        """[N, N], to white."""
        parts = self.tables.parts[board]  # [N, N, USED]
        outputs = np.take_along_axis(self._outputs[0].transpose(1, 2, 0), parts, axis=2)
        weights = self.tables.rewards[board]  # [N, N, USED + 1]
        return (weights[..., :USED] * outputs).sum(axis=2, dtype=np.float64) + weights[..., USED]


def check_go(game: Game) -> None:
    """An error unless the kernels here read the game's states, and its board looks the same from all eight sides."""
    if not game.spec.has_go_rows or game.symmetries != ALL:
        raise EightfoldError(f"an Internal Symmetry Network plays go, not {game.text}")


@kernel
def enter(state: Ints, tables: IsnTables, board: NDArray[np.int8], outputs: NDArray[np.float32]) -> None:
    """The outputs for the start of a game."""
    evaluate_start(state, tables, board, np.zeros(board.shape, np.uint8), outputs)


@kernel
def follow(state: Ints, moves: Ints, tables: IsnTables, board: NDArray[np.int8], outputs: NDArray[np.float32]) -> int:
    """Play moves on `state` as long as they are legal, looking at every position on the way; how many were."""
    classes = np.zeros(board.shape, np.uint8)
    for k in range(len(moves)):
        if not is_legal(state, moves[k]):
            return k
        play(state, moves[k])
        stones(state, board[0])
        evaluate_board(board, tables, classes, outputs)
    return len(moves)
