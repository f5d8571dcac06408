"""A hundred games at once, and a thousand one after the other: figures are printed (pytest -s).

The server is a process of its own, so that its memory can be read and its cores are shared with nobody's tests.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

pytestmark = pytest.mark.slow

GAMES = 100
MOVES = 15  # of the person in each game
PLAYER = {"player": "mcts", "level": 0}  # 100 playouts
HUMAN = {"player": "human", "level": 0}


@pytest.fixture
def server() -> Iterator[tuple[str, int]]:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "eightfold", "serve", "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r"http://(\S+?);", process.stdout.readline())
    assert found, "the server says where it is"
    try:
        yield found[1], process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def resident(pid: int) -> float:
    """Megabytes."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


async def hear(socket: ClientConnection, ready: Any) -> dict[str, Any]:
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 120))
        assert message["type"] != "error", message["text"]
        if message["type"] == "state" and ready(message):
            return message


async def play(address: str, seed: int, moves: int, game: str) -> tuple[list[float], int]:
    """One person's game: how long each answer took, and how many moves were lost."""
    choice, waits, lost = random.Random(seed), [], 0
    async with connect(f"ws://{address}/game", max_size=None, open_timeout=60) as socket:
        await socket.send(json.dumps({"type": "new", "game": game, "black": HUMAN, "white": PLAYER}))
        state = await hear(socket, lambda s: True)
        for number in range(moves):
            empty = [k for k, stone in enumerate(state["stones"]) if stone == "0"]
            action = choice.choice(empty)
            start = time.perf_counter()
            await socket.send(json.dumps({"type": "play", "action": action}))
            wanted = number + 1
            state = await hear(socket, lambda s, n=wanted: s["over"] or s["stones"].count("2") == n)
            waits.append(time.perf_counter() - start)
            lost += state["stones"][action] != "1"
            if state["over"]:
                break
    return waits, lost


def test_a_hundred_games_at_once(server):
    address, pid = server
    asyncio.run(play(address, 0, 2, "gomoku:size=15"))  # whatever is loaded or compiled is by now

    async def all_games() -> list[tuple[list[float], int]]:
        return await asyncio.gather(*(play(address, seed, MOVES, "gomoku:size=15") for seed in range(GAMES)))

    start = time.perf_counter()
    results = asyncio.run(all_games())
    seconds = time.perf_counter() - start
    waits = sorted(wait for game, _ in results for wait in game)
    means = [statistics.mean(game) for game, _ in results]
    print(
        f"\n{GAMES} games at once: {len(waits)} moves in {seconds:.1f} s, {len(waits) / seconds:.0f} moves/s;"
        f" median {statistics.median(waits) * 1e3:.0f} ms, 99 % within {waits[int(0.99 * len(waits))] * 1e3:.0f} ms,"
        f" slowest {waits[-1] * 1e3:.0f} ms; mean of a game {min(means) * 1e3:.0f} to {max(means) * 1e3:.0f} ms;"
        f" memory {resident(pid):.0f} MB"
    )
    assert sum(lost for _, lost in results) == 0
    assert all(len(game) == MOVES or len(game) >= 5 for game, _ in results)
    # Fair turns: nobody's game is much slower than everybody's.
    assert max(means) < 3 * statistics.mean(means) + 0.1


def test_memory_stays_flat_over_a_thousand_games(server):
    address, pid = server
    sizes = []

    async def some_games(first: int) -> None:
        for seed in range(first, first + 100, 20):
            games = (play(address, s, 5, "gomoku:size=9") for s in range(seed, seed + 20))
            assert sum(lost for _, lost in await asyncio.gather(*games)) == 0

    for hundred in range(10):
        asyncio.run(some_games(100 * hundred))
        sizes.append(resident(pid))
    print("\nmemory after each hundred of 1,000 games, MB: " + ", ".join(f"{size:.0f}" for size in sizes))
    assert sizes[-1] - sizes[2] < 25, "two hundred games are kept for those who come back; no more"
