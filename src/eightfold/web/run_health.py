"""The health of a run's self-play for the page: judged when somebody asks, and again only when there are more games.

`eightfold.learning.health` judges; the boards are drawn here, so that the page and the command line show the same
pictures. They travel as text that browsers show as images: nothing in them can run.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.games.pictures import draw_game
from eightfold.learning.health import Health, Looked, Slice, run_health
from eightfold.learning.health_pictures import bare_diagram, game_words, times_words
from eightfold.learning.runs.folder import GAMES
from eightfold.web.replays import replay_message


class WatchedHealth:
    """The health of one run, as of the last time somebody asked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # two who ask at once do not both judge
        self._judged: tuple[int, Health] | None = None  # with the size of games.jsonl then

    def judge(self) -> tuple[int, Health]:
        """The size of games.jsonl, and what was found in it; an error in one line where there are no games."""
        with self._lock:
            try:
                size = (self._path / GAMES).stat().st_size
            except OSError:
                size = 0
            if self._judged is None or self._judged[0] != size:
                self._judged = size, run_health(self._path)
            return self._judged


def health_message(watched: WatchedHealth, others: Sequence[WatchedHealth]) -> dict[str, Any]:
    """The slices of a run with their boards, and a healthy game, of another run if this one has none."""
    size, health = watched.judge()
    healthy = _healthy(health) or next(filter(None, map(_healthy_of, others)), None)
    return {
        **health.as_dict(),
        "size": size,
        "slices": [_slice_message(health, part) for part in health.slices],
        "healthy": healthy,
    }


def _slice_message(health: Health, part: Slice) -> dict[str, Any]:
    message = part.as_dict() | {"typical": None, "repeated": None}
    if part.typical is not None:
        message["typical"] = _game_message(health, part.typical)
    if part.repeated is not None and part.times > 1:
        message["repeated"] = _game_message(health, part.repeated) | {"times": times_words(part)}
    return message


def _game_message(health: Health, looked: Looked) -> dict[str, Any]:
    kept, picture = looked.kept, draw_game(bare_diagram(health.game, looked))
    replay = replay_message(kept.own_game(health.game).text, tuple(kept.moves))
    return {**kept.as_dict(), **replay, "words": game_words(looked), "picture": picture}


def _healthy(health: Health) -> dict[str, Any] | None:
    part = health.healthiest
    if part is None or part.typical is None:
        return None
    return {"run": health.name, "first": part.first, "last": part.last, **_game_message(health, part.typical)}


def _healthy_of(watched: WatchedHealth) -> dict[str, Any] | None:
    try:
        return _healthy(watched.judge()[1])
    except EightfoldError:
        return None  # another run without games is nobody's question
