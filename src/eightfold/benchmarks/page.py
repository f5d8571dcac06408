"""What the page's server bears, and how fast the page draws: many games at once, many one after the other, bombs.

The server is a process of its own, so that its memory can be read; whoever plays is here, over WebSockets, and takes
a share of the cores. The overlay is drawn in a real browser, where there is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eightfold.benchmarks.browser import browser, ready, why_not
from eightfold.benchmarks.report import Benchmark, Figure

GAMES, MOVES = 100, 15  # at once, and moves of the person in each
IN_A_ROW, SIDE_BY_SIDE, MOVES_IN_A_ROW = 1000, 20, 5
SETTLED = 300  # games after which memory should not grow: 200 are kept for those who come back
GROWTH = 25  # megabytes that it may still move by
FRAME = 16  # milliseconds for an overlay
QUICKLY = 2.0  # seconds to refuse a bomb
OVERLAYS = 60
PATIENCE = 120.0  # seconds without an answer after which a move is lost
PLAYER = {"player": "mcts", "level": 0}  # 100 playouts
HUMAN = {"player": "human", "level": 0}
POSITION = "#position=gomoku:size=15,win=5,rule=freestyle&moves="
BOMBS = {
    "deep": "(;GM[4]" + "(;B[hh]" * 15_000,
    "long": "(;GM[4]SZ[15]" + ";B[hh]" * 20_000 + ")",
    "wide": "(;GM[4]SZ[15]" + "(;B[hh])" * 20_000 + ")",
}


@dataclass(frozen=True, kw_only=True)
class Played:
    """What one person saw of a game."""

    waits: list[float]  # seconds until each answer
    lost: int  # moves that were sent and are not on the board


def run() -> Benchmark:
    cold = _cold()
    with server() as (address, pid):
        # Whatever is loaded or compiled is by then.
        asyncio.run(play(address, seed=0, moves=2, game="gomoku:size=15"))
        asyncio.run(play(address, seed=0, moves=2, game="gomoku:size=9"))
        figures = [*cold, *_at_once(address), *_bombs(address), *_in_a_row(address, pid), _overlay(address)]
    title = f"the page: {GAMES} games at once, {IN_A_ROW:,} in a row, bombs, an overlay of 15x15"
    return Benchmark(name="page", title=title, figures=tuple(figures))


@contextlib.contextmanager
def server(**environment: str) -> Iterator[tuple[str, int]]:
    """A server; where it is, and its process id."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "eightfold", "serve", "--port", "0", "--no-browser"],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://(\S+?);", process.stdout.readline())
        if found is None:
            raise RuntimeError("the server did not say where it is")
        yield found[1], process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def play(address: str, *, seed: int, moves: int, game: str, told: Callable[[str], None] | None = None) -> Played:
    """A person's game of chance against a player, until it is over or so many moves are made.

    `told` hears what the server says while the first state is waited for.
    """
    from websockets.asyncio.client import connect

    choice, waits, lost = random.Random(seed), [], 0
    async with connect(f"ws://{address}/game", max_size=None, open_timeout=PATIENCE) as socket:
        await socket.send(json.dumps({"type": "new", "game": game, "black": HUMAN, "white": PLAYER}))
        state = await _hear(socket, lambda state: True, told)
        for number in range(1, moves + 1):
            action = choice.choice([k for k, stone in enumerate(state["stones"]) if stone == "0"])
            begun = time.perf_counter()
            await socket.send(json.dumps({"type": "play", "action": action}))
            state = await _hear(socket, functools.partial(_is_answered, number))
            waits.append(time.perf_counter() - begun)
            lost += state["stones"][action] != "1"
            if state["over"]:
                break
    return Played(waits=waits, lost=lost)


def _is_answered(number: int, state: dict[str, Any]) -> bool:
    return bool(state["over"] or state["stones"].count("2") == number)


async def _hear(
    socket: Any, ready: Callable[[dict[str, Any]], bool], told: Callable[[str], None] | None = None
) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if message["type"] == "error":
            raise RuntimeError(f"the server refused: {message['text']}")
        if message["type"] == "compiling" and told is not None:
            told(f"compiling {', '.join(task['part'] for task in message['tasks'])}")
        if message["type"] == "state" and ready(message):
            return message


async def play_many(address: str, seeds: range, *, moves: int, game: str) -> list[Played]:
    """Games side by side."""
    return await asyncio.gather(*(play(address, seed=seed, moves=moves, game=game) for seed in seeds))


@dataclass(frozen=True, kw_only=True)
class ColdPlayed:
    """What one person saw of the first game on a machine."""

    words: list[str]  # what the server said before the first state
    told: float  # seconds until it said or showed anything
    played: Played


