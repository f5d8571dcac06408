"""Whether `pbrain-eightfold` keeps within the limits that managers set: time, leaving, memory.

Each engine is a process behind pipes, timed from outside as a manager times it, so what the machine does besides
counts too: a figure that misses its bar on a busy machine is to be measured again on a quiet one. What the clock
allows is tested without a clock on the wall in `tests/protocols`; here is what comes of it.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from eightfold.arena.players import make_player
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import make_game

ENGINE = (sys.executable, "-m", "eightfold.protocols.gomocup.session")
PATIENCE = 180.0  # seconds without an answer after which an engine is ended: kernels may be compiled first
TURNS, TURN_LIMITS = 5, (1.0, 0.4, 0.0)  # seconds
AT_ONCE = 0.3  # seconds: what is left to a move for which there is no time
MATCH = 20.0  # seconds for all moves of a game
FIRST_MOVE = 4.0  # seconds for START and the first move together
LEAVING = 1.0  # seconds that managers wait after END
MEMORY, MEMORY_BYTES = 350, 350 << 20  # what tournaments give, in the unit of VmHWM's report and of INFO
MEMORY_TURN = 2.5  # seconds of thinking for a move while memory is watched
STONES = ("7,7,2", "8,8,1", "6,8,2")


class Engine:
    """An engine and our end of its pipes; use it in a `with`."""

    def __init__(self, player: str | None = None, **environment: str) -> None:
        arguments = [] if player is None else ["--player", player]
        self.process = subprocess.Popen(
            [*ENGINE, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **environment},
        )

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *trouble: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def ask(self, *lines: str) -> str:
        """Its answer; remarks for people are passed over."""
        assert self.process.stdout is not None
        guard = threading.Timer(PATIENCE, self.process.kill)
        guard.start()
        try:
            self.send(*lines)
            for line in self.process.stdout:
                if line.partition(" ")[0] not in ("MESSAGE", "DEBUG"):
                    return line.strip()
            raise RuntimeError(f"the engine gave no answer to {lines[-1]!r}")
        finally:
            guard.cancel()

    def time(self, *lines: str) -> float:
        """Seconds until the answer."""
        begun = time.perf_counter()
        answer = self.ask(*lines)
        spent = time.perf_counter() - begun
        if answer.startswith(("ERROR", "UNKNOWN")):
            raise RuntimeError(f"the engine answered {lines[-1]!r} with {answer!r}")
        return spent

    def leave(self) -> float:
        """Seconds from END to its end."""
        begun = time.perf_counter()
        self.send("END")
        self.process.wait(PATIENCE)
        return time.perf_counter() - begun

    def high_water(self) -> float | None:
        """The most memory that was ever resident, in megabytes; None where there is no /proc."""
        try:
            lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        except OSError:
            return None
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))


def run() -> Benchmark:
    with tempfile.TemporaryDirectory() as folder:
        network, trouble = _exported_network(Path(folder))
        figures = [
            *_turns("alphabeta"),
            *_turns("mcts"),
            *(_turns(f"net:{network}", "network") if network else ()),
            _match(),
            *_without_time(),
            _ready_at_start(),
            _start_on_the_bill(),
            _leaving_while_thinking(),
            _leaving_while_compiling(Path(folder) / "cache"),
            _memory("default_player", None),
            _memory("mcts", "mcts"),
            _memory("network", f"net:{network}" if network else "", trouble),
        ]
    return Benchmark(
        name="gomocup", title="pbrain-eightfold within its limits, timed from outside", figures=tuple(figures)
    )


def _turns(player: str, name: str = "") -> list[Figure]:
    """The slowest of a few moves, beside the limit; the usual one is in the note."""
    size, figures = 20 if name else 15, []
    with Engine(player) as engine:
        _settle(engine, size)
        for limit in TURN_LIMITS:
            engine.send(f"INFO timeout_turn {round(1000 * limit)}", "INFO time_left 2147483647")
            spent = [engine.time("BOARD", *STONES, "DONE") for _ in range(TURNS)]
            over = max(spent) - (limit or AT_ONCE)
            figures.append(
                Figure(
                    key=f"{name or player}_turn_of_{limit:g}_s",
                    value=max(spent),
                    unit="s",
                    most=limit or AT_ONCE,
                    note=f"slowest of {TURNS} at {size}x{size}, median {statistics.median(spent):.3f} s; "
                    + (f"overstepped by {over:.3f} s" if over > 0 else "never overstepped"),
                )
            )
    return figures


def _match() -> Figure:
    """A whole game with one time for all moves, against a player that defends itself and moves first."""
    game = make_game("gomoku:size=15")
    position, opponent, spent, moves = game.start(), make_player("alphabeta:depth=4", game), 0.0, 0
    with Engine() as engine:
        _settle(engine, 15)
        engine.ask("RESTART")
        engine.send(f"INFO timeout_turn {round(1000 * MATCH)}", f"INFO timeout_match {round(1000 * MATCH)}")
        while not position.is_over:
            position = position.play(opponent.think(position).action)
            if position.is_over:
                break
            row, column = divmod(position.moves[-1], game.size)
            engine.send(f"INFO time_left {round(1000 * (MATCH - spent))}")
            begun = time.perf_counter()
            answer = engine.ask(f"TURN {column},{row}")
            spent, moves = spent + time.perf_counter() - begun, moves + 1
            column, row = (int(part) for part in answer.split(","))
            position = position.play(row * game.size + column)
    return Figure(key=f"match_of_{MATCH:g}_s", value=spent, unit="s", most=MATCH, note=f"a game of {moves} own moves")


def _settle(engine: Engine, size: int) -> None:
    """A game, and a first move that has the time of START on its bill."""
    engine.ask(f"START {size}")
    engine.time("INFO timeout_turn 0", "BOARD", *STONES, "DONE")


def _without_time() -> list[Figure]:
    figures = []
    with Engine() as engine:
        _settle(engine, 15)
        engine.send(f"INFO timeout_turn {round(1000 * MATCH)}", f"INFO timeout_match {round(1000 * MATCH)}")
        for left in (-1, 0, 20):
            engine.ask("RESTART")
            spent = engine.time(f"INFO time_left {left}", "TURN 7,7")
            name = f"minus_{-left}" if left < 0 else str(left)
            figures.append(Figure(key=f"move_with_{name}_ms_left", value=spent, unit="s", most=AT_ONCE))
    return figures


def _ready_at_start() -> Figure:
    """Everything is loaded by then: a move with little time comes in time."""
    with Engine() as engine:
        engine.send(f"INFO timeout_turn {round(1000 * AT_ONCE)}")
        engine.ask("START 20")
        return Figure(key="first_move_after_start", value=engine.time("TURN 9,9"), unit="s", most=AT_ONCE)


def _start_on_the_bill() -> Figure:
    """Some managers let their clock run from START, or from the start of the process, to the first move."""
    begun = time.perf_counter()
    with Engine() as engine:
        engine.send(f"INFO timeout_turn {round(1000 * FIRST_MOVE)}")
        engine.ask("START 15")
        ready = time.perf_counter() - begun
        engine.time("TURN 7,7")
        spent = time.perf_counter() - begun
    note = f"from the start of the process; ready after {ready:.2f} s"
    return Figure(key="first_move_with_start_billed", value=spent, unit="s", most=FIRST_MOVE, note=note)


def _leaving_while_thinking() -> Figure:
    with Engine("mcts") as engine:
        engine.ask("START 15")
        engine.send("INFO timeout_turn 600000", "BEGIN")
        time.sleep(0.5)
        return Figure(key="end_while_thinking", value=engine.leave(), unit="s", most=LEAVING)


def _leaving_while_compiling(cache: Path) -> Figure:
    with Engine(EIGHTFOLD_CACHE=str(cache)) as engine:  # an empty cache: a move takes many seconds
        engine.send("START 15", "BEGIN")
        time.sleep(2)
        return Figure(key="end_while_compiling", value=engine.leave(), unit="s", most=LEAVING)


def _memory(name: str, player: str | None, trouble: str = "") -> Figure:
    """The most that was resident over a few long moves at 20x20."""
    key = f"memory_{name}"
    if player == "":
        return Figure(key=key, value=None, unit="MB", most=MEMORY, note=trouble)
    with Engine(player) as engine:
        engine.ask("START 20")
        engine.send(f"INFO max_memory {MEMORY_BYTES}", f"INFO timeout_turn {round(1000 * MEMORY_TURN)}")
        for stones in (("9,9,2",), ("9,9,2", "8,8,1", "5,5,2"), ("9,9,2", "8,8,1", "5,5,2", "6,7,1", "10,10,2")):
            engine.time("BOARD", *stones, "DONE")
        used = engine.high_water()
    note = "" if used is not None else "memory is read from /proc, which is not here"
    return Figure(key=key, value=used, unit="MB", most=MEMORY, note=note)


def _exported_network(folder: Path) -> tuple[Path | None, str]:
    """A network for 20x20, exported as pbrain-eightfold runs it: its weights are chance, its cost is not."""
    try:
        from eightfold.nets.store.checkpoint import save_checkpoint
        from eightfold.nets.store.description import Description
        from eightfold.nets.store.export import export_onnx

        description = Description(
            network="resnet:blocks=6,filters=64",
            game=make_game("gomoku:size=20").text,
            encoder="last-move",
            symmetry="augment",
        )
        save_checkpoint(folder, description.make(), description)
        return export_onnx(folder).path, ""
    except (ImportError, ValueError) as error:
        return None, f"no network could be exported: {error}"
