"""A table: one game, its viewers, and the thinking that goes on for it.

Everything here happens on the event loop, one thing at a time. Only `work` functions run in workers; their results
come back through the loop. A table without viewers rests: its thinking stops and its clocks stand still until
somebody resumes the game.

Read next: `analysis.py` thinks about the position that is shown, `review.py` about the whole game, and `queries.py`
answers what a single viewer asks.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from eightfold.arena.forfeit import how_lost
from eightfold.arena.openings.swap2 import Swap2, choose_colour, place_stones
from eightfold.arena.players import HUMAN
from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Position
from eightfold.games.state import BLACK, WHITE
from eightfold.search.result import SearchResult
from eightfold.web import messages
from eightfold.web.analysis import Analysis
from eightfold.web.messages import Seat
from eightfold.web.queries import Queries
from eightfold.web.review import Review
from eightfold.web.session import Session
from eightfold.web.workers import Job, failure_text, on_loop

if TYPE_CHECKING:
    from eightfold.web.lobby import Lobby


class Viewer(Protocol):
    """A connection: it takes messages, and may lose those of an analysis when it is slow."""

    def post(self, message: dict[str, Any]) -> None: ...


class Table:
    """One game on the server."""

    def __init__(self, lobby: Lobby, session: Session) -> None:
        self.lobby, self.session = lobby, session
        self.viewers: set[Viewer] = set()
        self.touched = time.monotonic()
        self._move: Job | None = None  # the move that a player thinks about
        self._pause: asyncio.TimerHandle | None = None
        self._analysis = Analysis(self)
        self._review = Review(self)
        self._queries = Queries(self)

    # ---- viewers --------------------------------------------------------------------------------------

    def join(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        self.session.start_clocks(time.monotonic())
        self._continue()
        self.tell_state()  # after that: it says who thinks

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        self._queries.forget(viewer)
        self.touched = time.monotonic()
        if not self.viewers:
            self.rest()

    def rest(self) -> None:
        """Nobody is there: stop all thinking."""
        self.session.stop_clocks(time.monotonic())
        self._stop_move()
        self._analysis.stop()
        self._review.stop()
        self._queries.stop_hint()

    def tell(self, message: dict[str, Any]) -> None:
        for viewer in self.viewers:
            viewer.post(message)

    def tell_state(self) -> None:
        self.tell(self._state())

    def tell_failure(self, error: Exception | None) -> None:
        self.tell({"type": "error", "text": failure_text(error)})

    def _state(self) -> dict[str, Any]:
        analyst = self._analysis.analyst
        return {
            **self.session.state(time.monotonic()),
            "thinking": self._move is not None,
            "analysing": None if analyst is None else analyst.model_dump(),
            "reviewing": self._review.left,
            "viewers": len(self.viewers),
        }

    # ---- messages -------------------------------------------------------------------------------------

    def handle(self, message: messages.AnyMessage, viewer: Viewer) -> None:
        """Do what a viewer asks for, or raise an error that says why not."""
        now, session = time.monotonic(), self.session
        self.touched = now
        match message:
            case messages.Play():
                self._play(message.action)
            case messages.Choose():
                self._choose(message.choice)
            case messages.Undo():
                self._change(lambda: session.undo(now))
            case messages.Resign():
                self._change(lambda: session.resign(now))
            case messages.MarkDead():
                self._change(lambda: session.mark_dead(message.action))
            case messages.SuggestDead():
                self._queries.suggest_dead(viewer)
            case messages.Agree():
                self._change(session.agree)
            case messages.Select():
                self._change(lambda: session.select(message.node, now))
            case messages.Remove():
                self._change(lambda: session.remove(message.node, now))
            case messages.Seats():
                self._change(lambda: session.set_seats(message.black, message.white, playing=message.playing, now=now))
            case messages.Hint():
                self._queries.hint(viewer, self._analysis.analyst)
            case messages.Analyse():
                self._set_analysis(message)
            case messages.Review():
                self._review.start(message.by)
            case messages.Eightfold():
                self._queries.eight_sides(message, viewer)
            case messages.Maps():
                self._queries.maps(message, viewer)
            case messages.Patterns():
                self._queries.patterns(message, viewer)
            case messages.Save():
                viewer.post({"type": "sgf", "sgf": session.as_sgf()})
            case _:
                raise EightfoldError(f"a message of the type {message.type!r} does not belong in a game")

    def _play(self, action: int) -> None:
        session = self.session
        if session.playing and session.mover.player != HUMAN and not session.is_over:
            colour = COLOUR_NAMES[session.turn]
            raise EightfoldError(f"it is {colour}'s turn, and {session.mover.player} plays {colour}")
        self._change(lambda: session.play(action, time.monotonic()))

    def _choose(self, choice: str) -> None:
        session = self.session
        if session.swap2 is not None and session.mover.player != HUMAN:
            raise EightfoldError(f"it is for {session.mover.player} to choose")
        self._change(lambda: session.choose(choice, time.monotonic()))

    def _set_analysis(self, message: messages.Analyse) -> None:
        if message.on:
            self._analysis.start(message.by)
        else:
            self._analysis.stop()
        self.tell_state()

    def _change(self, change: Callable[[], None]) -> None:
        """Change the game. Thinking about the position before stops."""
        change()
        self._stop_move()
        self._continue()
        self.tell_state()

    def _continue(self) -> None:
        """Begin whatever thinking the position needs that is shown now."""
        self._ask_for_move()
        self._analysis.follow()

    # ---- players' moves -------------------------------------------------------------------------------

    def _ask_for_move(self) -> None:
        session = self.session
        waits = self._move is not None or self._pause is not None
        if waits or not self.viewers or not session.playing or session.is_over or session.mover.player == HUMAN:
            return
        seat = session.mover
        if session.swap2 is not None:
            self._move = self.submit(self._opening(seat, session.position, session.swap2), self._opened, by=seat)
        else:
            self._move = self.submit(self.thinking(seat, session.position, session.id), self._moved, by=seat)

    def _opening(
        self, seat: Seat, position: Position, swap2: Swap2
    ) -> Callable[[threading.Event], tuple[str, list[int]]]:
        """The work of a player in an opening by swap2: a choice, or stones to place."""
        think, random = self.thinking(seat, position, self.session.id), self.lobby.new_random()

        def work(stop: threading.Event) -> tuple[str, list[int]]:
            if swap2.choices:
                return choose_colour(think(stop).value), []
            return "", place_stones(position.game, random, self.lobby.judge(seat, position.game))

        return work

    def _opened(self, job: Job, answer: tuple[str, list[int]] | None, failure: Exception | None) -> None:
        if job is not self._move:
            return
        self._move = None
        session, now = self.session, time.monotonic()
        try:
            if failure is not None or answer is None:
                raise failure or EightfoldError("it does not answer")
            choice, stones = answer
            for action in stones:
                session.play(action, now)
            if choice:
                self.tell({"type": "chosen", "player": session.mover.player, "choice": choice})
                session.choose(choice, now)
        except Exception as error:
            session.playing = False
            self.tell({"type": "error", "text": f"{session.mover.player} cannot open the game: {failure_text(error)}"})
        self._continue()
        self.tell_state()

    def thinking(self, seat: Seat, position: Position, borrower: str) -> Callable[[threading.Event], SearchResult]:
        """The work of a move: borrow the player of a seat and let it think."""

        def work(stop: threading.Event) -> SearchResult:
            with self.lobby.borrow(seat, position.game, borrower) as player:
                return player.think(position, stop=stop)

        return work

    def _moved(self, job: Job, result: SearchResult | None, failure: Exception | None) -> None:
        if job is not self._move:
            return  # it was stopped, and the game went another way
        self._move = None
        session, now = self.session, time.monotonic()
        loser, seat = session.position.to_move, session.mover
        node = session.node
        try:
            if failure is not None:
                raise failure
            assert result is not None
            session.play(int(result.action), now)
        except EightfoldError as error:
            # An engine that fails or plays an illegal move loses, and everybody sees why.
            session.end(BLACK + WHITE - loser, f"{seat.player} {how_lost(error)}", now)
        except Exception as error:
            session.playing = False
            self.tell({"type": "error", "text": f"{seat.player} failed: {type(error).__name__}"})
        else:
            if result.visits is not None or abs(result.value) == 1:
                session.store_evaluation(node, result, seat)
        both = all(other.player != HUMAN for other in session.seats.values())
        if both and self.lobby.pace > 0:
            self._pause = asyncio.get_running_loop().call_later(self.lobby.pace, self._after_pause)
        self._continue()
        self.tell_state()

    def _after_pause(self) -> None:
        """Two players against each other move at a pace that people can follow."""
        self._pause = None
        if self.viewers:
            self._ask_for_move()
            self.tell_state()

    def _stop_move(self) -> None:
        if self._move is not None:
            self._move.stop.set()
            self._move = None
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def submit(
        self,
        work: Callable[[threading.Event], Any],
        done: Callable[[Job, Any, Any], None],
        *,
        by: Seat | None = None,
    ) -> Job:
        """Work in a worker, after the player `by` is warmed up; `done` is called on the loop."""
        loop = asyncio.get_running_loop()

        def back(job: Job, result: Any, failure: Exception | None) -> None:
            on_loop(loop, done, job, result, failure)

        after = None if by is None else self.lobby.player_ready(by, self.session.game)
        return self.lobby.workers.submit(self.session.id, work, back, after=after)
