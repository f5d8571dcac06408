"""The batch maker: stored samples, in the board's own frame, into what the network trains on.

The training half of a symmetry mode lives here, the other half is the evaluator:

    none            as stored
    augment         a random symmetry for each sample (of the `allowed` ones)
    augment-eager   as stored: all eight variants are in the buffer already
    slap            the canonical variant; the target averaged over all symmetries that lead there
    slap-cc         a random symmetry, then the centred stones beside it
    random, average a random symmetry for each sample

All of them keep to the symmetries that the game has.

Read before: `sample.py` (the record). Read next: `../trainer.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.learning.data.sample import Batch
from eightfold.nets.inference.evaluator import check_mode
from eightfold.symmetry.group import ALL, COUNT, IDENTITY, read_symmetries
from eightfold.symmetry.slap import into_frames, slap_frames
from eightfold.symmetry.slap_cc import slap_cc

DRAWING = ("augment", "slap-cc", "random", "average")  # modes that draw a symmetry for each sample


def check_symmetries(
    symmetries: Sequence[int], mode: str, from_game: int = 0, *, of_game: Sequence[int] = ALL
) -> tuple[int, ...]:
    """The symmetries to draw from, if they are some, if the game has them, and if the mode draws any.

    All eight, which a configuration says that says nothing, are all that the game has.
    """
    if not symmetries or not set(symmetries) <= set(range(COUNT)) or len(set(symmetries)) < len(symmetries):
        raise EightfoldError(
            f"training.symmetries = {list(symmetries)} is not a choice of different numbers from 0 to {COUNT - 1}"
        )
    if (len(symmetries) < COUNT or from_game) and mode not in DRAWING:
        raise EightfoldError(
            f"training.symmetries and symmetries_from_game are for {', '.join(DRAWING)};"
            f" symmetry mode {mode!r} draws no symmetries"
        )
    lacking = sorted(set(symmetries) - set(of_game))
    if lacking and len(symmetries) < COUNT:
        raise EightfoldError(
            f"training.symmetries = {list(symmetries)}: the game does not have {', '.join(map(str, lacking))};"
            f" it has {', '.join(map(str, of_game))}"
        )
    return tuple(g for g in symmetries if g in of_game)


def symmetries_after(games: int, symmetries: tuple[int, ...], from_game: int) -> tuple[int, ...]:
    """A curriculum: the identity before `from_game`, then one more after another, all after as many games again."""
    if from_game <= 0:
        return symmetries
    share = games / from_game - 1
    return symmetries[: max(0, min(len(symmetries), int(share * len(symmetries))))] or (IDENTITY,)


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
        drawn = check_symmetries(allowed, mode, of_game=self._symmetries)
        self.allowed = np.array(drawn, np.int64)  # or a schedule's choice so far

    @property
    def draws(self) -> bool:
        """Whether every sample gets a symmetry by chance."""
        return self._mode in DRAWING

    def draw(self, size: int | tuple[int, ...]) -> NDArray[np.int64]:
        """Symmetries for so many samples, from those that are allowed."""
        return self._random.choice(self.allowed, size)

    def make(self, stored: Batch) -> Batch:
        """A batch for the network from samples as they are stored; other targets are transformed as policies are."""
        batch = replace(stored, last_moves=None)  # no loss asks for them
        if self._mode == "slap":
            canonical, _, frames = slap_frames(batch.states, self._symmetries)
            turned = replace(batch, states=canonical, policies=into_frames(batch.policies, frames))
            return turned.with_targets(lambda target: into_frames(target, frames))
        if self.draws:
            batch = batch.transformed(self.draw(len(batch)))
        return replace(batch, states=slap_cc(batch.states)) if self._mode == "slap-cc" else batch
