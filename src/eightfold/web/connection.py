"""One WebSocket: it passes messages between a browser and a table.

The first message is `new`, `load` or `resume`; a later one of these moves the connection to another table. Outgoing
messages wait in a queue, so that a slow reader holds up nobody. While the queue is long, messages of an analysis are
left out: the next one replaces them anyway. Whoever reads so slowly that it is full is let go, connects again and gets
the whole state.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from eightfold.core.errors import EightfoldError
from eightfold.web import messages
from eightfold.web.lobby import Lobby
from eightfold.web.messages import AnyMessage, read_message
from eightfold.web.session import Session, browser_game
from eightfold.web.table import Table

LONGEST_QUEUE = 200
CROWDED = 20  # messages in the queue from which on analysis is left out
MOST_WAITING = 50  # messages that are read before the ones before them are handled
CLOSING_TIME = 2.0  # seconds for what is queued when a connection ends
RATE_LIMIT = 50.0  # messages a second that a client may send, in the long run
BURST = 200.0
NAMES_PLAYERS = (messages.New, messages.Seats, messages.Analyse, messages.Review)
POLICY_VIOLATION = 1008  # the WebSocket close code

log = logging.getLogger("eightfold.web")


class Connection:
    """A viewer of a table."""

    def __init__(self, lobby: Lobby, socket: WebSocket) -> None:
        self._lobby, self._socket = lobby, socket
        self._table: Table | None = None
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._in: asyncio.Queue[AnyMessage] = asyncio.Queue(MOST_WAITING)
        self._allowed, self._counted = BURST, time.monotonic()

    def post(self, message: dict[str, Any]) -> None:
        waiting = self._out.qsize()
        if waiting >= LONGEST_QUEUE:
            while not self._out.empty():
                self._out.get_nowait()
            self._out.put_nowait(None)
        elif waiting < CROWDED or message["type"] != "analysis":
            self._out.put_nowait(message)

    async def serve(self) -> None:
        """Serve until the browser leaves."""
        sender = asyncio.create_task(self._send())
        handler = asyncio.create_task(self._handle_all())
        self._lobby.welcome(self)
        try:
            while True:
                received = await self._socket.receive()
                if received["type"] == "websocket.disconnect":
                    return
                if not self._within_rate():
                    self.post({"type": "error", "text": "too many messages; the server closes this connection"})
                    return
                await self._receive(received.get("text"))
        except WebSocketDisconnect:
            return
        finally:
            self._lobby.viewers.discard(self)
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(self._in.join(), CLOSING_TIME)  # a move that was sent before is still played
            handler.cancel()
            if self._table is not None:
                self._table.leave(self)
            self._out.put_nowait(None)
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(sender, CLOSING_TIME)

    async def _send(self) -> None:
        """Send what is queued; the last entry is None."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (message := await self._out.get()) is not None:
                await self._socket.send_text(json.dumps(message, separators=(",", ":")))
            await self._socket.close(POLICY_VIOLATION)

    def _within_rate(self) -> bool:
        now = time.monotonic()
        self._allowed = min(BURST, self._allowed + (now - self._counted) * RATE_LIMIT)
        self._counted = now
        self._allowed -= 1
        return self._allowed >= 0

    async def _receive(self, text: str | None) -> None:
        """Read a message. A ping is answered at once, whatever the messages before it wait for."""
        try:
            if text is None:
                raise EightfoldError("a message is text, not bytes")
            message = read_message(text)
        except EightfoldError as error:
            self.post({"type": "error", "text": str(error), "about": None})
            return
        if isinstance(message, messages.Ping):
            self.post({"type": "pong"})
        else:
            await self._in.put(message)

    async def _handle_all(self) -> None:
        """Handle messages, one after the other."""
        while True:
            message = await self._in.get()
            about = message.type  # so that the browser knows what was refused
            try:
                if isinstance(message, NAMES_PLAYERS):
                    await asyncio.to_thread(self._lobby.check_players, message)
                await self._handle(message)
            except EightfoldError as error:
                self.post({"type": "error", "text": str(error), "about": about})
            except Exception:
                log.exception("a message failed")
                text = "the server failed to handle this message; the game goes on"
                self.post({"type": "error", "text": text, "about": about})
            finally:
                self._in.task_done()

    async def _handle(self, message: AnyMessage) -> None:
        match message:
            case messages.New():
                await asyncio.wrap_future(self._lobby.rules_ready(browser_game(message.game)))
                session = Session.new(
                    message.game,
                    message.moves,
                    message.black,
                    message.white,
                    playing=message.playing,
                    opening=message.opening,
                    now=time.monotonic(),
                )
                self._move_to(self._lobby.add_table(session))
            case messages.Load():
                # A large record takes a while to read: not on the event loop.
                session = await asyncio.to_thread(Session.from_sgf, message.sgf, now=time.monotonic())
                await asyncio.wrap_future(self._lobby.rules_ready(session.game))
                self._move_to(self._lobby.add_table(session))
            case messages.Resume():
                self._move_to(self._lobby.find_table(message.id))
            case _ if self._table is None:
                raise EightfoldError("there is no game yet; start with a message of the type new, load or resume")
            case _:
                self._table.handle(message, self)

    def _move_to(self, table: Table) -> None:
        if self._table is not None and self._table is not table:
            self._table.leave(self)
        self._table = table
        table.join(self)
