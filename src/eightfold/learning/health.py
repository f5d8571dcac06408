"""Is the self-play of a run healthy? Its games from the first to the last, slice by slice.

A slice is judged as training judges its last games (`monitors.py`), in parts of no more games than that: how many games
of a stretch are different depends on how long it is. A slice is called collapsed or redundant if any of its parts is,
and says how many; its figures are the means over its parts. Of a long slice a few parts are looked at, spread evenly.

Of every slice there is a typical game, and the game that came most often. Read next: `health_pictures.py`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median_low
from typing import Any, NamedTuple

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, make_game
from eightfold.learning.data.kept import KeptGame, read_kept
from eightfold.learning.monitors import ENOUGH, MEMORY, Finding, Seen, figures, findings, seen
from eightfold.learning.runs.folder import CONFIG, GAMES

SLICES = 10
MOST_PARTS = 3  # of a slice that are looked at
HEALTHY, TOO_FEW = "healthy", "too few to say"


class Looked(NamedTuple):
    """A game that was looked at."""

    number: int  # in the run, from 1
    kept: KeptGame
    seen: Seen


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A stretch of the games of a run."""

    first: int  # the numbers of its games, from 1
    last: int
    looked_at: int  # games
    figures: dict[str, float]  # as in metrics.jsonl; nothing where no game can be read
    findings: tuple[Finding, ...]
    typical: Looked | None
    repeated: Looked | None  # the game that came most often
    times: int  # so often

    @property
    def state(self) -> str:
        """In a word: healthy, collapsed, redundant ..."""
        if self.looked_at < ENOUGH:
            return TOO_FEW
        return " and ".join(finding.kind for finding in self.findings) or HEALTHY

    @property
    def is_healthy(self) -> bool:
        return self.state == HEALTHY

    def as_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "looked_at": self.looked_at,
            "state": self.state,
            "warnings": [finding.text for finding in self.findings],
            **self.figures,
        }


@dataclass(frozen=True, kw_only=True)
class Health:
    """The self-play of a run."""

    name: str  # of the run
    game: Game
    games: int  # that the run has kept
    unreadable: int  # of those that were looked at
    slices: tuple[Slice, ...]

    @property
    def healthiest(self) -> Slice | None:
        """The last healthy slice, the one of the strongest network."""
        return next((each for each in reversed(self.slices) if each.is_healthy), None)

    @property
    def sickest(self) -> Slice | None:
        """The slice with the most findings, and of those the one with the least variety."""
        sick = [each for each in self.slices if each.findings]
        return min(sick, key=lambda each: (-len(each.findings), each.figures["distinct_games"]), default=None)

    def as_dict(self) -> dict[str, Any]:
        return {
            "run": self.name,
            "game": self.game.text,
            "games": self.games,
            "unreadable": self.unreadable,
            "slices": [each.as_dict() for each in self.slices],
        }


