"""Training runs on the page: the files of a run, read while training writes them.

The page shows only the folders that the server was started with, and names them by number. The server reads a file
from where it stopped the last time, so that watching a long run costs little.
"""

from __future__ import annotations

import math
import threading
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.learning.data.kept import read_kept
from eightfold.learning.runs.metrics import read_entry
from eightfold.web.replays import replay_message
from eightfold.web.run_health import WatchedHealth, health_message

MOST_POINTS = 1200  # of a curve: more than a screen has
MOST_GAMES = 24
TAIL = 256 << 10  # bytes at the end of games.jsonl that are read
CHUNK = 8 << 20


class WatchedRun:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[dict[str, Any]] = []
        self._read = 0  # bytes of metrics.jsonl
        self._lock = threading.Lock()
        self.watched_health = WatchedHealth(path)

    @property
    def name(self) -> str:
        return self._path.name or str(self._path.resolve().name)

    def summary(self) -> dict[str, Any]:
        """The name, and the main settings of the run."""
        try:
            config = tomllib.loads((self._path / "config.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            config = {}
        wanted = ("game", "network", "symmetry", "seed", "minutes", "games")
        return {"name": self.name, **{key: config[key] for key in wanted if key in config}}

    def curves(self, after: int) -> dict[str, Any]:
        """The entries from number `after` on. Where they are many some are left out, but never an evaluation.

        What the nodes of a cluster do, which is long, is told as of the last entry that has it.
        """
        with self._lock:
            self._read_new()
            entries, total = self._entries[after:], len(self._entries)
        every = math.ceil(len(entries) / MOST_POINTS)
        chosen = [entry for number, entry in enumerate(entries) if number % max(every, 1) == 0 or "evaluation" in entry]
        with_nodes = [entry for entry in chosen if "nodes" in entry]
        older = {id(entry) for entry in with_nodes[:-1]}
        told = [{**entry, "nodes": None} if id(entry) in older else entry for entry in chosen]
        return {"entries": told, "next": total, "restarted": after > total}

    def _read_new(self) -> None:
        path = self._path / "metrics.jsonl"
        try:
            if path.stat().st_size < self._read:  # another run replaced this one
                self._entries, self._read = [], 0
            with open(path, "rb") as file:
                file.seek(self._read)
                data = file.read(CHUNK)
        except OSError:
            return
        whole = data[: data.rfind(b"\n") + 1]  # the last line may be half written
        self._read += len(whole)
        self._entries += [entry for line in whole.splitlines() if (entry := _entry(line)) is not None]

    def games(self) -> dict[str, Any]:
        """The latest self-play games, the newest first."""
        path = self._path / "games.jsonl"
        try:
            with open(path, "rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - TAIL))
                data = file.read(TAIL)
        except OSError:
            data, size = b"", 0
        lines = data[: data.rfind(b"\n") + 1].splitlines()
        if size > TAIL:
            lines = lines[1:]  # its beginning is missing
        text = str(self.summary().get("game", ""))
        games = [game.as_dict() for line in reversed(lines[-MOST_GAMES:]) if (game := read_kept(line)) is not None]
        told = [{**game, **replay_message(game.get("game", text), tuple(game["moves"]))} for game in games]
        return {"games": told, "size": size}


class WatchedRuns:
    """All runs of a server."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._runs = [WatchedRun(path) for path in paths]

    def all(self) -> list[dict[str, Any]]:
        return [{"number": number, **run.summary()} for number, run in enumerate(self._runs)]

    def find(self, number: int) -> WatchedRun:
        if not 0 <= number < len(self._runs):
            known = f"0 to {len(self._runs) - 1}" if self._runs else "none"
            raise EightfoldError(f"there is no run {number}; runs: {known}")
        return self._runs[number]

    def health(self, number: int) -> dict[str, Any]:
        """Whether the self-play of a run is healthy, with typical boards; it takes a moment."""
        run = self.find(number)
        return health_message(run.watched_health, [other.watched_health for other in self._runs if other is not run])


def _entry(line: bytes) -> dict[str, Any] | None:
    entry = read_entry(line)
    if entry is None:
        return None
    # JSON for browsers knows neither NaN nor infinity.
    return {key: value for key, value in entry.items() if not isinstance(value, float) or math.isfinite(value)}
