"""Wins by threes and fours on 15x15: the kernel, and plain Python that tries every reply, on the same positions."""

from __future__ import annotations

import time

from eightfold.benchmarks.reference.threats import PlainThreats
from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.games.game import make_game
from eightfold.games.setup import stones_of

# From games of alphabeta and mcts: one or two threats before the fours, which plain Python can prove too.
POSITIONS = (
    "i7 f8 i9 i8 h8 g9 g7 j10 f6 e5 h7 f7",
    "h9 g11 i7 g10 g9 g12 g13 f9 f10 h8 i9 j9 i10 i8 j11 g8 k12",
    "g5 i9 g8 j10 j6 h8 g7 k11 l12 g6 i6 h7 k6 h6 h5 h9 h10",
)
FIGHT = "h8 g9 g7 i9 f9 h9 i7 h6 j8 f6 g10 e8"
NODES, REPEATS = 50_000, 20


def run() -> Benchmark:
    game = make_game("gomoku:size=15")
    room, plain = game.threat_room(NODES), PlainThreats(15, 5, False)
    positions = [game.after(moves.split()) for moves in POSITIONS]
    game.rules.find_threats(positions[0].state.copy(), NODES, room)  # compiles
    start, agreed, won = time.process_time(), True, []
    for position in positions:
        for _ in range(REPEATS):
            game.rules.find_threats(position.state.copy(), NODES, room)
        won.append(game.rules.threat_proof(room).kind in ("fours", "threats"))
    seconds = (time.process_time() - start) / REPEATS
    start = time.process_time()
    for position, kernel_won in zip(positions, won, strict=True):
        depth = plain.solve(stones_of(position), position.to_move, most_threats=2, nodes=NODES)
        agreed &= depth is not None and kernel_won
    plain_seconds = time.process_time() - start
    fight = game.after(FIGHT.split())
    start, nodes = time.process_time(), 0
    for _ in range(REPEATS):
        game.rules.find_threats(fight.state.copy(), NODES, room)
        nodes += game.rules.threat_proof(room).nodes
    fight_seconds = (time.process_time() - start) / REPEATS
    return Benchmark(
        name="threats",
        title="wins by threes and fours, 15x15",
        figures=(
            Figure(key="nodes_per_s", value=nodes / REPEATS / fight_seconds, unit="/s", note="processor time"),
            Figure(key="fight_seconds", value=fight_seconds, unit="s", note="a win in ten moves"),
            Figure(key="seconds", value=seconds, unit="s", note=f"{len(POSITIONS)} positions"),
            Figure(
                key="plain_seconds", value=plain_seconds, unit="s", note="the same wins" if agreed else "WINS DIFFER"
            ),
            Figure(key="times_plain", value=plain_seconds / seconds, unit="x", least=100),
        ),
    )
