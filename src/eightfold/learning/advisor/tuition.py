"""The part of a run that learns from an advisor (Zhao & Zhang, section 3.4.1).

A new run opens the advisor and copies its samples into a buffer of its own, `advice/`, which is all that it needs from
then on. The first stage passes over them `advisor.epochs` times. Then self-play begins, and a share of every batch,
which falls to nothing over `advisor.share_games` games, still comes from the advisor.

Read before: `opening.py`, `targets.py`. Read next: `../loop.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from eightfold.config import load_config
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.games.game import Game
from eightfold.learning.advisor.opening import Advisor, open_advisor
from eightfold.learning.advisor.targets import advised_samples
from eightfold.learning.checkpointing import SelfPlayProgress
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch
from eightfold.learning.runs.folder import CONFIG


@dataclass(frozen=True)
class _Stored:
    """What goes into the buffer with the samples of a game: how many games it has by now, of how many, and whose."""

    stored: int = 0
    games: int = 0
    source: str = ""


class Tuition:
    """Made before the run has a folder: a new run's advisor is opened at once, so that a bad one is refused in time.

    A run that goes on has noted the digest of what it learned from, and does not ask whether that is still there.
    """

    buffer: DataBuffer  # the run's own copy of the samples, from when it has a folder

    def __init__(self, config: TrainConfig, run: Path, game: Game, *, auxiliary: bool) -> None:
        self._game, self._auxiliary = game, auxiliary
        self._advisor: Advisor | None = None
        self._order: tuple[int, Ints] = (-1, np.zeros(0, np.int64))  # of an epoch
        self.config, kept = config, run / CONFIG
        if kept.is_file():
            digest = load_config(TrainConfig(), kept).advisor.digest  # if the folder is another, the run is refused
        else:
            self._advisor = self._open()
            digest = self._advisor.digest
        self.config = replace(config, advisor=replace(config.advisor, digest=digest))

    def _open(self) -> Advisor:
        return open_advisor(self.config.advisor, self._game, to_the_end=self._auxiliary)

    @property
    def notices(self) -> Sequence[str]:
        return () if self._advisor is None else self._advisor.notices

    @property
    def source(self) -> str:
        """Who taught the samples."""
        return self._state.source or self.config.advisor.folder

    @property
    def _state(self) -> _Stored:
        return _Stored(**json.loads(self.buffer.note)) if self.buffer.note else _Stored()

    @property
    def _is_whole(self) -> bool:
        """Whether the run has all samples of its advisor."""
        return 0 < self._state.games == self._state.stored

    def losses(self, progress: SelfPlayProgress) -> list[str]:
        """What is to be said of a run that goes on without the samples it once had."""
        if not progress.advised or self._is_whole:
            return []
        try:
            self._advisor = self._advisor or self._open()
        except EightfoldError as error:
            return [f"the samples of the advisor are gone, and the run goes on without: {error}"]
        return []

    # ---- its samples ------------------------------------------------------------------------------------

    def prepare(self, progress: SelfPlayProgress) -> None:
        """Copy the samples of games that the run does not have yet, each game in one transaction.

        Where neither they nor the advisor are there any more, a run that has heard it goes on without.
        """
        if self._is_whole:
            self._settle(progress)
            return
        try:
            advisor = self._advisor or self._open()
        except EightfoldError:
            if not progress.advised:
                raise
            return
        settings = self.config.advisor
        for number in range(self._state.stored, len(advisor.games)):
            played = advisor.games[number]
            samples = advised_samples(
                played,
                played.replay(self._game),
                encoder=self.config.encoder,
                targets=settings.targets,
                temperature=settings.softmax_temperature,
                discount=settings.discount,
                auxiliary=self._auxiliary,
                next_moves=self.buffer.next_moves,
            )
            note = _Stored(number + 1, len(advisor.games), advisor.source)
            self.buffer.add_data(samples, note=json.dumps(asdict(note)))
        self._advisor = None  # its games are not needed any more
        self._settle(progress)

    @property
    def samples(self) -> int:
        """Different samples; variants that are stored too do not count."""
        return len(self.buffer) // self.buffer.variants

    def share_of(self, batch_size: int, games: int) -> int:
        """How many samples of a batch are the advisor's after so many games of self-play."""
        settings = self.config.advisor
        left = 1 - games / settings.share_games if settings.share_games else 0.0
        return round(batch_size * settings.share * max(0.0, left)) if len(self.buffer) else 0

    def draw(self, count: int) -> Batch:
        return self.buffer.sample_stored(count)

    # ---- the first stage --------------------------------------------------------------------------------

    def next_batch(self, progress: SelfPlayProgress) -> Batch:
        """The batch of the next step: every epoch has an order of its own."""
        epoch, place = divmod(progress.from_advisor, self.samples)
        if self._order[0] != epoch:
            order = np.random.default_rng([self.config.seed, epoch]).permutation(len(self.buffer))[: self.samples]
            self._order = epoch, order
        return self.buffer.read(self._order[1][place : place + self.config.training.batch_size])

    def count_step(self, progress: SelfPlayProgress) -> None:
        """A step was taken on `next_batch`."""
        left = self.samples - progress.from_advisor % self.samples  # of this epoch
        progress.from_advisor += min(self.config.training.batch_size, left)
        progress.advised_steps += 1
        progress.steps += 1
        self._settle(progress)

    def _settle(self, progress: SelfPlayProgress) -> None:
        """Whether the stage is over."""
        over = progress.from_advisor >= self.config.advisor.epochs * self.samples
        progress.advised = max(progress.advised, int(over))

    def epoch(self, progress: SelfPlayProgress) -> float:
        """Passes over the advisor's samples, whatever the size of the batches was."""
        return progress.from_advisor / self.samples
