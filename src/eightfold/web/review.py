"""Review of a game: a player evaluates every position of the line that is shown, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eightfold.arena.players import HUMAN
from eightfold.core.errors import EightfoldError
from eightfold.search.result import SearchResult
from eightfold.web.messages import Seat
from eightfold.web.workers import Job

if TYPE_CHECKING:
    from eightfold.web.table import Table


class Review:
    """The review of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._nodes: list[int] = []  # still to be evaluated
        self._job: Job | None = None

    @property
    def left(self) -> int:
        """How many positions are still to be evaluated."""
        return len(self._nodes)

    def start(self, by: Seat) -> None:
        if by.player == HUMAN:
            raise EightfoldError("a human cannot review for you; name another player")
        self.stop()
        session = self._table.session
        self._nodes = [node for node in session.tree.line(session.node) if session.wants_evaluation(node, by)]
        self._next(by)
        self._table.tell_state()

    def stop(self) -> None:
        self._nodes = []
        if self._job is not None:
            self._job.stop.set()
            self._job = None

    def _next(self, by: Seat) -> None:
        table, session = self._table, self._table.session
        while self._nodes and (self._nodes[0] not in session.tree or session.position_at(self._nodes[0]).is_over):
            self._nodes.pop(0)
        if not self._nodes:
            self._job = None
            table.tell_state()
            return
        node = self._nodes[0]

        def done(job: Job, result: SearchResult | None, failure: Exception | None) -> None:
            if job is not self._job:
                return
            if failure is not None or result is None:
                self.stop()
                table.tell_failure(failure)
                table.tell_state()
                return
            session.store_evaluation(node, result, by)
            self._nodes.pop(0)
            if (stored := session.evaluations.get(node)) is not None:
                value, left = round(stored.value, 4), len(self._nodes)
                table.tell({"type": "evaluation", "node": node, "value": value, "best": stored.best, "left": left})
            self._next(by)

        position = session.position_at(node)
        self._job = table.submit(table.thinking(by, position, f"{session.id} review"), done, by=by)
