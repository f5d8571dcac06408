"""What one viewer asks about the position that is shown: a hint, dead stones, point maps, the eight sides, patterns.

Only the viewer who asks gets the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eightfold.arena.players import HUMAN
from eightfold.core.errors import EightfoldError
from eightfold.search.ownership import dead_stones
from eightfold.search.result import SearchResult
from eightfold.search.solving import proven_line
from eightfold.web import messages
from eightfold.web.eightfold_view import eight_sides
from eightfold.web.explorer import explore
from eightfold.web.messages import Seat
from eightfold.web.workers import Job, failure_text

if TYPE_CHECKING:
    from eightfold.web.table import Table, Viewer


HINT_NODES = 20_000  # for a win by force: a tenth of a second


class Queries:
    """The queries of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._hint: Job | None = None
        self._latest: dict[tuple[Viewer, str], Job] = {}  # the latest query of each viewer and kind

    def forget(self, viewer: Viewer) -> None:
        """Stop what a viewer asked who has left."""
        for key in [key for key in self._latest if key[0] is viewer]:
            self._latest.pop(key).stop.set()

    # ---- hints ----------------------------------------------------------------------------------------

    def hint(self, viewer: Viewer, analyst: Seat | None) -> None:
        """A move that is proven to win, with its line; else one by the analyst, a player of the game, or another."""
        session = self._table.session
        if session.is_over:
            raise EightfoldError(f"the game is over ({session.outcome})")
        if self._hint is not None:
            raise EightfoldError("a hint is on its way")
        node = session.node
        players = [seat for seat in session.seats.values() if seat.player != HUMAN]
        seat = analyst or (players[0] if players else self._table.lobby.default_analyst(session.game))
        position, think = session.position, self._table.thinking(seat, session.position, f"{session.id} hint")
        look = self._table.lobby.threats_ready(session.game)

        def work(stop: threading.Event) -> tuple[int, float, tuple[int, ...]]:
            """A move, its value, and the line by which it wins if that is proven."""
            if look and (line := proven_line(position, nodes=HINT_NODES)):
                return line[0], 1.0, line
            result: SearchResult = think(stop)
            return int(result.action), result.value, ()

        def done(job: Job, found: tuple[int, float, tuple[int, ...]] | None, failure: Exception | None) -> None:
            if job is not self._hint:
                return
            self._hint = None
            if failure is not None or found is None:
                _post_failure(viewer, failure)
                return
            action, worth, line = found
            value = session.black_value(node, worth) if node in session.tree else 0.5
            viewer.post({"type": "hint", "node": node, "action": action, "value": round(value, 4), "line": list(line)})

        self._hint = self._table.submit(work, done, by=seat)

    def stop_hint(self) -> None:
        if self._hint is not None:
            self._hint.stop.set()
            self._hint = None

    # ---- dead stones, maps, patterns, the eight sides --------------------------------------------------

    def suggest_dead(self, viewer: Viewer) -> None:
        session = self._table.session
        position, node = session.position, session.node
        session.check_markable()

        def done(job: Job, dead: tuple[int, ...] | None, failure: Exception | None) -> None:
            if failure is not None or dead is None:
                _post_failure(viewer, failure)
                return
            session.set_dead(node, dead)
            self._table.tell_state()
            viewer.post({"type": "suggested_dead", "count": len(dead)})

        self._table.submit(lambda stop: dead_stones(position), done)

    def maps(self, message: messages.Maps, viewer: Viewer) -> None:
        session, lobby = self._table.session, self._table.lobby
        start, position = session.start, session.position
        self._answer(lambda stop: lobby.maps.find(message.source).compute(start, position), viewer, "maps")

    def patterns(self, message: messages.Patterns, viewer: Viewer) -> None:
        position, lobby = self._table.session.position, self._table.lobby

        def work(stop: threading.Event) -> dict[str, Any]:
            library = lobby.patterns.find(message.library, position)
            return {**explore(library, position, message.measure, message.point), "library": message.library}

        self._answer(work, viewer, "patterns")

    def eight_sides(self, message: messages.Eightfold, viewer: Viewer) -> None:
        position, lobby = self._table.session.position, self._table.lobby

        def work(stop: threading.Event) -> dict[str, Any]:
            entry = None if message.network is None else lobby.menu.find(message.network)
            return eight_sides(position, entry, as_played=message.as_played)

        self._answer(work, viewer, "eightfold")

    def _answer(self, work: Callable[[threading.Event], dict[str, Any]], viewer: Viewer, kind: str) -> None:
        """Work in a worker and post the answer. A newer query of the same kind replaces an older one."""
        key, node = (viewer, kind), self._table.session.node

        def done(job: Job, answer: dict[str, Any] | None, failure: Exception | None) -> None:
            if self._latest.get(key) is not job:
                return
            del self._latest[key]
            if failure is not None or answer is None:
                _post_failure(viewer, failure)
            else:
                viewer.post({**answer, "id": self._table.session.id, "node": node})

        if key in self._latest:
            self._latest.pop(key).stop.set()
        self._latest[key] = self._table.submit(work, done)


def _post_failure(viewer: Viewer, error: Exception | None) -> None:
    viewer.post({"type": "error", "text": failure_text(error)})
