"""What the server answers: the page, a few lists as JSON, and one WebSocket for each game.

The page itself is served at once. Everything that needs the games waits until the lobby is open, which takes a moment:
it imports Numba. Safety is in four places. `foreign_request` refuses host names and origins that are not this
server's, so that another web page in the same browser can neither play nor read here. The headers let the page load
nothing from elsewhere. `messages.py` checks every message. And a browser can only name players, runs and games that
`menu.py`, `runs.py` and `session.py` know already.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import mimetypes
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from eightfold import __version__
from eightfold.core.errors import EightfoldError

if TYPE_CHECKING:
    from eightfold.web.lobby import Lobby

PAGE = Path(__file__).resolve().parent / "page"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # a new version of the package is a new page at once
}

mimetypes.add_type("text/javascript", ".js")  # some systems say otherwise, and then no browser runs a module


def make_app(lobby: Future[Lobby], *, bound: str = "127.0.0.1") -> FastAPI:
    """The application; `lobby` is done when the games are ready, and `bound` is the address that it listens on."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opening = asyncio.create_task(_open(lobby))
        yield
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await opening
        if lobby.done() and lobby.exception() is None:
            lobby.result().close()

    app = FastAPI(
        title="Eightfold", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )

    @app.middleware("http")
    async def guard(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        if reason := foreign_request(request.headers.get("host"), request.headers.get("origin"), bound):
            return JSONResponse({"error": reason}, 403, HEADERS)
        response = await answer(request)
        response.headers.update(HEADERS)
        return response

    @app.exception_handler(EightfoldError)
    async def refuse(request: Request, error: EightfoldError) -> Response:
        return JSONResponse({"error": str(error)}, 404)

    @app.get("/api/menu")
    def menu() -> dict[str, Any]:
        return {"version": __version__, **lobby.result().menu_message()}

    @app.get("/api/runs")
    def runs() -> list[dict[str, Any]]:
        return lobby.result().runs.all()

    @app.get("/api/runs/{number}/curves")
    def curves(number: int, after: int = 0) -> dict[str, Any]:
        return lobby.result().runs.find(number).curves(max(0, after))

    @app.get("/api/runs/{number}/games")
    def games(number: int) -> dict[str, Any]:
        return lobby.result().runs.find(number).games()

    @app.get("/api/runs/{number}/health")
    def health(number: int) -> dict[str, Any]:
        return lobby.result().runs.health(number)

    @app.websocket("/game")
    async def game(websocket: WebSocket) -> None:
        if foreign_request(websocket.headers.get("host"), websocket.headers.get("origin"), bound):
            await websocket.close(1008)  # before it is accepted: the browser sees 403
            return
        await websocket.accept()
        opened = await asyncio.wrap_future(lobby)
        from eightfold.web.connection import Connection  # loaded with the lobby: it imports Numba

        await Connection(opened, websocket).serve()

    @app.websocket("/{path:path}")
    async def nowhere(websocket: WebSocket, path: str) -> None:
        await websocket.close(1008)

    @app.get("/")
    def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/", StaticFiles(directory=PAGE), name="page")
    return app


async def _open(lobby: Future[Lobby]) -> None:
    """Open the lobby on the event loop as soon as it is made; whoever made it tells its error."""
    with contextlib.suppress(Exception):
        (await asyncio.wrap_future(lobby)).open()


def foreign_request(host: str | None, origin: str | None, bound: str) -> str:
    """Why a request is not for this server, or ''. Browsers always send an origin with a WebSocket; programs may not.

    A name that resolves to this machine is not enough: that is how pages of strangers reach local servers. An address
    is, because a browser that shows an address knows whose page it shows.
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname or ""
    except ValueError:
        name = ""
    if name not in {"localhost", bound.lower(), socket.gethostname().lower()} and not _is_address(name):
        return "this server answers to its own address only"
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        return "this origin is not the page of this server"
    return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
