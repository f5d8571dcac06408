"""The batch maker: stored samples, in the board's own frame, into what the network trains on.

The training half of a symmetry mode lives here, the other half is the evaluator:

    none            as stored
    augment         a random turn for each sample (of `allowed` symmetries)
    augment-eager   as stored: the eight turns are in the buffer already
    slap            the canonical variant; the target averaged over all symmetries that lead there
    slap-cc         a random turn, then the centred stones beside it
    random, average a random turn for each sample

All of them keep to the symmetries that the game has.

Shapes: B batch, C planes, N board size, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.nets.inference.evaluator import check_mode
from eightfold.symmetry.group import ALL, COUNT, IDENTITY, read_symmetries
from eightfold.symmetry.slap import into_frames, slap_frames
from eightfold.symmetry.slap_cc import slap_cc
from eightfold.symmetry.transform import transform_batch, transform_policies

TURNING = ("augment", "slap-cc", "random", "average")


def check_turns(
    turns: Sequence[int], mode: str, from_game: int = 0, *, symmetries: Sequence[int] = ALL
) -> tuple[int, ...]:
    """The symmetries to draw from, if they are some, if the game has them, and if the mode draws any.

    All eight, which a configuration says that says nothing, are all that the game has.
    """
    if not turns or not set(turns) <= set(range(COUNT)) or len(set(turns)) < len(turns):
        raise EightfoldError(
            f"training.symmetries = {list(turns)} is not a choice of different numbers from 0 to {COUNT - 1}"
        )
    if (len(turns) < COUNT or from_game) and mode not in TURNING:
        raise EightfoldError(
            f"training.symmetries and symmetries_from_game are for {', '.join(TURNING)};"
            f" symmetry mode {mode!r} draws no symmetries"
        )
    lacking = sorted(set(turns) - set(symmetries))
    if lacking and len(turns) < COUNT:
        raise EightfoldError(
            f"training.symmetries = {list(turns)}: the game does not have {', '.join(map(str, lacking))};"
            f" it has {', '.join(map(str, symmetries))}"
        )
    return tuple(g for g in turns if g in symmetries)


def turns_after(games: int, turns: tuple[int, ...], from_game: int) -> tuple[int, ...]:
    """A curriculum: no turn before `from_game`, then one more after another, all after as many games again."""
    if from_game <= 0:
        return turns
    share = games / from_game - 1
    return turns[: max(0, min(len(turns), int(share * len(turns))))] or (IDENTITY,)


class Batch(NamedTuple):
    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]


class ForesightBatch(NamedTuple):
    """The same for a network with foresight."""

    states: NDArray[np.float32]  # [B, C, N, N]
    policies: NDArray[np.float32]  # [B, A]
    values: NDArray[np.float32]  # [B]
    owners: NDArray[np.float32]  # [B, N * N]: 1 the own, -1 the opponent's
    scores: NDArray[np.float32]  # [B] the lead as a share of the board


class BatchMaker:
    def __init__(
        self,
        mode: str,
        *,
        random: np.random.Generator,
        symmetries: Sequence[int] = ALL,  # of the game
        allowed: Sequence[int] = ALL,  # of these, to draw from
    ) -> None:
        self._mode, self._random, self._symmetries = check_mode(mode), random, read_symmetries(symmetries)
        turns = check_turns(allowed, mode, symmetries=self._symmetries)
        self.allowed = np.array(turns, np.int64)  # or a schedule's choice so far

    def make(
        self,
        states: NDArray[np.float32],
        policies: NDArray[np.float32],
        values: NDArray[np.float32],
        owners: NDArray[np.float32] | None = None,
        scores: NDArray[np.float32] | None = None,
    ) -> Batch | ForesightBatch:
        """A batch for the network from samples as they are stored; owners turn as policies do."""
        if self._mode == "slap":
            canonical, _, frames = slap_frames(states, self._symmetries)
            owners = None if owners is None else into_frames(owners, frames)
            return _batch(canonical, into_frames(policies, frames), values, owners, scores)
        if self._mode in TURNING:
            ids = self._random.choice(self.allowed, len(states))
            states, policies, _ = transform_batch(states, policies, ids)
            owners = None if owners is None else transform_policies(owners, states.shape[-1], ids)
        if self._mode == "slap-cc":
            states = slap_cc(states)
        return _batch(states, policies, values, owners, scores)


def _batch(
    states: NDArray[np.float32],
    policies: NDArray[np.float32],
    values: NDArray[np.float32],
    owners: NDArray[np.float32] | None,
    scores: NDArray[np.float32] | None,
) -> Batch | ForesightBatch:
    if owners is None or scores is None:
        return Batch(states, policies, values)
    return ForesightBatch(states, policies, values, owners, scores)
