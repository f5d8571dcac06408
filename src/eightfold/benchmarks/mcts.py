"""Pure Monte Carlo tree search on 8x8, one core: ours, plain Python, and OpenSpiel's C++ if it is installed."""

from __future__ import annotations

import time
from collections.abc import Callable

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.mcts import PlainMcts, PlainRandom
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import make_game
from eightfold.search.mcts import Mcts

PLAYOUTS, PLAIN_PLAYOUTS = 3000, 200
SEARCHES = 20


def run() -> Benchmark:
    ours = _ours()
    plain = _rate(lambda: PlainMcts(5.0, PlainRandom(1)).run(PlainGomoku(8), PLAIN_PLAYOUTS), PLAIN_PLAYOUTS, 1)
    openspiel = _openspiel()
    note = "" if openspiel else "open_spiel is not installed: pip install 'eightfold[peers]'"
    return Benchmark(
        name="mcts",
        title=f"pure MCTS, gomoku 8x8, {PLAYOUTS} playouts from the empty board",
        figures=(
            Figure(key="playouts_per_s", value=ours, unit="/s"),
            Figure(key="plain_playouts_per_s", value=plain, unit="/s"),
            Figure(key="times_plain", value=ours / plain, unit="x"),
            Figure(key="openspiel_playouts_per_s", value=openspiel, unit="/s", note=note),
            Figure(key="times_openspiel", value=ours / openspiel if openspiel else None, unit="x", least=10),
        ),
    )


def _rate(search: Callable[[], object], playouts: int, searches: int) -> float:
    start = time.perf_counter()
    for _ in range(searches):
        search()
    return playouts * searches / (time.perf_counter() - start)


def _ours() -> float:
    game = make_game("gomoku:size=8")
    position, player = game.start(), Mcts(game, Mcts.Options(playouts=PLAYOUTS, style="plain"), seed=1)
    player.think(position)

    def search() -> None:
        player.new_game()
        player.think(position)

    return _rate(search, PLAYOUTS, SEARCHES)


def _openspiel() -> float | None:
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("gomoku(size=8)")
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 5.0, PLAYOUTS, 1000, False, 1, False)
    bot.mcts_search(state)
    return _rate(lambda: bot.mcts_search(state), PLAYOUTS, 5)
