"""Compile everything once: `eightfold warmup`.

Every step runs a real piece of the package in the smallest way that reaches its kernels, with the types that
later uses have; Numba's disk cache then serves every later process. `arena/warmup.py` holds the steps that engines and
the page take too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.arena.warmup import warm_up_player, warm_up_rules
from eightfold.core.errors import unknown
from eightfold.core.extras import is_installed
from eightfold.core.jit import cache_folder
from eightfold.core.threads import run_parts, usable_cores
from eightfold.parts import CLASSICAL_PLAYERS

Step = tuple[str, Callable[[], object]]  # what is compiled, and a way to reach it


OPPONENTS = ("mcts:style=plain",)  # of a network in training


def steps(families: Sequence[str], *, training: bool = False) -> list[list[Step]]:
    """What there is to compile for some families of games, in lanes that take about as long and have little in common.

    `training`: only what a network is trained and measured with.
    """
    from eightfold.games.game import make_game

    searches: list[Step] = [("symmetry: batches", _transforms)]
    for family in families:
        searches.append((f"{family}: rules and encoders", partial(warm_up_rules, family)))
        players = OPPONENTS if training else (*CLASSICAL_PLAYERS, *OPPONENTS)
        searches += [(f"{family}: {player}", partial(_player, family, player)) for player in players]
        searches.append((f"{family}: search with a network", partial(_selfplay, family)))
    if training:
        return [searches]
    searches.append(("symmetry: SLAP", _slap))
    others: list[Step] = []
    for family, game in {family: make_game(family) for family in reversed(families)}.items():
        searches.append((f"{family}: openings", partial(_openings, family)))
        if game.spec.threat_room is not None:
            searches.append((f"{family}: wins by threats", partial(_threats, family)))
        if game.spec.sgf:
            searches.append((f"{family}: patterns of records", partial(_patterns, family)))
        if game.counts_points:  # its rules first, while the searches of another game are compiled
            others.append((f"{family}: rules and encoders", partial(warm_up_rules, family)))
            others.append((f"{family}: ownership by random games", partial(_ownership, family)))
        if game.spec.has_go_rows and is_installed("torch"):  # which their training needs
            others += [("networks: Internal Symmetry Network", _isn), ("TD(λ) self-play, isn", _td)]
    return [searches, others] if others else [searches]


def warm_up(
    families: Sequence[str] = (),
    *,
    training: bool = False,
    once: bool = False,
    tell: Callable[[str], None] | None = None,
) -> None:
    """Compile for some families of games, or for all; lanes side by side, each in a process of its own.

    `training`: only what training needs. `once`: do nothing where this version was warmed up on this machine before.
    `tell` is called with every part that is compiled, and with '' at the end.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from rich.console import Console
    from rich.progress import Progress

    from eightfold.games.game import GAMES

    for family in families:
        if family not in GAMES:
            raise unknown("game", family, GAMES)
    families = tuple(dict.fromkeys(families)) or tuple(GAMES)
    mark = "warm-{}-training" if training else "warm-{}"
    done = [cache_folder(Path(__file__)) / mark.format(family) for family in families]
    if once and all(path.exists() for path in done):
        return
    lanes = steps(families, training=training)
    if usable_cores() == 1:
        lanes = [[step for lane in lanes for step in lane]]
    console = Console(stderr=True)
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("compiling", total=sum(map(len, lanes)))

        def run_lane(number: int) -> None:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                for name, step in lanes[number]:
                    if not console.is_terminal:
                        console.print(f"compiling {name}", highlight=False)
                    if tell is not None:
                        tell(name)
                    process.submit(step).result()
                    progress.advance(bar)

        try:
            run_parts(run_lane, len(lanes))
        finally:
            if tell is not None:
                tell("")
    for path in done:
        path.touch()


def _transforms() -> None:
    from eightfold.symmetry import transform_batch

    for kind in (np.uint8, np.float16, np.float32, np.float64):
        states, policies = np.zeros((1, 2, 3, 3), kind), np.zeros((1, 9), kind)
        transform_batch(states, policies, np.zeros(1, np.int64), np.zeros((1, 2), np.int64))


def _slap() -> None:
    from eightfold.symmetry import out_of_frames, slap_batch, slap_cc

    for kind in (np.uint8, np.int8, np.float32):
        slap_batch(np.zeros((1, 2, 3, 3), kind))
    for precision in (np.float32, np.float64):
        out_of_frames(np.zeros((1, 9), precision), np.ones(1, np.uint8))
    slap_cc(np.zeros((2, 3, 3), np.float32))


