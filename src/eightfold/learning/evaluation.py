"""How strong a network is: against pure Monte Carlo search at three strengths (the evaluator of Suen & Alonso).

Colours alternate, and both halves are reported with an interval. The network plays as its description says, in a run
and ever after: equal seeds, games and playouts give equal scores. `as_paper` is the published count and the published
search: the network moves first in every game, with the paper's constants. All games of a tier are played at once, so
that the network is asked in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.arena.ratings import points_interval
from eightfold.core.threads import run_parts, usable_cores
from eightfold.games.game import Game, Position, make_game
from eightfold.games.state import BLACK, WHITE
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.store.description import Description
from eightfold.search.forest import Evaluator, ForestSearch
from eightfold.search.result import Player
from eightfold.search.settings import PUBLISHED, PlaySettings
from eightfold.search.uct import Mcts

TIERS = (1000, 3000, 5000)


@dataclass(frozen=True, kw_only=True)
class TierScore:
    playouts: int  # of the opponent
    first: tuple[float, ...]  # points of the games in which the network moved first
    second: tuple[float, ...]

    @property
    def points(self) -> tuple[float, ...]:
        return self.first + self.second


@dataclass(frozen=True, kw_only=True)
class Strength:
    tiers: tuple[TierScore, ...]
    playouts: int  # of the network, for a move
    playing: str  # how it searched

    @property
    def games(self) -> int:
        return sum(len(tier.points) for tier in self.tiers)

    @property
    def score(self) -> float:
        return float(np.mean([point for tier in self.tiers for point in tier.points]))

    def as_dict(self) -> dict[str, Any]:
        return {
            "score": self.score,
            "ci95": list(points_interval([point for tier in self.tiers for point in tier.points])),
            "games": self.games,
            "first": _mean([p for tier in self.tiers for p in tier.first]),
            "second": _mean([p for tier in self.tiers for p in tier.second]),
            "tiers": {str(tier.playouts): _mean(tier.points) for tier in self.tiers},
            "playouts": self.playouts,
            "playing": self.playing,
        }


def _mean(points: Sequence[float]) -> float | None:
    return float(np.mean(points)) if points else None


def measure_network(
    runner: Runner, description: Description, *, games: int, playouts: int, seed: int, as_paper: bool = False
) -> Strength:
    """The strength of a network in the game of its description, playing as that says, or as the paper's did."""
    game = make_game(description.game)
    evaluator = NetworkEvaluator(
        runner,
        encoder=description.encoder,
        symmetry=description.symmetry,
        symmetries=game.symmetries,
        random=np.random.default_rng(seed),
    )
    return measure_strength(
        game,
        evaluator,
        games=games,
        playouts=playouts,
        settings=PUBLISHED if as_paper else description.play_settings(),
        as_paper=as_paper,
        seed=seed,
    )


def measure_strength(
    game: Game,
    evaluator: Evaluator,
    *,
    tiers: Sequence[int] = TIERS,
    games: int = 10,
    playouts: int = 400,
    settings: PlaySettings = PlaySettings(),  # noqa: B008 - frozen
    as_paper: bool = False,
    seed: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> Strength:
    """Play `games` games a tier."""
    scores = []
    for tier in tiers:
        first = [as_paper or number % 2 == 0 for number in range(games)]
        points = _play_tier(game, evaluator, tier, first, playouts, settings, seed, progress)
        scores.append(
            TierScore(
                playouts=tier,
                first=tuple(p for p, f in zip(points, first, strict=True) if f),
                second=tuple(p for p, f in zip(points, first, strict=True) if not f),
            )
        )
    return Strength(tiers=tuple(scores), playouts=playouts, playing=settings.text)


def _play_tier(
    game: Game,
    evaluator: Evaluator,
    tier: int,
    moves_first: list[bool],
    playouts: int,
    settings: PlaySettings,
    seed: int,
    progress: Callable[[int], None],
) -> list[float]:
    count = len(moves_first)
    random = np.random.default_rng([seed, tier])
    search = ForestSearch(game, evaluator, games=count, playouts=playouts, settings=settings, random=random)
    opponents = [Mcts(game, Mcts.Options(playouts=tier), seed=int(random.integers(1 << 31))) for _ in range(count)]
    positions: list[Position] = [game.start() for _ in range(count)]
    ours = [BLACK if first else WHITE for first in moves_first]
    for number, colour in enumerate(ours):
        search.set_root(number, positions[number].state, contempt_side=colour)
    running = set(range(count))
    while running:
        turn = [number for number in running if positions[number].to_move == ours[number]]
        for number in turn:
            search.prepare_root(number, playouts, noisy=False)
        while search.step():
            pass
        waiting = {number: positions[number] for number in running if number not in turn}
        replies = moves_side_by_side(opponents, waiting, usable_cores())
        for number in list(running):
            move = search.root_move(number) if number in turn else replies[number]
            search.advance(number, move)
            search.forest.left[number] = 0
            positions[number] = positions[number].play(move)
            if positions[number].is_over:
                running.remove(number)
                progress(1)
    return [_points(position, colour) for position, colour in zip(positions, ours, strict=True)]


def moves_side_by_side(players: Sequence[Player], positions: Mapping[int, Position], threads: int) -> dict[int, int]:
    """What the players of some games play there, each game's thinking on one of several threads."""
    numbers = list(positions)
    parts = max(1, min(threads, len(numbers)))

    def think(part: int) -> list[tuple[int, int]]:
        return [(number, players[number].think(positions[number]).action) for number in numbers[part::parts]]

    return dict(reply for replies in run_parts(think, parts) for reply in replies)


def _points(position: Position, colour: int) -> float:
    return 0.5 if position.winner is None else float(position.winner == colour)
