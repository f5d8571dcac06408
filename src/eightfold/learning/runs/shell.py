"""The shell around an algorithm that trains: folder, settings, stopping and going on, metrics, checkpoints, limits.

    settings checked -> folder opened and locked -> state of the last checkpoint restored
    -> rounds until minutes or games are used up or `stop` is called; a checkpoint every few seconds -> last checkpoint

An algorithm is a subclass of `Run` that says what its state is (`build`, `restore`, `checkpoint`) and what a round does
(`train_round`): self-play with a search is `learning/loop.py`, TD(λ) is `learning/td/loop.py`. A run that is killed at
any moment goes on from its last checkpoint.

Read before: `folder.py` (what is on the disk). Read next: `../commands.py` (signals, and what people are told).
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from eightfold.learning.runs.folder import Layout, RunFolder
from eightfold.learning.runs.progress import Limits, Progress

SAVE_SECONDS = 15.0  # of training may pass until weights are on the disk; a step and the saving come on top
FIRST_SECONDS = 0.5

Config = TypeVar("Config", bound=Limits)
Entry = dict[str, Any]
Report = Callable[[Entry], None]


class SaveSchedule:
    """When to save: soon after a launch, then after twice the time, up to `SAVE_SECONDS`.

    So a run that is killed every few seconds keeps most of its training, and a long one writes no more than it must.
    """

    def __init__(self) -> None:
        self._began = self._saved = time.monotonic()

    def begin(self) -> None:
        self._began = self._saved = time.monotonic()

    def saved(self) -> None:
        self._saved = time.monotonic()

    @property
    def due(self) -> bool:
        wait = min(SAVE_SECONDS, max(FIRST_SECONDS, self._saved - self._began))
        return time.monotonic() - self._saved >= wait


class Run(ABC, Generic[Config]):
    """One run of training, from its settings and a folder that is made or goes on."""

    layout: ClassVar[Layout]
    measuring = False  # while something goes on that takes long and changes nothing

    def __init__(self, config: Config, path: Path) -> None:
        self.config = config
        self._stop = threading.Event()
        self._schedule = SaveSchedule()
        self.build()
        self.folder = RunFolder(path, self.config, self.layout)
        try:
            self.folder.begin(self.restore())
        except BaseException:
            self.close()
            raise

    # ---- what an algorithm says -----------------------------------------------------------------------

    @abstractmethod
    def build(self) -> None:
        """Check the settings and make what trains; there is no folder yet, and after an error there will be none.

        It may also complete `self.config`, which the folder then keeps.
        """

    @abstractmethod
    def restore(self) -> Iterable[Mapping[str, Any]]:
        """Put the state of the last checkpoint in place; lines that games.jsonl lacks. After an error all is as it was.

        `self.folder` tells whether the run goes on, what of its checkpoint is whole, and takes notices for people.
        """

    @abstractmethod
    def train_round(self) -> Entry | None:
        """Play and learn for a while; a line for the metrics, if it is time for one."""

    @abstractmethod
    def checkpoint(self) -> tuple[dict[str, bytes], dict[str, Any]]:
        """The state as files by their names, and `folder.marks` of the same moment."""

    @property
    @abstractmethod
    def progress(self) -> Progress:
        """How far the run is."""

    def prepare(self) -> None:
        """What comes before the first round and is not charged to it."""

    def after_round(self, report: Report) -> None:
        """What comes between two rounds."""

    def wind_up(self) -> Entry | None:
        """What is still to be done when the limits are reached; a line for the metrics, if it was anything."""
        return None

    @property
    def save_is_due(self) -> bool:
        return self._schedule.due

    # ---- the shell --------------------------------------------------------------------------------------

    def train(self, report: Report = lambda entry: None) -> None:
        """Rounds until the time or the games are used up, or `stop` is called."""
        if self.folder.notices or not self.folder.has_checkpoint:
            self.save()  # from here on there is a checkpoint, and what was mended stays so
        self.prepare()
        self._schedule.begin()
        while not self.stopped and self.done < 1:
            self._tell(self.train_round(), report)
            if self.save_is_due:
                self.save()
            self.after_round(report)
        if not self.stopped:
            self._tell(self.wind_up(), report)
        self.save()

    def _tell(self, entry: Entry | None, report: Report) -> None:
        if entry is not None:
            self.folder.log(entry)
            report(entry)

    @property
    def done(self) -> float:
        """How much of the run's time or games is used up; at 1 it is over."""
        return self.progress.done(self.config)

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the loop to end and save; it begins nothing more that takes long."""
        self._stop.set()

    def save(self) -> None:
        """A checkpoint: the network for playing, and what going on needs, all of one moment."""
        self.folder.save(*self.checkpoint())
        self._schedule.saved()

    def close(self) -> None:
        self.folder.close()