def _isn() -> None:
    from eightfold.isn.classes import liberty_classes
    from eightfold.isn.fused import FusedEvaluator
    from eightfold.isn.incremental import CandidateEvaluator
    from eightfold.isn.network import ISN
    from eightfold.isn.reward import board_values

    network, stones = ISN(), np.zeros((1, 3, 3), np.int8)
    previous = FusedEvaluator(network).run(liberty_classes(stones, np.zeros((1, 7, 3, 3), np.float32)))
    board_values(stones, previous)
    CandidateEvaluator(network).values(stones, previous, np.ones(1, np.int64), np.ones((1, 9), np.uint8))


def _td() -> None:
    from eightfold.arena.match import play_match
    from eightfold.games.game import make_game
    from eightfold.isn.assessment import IsnEvaluator
    from eightfold.isn.player import IsnOptions, IsnPlayer
    from eightfold.isn.search import search
    from eightfold.learning.td.config import TdConfig
    from eightfold.learning.td.loop import TdTrainer

    trainer = TdTrainer(TdConfig(game="go:size=3,komi=0.5", games=1, linear_games=0))
    trainer.update(1)
    game, tables = make_game("go:size=3,komi=0.5"), trainer.tables()
    player = IsnPlayer(game, tables, IsnOptions(beta=20.0))
    play_match(game, player, player, games=1)
    evaluator, position = IsnEvaluator(game, trainer.network), game.after(["b2"])
    evaluator.assess(position)
    stop, scores, facts = np.zeros(1, np.int64), np.zeros(game.actions), np.zeros(1, np.int64)
    search(position.state, evaluator.outputs(position), tables, 0.4, 2, 2, stop, scores, facts)


def _patterns(family: str) -> None:
    from tempfile import TemporaryDirectory

    from eightfold.games.game import make_game
    from eightfold.games.records import GameRecord, write_records
    from eightfold.patterns.learn import learn_library

    with TemporaryDirectory() as folder:
        path = Path(folder) / "game.sgf"
        write_records(path, [GameRecord(game=make_game(f"{family}:size=5").text, moves=(12, 7))])
        learn_library([path], game=family, templates=("3x3",), threads=1)


def _openings(family: str) -> None:
    from eightfold.core.rng import make_random
    from eightfold.games.game import make_game
    from eightfold.search.openings import draw_openings, won_by_force

    game = make_game(f"{family}:size=5")
    won_by_force(game, draw_openings(game, 1, least=1, most=1, random=make_random(0)).states)


def _threats(family: str) -> None:
    """As `eightfold solve` finds them, and searches at their roots and leaves."""
    from eightfold.games.game import make_game
    from eightfold.search.solving import solve

    solve(make_game(f"{family}:size=9").after(["e5", "a1", "e6", "a2", "e7", "b1"]), nodes=100)  # three in a row
    _selfplay(family, threat_nodes=10, leaf_threat_nodes=10)


def _ownership(family: str) -> None:
    from eightfold.games.game import make_game
    from eightfold.games.points import count
    from eightfold.search.ownership import dead_groups

    position = make_game(f"{family}:size=5").after(["c3", "c2"])
    dead_groups(position, games=2)
    count(position)


def _player(family: str, name: str) -> None:
    from eightfold.arena.players import make_player
    from eightfold.games.game import make_game

    game = make_game(f"{family}:size=5")
    warm_up_player(make_player(name, game), game)


class _Undecided:
    """An evaluator that knows nothing, so that a search with a network can be compiled without one."""

    encoder = "last-move"

    def __init__(self, actions: int) -> None:
        self._actions = actions

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return np.zeros((len(planes), self._actions), np.float32), np.zeros(len(planes), np.float32)


def _selfplay(family: str, **changes: Any) -> None:
    from eightfold.games.game import make_game
    from eightfold.learning.config import SelfPlayConfig
    from eightfold.learning.selfplay import SelfPlay

    game = make_game(f"{family}:size=5")
    few = SelfPlayConfig(parallel_games=2, playouts=4, opening_share=1.0, **changes)
    for settings in (few, replace(few, root="gumbel"), replace(few, forced_playouts=2.0)):
        games = SelfPlay(game, _Undecided(game.actions), settings=settings, random=np.random.default_rng(0)).play(1)
        games[0].replay_states(game)
