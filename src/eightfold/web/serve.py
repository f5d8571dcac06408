"""`eightfold serve`: the page on a port of this machine, and a browser that shows it.

The page opens first. While the browser loads it, a thread imports the games and makes the lobby; what compiles after
that is told on the page.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need

if TYPE_CHECKING:
    from eightfold.web.lobby import Lobby

PORT = 8008
LARGEST_FRAME = 1 << 20  # bytes: a larger message closes the connection before it is read
BACKLOG = 128  # connections that the system holds until they are accepted

Training = Callable[[Callable[[str], None]], None]  # tells what training compiles, and returns when training ends


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    browser: bool = True,
    runs: Sequence[Path] = (),
    players: Sequence[str] = (),
    isns: Sequence[Path] = (),
    patterns: Sequence[Path] = (),
    game: str | None = None,
    training: Training | None = None,
) -> None:
    """Serve until Ctrl-C, or until `training` returns."""
    for module in ("fastapi", "uvicorn", "websockets"):
        need(module, purpose="the page")
    for run in runs:
        check_watched(run)
    lobby: Future[Lobby] = Future()
    lobby.set_running_or_notify_cancel()  # a visitor who stops waiting for it cancels it for nobody else
    given = {"runs": runs, "players": players, "isns": isns, "patterns": patterns, "game": game}
    loading = threading.Thread(target=_make_lobby, args=(lobby, given), name="lobby", daemon=True)
    if players or isns or patterns or game:  # a wrong name is an error before anything opens
        loading.start()
        lobby.result()
    import uvicorn

    from eightfold.web.admission import Admission, file_limit
    from eightfold.web.app import make_app

    listening = _listen(host, port)
    address = f"http://{_url_host(host)}:{listening.getsockname()[1]}"
    admission = Admission(file_limit())
    config = uvicorn.Config(
        make_app(lobby, bound=host),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        timeout_graceful_shutdown=2,
        backlog=admission.backlog,
    )
    config.load()
    config.http_protocol_class = admission.guard(config.http_protocol_class)  # type: ignore[assignment]

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            listening.listen(BACKLOG)  # what waits; the loop accepts as many at once as `admission` allows
            asyncio.get_running_loop().set_exception_handler(admission.handle_loop_error)
            if not lobby.done():
                loading.start()  # not before: the page comes first

    server = Server(config)
    taken = "" if listening.getsockname()[1] == port or port == 0 else f" (port {port} is taken)"
    print(f"Eightfold is at {address}{taken}; Ctrl-C ends it", flush=True)
    for run in runs:
        if not is_run(run):
            print(f"{run} is no run yet; the page shows it as soon as training begins there", flush=True)
    if browser and has_display():
        # The socket listens already, so the browser may come before the server has started.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    if training is not None:
        threading.Thread(target=_follow, args=(training, lobby), daemon=True).start()

    def stop_on_error(made: Future[Lobby]) -> None:
        server.should_exit = server.should_exit or made.exception() is not None

    lobby.add_done_callback(stop_on_error)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # uvicorn has shut down by then
    finally:
        listening.close()
    if lobby.done():
        lobby.result()  # tells why it could not be made


def is_run(path: Path) -> bool:
    return any((path / name).exists() for name in ("config.toml", "metrics.jsonl"))


def check_watched(path: Path) -> None:
    """An error if what lies there is no run, and none can begin there."""
    from eightfold.learning.runs.atomic_save import has_other_files

    if path.exists() and not is_run(path) and (not path.is_dir() or has_other_files(path)):
        raise EightfoldError(f"--run {path} is no run's folder: it has neither config.toml nor metrics.jsonl")


def _make_lobby(made: Future[Lobby], given: Mapping[str, Any]) -> None:
    """Import the games and make the lobby with what the server was given."""
    try:
        from eightfold.web import connection  # noqa: F401 - so that no visitor waits for its imports
        from eightfold.web.lobby import Lobby

        made.set_result(Lobby(**given))
    except BaseException as error:
        made.set_exception(error)


def _follow(training: Training, lobby: Future[Lobby]) -> None:
    """Show what training compiles, and end the server with it."""
    training(lambda part: lobby.result().training_compiles(part))
    os.kill(os.getpid(), signal.SIGTERM)


def has_display() -> bool:
    """Whether a browser could show anything here: a terminal over ssh, say, has no display."""
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
            listening.listen(BACKLOG)
            return listening
        except OSError as error:
            listening.close()
            if wanted == 0 or isinstance(error, PermissionError | socket.gaierror):
                raise EightfoldError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    raise AssertionError("a socket is bound or an error is raised")


def _url_host(host: str) -> str:
    if host in ("0.0.0.0", "::", ""):
        return "localhost"
    return f"[{host}]" if ":" in host else host
