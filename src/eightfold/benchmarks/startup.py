"""The first impression: how long a new process needs, before and after the kernels are compiled."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.parts import CLASSICAL_PLAYERS


def run() -> Benchmark:
    help_seconds = statistics.median(_seconds("-m", "eightfold", "--help") for _ in range(5))
    first: dict[str, float] = {}
    later: dict[str, float] = {}
    for player in CLASSICAL_PLAYERS:
        with tempfile.TemporaryDirectory() as cache:
            first[player], later[player] = _first_move(player, cache), _first_move(player, cache)
    slowest_first, slowest_later = max(first, key=first.__getitem__), max(later, key=later.__getitem__)
    return Benchmark(
        name="startup",
        title="seconds of a new process",
        figures=(
            Figure(key="help_s", value=help_seconds, unit="s", most=0.5),
            Figure(
                key="first_use_s",
                value=first[slowest_first],
                unit="s",
                most=20,
                note=f"with an empty cache; slowest: {slowest_first}",
            ),
            Figure(
                key="later_use_s",
                value=later[slowest_later],
                unit="s",
                most=1,
                note=f"in a new process; slowest: {slowest_later}",
            ),
        ),
    )


def _seconds(*arguments: str, **environment: str) -> float:
    """How long a new Python process takes."""
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    return time.perf_counter() - start


_FIRST_MOVE = """
from eightfold.arena.players import make_player
from eightfold.games.game import make_game
game = make_game("gomoku:size=8")
make_player({player!r}, game).think(game.start())
"""


def _first_move(player: str, cache: str) -> float:
    """From nothing to the first move of a player."""
    return _seconds("-c", _FIRST_MOVE.format(player=player), EIGHTFOLD_CACHE=cache)
