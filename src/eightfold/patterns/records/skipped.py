"""Games that are not counted: why, where they are, and how many there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

NAMED = 20  # of those that were skipped, in summaries and libraries


class Reason(StrEnum):
    TRUNCATED = "truncated"
    NOT_UTF8 = "not UTF-8"
    NOT_SGF = "not SGF"
    OTHER_GAME = "another game"
    SETUP = "handicap or setup"
    SIZE = "wrong size"
    ILLEGAL = "illegal move"
    NO_MOVES = "no moves"
    DAMAGED = "damaged file"


@dataclass(frozen=True, kw_only=True)
class Skipped:
    reason: Reason
    where: str  # the file, the game and its line
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}{f' ({self.detail})' if self.detail else ''}"


@dataclass
class SkippedGames:
    """How many by reason, and the first of them by name."""

    reasons: Counter[str] = field(default_factory=Counter)
    first: list[str] = field(default_factory=list)

    def add(self, games: Iterable[Skipped]) -> None:
        for game in games:
            self.reasons[game.reason.value] += 1
            if len(self.first) < NAMED:
                self.first.append(str(game))

    @property
    def total(self) -> int:
        return self.reasons.total()
