"""Typical games of self-play as pictures: slice by slice, run beside run, and what is sick beside what is healthy.

`health.py` chooses the games, `eightfold.games.pictures` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest

from eightfold.games.diagram import Diagram, diagram_of
from eightfold.games.game import COLOUR_NAMES, Game
from eightfold.games.pictures import draw_sheet
from eightfold.learning.health import Health, Looked, Slice
from eightfold.learning.monitors import COLLAPSED, REDUNDANT

TYPICAL, REPEATED, BESIDE = "typical.svg", "repeated.svg", "beside.svg"


def pictures(runs: Sequence[Health]) -> dict[str, str]:
    """The sheets that there is something to draw on, by the names of their files."""
    sheets = {
        TYPICAL: _by_slices(runs, typical_diagram, "Typical games of self-play"),
        REPEATED: _by_slices(runs, repeated_diagram, "The games that came most often"),
        BESIDE: _beside(runs),
    }
    return {name: sheet for name, sheet in sheets.items() if sheet}


def typical_diagram(health: Health, part: Slice) -> Diagram | None:
    """A typical game of a slice, with words on the slice."""
    return None if part.typical is None else _diagram(health, part, part.typical)


def repeated_diagram(health: Health, part: Slice) -> Diagram | None:
    """The most frequent game of a slice; None where none came twice."""
    if part.repeated is None or part.times < 2:
        return None
    return _diagram(health, part, part.repeated, times_words(part))


def bare_diagram(game: Game, looked: Looked) -> Diagram:
    """A game without words, for who writes them elsewhere."""
    return diagram_of(looked.kept.own_game(game).start(), looked.kept.moves)


def game_words(looked: Looked) -> str:
    """How a game ended, and how it began."""
    winner = COLOUR_NAMES.get(looked.kept.result)
    end = f"{winner} wins" if winner else "draw"
    opening = looked.kept.opening
    random = "" if not opening else f", the first {f'{opening} moves' if opening > 1 else 'move'} random"
    return f"game {looked.number}: {end} in {len(looked.kept.moves)} moves{random}"


def times_words(part: Slice) -> str:
    """How often the most frequent game came."""
    return f"it came {part.times} times in {part.looked_at} games"


def _diagram(health: Health, part: Slice, looked: Looked, *more: str) -> Diagram:
    return diagram_of(
        looked.kept.own_game(health.game).start(),
        looked.kept.moves,
        title=f"{health.name}, games {part.first}–{part.last}",
        warning="" if not part.findings else part.state,
        caption=[*([] if part.findings else [part.state]), game_words(looked), *more],
    )


def _by_slices(runs: Sequence[Health], diagram: Callable[[Health, Slice], Diagram | None], title: str) -> str:
    drawn = [[diagram(health, part) for part in health.slices] for health in runs]
    # Several runs stand beside each other, one in each column.
    diagrams = drawn[0] if len(runs) == 1 else list(chain.from_iterable(zip_longest(*drawn)))
    if not any(diagrams):
        return ""
    return draw_sheet(diagrams, columns=None if len(runs) == 1 else len(runs), title=title)


def _beside(runs: Sequence[Health]) -> str:
    """The sickest slice of every run that has one, beside a healthy slice, of another run where there is one."""
    sick = [(health, part) for health in runs if (part := health.sickest)]
    first_healthy = sorted(runs, key=lambda health: health.sickest is not None)
    healthy = next(((health, part) for health in first_healthy if (part := health.healthiest)), None)
    if not sick or healthy is None:
        return ""
    shown = [diagram for each in sick for diagram in _examples(*each)]
    shown.append(typical_diagram(*healthy))
    return draw_sheet(shown, columns=len(shown), title="Self-play that teaches little, and healthy games")


def _examples(health: Health, part: Slice) -> list[Diagram | None]:
    """Of a collapsed slice a typical game, of a redundant one the most frequent game."""
    drawn = {COLLAPSED: typical_diagram, REDUNDANT: repeated_diagram}
    return [drawn[finding.kind](health, part) for finding in part.findings]
