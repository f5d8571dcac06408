"""A training sample and a batch of them: the two records that pass between self-play, buffer, batch maker and trainer.

A `Sample` is one position in the board's own frame and what the network is to say of it. A `Batch` holds many as
arrays: as they are stored when it comes from the buffer, in the network's frame when it comes from the batch maker.

    >>> states, policies, values, last_moves = Batch.of([Sample(np.zeros((2, 3, 3)), np.full(9, 1 / 9), 1.0, (0, 2))])
    >>> states.shape, policies.shape, values.tolist(), last_moves.tolist()
    ((1, 2, 3, 3), (1, 9), [1.0], [[0, 2]])

Shapes: B batch, C planes, N board size, A actions. Read next: `record.py` (samples of a game), `buffer.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.symmetry.transform import transform_batch, transform_policies

NO_MOVE = (-1, -1)


@dataclass(frozen=True, slots=True)
class Sample:
    """One position, for the side to move."""

    state: NDArray[Any]  # [C, N, N] planes of the encoder
    policy: NDArray[Any]  # [A]
    value: float
    last_move: tuple[int, int] | None = None  # row and column; None at the start and after a pass
    player: int = 0
    extra: Any = None  # whatever JSON can hold
    ownership: NDArray[np.int8] | None = None  # [N * N] of the finished game: 1 own, -1 the opponent's, 0 nobody's
    score: float | None = None  # the lead at its end, as a share of the board
    next_move: int | None = None  # the action that the opponent played next; None: not known, or the game was over


@dataclass(frozen=True)
class SampleShape:
    """What all samples of a buffer have in common."""

    state: tuple[int, ...]  # C, N, N
    actions: int
    auxiliary: bool = False  # whether ownership and score are kept
    next_moves: bool = False  # whether the move that was played next is

    def __post_init__(self) -> None:
        points = self.state[1] ** 2 if len(self.state) == 3 and self.state[1] == self.state[2] else -1
        if points < 0 or self.actions not in (points, points + 1):
            raise EightfoldError(
                f"a state {self.state} with a policy ({self.actions},) is not [C, N, N] with [N*N] or [N*N+1]"
            )

    @property
    def points(self) -> int:
        return self.state[1] * self.state[2]


@dataclass(frozen=True)
class Batch:
    """Samples as arrays; unpacking gives the first four, which every buffer has."""

    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]
    last_moves: NDArray[np.int64] | None = None  # [B, 2], (-1, -1) for none; the trainer does without
    ownership: NDArray[np.float32] | None = None  # [B, N * N], where the auxiliary targets are kept
    scores: NDArray[np.float32] | None = None  # [B], the same
    next_moves: NDArray[np.float32] | None = None  # [B, A], 1 for the move played next, all 0 where none is known

    @classmethod
    def of(cls, samples: Sequence[Sample], *, auxiliary: bool = False, next_moves: bool = False) -> Batch:
        """Samples of one shape in their order, with the auxiliary targets if they are wanted."""
        following = None
        if next_moves:
            known = [-1 if sample.next_move is None else sample.next_move for sample in samples]
            following = one_hot_rows(np.array(known, np.int64), len(samples[0].policy) if samples else 0)
        return cls(
            np.array([sample.state for sample in samples], np.float32),
            np.array([sample.policy for sample in samples], np.float32),
            np.array([sample.value for sample in samples], np.float32),
            np.array([sample.last_move or NO_MOVE for sample in samples], np.int64).reshape(len(samples), 2),
            np.array([sample.ownership for sample in samples], np.float32) if auxiliary else None,
            np.array([sample.score for sample in samples], np.float32) if auxiliary else None,
            following,
        )

    @classmethod
    def joined(cls, *batches: Batch) -> Batch:
        """Several batches of one kind as one."""
        if len(batches) == 1:
            return batches[0]
        columns = [[getattr(batch, field.name) for batch in batches] for field in fields(cls)]
        whole: list[Any] = [None if parts[0] is None else np.concatenate(parts) for parts in columns]
        return cls(*whole)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        assert self.last_moves is not None, "a batch for the trainer has no last moves"
        return iter((self.states, self.policies, self.values, self.last_moves))

    def part(self, chosen: slice | NDArray[np.int64]) -> Batch:
        """Some of the samples, or some of them more than once."""
        columns = [getattr(self, field.name) for field in fields(self)]
        picked: list[Any] = [None if column is None else column[chosen] for column in columns]
        return Batch(*picked)

    def transformed(self, ids: NDArray[np.int64]) -> Batch:
        """Every sample under the symmetry of its number [B]: planes, policy, moves and ownership together."""
        transformed = transform_batch(self.states, self.policies, ids, self.last_moves)
        moves = None if transformed.last_moves is None else np.asarray(transformed.last_moves)
        turned = replace(self, states=transformed.states, policies=transformed.policies, last_moves=moves)
        return turned.with_targets(lambda target: transform_policies(target, self.states.shape[-1], ids))

    def with_targets(self, turn: Callable[[NDArray[np.float32]], NDArray[np.float32]]) -> Batch:
        """The auxiliary targets that have a number for each point or action, turned as policies are."""
        ownership = None if self.ownership is None else turn(self.ownership)
        next_moves = None if self.next_moves is None else turn(self.next_moves)
        return replace(self, ownership=ownership, next_moves=next_moves)


def one_hot_rows(moves: NDArray[np.integer], actions: int) -> NDArray[np.float32]:
    """A row for each move [B, A], all zeros for a negative one.

    >>> one_hot_rows(np.array([1, -1]), 3).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    rows, known = np.zeros((len(moves), actions), np.float32), np.flatnonzero(moves >= 0)
    rows[known, moves[known]] = 1
    return rows