async def play_cold(address: str, games: int) -> list[ColdPlayed]:
    """Two moves in each of many games, at a server that has nothing compiled yet."""
    begun = time.perf_counter()

    async def one(seed: int) -> ColdPlayed:
        words: list[tuple[float, str]] = []
        played = await play(
            address,
            seed=seed,
            moves=2,
            game="gomoku:size=15",
            told=lambda text: words.append((time.perf_counter() - begun, text)),
        )
        first = words[0][0] if words else time.perf_counter() - begun
        return ColdPlayed(words=[text for _, text in words] or [""], told=first, played=played)

    return await asyncio.gather(*(one(seed) for seed in range(games)))


def _cold() -> list[Figure]:
    """The first games on a machine, all at once."""
    with tempfile.TemporaryDirectory() as empty, server(EIGHTFOLD_CACHE=empty) as (address, _):
        begun = time.perf_counter()
        games = asyncio.run(play_cold(address, GAMES))
        seconds = time.perf_counter() - begun
    note = f"{GAMES} games at once, nothing compiled"
    return [
        Figure(key="cold_first_words", value=max(game.told for game in games), unit="s", note=note),
        Figure(key="cold_moves_lost", value=sum(game.played.lost for game in games), most=0),
        Figure(key="cold_all_answered", value=seconds, unit="s", note="two moves in every game"),
    ]


def _at_once(address: str) -> list[Figure]:
    begun = time.perf_counter()
    games = asyncio.run(play_many(address, range(GAMES), moves=MOVES, game="gomoku:size=15"))
    seconds = time.perf_counter() - begun
    waits = sorted(wait for game in games for wait in game.waits)
    means = [statistics.mean(game.waits) for game in games]
    return [
        Figure(key="moves_answered", value=len(waits), note=f"{GAMES} games at once against mcts with 100 playouts"),
        Figure(key="moves_lost", value=sum(game.lost for game in games), most=0),
        Figure(key="moves_per_s", value=len(waits) / seconds, unit="/s"),
        Figure(key="median_answer", value=1000 * statistics.median(waits), unit="ms"),
        Figure(key="answers_99_percent", value=1000 * waits[int(0.99 * len(waits))], unit="ms"),
        Figure(key="slowest_answer", value=1000 * waits[-1], unit="ms"),
        Figure(
            key="unfairness",
            value=max(means) / statistics.mean(means),
            unit="x",
            most=2,
            note="the mean wait of the slowest game beside that of all games",
        ),
    ]


def _bombs(address: str) -> list[Figure]:
    async def throw(sgf: str) -> float:
        from websockets.asyncio.client import connect

        async with connect(f"ws://{address}/game", max_size=None) as socket:
            begun = time.perf_counter()
            await socket.send(json.dumps({"type": "load", "sgf": sgf}))
            answer = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
            if answer["type"] != "error":
                raise RuntimeError("the server took a bomb")
            return time.perf_counter() - begun

    return [
        Figure(
            key=f"{name}_sgf_refused_in",
            value=asyncio.run(throw(sgf)),
            unit="s",
            most=QUICKLY,
            note=f"{len(sgf):,} characters",
        )
        for name, sgf in BOMBS.items()
    ]


def _in_a_row(address: str, pid: int) -> list[Figure]:
    sizes: list[float | None] = []
    for first in range(0, IN_A_ROW, SIDE_BY_SIDE):
        seeds = range(first, first + SIDE_BY_SIDE)
        asyncio.run(play_many(address, seeds, moves=MOVES_IN_A_ROW, game="gomoku:size=9"))
        if first + SIDE_BY_SIDE in (SETTLED, IN_A_ROW):
            sizes.append(resident(pid))
    before, after = sizes
    if before is None or after is None:
        note = "memory is read from /proc, which is not here"
        return [Figure(key="memory_growth", value=None, unit="MB", most=GROWTH, note=note)]
    return [
        Figure(key="memory", value=after, unit="MB", note=f"after {IN_A_ROW:,} games, {SIDE_BY_SIDE} at a time"),
        Figure(
            key="memory_growth", value=after - before, unit="MB", most=GROWTH, note=f"since the {SETTLED}th of them"
        ),
    ]


def resident(pid: int) -> float | None:
    """Megabytes of a process; None where there is no /proc."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))


def _overlay(address: str) -> Figure:
    """The median of full updates, every point different each time, with the layout that they cause."""
    if trouble := why_not():
        return Figure(key="overlay", value=None, unit="ms", most=FRAME, note=trouble)
    with browser() as chromium:
        page = chromium.new_page()
        page.goto(f"http://{address}/{POSITION}")
        ready(page)
        page.wait_for_function("() => window.eightfold.game.state.game.size === 15")
        median = float(page.evaluate("count => window.eightfold.measureOverlay(count)", OVERLAYS))
    return Figure(
        key="overlay", value=median, unit="ms", most=FRAME, note=f"median of {OVERLAYS}, measured in the page"
    )
