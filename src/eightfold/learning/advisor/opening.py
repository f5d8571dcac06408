"""Opening an advisor: a folder that `eightfold advise` filled, or records, of a run's game.

Read before: `folder.py`, `records.py`. Read next: `tuition.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.games.records.record import path_label
from eightfold.learning.advisor.folder import ADVICE, digest_of, is_advice, read_advice
from eightfold.learning.advisor.records import KINDS, read_as_advice, record_paths
from eightfold.learning.config import AdvisorConfig
from eightfold.learning.data.record import PlayedGame

NAMED = 3  # faults that are told one by one


@dataclass(frozen=True, kw_only=True)
class Advisor:
    """An advisor that was opened: games to learn from, and what has to be said of it."""

    source: str
    games: list[PlayedGame]
    digest: str
    notices: tuple[str, ...]


def open_advisor(settings: AdvisorConfig, game: Game, *, to_the_end: bool = False) -> Advisor:
    """The games of `advisor.folder`; an error in one line if nothing in it can be learned from.

    `to_the_end`: only games that were played until the rules end them.
    """
    path = Path(settings.folder)
    label = path_label(path)
    if not path.exists():
        raise EightfoldError(f"{label}: no such advisor; `eightfold advise {label} --game {game.text}` makes one")
    if is_advice(path):
        text, advice = read_advice(path)
        if text != game.text:
            raise EightfoldError(f"the advisor {label} plays {text}, and this run {game.text}")
        what = "games"
    else:
        paths = record_paths(path)
        if not paths:
            empty = "is empty" if not any(path.iterdir()) else f"has no {ADVICE} and no records ({', '.join(KINDS)})"
            raise EightfoldError(f"{label} {empty}; an advisor is a folder of `eightfold advise` or of game records")
        advice = read_as_advice(paths, game, most=settings.games, to_the_end=to_the_end)
        what = "records"
    games = advice.first(settings.games)
    if not games:
        first = f": {advice.faults[0]}" if advice.faults else ""
        raise EightfoldError(f"the advisor {label} has no {what} to learn from{first}")
    if len(games) < settings.games:
        raise EightfoldError(f"the advisor {label} has {len(games)} {what}, and advisor.games = {settings.games}")
    digest = digest_of(games)
    if settings.digest not in ("", digest):
        raise EightfoldError(
            f"the advisor {label} has changed: it has {digest}, and advisor.digest = {settings.digest}"
        )
    notices = list(advice.faults[:NAMED])
    if len(advice.faults) > NAMED:
        notices.append(f"... and {len(advice.faults) - NAMED} more like these")
    if notices:
        notices.append(f"{len(games)} {what} of {label} are whole and taught")
    return Advisor(source=advice.source, games=games, digest=digest, notices=tuple(notices))
