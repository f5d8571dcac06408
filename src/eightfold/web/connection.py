"""One WebSocket: messages in, messages out, and a table between them.

The first message is `new` or `resume`; so may later ones be, and then the connection moves to another table. What
goes out waits in a queue of its own, so that a slow reader holds up nobody; analysis is left out when the queue is
long, because the next one makes it worthless anyway.
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
from eightfold.web.host import Host
from eightfold.web.messages import AnyMessage, read_message
from eightfold.web.session import Session, offered_game
from eightfold.web.table import Table

LONGEST_QUEUE = 200
CROWDED = 20  # from here on analysis is left out
MOST_WAITING = 50  # messages that are read before those before them are done
LAST_WORDS = 2.0  # seconds for what waits when a connection ends
MOST_A_SECOND = 50.0  # messages that a client may send, in the long run
BURST = 200.0
NAMING = (messages.New, messages.Seats, messages.Analyse, messages.Review)  # messages that name players
TOO_MUCH = 1008  # the code for a connection that breaks the rules

log = logging.getLogger("eightfold.web")


class Connection:
    """A viewer of a table."""

    def __init__(self, host: Host, socket: WebSocket) -> None:
        self._host, self._socket = host, socket
        self._table: Table | None = None
        self._out: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._in: asyncio.Queue[AnyMessage] = asyncio.Queue(MOST_WAITING)
        self._allowed, self._counted = BURST, time.monotonic()

    def post(self, message: dict[str, Any]) -> None:
        waiting = self._out.qsize()
        if waiting >= LONGEST_QUEUE or (waiting >= CROWDED and message["type"] == "analysis"):
            return
        self._out.put_nowait(message)

    async def serve(self) -> None:
        """Until the client leaves."""
        sender = asyncio.create_task(self._send())
        doer = asyncio.create_task(self._do_all())
        self._host.welcome(self)
        try:
            while True:
                received = await self._socket.receive()
                if received["type"] == "websocket.disconnect":
                    return
                if not self._within_rate():
                    self.post({"type": "error", "text": "too many messages; this connection is closed"})
                    return
                await self._take(received.get("text"))
        except WebSocketDisconnect:
            return
        finally:
            self._host.viewers.discard(self)
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(self._in.join(), LAST_WORDS)  # a move that was sent before is still played
            doer.cancel()
            if self._table is not None:
                self._table.leave(self)
            self._out.put_nowait(None)
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(sender, LAST_WORDS)

    async def _send(self) -> None:
        """Write what waits; the last entry is None."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (message := await self._out.get()) is not None:
                await self._socket.send_text(json.dumps(message, separators=(",", ":")))
            await self._socket.close(TOO_MUCH)

    def _within_rate(self) -> bool:
        now = time.monotonic()
        self._allowed = min(BURST, self._allowed + (now - self._counted) * MOST_A_SECOND)
        self._counted = now
        self._allowed -= 1
        return self._allowed >= 0

    async def _take(self, text: str | None) -> None:
        """Read a message; a ping is answered at once, whatever the messages before it wait for."""
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

    async def _do_all(self) -> None:
        """Do what was asked for, one thing after the other."""
        while True:
            message = await self._in.get()
            about = message.type  # so that a client knows what was refused
            try:
                if isinstance(message, NAMING):
                    await asyncio.to_thread(self._host.check, message)
                await self._do(message)
            except EightfoldError as error:
                self.post({"type": "error", "text": str(error), "about": about})
            except Exception:
                log.exception("a message failed")
                text = "the server failed at this message; the game goes on"
                self.post({"type": "error", "text": text, "about": about})
            finally:
                self._in.task_done()

    async def _do(self, message: AnyMessage) -> None:
        match message:
            case messages.New():
                await asyncio.wrap_future(self._host.rules_used(offered_game(message.game)))
                session = Session.new(
                    message.game,
                    message.moves,
                    message.black,
                    message.white,
                    playing=message.playing,
                    now=time.monotonic(),
                )
                self._sit_down(self._host.seat(session))
            case messages.Load():
                # A large record takes a while to read: not on the loop.
                session = await asyncio.to_thread(Session.pasted, message.sgf, now=time.monotonic())
                await asyncio.wrap_future(self._host.rules_used(session.game))
                self._sit_down(self._host.seat(session))
            case messages.Resume():
                self._sit_down(self._host.find(message.id))
            case _ if self._table is None:
                raise EightfoldError("there is no game here yet; begin with a message of the type new or resume")
            case _:
                self._table.take(message, self)

    def _sit_down(self, table: Table) -> None:
        if self._table is not None and self._table is not table:
            self._table.leave(self)
        self._table = table
        table.join(self)
