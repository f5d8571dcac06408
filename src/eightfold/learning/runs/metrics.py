"""`metrics.jsonl`: a line for every round or so, and one for every evaluation.

It tells of no weights that are not on the disk: lines wait for the next save, whose checksums hold them, and are
written when that is done. So after a kill no counter in it goes back, and no line is lost that a save covers.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError, not_written
from eightfold.core.line_file import LineFile, lines_after

METRICS = "metrics.jsonl"


class Metrics:
    def __init__(self, run: Path, mark: Mapping[str, Any] | None = None) -> None:
        """Open or make the file; `mark` is what the last save noted of it."""
        self._run = run
        self._file = LineFile(run / METRICS)
        self._waiting: list[str] = []
        if mark is not None:
            _, written = lines_after(run / METRICS, mark)
            for line in mark.get("then", [])[len(written) :]:
                self._file.add(line)
        self._board = _tensorboard(run)

    def add(self, entry: Mapping[str, Any]) -> None:
        """A line for the next save."""
        self._waiting.append(json.dumps(entry))

    @property
    def mark(self) -> dict[str, Any]:
        """For a save to note: how long the file is, and the lines that the save will let in."""
        return {**self._file.mark, "then": list(self._waiting)}

    def write(self) -> None:
        """After a save: the lines that waited for it."""
        while self._waiting:
            self._file.add(self._waiting[0])
            self._show(json.loads(self._waiting.pop(0)))

    def _show(self, entry: dict[str, Any]) -> None:
        if self._board is None:
            return
        step = int(entry["games"])
        try:
            for name, value in scalars(entry).items():
                self._board.add_scalar(name, value, step)
        except OSError as error:
            raise not_written(f"TensorBoard's events in {self._run}", error.strerror) from None

    def close(self) -> None:
        if self._board is not None:
            with contextlib.suppress(OSError):  # a full disk was told of when it happened
                self._board.close()
        self._file.close()


def check_metrics(run: Path, mark: Mapping[str, Any]) -> list[str]:
    """What has to be said of the file before it goes on; an error if it is damaged."""
    return check_lines(run / METRICS, mark, "the curve begins anew", "begin the curve anew")[0]


def check_lines(path: Path, mark: Mapping[str, Any], then: str, to: str) -> tuple[list[str], list[str]]:
    """What has to be said of a file of lines, and the lines after the mark; an error if it is damaged."""
    fault, lines = lines_after(path, mark)
    if fault and fault != "is missing":
        raise EightfoldError(f"{path} {fault}; all else is intact: put a copy back, or remove it to {to}")
    return [f"{path} {fault}: {then}"] if fault else [], lines


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The entries of a run's metrics; a last line that was cut off by a crash is left out."""
    entries = []
    try:
        for line in (path / METRICS).read_bytes().splitlines():
            entry = read_entry(line)
            if entry is not None:
                entries.append(entry)
    except OSError:
        return []
    return entries


def read_entry(line: bytes) -> dict[str, Any] | None:
    """One line of the file, or None if it is none. What older runs called `strength` is an evaluation."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    older = entry.pop("strength", None)
    if isinstance(older, dict):
        tiers = older.get("tiers")
        tiers = tiers if isinstance(tiers, dict) else {}
        scores = {f"mcts-{playouts}": {"score": score} for playouts, score in tiers.items()}
        entry["evaluation"] = {"mcts": {key: older.get(key) for key in ("score", "ci95", "games")}, **scores}
    return entry


def scalars(entry: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of an entry for TensorBoard; of evaluations `evaluation.mcts-1000.wins` and the like.

    >>> scalars({"games": 3, "evaluation": {"mcts-1000": {"score": 0.5, "draws": 2}, "playouts": 400}})
    {'games': 3, 'evaluation.mcts-1000.draws': 2, 'evaluation.mcts-1000.score': 0.5}
    """
    found = {name: value for name, value in entry.items() if isinstance(value, (int, float))}
    for opponent, figures in entry.get("evaluation", {}).items():
        if isinstance(figures, dict):
            known = (key for key in ("wins", "draws", "losses", "score") if key in figures)
            found |= {f"evaluation.{opponent}.{key}": figures[key] for key in known}
    return found


def _tensorboard(path: Path) -> Any:
    """A writer of TensorBoard's events, or None where tensorboard is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        return None
    from torch.utils.tensorboard import SummaryWriter

    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _thread_failed
    return SummaryWriter(str(path))


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    """TensorBoard writes in a thread of its own, whose full disk is heard of elsewhere; all others end as usual."""
    from_tensorboard = type(failure.thread).__module__.startswith("tensorboard.")
    if not (from_tensorboard and issubclass(failure.exc_type, OSError)):
        threading.__excepthook__(failure)
