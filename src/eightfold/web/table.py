"""A table: one game, those who look at it, and the thinking that goes on for it.

Everything here happens on the event loop, one thing at a time; only `work` functions run in workers, and they come
back through the loop. A table without viewers rests: its thinking is stopped and its clocks stand still, and it
goes on when somebody resumes it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from eightfold.arena.forfeit import how_lost
from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Position
from eightfold.games.state import BLACK, WHITE
from eightfold.search.ownership import dead_stones
from eightfold.search.result import SearchResult
from eightfold.web import messages
from eightfold.web.eightfold_view import eight_sides
from eightfold.web.messages import Seat
from eightfold.web.offers import HUMAN
from eightfold.web.opinion import opinion
from eightfold.web.session import Session
from eightfold.web.thinking import Job, on_loop

if TYPE_CHECKING:
    from eightfold.web.host import Host

SLICE = 0.5  # seconds of analysis before others get their turn
LONGEST_SLICE = 8.0
LONGEST_ANALYSIS = 120.0  # seconds for one position: what is not clear by then never will be


class Viewer(Protocol):
    """A connection: it takes messages, and may lose those of analysis when it is slow."""

    def post(self, message: dict[str, Any]) -> None: ...


class Table:
    """One game on the server."""

    def __init__(self, host: Host, session: Session) -> None:
        self.host, self.session = host, session
        self.viewers: set[Viewer] = set()
        self.touched = time.monotonic()
        self._move: Job | None = None  # a player's move that is waited for
        self._hint: Job | None = None
        self._analysis: Job | None = None
        self._analyst: Seat | None = None  # who thinks about whatever is looked at
        self._review: list[int] = []  # nodes that are still to be judged
        self._review_job: Job | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._questions: dict[tuple[Viewer, str], Job] = {}  # what each viewer asked for last, of every kind

    # ---- viewers --------------------------------------------------------------------------------------

    def join(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        self.session.start_clocks(time.monotonic())
        viewer.post(self._state())
        self._go_on()

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        for asked in [asked for asked in self._questions if asked[0] is viewer]:
            self._questions.pop(asked).stop.set()
        self.touched = time.monotonic()
        if not self.viewers:
            self.rest()

    def rest(self) -> None:
        """Nobody is there: stop all thinking."""
        self.session.hold_clocks(time.monotonic())
        self._stop_move()
        self._stop_analysis()
        self._stop_review()
        if self._hint is not None:
            self._hint.stop.set()
            self._hint = None

    def tell(self, message: dict[str, Any]) -> None:
        for viewer in self.viewers:
            viewer.post(message)

    def _tell_state(self) -> None:
        self.tell(self._state())

    def _state(self) -> dict[str, Any]:
        return {
            **self.session.state(time.monotonic()),
            "thinking": self._move is not None,
            "analysing": None if self._analyst is None else self._analyst.model_dump(),
            "reviewing": len(self._review),
            "viewers": len(self.viewers),
        }

    # ---- messages -------------------------------------------------------------------------------------

    def take(self, message: messages.AnyMessage, viewer: Viewer) -> None:
        """Do what a viewer asks for, or raise an error that says why not."""
        now, session = time.monotonic(), self.session
        self.touched = now
        match message:
            case messages.Play():
                self._play(message.action)
            case messages.Undo():
                self._change(lambda: session.undo(now))
            case messages.Resign():
                self._change(lambda: session.resign(now))
            case messages.Mark():
                self._change(lambda: session.mark(message.action))
            case messages.Suggest():
                self._suggest_dead(viewer)
            case messages.Agree():
                self._change(session.agree)
            case messages.Go():
                self._change(lambda: session.go(message.node, now))
            case messages.Remove():
                self._change(lambda: session.remove(message.node, now))
            case messages.Seats():
                self._change(lambda: session.sit(message.black, message.white, playing=message.playing, now=now))
            case messages.Hint():
                self._ask_for_hint(viewer)
            case messages.Analyse():
                self._analyse(message)
            case messages.Review():
                self._start_review(message.by)
            case messages.Eightfold():
                self._show_eight_sides(message, viewer)
            case messages.Maps():
                self._show_maps(message, viewer)
            case messages.Save():
                viewer.post({"type": "sgf", "sgf": session.as_sgf()})
            case _:
                raise EightfoldError(f"a message of the type {message.type!r} has no place in a game")

    def _play(self, action: int) -> None:
        session = self.session
        if session.playing and session.mover.player != HUMAN and not session.is_over:
            colour = COLOUR_NAMES[session.position.to_move]
            raise EightfoldError(f"it is {colour}'s turn, and {session.mover.player} plays {colour}")
        self._change(lambda: session.play(action, time.monotonic()))

    def _change(self, change: Callable[[], None]) -> None:
        """Change the game; what was thought about the position before is of no use any more."""
        change()
        self._stop_move()
        self._go_on()
        self._tell_state()

    def _go_on(self) -> None:
        """Whatever has to be thought about the position that is looked at now."""
        self._ask_for_move()
        self._look_at_position()

    # ---- players' moves -------------------------------------------------------------------------------

    def _ask_for_move(self) -> None:
        session = self.session
        waits = self._move is not None or self._pause is not None
        if waits or not self.viewers or not session.playing or session.is_over or session.mover.player == HUMAN:
            return
        position, seat = session.position, session.mover
        self._move = self._submit(self._thinking(seat, position, session.id), self._moved, by=seat)

    def _thinking(self, seat: Seat, position: Position, borrower: str) -> Callable[[threading.Event], SearchResult]:
        """What a worker does for a move: somebody who sits on the shelf is borrowed and thinks."""

        def work(stop: threading.Event) -> SearchResult:
            with self.host.borrowed(seat, position.game, borrower) as player:
                return player.think(position, stop=stop)

        return work

    def _moved(self, job: Job, result: SearchResult | None, trouble: Exception | None) -> None:
        if job is not self._move:
            return  # it was stopped, and the game went another way
        self._move = None
        session, now = self.session, time.monotonic()
        loser, seat = session.position.to_move, session.mover
        node = session.node
        try:
            if trouble is not None:
                raise trouble
            assert result is not None
            session.play(int(result.action), now)
        except EightfoldError as error:
            # An engine that fails or plays what is not legal loses, and everybody sees why.
            session.end(BLACK + WHITE - loser, f"{seat.player} {how_lost(error)}", now)
        except Exception as error:
            session.playing = False
            self.tell({"type": "error", "text": f"{seat.player} failed: {type(error).__name__}"})
        else:
            if result.visits is not None or abs(result.value) == 1:
                session.judge(node, result)
        both = all(other.player != HUMAN for other in session.seats.values())
        if both and self.host.pace > 0:
            self._pause = asyncio.get_running_loop().call_later(self.host.pace, self._after_pause)
        self._go_on()
        self._tell_state()

    def _after_pause(self) -> None:
        """Two players against each other move at a pace that can be watched."""
        self._pause = None
        if self.viewers:
            self._ask_for_move()
            self._tell_state()

    def _stop_move(self) -> None:
        if self._move is not None:
            self._move.stop.set()
            self._move = None
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    # ---- hints ----------------------------------------------------------------------------------------

    def _ask_for_hint(self, viewer: Viewer) -> None:
        session = self.session
        if session.is_over:
            raise EightfoldError(f"the game is over ({session.outcome})")
        if self._hint is not None:
            raise EightfoldError("a hint is on its way")
        position, node = session.position, session.node
        players = [seat for seat in session.seats.values() if seat.player != HUMAN]
        seat = self._analyst or (players[0] if players else self.host.usual_analyst(session.game))

        def done(job: Job, result: SearchResult | None, trouble: Exception | None) -> None:
            if job is not self._hint:
                return
            self._hint = None
            if trouble is not None or result is None:
                viewer.post({"type": "error", "text": _words(trouble)})
                return
            value = session.for_black(node, result.value) if node in session.tree else 0.5
            viewer.post({"type": "hint", "node": node, "action": int(result.action), "value": round(value, 4)})

        self._hint = self._submit(self._thinking(seat, position, f"{session.id} hint"), done, by=seat)

    # ---- analysis -------------------------------------------------------------------------------------

    def _analyse(self, message: messages.Analyse) -> None:
        self._stop_analysis()
        if message.on:
            if message.by is None:
                raise EightfoldError("analysis needs somebody who thinks: by")
            self._analyst = message.by
            if self._analyst.player == HUMAN:
                self._analyst = None
                raise EightfoldError("people think for themselves; name a player that analyses")
            self._look_at_position()
        self._tell_state()

    def _stop_analysis(self) -> None:
        self._analyst = None
        self._stop_looking()

    def _stop_looking(self) -> None:
        if self._analysis is not None:
            self._analysis.stop.set()
            self._analysis = None

    def _look_at_position(self) -> None:
        """Think about the position that is looked at, a slice at a time."""
        self._stop_looking()
        if self._analyst is None or not self.viewers or self.session.is_over:
            return
        self._slice(self._analyst, self.session.position, self.session.node, SLICE, 0.0)

    def _slice(self, seat: Seat, position: Position, node: int, seconds: float, spent: float) -> None:
        loop, identity = asyncio.get_running_loop(), self.session.id
        holder: list[Job] = []

        def tell(result: SearchResult, more: float) -> None:
            if holder and holder[0] is self._analysis:
                self.session.judge(node, result)
                self.tell(opinion(self.session, node, result, spent + more))

        def work(stop: threading.Event) -> tuple[SearchResult, float]:
            begin = time.monotonic()

            def progress(result: SearchResult) -> None:
                if not stop.is_set():
                    on_loop(loop, tell, result, time.monotonic() - begin)

            with self.host.borrowed(seat, position.game, f"{identity} analysis") as player:
                result = player.think(position, seconds=seconds, stop=stop, on_progress=progress)
            return result, time.monotonic() - begin

        def done(job: Job, answer: tuple[SearchResult, float] | None, trouble: Exception | None) -> None:
            if job is not self._analysis:
                return
            if trouble is not None or answer is None:
                self._stop_analysis()
                self.tell({"type": "error", "text": _words(trouble)})
                self._tell_state()
                return
            result, took = answer
            tell(result, took)
            self._analysis = None
            # A tree grows with every slice; a search without one begins again, and needs a longer one.
            grows = result.visits is not None
            longer = seconds if grows else 2 * seconds
            settled = abs(result.value) == 1 or len(position.legal_moves) == 1
            if settled or spent + took >= LONGEST_ANALYSIS or longer > LONGEST_SLICE:
                return
            self._slice(seat, position, node, longer, spent + took)

        self._analysis = self._submit(work, done, by=seat)
        holder.append(self._analysis)

    # ---- the whole game judged ------------------------------------------------------------------------

    def _start_review(self, by: Seat) -> None:
        if by.player == HUMAN:
            raise EightfoldError("people think for themselves; name a player that reviews")
        self._stop_review()
        line = self.session.tree.line(self.session.node)
        self._review = [node for node in line if node not in self.session.judged]
        self._review_next(by)
        self._tell_state()

    def _stop_review(self) -> None:
        self._review = []
        if self._review_job is not None:
            self._review_job.stop.set()
            self._review_job = None

    def _review_next(self, by: Seat) -> None:
        tree = self.session.tree
        while self._review and self._review[0] not in tree:
            self._review.pop(0)
        if not self._review:
            self._review_job = None
            self._tell_state()
            return
        node = self._review[0]
        position = self.session.position_at(node)
        if position.is_over:
            self._review.pop(0)
            self._review_next(by)
            return

        def done(job: Job, result: SearchResult | None, trouble: Exception | None) -> None:
            if job is not self._review_job:
                return
            if trouble is not None or result is None:
                self._stop_review()
                self.tell({"type": "error", "text": _words(trouble)})
                self._tell_state()
                return
            self.session.judge(node, result)
            self._review.pop(0)
            if node in self.session.judged:
                told = self.session.judged[node]
                value, left = round(told.value, 4), len(self._review)
                self.tell({"type": "judged", "node": node, "value": value, "best": told.best, "left": left})
            self._review_next(by)

        self._review_job = self._submit(self._thinking(by, position, f"{self.session.id} review"), done, by=by)

    # ---- counting, and maps of the points -------------------------------------------------------------

    def _suggest_dead(self, viewer: Viewer) -> None:
        position, node = self.session.position, self.session.node
        if self.session.counted is None:
            raise EightfoldError("stones are marked as dead when both sides have passed")

        def done(job: Job, dead: tuple[int, ...] | None, trouble: Exception | None) -> None:
            if trouble is not None or dead is None:
                viewer.post({"type": "error", "text": _words(trouble)})
                return
            self.session.set_dead(node, dead)
            self._tell_state()
            viewer.post({"type": "suggested", "dead": len(dead)})

        self._submit(lambda stop: dead_stones(position), done)

    def _show_maps(self, message: messages.Maps, viewer: Viewer) -> None:
        position, node, start = self.session.position, self.session.node, self.session.start

        def work(stop: threading.Event) -> dict[str, Any]:
            return self.host.maps.find(message.source).look(start, position)

        self._post_answer(work, viewer, "maps", node)

    # ---- the eightfold view ---------------------------------------------------------------------------

    def _show_eight_sides(self, message: messages.Eightfold, viewer: Viewer) -> None:
        position, node = self.session.position, self.session.node
        host, key, as_played = self.host, message.network, message.as_played

        def work(stop: threading.Event) -> dict[str, Any]:
            offer = None if key is None else host.offers.find(key)
            return eight_sides(position, host.networks, offer, as_played=as_played)

        self._post_answer(work, viewer, "eightfold", node)

    def _post_answer(
        self, work: Callable[[threading.Event], dict[str, Any]], viewer: Viewer, kind: str, node: int
    ) -> None:
        """Work in a worker, and tell one viewer what comes of it.

        Whoever asks faster than it can be answered waits for the last answer of a kind alone.
        """
        asked = (viewer, kind)

        def done(job: Job, answer: dict[str, Any] | None, trouble: Exception | None) -> None:
            if self._questions.get(asked) is not job:
                return
            del self._questions[asked]
            if trouble is not None or answer is None:
                viewer.post({"type": "error", "text": _words(trouble)})
            else:
                viewer.post({**answer, "id": self.session.id, "node": node})

        if asked in self._questions:
            self._questions.pop(asked).stop.set()
        self._questions[asked] = self._submit(work, done)

    def _submit(
        self,
        work: Callable[[threading.Event], Any],
        done: Callable[[Job, Any, Any], None],
        *,
        by: Seat | None = None,
    ) -> Job:
        """Work in a worker, by a player if one is named; what it gives comes back on the loop."""
        loop = asyncio.get_running_loop()

        def back(job: Job, result: Any, trouble: Exception | None) -> None:
            on_loop(loop, done, job, result, trouble)

        after = None if by is None else self.host.player_used(by, self.session.game)
        return self.host.pool.submit(self.session.id, work, back, after=after)


def _words(trouble: Exception | None) -> str:
    """A bug says its kind and no more: the rest is in the server's log."""
    if isinstance(trouble, EightfoldError):
        return str(trouble)
    return f"a player failed: {type(trouble).__name__}"
