"""Many launches of the command line, each a process of its own that starts at once.

A server imports what training needs, loads the compiled kernels by a little play of its own, and forks for every
launch. It has a single thread, and so has PyTorch in it, or a fork would be no whole process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SERVER = """
import ctypes, json, os, signal, sys, traceback
import eightfold.cli.main
import eightfold.learning.commands, eightfold.learning.data.lmdb_store, eightfold.learning.loop
import eightfold.learning.td.loop
import numpy as np, torch
from eightfold.games import make_game
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.selfplay import SelfPlay
from eightfold.learning.td.loop import TdTrainer
from eightfold.learning.td.config import TdConfig

class Knows:
    encoder = "last-move"
    def evaluate(self, planes):
        return np.zeros((len(planes), 25), np.float32), np.zeros((len(planes), 2), np.float32)

torch.set_num_threads(1)
settings = SelfPlayConfig(parallel_games=2, playouts=8, opening_share=0.5, proof_nodes=10)
SelfPlay(make_game("gomoku:size=5,win=4"), Knows(), settings=settings,
         random=np.random.default_rng(1), threads=1).play(2)
TdTrainer(TdConfig(game="go:size=3,komi=0.5"), threads=1).update(1)

def launch(request):
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # on Linux: no launch outlives the server
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in ((0, nothing), (1, output), (2, output)):
        os.dup2(file, number)
    sys.argv = ["eightfold", *request["arguments"]]
    try:
        eightfold.cli.main.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush(), sys.stderr.flush()
    os._exit(code)

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
"""


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

    def wait(self) -> int:
        return int(self.server.ask({"wait": self.process}))

    @property
    def said(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")


class LaunchServer:
    def __init__(self, folder: Path) -> None:
        self._folder, self._number = folder, 0
        environment = {**os.environ, "COLUMNS": "400"}
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"

    def ask(self, request: dict[str, object]) -> str:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return self._server.stdout.readline()

    def launch(self, *arguments: str) -> Launch:
        self._number += 1
        output = self._folder / f"said-{self._number}"
        output.touch()
        return Launch(self, int(self.ask({"arguments": arguments, "output": str(output)})), output)

    def __enter__(self) -> LaunchServer:
        return self

    def __exit__(self, *error: object) -> None:
        with self._server as server:
            assert server.stdin is not None
            server.stdin.close()
