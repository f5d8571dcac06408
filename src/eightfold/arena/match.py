"""Matches between players, for whoever wants to know who is stronger.

`play_match` is two players, `gauntlet` one against several, `round_robin` everybody against everybody. `engine.py`
plays the games, many side by side. A game's random numbers come from the seed of the match and the game's number;
results are in the order of the games. A tournament that can be stopped, and that players join later: `tournaments/`.

Colours alternate. With openings (`openings/`), every opening is played twice, each player once on either side of it.
Two deterministic players without openings play the same two games for ever, so identical games are counted and named.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from eightfold.arena.engine import Fixture, MadeFrom, PlayGames, play_games
from eightfold.arena.human import HumanPlayer
from eightfold.arena.openings.source import RANDOM, opening_source
from eightfold.arena.players import HUMAN, make_player, ready_players
from eightfold.arena.results import GameResult, MatchReport, RoundRobin
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.search.result import Player

Finished = Callable[[GameResult], None]


def play_match(
    game: Game,
    first: str | Player,
    second: str | Player,
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 0,
    openings: str = RANDOM,
    names: Sequence[str] = (),
    first_always_black: bool = False,
    parallel: int = 0,
    threads: int = 0,
    play: PlayGames = play_games,
    progress: Finished = lambda result: None,
) -> MatchReport:
    """Play `games` games between two players, given by their texts or as objects.

    `openings` says how games begin (`openings/source.py`), and `names` are what the report calls the players.
    `parallel` games are played at once; 0 chooses. `progress` is told of every game, in their order; `play` says where
    they are played (`cluster_games.py`).
    """
    matches = gauntlet(
        game, first, [second], games=games, seed=seed, opening_plies=opening_plies, openings=openings, names=names,
        first_always_black=first_always_black, parallel=parallel, threads=threads, play=play, progress=progress,
    )  # fmt: skip
    return matches[0]


def gauntlet(
    game: Game,
    player: str | Player,
    opponents: Sequence[str | Player],
    *,
    games: int = 20,
    seed: int = 0,
    opening_plies: int = 0,
    openings: str = RANDOM,
    names: Sequence[str] = (),
    first_always_black: bool = False,
    parallel: int = 0,
    threads: int = 0,
    play: PlayGames = play_games,
    progress: Finished = lambda result: None,
) -> list[MatchReport]:
    """A match of one player against each of several opponents, all at once; `names`: the player's, then theirs."""
    return _play_pairs(
        game, [player, *opponents], [(0, other + 1) for other in range(len(opponents))], games=games, seed=seed,
        opening_plies=opening_plies, openings=openings, names=names, first_always_black=first_always_black,
        parallel=parallel, threads=threads, play=play, progress=progress,
    )  # fmt: skip


def round_robin(
    game: Game,
    players: Sequence[str | Player] | Mapping[str, str | Player],
    *,
    games: int = 10,
    seed: int = 0,
    opening_plies: int = 0,
    openings: str = RANDOM,
    parallel: int = 0,
    threads: int = 0,
    play: PlayGames = play_games,
    progress: Finished = lambda result: None,
) -> RoundRobin:
    """A match of `games` games between any two players, given by texts, as objects, or by names of your own."""
    names = list(players) if isinstance(players, Mapping) else []
    entrants = list(players.values()) if isinstance(players, Mapping) else list(players)
    if len(entrants) < 2:
        raise EightfoldError(f"a round robin of {len(entrants)} players has no games; give at least 2")
    pairs = list(itertools.combinations(range(len(entrants)), 2))
    matches = _play_pairs(
        game, entrants, pairs, games=games, seed=seed, opening_plies=opening_plies, openings=openings, names=names,
        parallel=parallel, threads=threads, play=play, progress=progress,
    )  # fmt: skip
    return RoundRobin(names=tuple(names or map(player_name, entrants)), pairs=tuple(pairs), matches=tuple(matches))


def player_name(player: str | Player) -> str:
    """What a report calls a player: its text, what `str` makes of an object, or its class."""
    if isinstance(player, str):
        return player
    plain = type(player).__str__ is object.__str__ and type(player).__repr__ is object.__repr__
    return type(player).__name__ if plain else str(player)


def _play_pairs(
    game: Game,
    players: Sequence[str | Player],
    pairs: Sequence[tuple[int, int]],
    *,
    games: int,
    seed: int,
    opening_plies: int,
    openings: str,
    names: Sequence[str],
    parallel: int,
    threads: int,
    play: PlayGames,
    progress: Finished,
    first_always_black: bool = False,
) -> list[MatchReport]:
    """A match for each pair of places in `players`."""
    if games < 1:
        raise EightfoldError(f"{games} games are not a match; give at least 1")
    called = tuple(names or map(player_name, players))
    if len(called) != len(players):
        raise EightfoldError(f"{len(called)} names are given for {len(players)} players")
    source = opening_source(game, openings, plies=opening_plies, seed=seed)
    sides = 1 if first_always_black else 2  # an opening is played from so many sides
    begun = source.take(-(-games // sides))
    seeds = [len(players) * seed + place for place in range(len(players))]
    results: dict[int, GameResult] = {}
    told = 0

    def finished(number: int, result: GameResult) -> None:
        nonlocal told
        results[number] = result
        while told in results:
            progress(results[told])
            told += 1

    with ready_players(players, game, seeds=seeds, make=_make) as ready:
        fixtures = [
            Fixture(
                players=(ready[one], ready[two]),
                names=(called[one], called[two]),
                seeds=(_seed(seed, number, one), _seed(seed, number, two)),
                first_named_is_black=first_always_black or k % 2 == 0,
                opening=begun[k // sides],
                made_from=(made_from(players[one], seeds[one]), made_from(players[two], seeds[two])),
            )
            for number, ((one, two), k) in enumerate(itertools.product(pairs, range(games)))
        ]
        play(fixtures, parallel=parallel, threads=threads, finished=finished)
    return [
        MatchReport(
            game=game.text,
            names=(called[one], called[two]),
            seed=seed,
            opening_plies=max(len(opening.moves) for opening in begun),
            openings=source.name,
            results=tuple(results[number] for number in range(k * games, (k + 1) * games)),
        )
        for k, (one, two) in enumerate(pairs)
    ]


def made_from(player: str | Player, seed: int) -> MadeFrom | None:
    """What other machines make this player from, if it is no object and nobody at this terminal."""
    return MadeFrom(player, seed) if isinstance(player, str) and player != HUMAN else None


def _make(text: str | Player, game: Game, *, seed: int) -> Player:
    return HumanPlayer() if text == HUMAN else make_player(text, game, seed=seed)


def _seed(seed: int, number: int, place: int) -> int:
    """Of one player in one game, whatever else is played."""
    return int(np.random.SeedSequence([seed, number, place]).generate_state(1)[0])
