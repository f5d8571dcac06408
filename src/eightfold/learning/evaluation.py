"""How strong a network is: against pure Monte Carlo search at three strengths (the evaluator of Suen & Alonso).

The matches are those of `arena/match.py`: colours alternate, and the network plays as its description says, in a run
and ever after, as the player `net` does. `as_paper` is the published count and the published search: the network
moves first in every game, with the paper's constants. On a small board good players draw, and the three scores stop
growing; so a run also plays against other networks (`opponents.py`), from random openings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eightfold.arena.engine import PlayGames, play_games
from eightfold.arena.match import gauntlet
from eightfold.arena.results import MatchReport, Tally
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, make_game
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.nets.store.description import Description
from eightfold.search.result import Player
from eightfold.search.settings import PUBLISHED

TIERS = (1000, 3000, 5000)  # playouts of mcts
OPENING_PLIES = 4  # against a network, which plays the same two games otherwise


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A network's matches; scores are the network's."""

    mcts: Mapping[int, MatchReport]  # by the opponent's playouts
    networks: Mapping[str, MatchReport] = field(default_factory=dict)  # by a short name
    playouts: int  # of the network, for a move
    playing: str  # how it searched

    @property
    def total(self) -> Tally:
        """All games against mcts."""
        return Tally.of([result for match in self.mcts.values() for result in match.results])

    @property
    def score(self) -> float:
        return self.total.score

    @property
    def matches(self) -> dict[str, MatchReport]:
        """All matches, by the names that metrics.jsonl has for the opponents."""
        return {**{mcts_name(playouts): match for playouts, match in self.mcts.items()}, **self.networks}

    def as_dict(self) -> dict[str, Any]:
        """For metrics.jsonl: wins, draws and losses against every opponent, and against `mcts` altogether."""
        whole = [result for match in self.mcts.values() for result in match.results]
        first = Tally.of([result for result in whole if result.first_named_is_black])
        second = Tally.of([result for result in whole if not result.first_named_is_black])
        return {
            "mcts": _figures(self.total, first, second),
            **{
                name: {**_figures(match.total, match.as_first, match.as_second), "opponent": match.names[1]}
                for name, match in self.matches.items()
            },
            "playouts": self.playouts,
            "playing": self.playing,
        }


def mcts_name(playouts: int) -> str:
    """A pure search in metrics and tables."""
    return f"mcts-{playouts}"


def _figures(total: Tally, first: Tally, second: Tally) -> dict[str, Any]:
    return {**total.as_dict(), "first": first.as_dict(), "second": second.as_dict()}


def measure_network(
    network: Runner | Path,
    description: Description,
    *,
    games: int,
    playouts: int,
    seed: int,
    as_paper: bool = False,
    tiers: Sequence[int] = TIERS,
    networks: Mapping[str, str] | None = None,
    play: PlayGames = play_games,
) -> Evaluation:
    """So many games of a network against each opponent, in the game of its description, playing as that says.

    The network is what runs it in this process, or its checkpoint, which can also be measured elsewhere (`play`).
    `networks` are where opponents beside mcts lie, by names for the report; their games begin with random moves.
    """
    game = make_game(description.game)
    playing = PUBLISHED.text if as_paper else description.play_settings().text
    options = NetOptions(playouts=playouts)
    player: str | Player
    others: list[str | Player]
    if isinstance(network, Path):
        if as_paper:
            raise EightfoldError("Suen & Alonso's way of measuring is offered on this machine alone, not on a cluster")
        player = f"net:{network},playouts={playouts}"
        others = [f"net:{place},playouts={playouts}" for place in (networks or {}).values()]
    else:
        leaves, described = 1 if as_paper else 0, replace(description, playing=playing)
        player = NetPlayer(game, (network, described), options, leaves_a_game=leaves, seed=seed)
        others = [NetPlayer(game, place, options, seed=seed) for place in (networks or {}).values()]
    pure = [f"mcts:style=plain,playouts={tier}" for tier in tiers]
    against_mcts = gauntlet(
        game, player, pure, games=games, seed=seed, names=["network", *pure], first_always_black=as_paper, play=play
    )
    against_networks: list[MatchReport] = []
    if networks:
        against_networks = gauntlet(
            game,
            player,
            others,
            games=games,
            seed=seed,
            names=["network", *networks],
            opening_plies=_opening_plies(game),
            play=play,
        )
    return Evaluation(
        mcts=dict(zip(tiers, against_mcts, strict=True)),
        networks=dict(zip(networks or (), against_networks, strict=True)),
        playouts=playouts,
        playing=playing,
    )


def _opening_plies(game: Game) -> int:
    return min(OPENING_PLIES, game.points // 8)
