"""Go, one core: random games of Monte Carlo search, with and without knowledge, and the full rules beside plain ones.

The last measures what a move costs when the list of all legal moves is made before it, superko and all, and hashes,
history and remembered boards are kept: what the searches with a network do.
"""

from __future__ import annotations

import time

import numpy as np

from eightfold.benchmarks.reference.go import PlainGo
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.benchmarks.rollouts import games_per_second
from eightfold.core.rng import make_random
from eightfold.core.specialise import DEFAULTS, specialise
from eightfold.games.game import Game, make_game
from eightfold.games.go.playouts import CODES
from eightfold.games.state import PLY
from eightfold.patterns.templates import small_neighbourhoods
from eightfold.search.mcts_options import FULL_DEFAULTS

SHAPES_PLAYED = 0.4  # of all codes: about as many as a list of good shapes has
COST = "of a uniform random game"


def plain_games_per_second(size: int, games: int) -> float:
    """Random games that fill no eyes, to their end, as the kernel plays them."""
    random = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(games):
        game = PlainGo(size, ko="simple")
        while not game.result and len(game.moves) < 3 * size * size:
            order = random.permutation(size * size)
            good = (
                int(move)
                for move in order
                if game.is_legal(int(move)) and not game.is_eye(divmod(int(move), size), game.side)
            )
            game.play(next(good, size * size))
    return games / (time.perf_counter() - start)


def moves_per_second(game: Game, games: int) -> float:
    """Any legal moves, all of them listed before each."""
    start, random, scratch = game.start().state, make_random(1), np.zeros(game.actions, np.int64)
    state = start.copy()
    rollout = specialise(DEFAULTS, game.rules).rollout  # over `legal` and `play`, unlike the game's own
    rollout(state, random, scratch)
    moves, begin = 0, time.perf_counter()
    for _ in range(games):
        state[:] = start
        rollout(state, random, scratch)
        moves += int(state[PLY])
    return moves / (time.perf_counter() - begin)


def plain_moves_per_second(size: int, moves: int) -> float:
    random, done = np.random.default_rng(1), 0
    start = time.perf_counter()
    while done < moves:
        game = PlainGo(size)
        while not game.result and done < moves:
            game.play(int(random.choice(game.legal())))
            done += 1
    return done / (time.perf_counter() - start)


def playouts_per_second(game: Game, games: int) -> float:
    """Games with all that playouts can know. Any list of shapes will do: looking for them costs the same."""
    kernels = specialise("eightfold.search.kernels.rave", game.rules)
    kinds, points = small_neighbourhoods(game.size)
    weights = (np.random.default_rng(1).random((3, CODES)) < SHAPES_PLAYED).astype(np.float32)
    shared = {name: FULL_DEFAULTS[name] for name in ("captures", "nakade", "self_atari", "mercy")}
    knowledge = game.rules.know(game.size, kinds=kinds, points=points, weights=weights, **shared)
    start, slots = game.start().state, 100
    batch = kernels.Batch(
        states=np.tile(start, (slots, 1)),
        paths=np.zeros((slots, 1), np.int64),
        depths=np.zeros(slots, np.int64),
        randoms=np.concatenate([make_random(slot) for slot in range(slots)]),
        firsts=np.zeros((slots, game.actions), np.int8),
        results=np.zeros(slots, np.int64),
        scratch=np.zeros((slots, len(start)), np.int64),
    )
    kernels.play_out(batch, knowledge, 0, 10)
    begin = time.perf_counter()
    for _ in range(games // slots):
        batch.states[:] = start
        kernels.play_out(batch, knowledge, 0, slots)
    return games / (time.perf_counter() - begin)


def run() -> Benchmark:
    small, large = make_game("go:size=9"), make_game("go:size=19")
    games, plain_games = games_per_second(small, 20_000), plain_games_per_second(9, 5)
    uniform, knowing = games_per_second(large, 4_000), playouts_per_second(large, 2_000)
    knowing_small = playouts_per_second(small, 10_000)
    moves, plain_moves = moves_per_second(small, 1_000), plain_moves_per_second(9, 300)
    return Benchmark(
        name="go",
        title="rules and random games of go",
        figures=(
            Figure(key="games_per_s_9x9", value=games, unit="/s"),
            Figure(key="games_per_s_19x19", value=uniform, unit="/s"),
            Figure(key="playouts_per_s_9x9", value=knowing_small, unit="/s", note="captures, patterns, no self-atari"),
            Figure(key="playouts_per_s_19x19", value=knowing, unit="/s"),
            Figure(key="playout_cost_9x9", value=games / knowing_small, unit="x", note=COST, most=3),
            Figure(key="playout_cost_19x19", value=uniform / knowing, unit="x", note=COST, most=3),
            Figure(key="plain_games_per_s_9x9", value=plain_games, unit="/s"),
            Figure(key="games_times_plain", value=games / plain_games, unit="x", least=100),
            Figure(key="moves_per_s_9x9", value=moves, unit="/s", note="every legal move listed, superko, hashes"),
            Figure(key="moves_per_s_19x19", value=moves_per_second(large, 100), unit="/s"),
            Figure(key="plain_moves_per_s_9x9", value=plain_moves, unit="/s"),
            Figure(key="rules_times_plain", value=moves / plain_moves, unit="x", least=100),
        ),
    )
