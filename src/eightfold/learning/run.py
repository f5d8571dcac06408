"""A run is a folder: its configuration, checkpoints, metrics, games and buffer. One process at a time.

config.toml       resolved, with versions
checkpoint/       the newest network, ready to play; with `training.safetensors` and `progress.json` to go on
metrics.jsonl     one line a round, and one for every evaluation
events.*          the same for TensorBoard, where it is installed
games.jsonl       every finished self-play game
buffer/           the samples
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import threading
import time
from pathlib import Path
from typing import IO, Any

from eightfold import __version__
from eightfold.config import TrainConfig, load_config, to_toml
from eightfold.errors import EightfoldError, not_written
from eightfold.nets.checkpoint import replace_file
from eightfold.threads import usable_cores


class RunFolder:
    """Opens a run for training: makes the folder, or takes up the one that is there."""

    def __init__(self, path: Path, config: TrainConfig) -> None:
        self.path = path
        self.resumed = (path / "config.toml").exists()
        if not self.resumed and path.is_dir() and any(entry.name != "lock" for entry in path.iterdir()):
            raise EightfoldError(f"{path} holds other files and no run; choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the run folder {path}: {error.strerror}") from None
        self._lock = lock_run(path / "lock", path)
        try:
            if self.resumed:
                _check_same(load_config(path / "config.toml"), config, path)
            # Written anew on a resumption too: minutes and games may have grown.
            replace_file(path / "config.toml", to_toml(config, run_notes()).encode())
            self._metrics, self._games = LineFile(path / "metrics.jsonl"), LineFile(path / "games.jsonl")
            self._board = _tensorboard(path)
        except BaseException:
            self._lock.close()
            raise

    @property
    def checkpoint(self) -> Path:
        return self.path / "checkpoint"

    def note(self, entry: dict[str, Any]) -> None:
        """A line for metrics.jsonl, and the same for TensorBoard where it is installed."""
        self._metrics.add(json.dumps(entry))
        if self._board is None:
            return
        step = int(entry["games"])
        scalars = {name: value for name, value in entry.items() if isinstance(value, (int, float))}
        if "strength" in entry:
            scalars["strength"] = entry["strength"]["score"]
        try:
            for name, value in scalars.items():
                self._board.add_scalar(name, value, step)
        except OSError as error:
            raise not_written(f"TensorBoard's events in {self.path}", error.strerror) from None

    def keep_game(self, moves: tuple[int, ...], opening: int, result: int) -> None:
        self._games.add(json.dumps({"moves": moves, "opening": opening, "result": result}))

    def games_kept(self) -> int:
        with open(self.path / "games.jsonl", "rb") as file:
            return sum(1 for _ in file)

    def close(self) -> None:
        if self._board is not None:
            with contextlib.suppress(OSError):  # a full disk was told of when it happened
                self._board.close()
        self._metrics.close()
        self._games.close()
        self._lock.close()


def _tensorboard(path: Path) -> Any:
    """A writer of TensorBoard's events, or None where tensorboard is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        return None
    from torch.utils.tensorboard import SummaryWriter

    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _thread_failed
    return SummaryWriter(str(path))


def _thread_failed(failure: threading.ExceptHookArgs) -> None:
    """TensorBoard writes in a thread of its own, whose full disk `note` hears of; all others end as usual."""
    from_tensorboard = type(failure.thread).__module__.startswith("tensorboard.")
    if not (from_tensorboard and issubclass(failure.exc_type, OSError)):
        threading.__excepthook__(failure)


class LineFile:
    """A file of lines to append to, each at once; a last line that a crash cut off is removed first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open as long as the run is
            data = path.read_bytes()
            self._end = data.rfind(b"\n") + 1
            os.truncate(path, self._end)
        except OSError as error:
            raise not_written(path, error.strerror) from None

    def add(self, line: str) -> None:
        """Append a line, whole or not at all."""
        data = memoryview(line.encode() + b"\n")
        end = self._end + len(data)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            os.truncate(self._path, self._end)
            raise not_written(self._path, error.strerror) from None
        self._end = end

    def close(self) -> None:
        self._file.close()


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The entries of a run's metrics; a last line that was cut off by a crash is left out."""
    entries = []
    try:
        for line in (path / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
            try:
                entries.append(json.loads(line))
            except ValueError:
                continue
    except OSError:
        return []
    return entries


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


def _check_same(old: TrainConfig, new: TrainConfig, path: Path) -> None:
    """What a network and its buffer are must not change under a run."""
    for key in ("game", "network", "encoder", "symmetry"):
        before, now = getattr(old, key), getattr(new, key)
        if before != now:
            raise EightfoldError(
                f"the run {path} was started with {key} = {before!r}, not {now!r}; choose another folder"
            )


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
    head = Path(__file__).parents[3] / ".git" / "HEAD"
    try:
        text = head.read_text().strip()
        if text.startswith("ref: "):
            text = (head.parent / text[5:]).read_text().strip()
        return text[:12]
    except OSError:
        return ""
