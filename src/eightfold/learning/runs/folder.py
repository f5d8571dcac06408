"""A run is a folder: its settings, checkpoint, metrics, and what the algorithm adds. One process at a time.

config.toml       resolved, with versions
lock              held by the process that trains
metrics.jsonl     a line for every round or so, and one for every evaluation
events.*          the same for TensorBoard, where it is installed
network.safetensors, training.safetensors, progress.json, checksums.json, ...
                  the newest network and what going on needs, saved together (`atomic_save.py`); in `checkpoint/` or
                  in the folder itself, as the algorithm's `Layout` says
games.jsonl       every finished self-play game, where the algorithm keeps them

Read next: `shell.py`, which trains in such a folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold.config import to_toml
from eightfold.core.errors import EightfoldError
from eightfold.core.files import replace_file
from eightfold.core.line_file import LineFile
from eightfold.core.lock import lock_folder
from eightfold.learning.runs.atomic_save import (
    CHECKSUMS,
    Checksums,
    has_other_files,
    open_saved,
    remove_drafts,
    save_together,
)
from eightfold.learning.runs.fixed_settings import check_fixed, load_run_config
from eightfold.learning.runs.metrics import METRICS, Metrics, check_lines, check_metrics
from eightfold.learning.runs.provenance import run_notes

CONFIG, GAMES = "config.toml", "games.jsonl"
NETWORK, TRAINING, PROGRESS = "network.safetensors", "training.safetensors", "progress.json"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the folders of one algorithm's runs have of their own."""

    command: str  # that begins such runs
    defaults: Any  # the settings, each at its default
    fixed: Mapping[str, str]  # settings that may not change while a run goes on, and why
    remedy: str  # what to do about a config.toml that cannot be read; {run} is the folder
    checkpoint: str = ""  # the subfolder of the files that are saved together; none: the run's own folder
    kept: str = ""  # the subfolder whose files stay from save to save
    games: bool = False  # whether games.jsonl is kept
    check_checkpoint: Callable[[Path, Any], None] | None = None  # for a lost config.toml; None: it must be there


class RunFolder:
    """Opens a run for training: makes the folder, or finds out whether the one that is there can go on.

    Of a run that goes on nothing is changed until `begin`, except that what a kill interrupted is finished.
    """

    def __init__(self, path: Path, config: Any, layout: Layout) -> None:
        self.path, self._config, self._layout = path, config, layout
        self.checkpoint = path / layout.checkpoint
        has_config, may_lack_it = (path / CONFIG).exists(), layout.check_checkpoint is not None
        self.resumed = has_config or (may_lack_it and self.checkpoint.is_dir())
        if not self.resumed and path.is_dir() and has_other_files(path):
            lost = (self.checkpoint / PROGRESS).exists()
            also = f", and its {CONFIG} is missing: put it back or" if lost else ";"
            raise EightfoldError(f"{path} holds other files and no run{also} choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the run folder {path}: {error.strerror}") from None
        self._lock = lock_folder(path, "run")
        self._metrics: Metrics | None = None
        self._games: LineFile | None = None
        self.notices: list[str] = []  # what has to be said of a run that goes on
        self.checksums = Checksums(self.checkpoint)
        self.has_checkpoint = False
        self.games = 0  # that games.jsonl tells of, and those that were lost from it
        try:
            if self.resumed:
                self._examine()
            else:
                remove_drafts((path,))
                self._write_config()
        except BaseException:
            self._lock.close()
            raise

    def _examine(self) -> None:
        """Whether the settings, the checksums and the files of lines are whole and fit."""
        path, layout = self.path, self._layout
        self._check_config()
        checksums = open_saved(self.checkpoint)
        remove_drafts({path, self.checkpoint, self.checkpoint / layout.kept})
        there = any((self.checkpoint / name).exists() for name in (NETWORK, TRAINING, PROGRESS))
        self.has_checkpoint = there or checksums is not None
        if there and checksums is None:
            self.notices.append(
                f"{self.checkpoint / CHECKSUMS} is missing: the files beside it are taken as they are, unchecked"
            )
        self.checksums = checksums or self.checksums
        marks = self.checksums.notes
        self.notices += check_metrics(path, marks.get(METRICS) or {})
        if layout.games:
            mark = marks.get(GAMES) or {}
            lost, instead = "its games are lost, the samples are kept", "go on without its games"
            found, lines = check_lines(path / GAMES, mark, lost, instead)
            self.notices += found
            self.games = int(mark.get("games", 0)) + len(lines)

    def _check_config(self) -> None:
        path, layout = self.path / CONFIG, self._layout
        if path.exists():
            remedy = layout.remedy.format(run=self.path)
            old = load_run_config(layout.defaults, path, command=layout.command, remedy=remedy)
            check_fixed(old, self._config, layout.fixed, self.path)
            return
        assert layout.check_checkpoint is not None
        layout.check_checkpoint(self.checkpoint, self._config)
        self.notices.append(f"{path} is missing: it is written anew from the settings of this command")

    def begin(self, missing_games: Iterable[Mapping[str, Any]] = ()) -> None:
        """All is well: write down the settings, which may have changed, and go on."""
        if self.resumed:
            self._write_config()
        self._metrics = Metrics(self.path, self.checksums.notes.get(METRICS))
        if self._layout.games:
            self._games = LineFile(self.path / GAMES)
        self.log_games(list(missing_games))

    def _write_config(self) -> None:
        replace_file(
            self.path / CONFIG, to_toml(self._config, {"command": self._layout.command, **run_notes()}).encode()
        )

    def log(self, entry: Mapping[str, Any]) -> None:
        """A line for metrics.jsonl and TensorBoard; it waits for the next save."""
        assert self._metrics is not None
        self._metrics.add(entry)

    def log_games(self, games: Sequence[Mapping[str, Any]]) -> None:
        """Lines for games.jsonl, at once and all of them or none."""
        if games:
            assert self._games is not None
            self._games.add("\n".join(map(json.dumps, games)))

    def marks(self, games: int = 0) -> dict[str, Any]:
        """How far the files of lines are, for a save to note; so many games have been kept."""
        assert self._metrics is not None
        marks: dict[str, Any] = {METRICS: self._metrics.mark}
        return marks if self._games is None else {**marks, GAMES: {**self._games.mark, "games": games}}

    def save(self, files: Mapping[str, bytes], marks: Mapping[str, Any]) -> None:
        """A checkpoint, and after it the metrics that tell of it."""
        assert self._metrics is not None
        if self._games is not None:
            self._games.sync()
        kept = f"{self._layout.kept}/"
        earlier = {name: entry for name, entry in self.checksums.files.items() if name.startswith(kept)}
        self.checksums = save_together(self.checkpoint, files, notes=marks, also=earlier)
        self._metrics.write()

    def close(self) -> None:
        if self._metrics is not None:
            self._metrics.close()
        if self._games is not None:
            self._games.close()
        self._lock.close()
