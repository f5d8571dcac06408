"""Many launches of the command line, each a process of its own that starts at once.

A server imports what commands need, loads the compiled kernels by a little play of its own, and forks for every
launch. It has a single thread, and so has PyTorch in it, or a fork would be no whole process. What is imported when,
and how a new interpreter begins, cannot be tested this way: such tests start one.

Read first: `eightfold`, which is all that most tests need.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 240.0  # seconds after which a command hangs
PRELOADED = ("cli.main", "learning.commands", "learning.data.lmdb_store", "learning.loop", "learning.td.loop")


def eightfold(
    *arguments: str,
    input: str | None = "",
    cwd: Path | None = None,
    compiled: bool = True,
    file_size: int | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end.

    `input=None` closes its standard input; if not `compiled`, kernels run as plain Python; no file that it writes may
    have more bytes than `file_size`.
    """
    launch = server(compiled).launch(
        *arguments, input=input, cwd=cwd, together=False, file_size=file_size, **environment
    )
    code = launch.wait()
    return subprocess.CompletedProcess(arguments, code, launch.output.read_text("utf-8"), launch.errors)


@functools.cache
def server(compiled: bool = True) -> LaunchServer:
    """The server of this process, which ends with it."""
    folder = Path(tempfile.mkdtemp(prefix="launches-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return LaunchServer(folder, compiled=compiled)


@dataclass
class Launch:
    """A running command; `wait` gives its exit code, below zero for a signal, and `said` what it printed."""

    server: LaunchServer
    process: int
    output: Path

    def signal(self, number: int) -> None:
        os.kill(self.process, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.wait()

    def wait(self, seconds: float = PATIENCE) -> int:
        hangs = threading.Timer(seconds, self.signal, [signal.SIGKILL])
        hangs.start()
        try:
            return int(self.server.ask({"wait": self.process}))
        finally:
            hangs.cancel()

    @property
    def said(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    @property
    def errors(self) -> str:
        """What it printed on stderr, if that was kept apart."""
        return self.output.with_suffix(".errors").read_text(encoding="utf-8", errors="replace")


class LaunchServer:
    def __init__(self, folder: Path, *, compiled: bool = True) -> None:
        self._folder, self._number = folder, 0
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": str(int(not compiled))},
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"

    def ask(self, request: dict[str, object]) -> str:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return self._server.stdout.readline()

    def launch(
        self,
        *arguments: str,
        input: str | None = "",
        cwd: Path | None = None,
        together: bool = True,
        file_size: int | None = None,
        **environment: str,
    ) -> Launch:
        """Begin a command; what it prints goes into one file, or into two if not `together`."""
        self._number += 1
        output = self._folder / f"said-{self._number}"
        typed = output.with_suffix(".input")
        typed.write_text(input or "", encoding="utf-8")
        request = {
            "arguments": arguments,
            "input": None if input is None else str(typed),
            "output": str(output),
            "errors": str(output if together else output.with_suffix(".errors")),
            "cwd": str(cwd or Path.cwd()),
            "file_size": file_size,
            "environment": {**os.environ, "COLUMNS": "400" if together else "80", **environment},
        }
        output.touch()
        return Launch(self, int(self.ask(request)), output)

    def __enter__(self) -> LaunchServer:
        return self

    def __exit__(self, *error: object) -> None:
        with self._server as server:
            assert server.stdin is not None
            server.stdin.close()


# ---- in the server ----------------------------------------------------------------------------------------


def prepare() -> None:
    """Import what commands import, and load the kernels of small games."""
    import numpy as np
    import torch

    for module in PRELOADED:
        importlib.import_module(f"eightfold.{module}")
    from eightfold.arena import make_player
    from eightfold.arena.match import play_match
    from eightfold.cli.app import app
    from eightfold.games import make_game
    from eightfold.learning.config import SelfPlayConfig
    from eightfold.learning.selfplay import SelfPlay
    from eightfold.learning.td.config import TdConfig
    from eightfold.learning.td.loop import TdTrainer

    class Knows:
        encoder = "last-move"

        def evaluate(self, planes: Any) -> Any:
            return np.zeros((len(planes), 25), np.float32), np.zeros((len(planes), 2), np.float32)

    torch.set_num_threads(1)
    with contextlib.redirect_stdout(io.StringIO()):
        app(["players"], standalone_mode=False)  # Typer and Rich import more when they are first used
    if os.environ["NUMBA_DISABLE_JIT"] == "1":
        return
    settings = SelfPlayConfig(parallel_games=2, playouts=8, opening_share=0.5, proof_nodes=10)
    gomoku = make_game("gomoku:size=5,win=4")
    SelfPlay(gomoku, Knows(), settings=settings, random=np.random.default_rng(1), threads=1).play(2)
    TdTrainer(TdConfig(game="go:size=3,komi=0.5"), threads=1).update(1)
    for game in (gomoku, make_game("go:size=3")):
        play_match(game, "greedy", "random", games=2, seed=1)
        for player in ("mcts:playouts=2", "alphabeta:depth=1"):
            make_player(player, game).think(game.start())


def launch(request: dict[str, Any]) -> None:
    """In a new process: become the command, as a new interpreter would begin it."""
    import eightfold.cli.main
    from eightfold.core import compiling

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # no launch outlives the server
    compiling.BURSTS = compiling.Bursts()  # the server's may have had a thread
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["input"] is None:
        os.close(0)
        sys.stdin = None  # type: ignore[assignment]
    else:
        os.dup2(os.open(request["input"], os.O_RDONLY), 0)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # the server's may have read ahead
    for number, name in ((1, "output"), (2, "errors")):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    sys.argv, sys.path[0] = ["eightfold", *request["arguments"]], request["cwd"]  # as with `python -m`
    if request["file_size"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"],) * 2)
    try:
        eightfold.cli.main.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    with contextlib.suppress(OSError):
        sys.stdout.flush(), sys.stderr.flush()
    os._exit(code)


def serve() -> None:
    prepare()
    gc.collect()
    gc.freeze()  # or the first collection of every launch would visit, and so copy, all that was made here
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            print(os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1]), flush=True)
            continue
        process = os.fork()
        if process == 0:
            launch(request)
        print(process, flush=True)


if __name__ == "__main__":
    serve()
