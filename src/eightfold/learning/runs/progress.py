"""Where a run stands."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from eightfold.core.errors import EightfoldError, shown

P = TypeVar("P")


@dataclass
class Progress:
    """Saved with every checkpoint, and read when the run goes on. None of the counters ever goes back."""

    seconds: float = 0.0  # spent on training, evaluations left out
    games: int = 0
    samples: int = 0  # positions for training that games gave; turns that are stored too do not count
    steps: int = 0  # that made the weights what they are
    owed: float = 0.0  # training steps that the samples so far have earned and that were not yet done
    credited_games: int = 0  # games and samples whose steps are in `owed` already
    credited_samples: int = 0
    evaluated_at: float = 0.0  # seconds, at the last evaluation
    evaluated_games: int = 0  # and the games then
    rate_factor: float = 1.0  # the learning-rate multiplier of the three-sigma rule
    validated_at: int = 0  # games, at the last look of that rule
    validation_mean: float = 0.0
    validation_error: float = 0.0


def load_progress(kind: type[P], path: Path) -> P:
    """How far a run was; an error in one line for a file that does not say so."""
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict):
            raise ValueError(f"{shown(data)} is not what a run writes")
        known = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
        for key, value in data.items():
            if key not in known:
                raise ValueError(f"{shown(key)} is not known")
            whole = type(value) is int
            if not (whole or (type(value) is float and known[key] == "float")) or not 0 <= value < math.inf:
                raise ValueError(f"{key} = {shown(value)} is not a {'number' if known[key] == 'float' else 'count'}")
        return kind(**_completed(data, known))
    except OSError as error:
        raise EightfoldError(f"{path} does not tell how far the run is: {error.strerror}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise EightfoldError(f"{path} does not tell how far the run is: {' '.join(str(error).split())}") from None


def _completed(data: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Runs of before noted nothing of what was credited: it was all, whenever they saved."""
    for what in ("games", "samples"):
        if f"credited_{what}" in known:
            data = {f"credited_{what}": data.get(what, 0), **data}
    return data


def as_json(progress: Any) -> bytes:
    return json.dumps(asdict(progress)).encode()
