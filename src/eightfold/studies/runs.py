"""Runs of self-play inside a study: trained a round at a time, with what they cost, and going on after a kill.

What a run has cost is its processor time, or on a GPU the time that passed; saving and measuring are left out, and on a
GPU getting ready too, most of which is compiling. The cost is noted in `metrics.jsonl` with every round, which is
written with the checkpoint of the same moment. So a run that is killed goes on with the cost of the weights that it
goes on with, and loses a second or a round.

Networks that are measured later are kept as they are, without what further training would need.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eightfold.config import with_changes
from eightfold.learning.config import TrainConfig
from eightfold.learning.gpu_loop import training_of
from eightfold.learning.runs.folder import CONFIG, GAMES
from eightfold.learning.runs.metrics import METRICS, read_metrics
from eightfold.learning.runs.torch_globals import with_half_of_the_cores, with_short_turns
from eightfold.nets.store.checkpoint import save_checkpoint

SNAPSHOTS = "snapshots"
SAVE_SECONDS = 1.0  # that a kill may cost; a round comes on top
COST, SIMULATIONS = "cost_seconds", "simulations"  # in the lines of metrics.jsonl
FEW = ("selfplay.parallel_games=2", "selfplay.playouts=2", "training.games_a_round=1", "training.batch_size=2")


class TimedRun:
    """A run that is trained a round at a time, with the time that it has used."""

    def __init__(self, config: TrainConfig, folder: Path, *, spent: float = 0.0, goes_on: bool = False) -> None:
        """`spent`: seconds that were needed before it could begin. With `goes_on` it takes up what lies in the folder;
        else that is removed: what a stopped part left, whose time was not kept."""
        if not goes_on:
            shutil.rmtree(folder, ignore_errors=True)
        on_cpu = config.device == "cpu"
        self._clock: Callable[[], float] = time.process_time if on_cpu else time.perf_counter
        begun = self._clock()
        self.run, self._folder = training_of(config, folder), folder
        known = [entry for entry in read_metrics(folder) if COST in entry]
        if not self.run.folder.has_checkpoint:
            self.run.save()
        self.run.prepare()
        self.seconds = known[-1][COST] if known else spent + (self._clock() - begun if on_cpu else 0.0)
        self.simulations = known[-1][SIMULATIONS] if known else 0
        self._saved = time.monotonic()
        self._losses: dict[str, float] = {}

    def step(self) -> dict[str, Any]:
        """One round; what the run says of it."""
        simulations = self.run.players.simulations
        entry = self._timed(self.run.train_round)
        self.simulations += self.run.players.simulations - simulations
        self._note(entry)
        if time.monotonic() - self._saved > SAVE_SECONDS:
            self._save()
        return entry

    def wind_up(self) -> None:
        """The steps that the last games have earned."""
        entry = self._timed(self.run.wind_up)
        if entry is not None:
            self._note(entry)

    def _timed(self, work: Callable[[], Any]) -> Any:
        begun = self._clock()
        with with_half_of_the_cores(), with_short_turns():
            found = work()
        self.seconds += self._clock() - begun
        return found

    def _note(self, entry: dict[str, Any]) -> None:
        self.run.folder.log({**entry, COST: self.seconds, SIMULATIONS: self.simulations})
        self._losses = {name: entry[name] for name in ("policy_loss", "value_loss") if name in entry}

    def _save(self) -> None:
        self.run.save()
        self._saved = time.monotonic()

    def keep(self, name: str) -> dict[str, Any]:
        """Keep the present network under a name; what is known of this moment."""
        self._save()
        save_checkpoint(self._folder / SNAPSHOTS / name, self.run.trainer.playing, self.run.description)
        progress, health = self.run.progress, self.run.monitor
        figures = health.figures()
        return {
            "games": progress.games,
            "samples": progress.samples,
            "steps": progress.steps,
            "seconds": self.seconds,
            "simulations": self.simulations,
            "minutes": progress.seconds / 60,
            "rate_factor": progress.rate_factor,
            **self._losses,
            "game_length": figures.get("game_length"),
            "distinct_games": figures.get("distinct_games"),
            "warnings": health.warnings(),
        }

    def leave(self) -> None:
        """End for now: all that going on needs stays."""
        self._save()
        self.run.close()

    def close(self, *, keep: tuple[str, ...] = (SNAPSHOTS, GAMES, CONFIG, METRICS)) -> None:
        """End the run; of its folder the networks, the games, the metrics and the settings stay."""
        self.run.close()
        clear(self._folder, keep=keep)


def clear(folder: Path, *, keep: tuple[str, ...]) -> None:
    """Remove all of a folder but the names to keep."""
    for path in folder.iterdir():
        if path.name in keep:
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def warm_up(config: TrainConfig, folder: Path) -> None:
    """Compile what a run needs, so that no arm pays for it."""
    run = TimedRun(with_changes(config, FEW), folder)
    try:
        for _ in range(2):
            run.step()
    finally:
        run.run.close()
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def warm_up_once(config: TrainConfig) -> None:
    """The same once in a process for the runs of a configuration, in a folder that nobody sees."""
    with tempfile.TemporaryDirectory(prefix="eightfold-") as folder:
        warm_up(config, Path(folder) / "warm-up")


def network_place(output: Path, place: str, name: str) -> Path:
    """Where a kept network lies: the study's folder, the run's place in it, and the network's name."""
    return output / place / SNAPSHOTS / name
