"""How well a library predicts moves: on games that it was not learned from, by the moves that were really played.

The candidates are all legal points. To drop some of them, but never the one that was played, would leak the answer.
Ties count in parts: of three points that look the same, as on an empty board, each is the first choice a third of the
time.
Standard errors are over games, since positions of one game are anything but independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.patterns.judgement import make_judge
from eightfold.patterns.library import Library
from eightfold.patterns.team_kernels import BROKEN, FIRST, FIVE, LOSS, POSITIONS
from eightfold.patterns.teams import Floats
from eightfold.patterns.walking import Source, walk_through


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Shares are of positions; the errors are standard errors over games."""

    method: str
    sides: tuple[int, ...]  # of the blocks of patterns
    games: int
    broken: int  # games that an illegal move ended early
    positions: int
    top1: float
    top1_error: float
    top5: float
    top5_error: float
    log_loss: float  # nats for a move
    log_loss_error: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def predict(library: Library, source: Source, *, method: str = "", sides: Sequence[int] = (3, 4)) -> Prediction:
    """Predict the moves of games by a library: by a method, or else by strengths where it has them."""
    judge = make_judge(library, method, sides=sides)
    notes = walk_through(source, judge, learns=False).notes
    played = notes[notes[:, POSITIONS] > 0]
    if not len(played):
        raise EightfoldError("there are no moves to predict in these games")
    top1, top5, loss = (_ratio(played[:, each], played[:, POSITIONS]) for each in (FIRST, FIVE, LOSS))
    return Prediction(
        method=judge.method,
        sides=judge.teams.sides,
        games=len(notes),
        broken=int(notes[:, BROKEN].sum()),
        positions=int(played[:, POSITIONS].sum()),
        top1=top1[0],
        top1_error=top1[1],
        top5=top5[0],
        top5_error=top5[1],
        log_loss=loss[0],
        log_loss_error=loss[1],
    )


def _ratio(sums: Floats, counts: Floats) -> tuple[float, float]:
    """A mean over positions, and its standard error over games: that of a ratio of two sums."""
    mean = sums.sum() / counts.sum()
    if len(sums) < 2:
        return float(mean), float("nan")
    spread = np.sum((sums - mean * counts) ** 2) * len(sums) / (len(sums) - 1)
    return float(mean), float(np.sqrt(spread) / counts.sum())
