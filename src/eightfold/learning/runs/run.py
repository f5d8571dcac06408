"""A run is a folder: its configuration, checkpoints, metrics, games and buffer. One process at a time.

config.toml       resolved, with versions
checkpoint/       the newest network, ready to play; with `training.safetensors`, `progress.json` and checksums to go on
metrics.jsonl     one line a round, and one for every evaluation
events.*          the same for TensorBoard, where it is installed
games.jsonl       every finished self-play game
evaluated/        the networks of the last evaluations, which later ones play against
buffer/           the samples
validation/       samples of games that are kept from training
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from eightfold import __version__
from eightfold.config import to_toml
from eightfold.core.errors import EightfoldError, not_written
from eightfold.core.threads import usable_cores
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.runs.checkpointing import Found
from eightfold.learning.runs.fixed import FIXED, check_fixed, load_run_config
from eightfold.learning.runs.lines import LineFile
from eightfold.learning.runs.metrics import METRICS, Metrics, check_lines, check_metrics
from eightfold.learning.runs.metrics import read_metrics as read_metrics  # for whoever has a run
from eightfold.learning.runs.sealed import has_other_files, open_sealed, remove_drafts, save_sealed
from eightfold.nets.store.checkpoint import replace_file
from eightfold.nets.store.description import load_description

CONFIG, GAMES, CHECKPOINT = "config.toml", "games.jsonl", "checkpoint"


class RunFolder:
    """Opens a run for training: makes the folder, or looks whether the one that is there can go on.

    Of a run that goes on nothing is changed until `begin`, except that what a kill interrupted is finished.
    """

    def __init__(self, path: Path, config: TrainConfig) -> None:
        self.path, self._config = path, config
        self.resumed = (path / CONFIG).exists() or (path / CHECKPOINT).is_dir()
        if not self.resumed and path.is_dir() and has_other_files(path):
            raise EightfoldError(f"{path} holds other files and no run; choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the run folder {path}: {error.strerror}") from None
        self._lock = lock_run(path / "lock", path)
        self._metrics: Metrics | None = None
        self._games: LineFile | None = None
        self.notices: list[str] = []
        self.noted: dict[str, Any] = {}  # by the last save
        self.games = 0  # that games.jsonl tells of, and those that were lost from it
        try:
            if self.resumed:
                self._take_up()
            else:
                remove_drafts((path,))
                self._write_config()
        except BaseException:
            self._lock.close()
            raise

    def _take_up(self) -> None:
        path = self.path
        self._check_config()
        seal = open_sealed(self.checkpoint)
        remove_drafts((path, self.checkpoint))
        self.noted = {} if seal is None else seal.notes
        self._marks: dict[str, Any] = {METRICS: self.noted.get(METRICS), GAMES: self.noted.get(GAMES)}
        self.notices += check_metrics(path, self._marks[METRICS] or {})
        found, lines = check_lines(
            path / GAMES,
            self._marks[GAMES] or {},
            "its games are lost, the samples are kept",
            "go on without its games",
        )
        self.notices += found
        self.games = int((self._marks[GAMES] or {}).get("games", 0)) + len(lines)
        self.found = Found(path, seal, read_metrics(path))
        self.notices += self.found.notices
        self.found.notices = self.notices

    def _check_config(self) -> None:
        path = self.path / CONFIG
        if path.exists():
            remedy = "remove it to go on with the settings of this command"
            check_fixed(load_run_config(TrainConfig(), path, remedy), self._config, FIXED, self.path)
            return
        description = load_description(self.checkpoint)
        for key in ("game", "network", "encoder", "symmetry"):
            before, now = getattr(description, key), getattr(self._config, key)
            if before != (make_game(now).text if key == "game" else now):
                raise EightfoldError(f"the network in {self.checkpoint} is of {key} = {before!r}, not {now!r}")
        self.notices.append(f"{path} is missing: it is written anew from the settings of this command")

    def begin(self, missing_games: Iterable[Mapping[str, Any]] = ()) -> None:
        """All is well: write down the settings, which may have changed, and go on."""
        marks = self._marks if self.resumed else {METRICS: None, GAMES: None}
        if self.resumed:
            self._write_config()
        self._metrics = Metrics(self.path, marks[METRICS], board=True)
        self._games = LineFile(self.path / GAMES)
        for game in missing_games:
            self._games.add(json.dumps(game))

    def _write_config(self) -> None:
        replace_file(self.path / CONFIG, to_toml(self._config, run_notes()).encode())

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    def note(self, entry: dict[str, Any]) -> None:
        """A line for metrics.jsonl and TensorBoard; it waits for the next save."""
        assert self._metrics is not None
        self._metrics.add(entry)

    def keep_game(self, game: Mapping[str, Any]) -> None:
        assert self._games is not None
        self._games.add(json.dumps(game))

    def marks(self, games: int) -> dict[str, Any]:
        """How far the files of lines are, for a save to note; so many games have been kept."""
        assert self._games is not None
        assert self._metrics is not None
        return {METRICS: self._metrics.mark, GAMES: {**self._games.mark, "games": games}}

    def save(self, files: Mapping[str, bytes], marks: Mapping[str, Any]) -> None:
        """A checkpoint, and after it the metrics that tell of it."""
        assert self._games is not None
        assert self._metrics is not None
        self._games.sync()
        save_sealed(self.checkpoint, files, notes=marks)
        self._metrics.write()

    def close(self) -> None:
        if self._metrics is not None:
            self._metrics.close()
        if self._games is not None:
            self._games.close()
        self._lock.close()


def lock_run(path: Path, run: Path) -> IO[str]:
    """The lock of a run, held as long as the file is open; an error if another process holds it."""
    try:
        file = open(path, "a", encoding="utf-8")  # noqa: SIM115 - held as long as the run is open
    except OSError as error:
        raise not_written(path, error.strerror) from None
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # no such lock on this system
    except OSError:
        file.close()
        raise EightfoldError(f"the run {run} is in use by another process") from None
    return file


def run_notes() -> dict[str, str]:
    """How a run came about."""
    return {
        "version": __version__,
        "commit": os.environ.get("EIGHTFOLD_COMMIT", _commit()),
        "python": platform.python_version(),
        "machine": this_machine(),
        "written": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def this_machine() -> str:
    """What kind of machine this is, and how many cores a run has on it."""
    return f"{platform.machine()}, {usable_cores()} cores"


def _commit() -> str:
    """The commit of the source tree, where it is one."""
    head = Path(__file__).parents[4] / ".git" / "HEAD"
    try:
        text = head.read_text().strip()
        if text.startswith("ref: "):
            text = (head.parent / text[5:]).read_text().strip()
        return text[:12]
    except OSError:
        return ""
