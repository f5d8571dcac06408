"""A real server for tests, and a client that says and hears messages."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from eightfold.web.app import make_app
from eightfold.web.lobby import Lobby
from eightfold.web.serve import LARGEST_FRAME

PATIENCE = 60.0  # seconds: these machines are shared, and the first move may compile
LOOP = "event-loop"  # the name of the thread that serves
HUMAN = {"player": "human", "level": 0}
GREEDY = {"player": "greedy", "level": 0}
RANDOM = {"player": "random", "level": 0}


@contextlib.contextmanager
def running(lobby: Lobby) -> Iterator[str]:
    """The server of a lobby in a thread; its address as host:port."""
    made: Future[Lobby] = Future()
    made.set_result(lobby)
    with served(made) as address:
        yield address


@contextlib.contextmanager
def served(made: Future[Lobby]) -> Iterator[str]:
    """The same, perhaps before the lobby is made."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(made),
        log_level="error",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name=LOOP, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
        listening.close()


class Client:
    """One connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}

    def say(self, type: str, **more: Any) -> None:
        self.socket.send(json.dumps({"type": type, **more}))

    def hear(self, type: str, where: Callable[[dict[str, Any]], bool] = lambda message: True) -> dict[str, Any]:
        """The next message of a type that fits; an error is never passed over."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message["type"] == "state":
                self.state = message
            if message["type"] == type and where(message):
                return message
            assert message["type"] != "error", message["text"]
        raise AssertionError(f"no {type} came")

    def hear_any(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        return message

    def ask(self, type: str, **more: Any) -> dict[str, Any]:
        """Say something and hear the state that follows."""
        self.say(type, **more)
        return self.hear("state")

    def refused(self, type: str, **more: Any) -> str:
        self.say(type, **more)
        return str(self.hear("error")["text"])

    def new(self, game: str = "gomoku:size=7", **more: Any) -> dict[str, Any]:
        return self.ask("new", **{"game": game, "black": HUMAN, "white": HUMAN, **more})


@contextlib.contextmanager
def client(address: str, **more: Any) -> Iterator[Client]:
    with connect(f"ws://{address}/game", max_size=None, **more) as socket:
        yield Client(socket)


def get(address: str, path: str, **headers: str) -> tuple[int, Any, dict[str, str]]:
    """Status, body (read as JSON where it is) and headers."""
    request = urllib.request.Request(f"http://{address}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            status, body, given = response.status, response.read(), dict(response.headers)
    except urllib.error.HTTPError as error:
        status, body, given = error.code, error.read(), dict(error.headers)
    is_json = given.get("content-type", "").startswith("application/json")
    return status, json.loads(body) if is_json else body, {key.lower(): value for key, value in given.items()}
