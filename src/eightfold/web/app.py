"""What the server answers: the page, a few lists as JSON, and one WebSocket for each game.

Safety is in four places. `_stranger` refuses hosts and origins that are not this server, so that another web page
in the same browser can neither play nor read here. The headers let the page load nothing from elsewhere. Messages
are checked in `messages.py`. And a client can only name players, runs and games that `offers.py`, `runs.py` and
`session.py` know already.
"""

from __future__ import annotations

import ipaddress
import json
import mimetypes
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import settings_of
from eightfold.games.game import DEFAULT_GAME, GAMES, make_game
from eightfold.web.connection import Connection
from eightfold.web.host import Host

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


def make_app(host: Host, *, name: str = "127.0.0.1") -> FastAPI:
    """The application for a host; `name` is what it is bound to."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        host.open()
        yield
        host.close()

    app = FastAPI(
        title="Eightfold", version=__version__, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan
    )
    app.state.host = host

    @app.middleware("http")
    async def guard(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        if said := _stranger(request.headers.get("host"), request.headers.get("origin"), name):
            return JSONResponse({"error": said}, 403, HEADERS)
        response = await answer(request)
        response.headers.update(HEADERS)
        return response

    @app.exception_handler(EightfoldError)
    async def refuse(request: Request, error: EightfoldError) -> Response:
        return JSONResponse({"error": str(error)}, 404)

    @app.get("/api/offers")
    def offers() -> dict[str, Any]:
        return {
            "version": __version__,
            "players": [offer.as_dict() for offer in host.offers.all()],
            "games": [_family(text) for text in GAMES],
            "maps": host.maps.all(),
            "default_game": make_game(DEFAULT_GAME).text,
        }

    @app.get("/api/runs")
    def runs() -> list[dict[str, Any]]:
        return host.runs.all()

    @app.get("/api/runs/{number}/curves")
    def curves(number: int, after: int = 0) -> dict[str, Any]:
        return host.runs.find(number).curves(max(0, after))

    @app.get("/api/runs/{number}/games")
    def games(number: int) -> dict[str, Any]:
        return host.runs.find(number).games()

    @app.websocket("/game")
    async def game(websocket: WebSocket) -> None:
        if _stranger(websocket.headers.get("host"), websocket.headers.get("origin"), name):
            await websocket.close(1008)  # before it is accepted: the browser sees 403
            return
        await websocket.accept()
        await Connection(host, websocket).serve()

    @app.websocket("/{path:path}")
    async def nowhere(websocket: WebSocket, path: str) -> None:
        await websocket.close(1008)

    @app.get("/")
    def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/", StaticFiles(directory=PAGE), name="page")
    return app


def _family(name: str) -> dict[str, Any]:
    """What a form needs to offer a game."""
    family = make_game(name).spec
    options = [
        {
            "name": option.name,
            "default": option.default,
            "help": option.help,
            "least": option.least,
            "most": option.most,
            "choices": list(option.choices),
        }
        for option in settings_of(family.options)
    ]
    return {
        "name": name,
        "summary": family.summary,
        "letters": family.letters,
        "has_pass": family.has_pass,
        "options": json.loads(json.dumps(options)),
    }


def _stranger(host: str | None, origin: str | None, bound: str) -> str:
    """Why a request is not for us, or ''. A browser always sends an origin with a WebSocket; programs may not.

    A name that resolves to this machine is not enough: that is how strangers' pages reach local servers. An address
    is, because a browser that shows an address knows whose page it shows.
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname or ""
    except ValueError:
        name = ""
    own = {"localhost", bound.lower(), socket.gethostname().lower()}
    if name not in own and not _is_address(name):
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
