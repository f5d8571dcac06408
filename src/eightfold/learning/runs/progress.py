"""Where a run stands: the counters that every algorithm has, and how they are kept as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar

from eightfold.core.errors import EightfoldError, shown

P = TypeVar("P", bound="Progress")
TINY = 1e-6  # what rounding may take from a count in shares


class Limits(Protocol):
    """The settings that end a run; 0: no limit."""

    @property
    def minutes(self) -> float: ...

    @property
    def games(self) -> int: ...


@dataclass
class Progress:
    """Saved with every checkpoint, and read when the run goes on. None of the counters ever goes back."""

    seconds: float = 0.0  # spent on training, evaluations left out
    games: int = 0

    def done(self, limits: Limits) -> float:
        """How much of a run's time or games is used up; at 1 it is over."""
        by_time = self.seconds / (60 * limits.minutes) if limits.minutes > 0 else 0.0
        by_games = self.games / limits.games if limits.games > 0 else 0.0
        return max(by_time, by_games)

    @property
    def summary(self) -> str:
        """For people."""
        return f"{self.seconds / 60:.1f} minutes, {self.games} games"


def load_progress(kind: type[P], path: Path) -> P:
    """How far a run was; an error in one line for a file that does not say so."""
    try:
        return progress_of(kind, path.read_bytes(), path)
    except OSError as error:
        raise EightfoldError(f"{path} does not tell how far the run is: {error.strerror}") from None


def progress_of(kind: type[P], content: bytes, path: Path) -> P:
    """The same of the bytes of such a file, which the error names by `path`."""
    try:
        data = json.loads(content)
        if not isinstance(data, dict):
            raise ValueError(f"{shown(data)} is not what a run writes")
        known = {field.name: field.type for field in fields(kind)}
        for key, value in data.items():
            if key not in known:
                raise ValueError(f"{shown(key)} is not known")
            whole = type(value) is int
            if not (whole or (type(value) is float and known[key] == "float")) or not -TINY < value < math.inf:
                raise ValueError(f"{key} = {shown(value)} is not a {'number' if known[key] == 'float' else 'count'}")
        return kind(**_completed(data, known))
    except (ValueError, TypeError, RecursionError) as error:
        raise EightfoldError(f"{path} does not tell how far the run is: {' '.join(str(error).split())}") from None


def _completed(data: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Earlier versions noted nothing of what was credited: it was all, whenever they saved."""
    for what in ("games", "samples"):
        if f"credited_{what}" in known:
            data = {f"credited_{what}": data.get(what, 0), **data}
    return data


def as_json(progress: Progress) -> bytes:
    return json.dumps(asdict(progress)).encode()
