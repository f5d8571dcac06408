"""`eightfold serve`: the page on a port of this machine, and a browser that shows it."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from eightfold.core.errors import EightfoldError

PORT = 8008
LARGEST_FRAME = 1 << 20  # bytes: what is larger closes the connection before it is read
WAITING = 128  # connections that the system holds until they are taken up
NEEDED = ("fastapi", "uvicorn", "websockets")


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    browser: bool = True,
    runs: Sequence[Path] = (),
    players: Sequence[str] = (),
    isns: Sequence[Path] = (),
) -> None:
    """Serve until Ctrl-C."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise EightfoldError(f"the page needs {', '.join(missing)}: pip install {' '.join(missing)}")
    import uvicorn

    from eightfold.web.app import make_app
    from eightfold.web.door import Door, file_limit
    from eightfold.web.host import Host

    listening = _listen(host, port)
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
    console = Console(highlight=False, emoji=False, markup=False, soft_wrap=True)
    app = make_app(Host(players=players, runs=runs, isns=isns), name=host)
    door = Door(file_limit())
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        timeout_graceful_shutdown=2,
        backlog=door.at_once,
    )
    config.load()
    config.http_protocol_class = door.guarded(config.http_protocol_class)  # type: ignore[assignment]

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            listening.listen(WAITING)  # those who wait; the loop takes up so many at once as the door allows
            asyncio.get_running_loop().set_exception_handler(door.hear_of_trouble)

    server = Server(config)
    taken = "" if listening.getsockname()[1] == port or port == 0 else f" (port {port} is taken)"
    console.print(f"Eightfold is at {address}{taken}; Ctrl-C ends it")
    for run in runs:
        if not run.exists():
            console.print(f"{run} is no run yet; the page shows it as soon as training begins there")
    if browser and has_display():
        # The socket listens already, so the browser may come before the server has started.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down by then
    finally:
        listening.close()


def has_display() -> bool:
    """Whether a browser could show anything here: a terminal over ssh, say, has none."""
    if sys.platform.startswith(("win", "darwin", "cygwin")):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _listen(host: str, port: int) -> socket.socket:
    """A socket on the port, or on a free one where that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (port, 0):
        listening = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, wanted))
            listening.listen(WAITING)
            return listening
        except OSError as error:
            listening.close()
            if wanted == 0 or isinstance(error, PermissionError | socket.gaierror):
                raise EightfoldError(f"cannot listen on {host}:{wanted}: {error.strerror or error}") from None
    raise AssertionError("a socket is bound or an error was raised")


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):
        return "localhost"
    return f"[{host}]" if ":" in host else host