def run_health(run: Path, *, slices: int = SLICES, game: Game | None = None) -> Health:
    """Look at the games of a run; `game` is needed where it is a user's own."""
    the_game = game or run_game(run)
    total = _count_lines(run)
    if total == 0:
        raise EightfoldError(f"{run} has kept no games yet")
    bounds = list(_cut(0, total, max(1, min(slices, total // ENOUGH))))
    plan = [_parts(first, last) for first, last in bounds]  # of every slice the parts that are looked at
    games = dict(_read(run, the_game, [part for parts in plan for part in parts]))
    wanted = sum(last - first for parts in plan for first, last in parts)
    found = [
        _slice(bound, [[games[n] for n in range(*part) if n in games] for part in parts], the_game)
        for bound, parts in zip(bounds, plan, strict=True)
    ]
    return Health(
        name=run.name or run.resolve().name,
        game=the_game,
        games=total,
        unreadable=wanted - len(games),
        slices=tuple(found),
    )


def run_game(run: Path) -> Game:
    """The game of a run, by its settings; an error in one line where they do not say it."""
    path = run / CONFIG
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EightfoldError(f"{run} is not the folder of a run: {CONFIG}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise EightfoldError(f"{path}: {error}") from None
    text = config.get("game")
    if not isinstance(text, str):
        raise EightfoldError(f"{path} does not name a game")
    return make_game(text)


# ---- reading ------------------------------------------------------------------------------------------------


def _count_lines(run: Path) -> int:
    """Whole lines of games.jsonl: the last may be half written."""
    try:
        with open(run / GAMES, "rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    except FileNotFoundError:
        raise EightfoldError(f"{run} keeps no games: it has no {GAMES}") from None
    except OSError as error:
        raise EightfoldError(f"cannot read {run / GAMES}: {error.strerror}") from None


def _read(run: Path, game: Game, parts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Looked]]:
    """The games of ascending stretches of lines, each with its line's number from 0; what is no game is left out."""
    wanted = iter(parts)
    first, last = next(wanted)
    with open(run / GAMES, "rb") as file:
        for number, line in enumerate(file):
            if number >= last:
                first, last = next(wanted, (last, last))
                if first == last:
                    return
            if number < first or (kept := read_kept(line)) is None:
                continue
            positions = kept.positions(game)
            if positions is not None:
                yield number, Looked(number + 1, kept, seen(positions, kept.opening, kept.result))


# ---- judging ------------------------------------------------------------------------------------------------


def _cut(first: int, last: int, pieces: int) -> Iterator[tuple[int, int]]:
    """A stretch in so many pieces of about equal length."""
    for k in range(pieces):
        yield first + (last - first) * k // pieces, first + (last - first) * (k + 1) // pieces


def _parts(first: int, last: int) -> list[tuple[int, int]]:
    """The parts of a slice that are looked at: spread evenly, the last always among them."""
    parts = list(_cut(first, last, -(-(last - first) // MEMORY)))
    if len(parts) <= MOST_PARTS:
        return parts
    return [parts[k * (len(parts) - 1) // (MOST_PARTS - 1)] for k in range(MOST_PARTS)]


def _slice(bound: tuple[int, int], parts: list[list[Looked]], game: Game) -> Slice:
    parts = [part for part in parts if part]
    games = [each for part in parts for each in part]
    measured = [figures([each.seen for each in part]) for part in parts]
    kinds = Counter(each.seen.kind for each in games)
    kind, times = kinds.most_common(1)[0] if kinds else (None, 0)
    return Slice(
        first=bound[0] + 1,
        last=bound[1],
        looked_at=len(games),
        figures={key: fmean(figure[key] for figure in measured) for key in (measured[0] if measured else ())},
        findings=tuple(_found([findings(game, [each.seen for each in part]) for part in parts])),
        typical=_typical(games),
        repeated=next((each for each in games if each.seen.kind == kind), None),
        times=times,
    )


def _found(parts: list[list[Finding]]) -> Iterator[Finding]:
    """What was found in the parts of a slice, each kind once, in the words of the last part that has it."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in (each for part in parts for each in part):
        by_kind.setdefault(finding.kind, []).append(finding)
    for same in by_kind.values():
        some = f" (in {len(same)} of {len(parts)} parts)" if len(same) < len(parts) else ""
        yield same[-1]._replace(what=same[-1].what + some)


def _typical(games: list[Looked]) -> Looked | None:
    """A game with the most frequent result and the median length of such games; of several, the most frequent."""
    if not games:
        return None
    [(result, _)] = Counter(each.seen.winner for each in games).most_common(1)
    alike = [each for each in games if each.seen.winner == result]
    length = median_low(each.seen.moves for each in alike)
    alike = [each for each in alike if each.seen.moves == length]
    [(kind, _)] = Counter(each.seen.kind for each in alike).most_common(1)
    return next(each for each in alike if each.seen.kind == kind)
