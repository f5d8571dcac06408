"""Alpha-beta to depth 4 from a mid-game position on 15x15: the kernel and plain Python, the same value asked for."""

from __future__ import annotations

import time

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.minmax import alphabeta
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import make_game
from eightfold.search.alphabeta import AlphaBeta

DEPTH, NEAR, REPEATS = 4, 1, 20
# Twelve moves of a quiet fight in the middle: nobody has a forced win within the depth.
OPENING = "h8 g9 g7 i9 f9 h9 i7 h6 j8 f6 g10 e8"


def run() -> Benchmark:
    game = make_game("gomoku:size=15")
    position = game.after(OPENING.split())
    player = AlphaBeta(game, AlphaBeta.Options(depth=DEPTH, near=NEAR), seed=1)
    result = player.think(position)
    nodes, start = 0, time.perf_counter()
    for _ in range(REPEATS):
        player.new_game()  # an empty table, so that every search does the whole work
        nodes += player.think(position).effort
    seconds = (time.perf_counter() - start) / REPEATS

    plain = PlainGomoku(15)
    for move in position.moves:
        plain.play(move)
    start = time.perf_counter()
    value = alphabeta(plain, DEPTH, NEAR)
    plain_seconds = time.perf_counter() - start
    agreed = result.value == value / (2 * game.rules.best_possible_score(position.state))
    return Benchmark(
        name="alphabeta",
        title=f"depth {DEPTH}, 15x15, {position.ply} stones, candidates within {NEAR}",
        figures=(
            Figure(key="nodes_per_s", value=nodes / REPEATS / seconds, unit="/s"),
            Figure(key="seconds", value=seconds, unit="s", note="with iterative deepening and an empty table"),
            Figure(
                key="plain_seconds", value=plain_seconds, unit="s", note="the same value" if agreed else "VALUES DIFFER"
            ),
            Figure(key="times_plain", value=plain_seconds / seconds, unit="x", least=100),
        ),
    )
