"""Matches as rows of a study."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from eightfold.arena.bradley_terry import Score, fit_ratings
from eightfold.arena.engine import PlayGames, play_games
from eightfold.arena.match import gauntlet, play_match
from eightfold.arena.ratings import wilson_interval
from eightfold.games.game import make_game
from eightfold.isn.go_network import GoIsn
from eightfold.isn.player import IsnOptions, IsnPlayer
from eightfold.isn.tables import IsnTables
from eightfold.learning.varying import BETWEEN
from eightfold.nets.store.open import open_network
from eightfold.studies.frame import Part, Work


def listed(text: str) -> list[str]:
    """Several players, or boards, of one setting.

    >>> listed("random | mcts:playouts=100 ")
    ['random', 'mcts:playouts=100']
    """
    return [part.strip() for part in text.split(BETWEEN) if part.strip()]


def match_row(
    game: str,
    first: str,
    second: str,
    *,
    games: int,
    seed: int,
    opening_plies: int = 0,
    progress: Callable[[float], None] = lambda share: None,
    play: PlayGames = play_games,
) -> dict[str, Any]:
    """A match between two players by their texts, seen from the first: score, 95 % interval, mean lead in points."""
    played = count(1)
    report = play_match(
        make_game(game, trusted=True),  # a study's settings are the user's own words
        first,
        second,
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        progress=lambda result: progress(next(played) / games),
        play=play,
    )
    leads = [result.margin for result in report.results if result.position.margin is not None]
    total = report.total
    low, high = total.interval
    return {
        "games": total.games,
        "wins": total.wins,
        "draws": total.draws,
        "losses": total.losses,
        "score": total.score,
        "low": low,
        "high": high,
        **({"lead": fmean(leads)} if leads else {}),
        "seconds_per_move": report.seconds_per_move[0],
    }


def isn_round_robin(
    work: Work, networks: Sequence[Path], *, game: str, games: int, beta: float, seed: int
) -> tuple[list[dict[str, Any]], float]:
    """Every Internal Symmetry Network against every other: each one's score and rating, and the moves of a game.

    A part is one network against all those before it, so a longer list goes on where a shorter one ended.
    """
    same = {"game": game, "games": games, "beta": beta, "seed": seed}
    cases = [{"network": networks[n], "others": list(networks[:n]), **same} for n in range(1, len(networks))]
    rows = work.parts(play_others, cases, [f"network {n + 1} against those before" for n in range(1, len(networks))])
    points, scores = np.zeros(len(networks)), []
    for n, row in enumerate(rows, start=1):
        for other, won in enumerate(row["points"]):
            points[[n, other]] += won, games - won
            scores.append(Score(n, other, won, 0, games - won))  # of both colours; a draw is half a win
    ratings = fit_ratings(len(networks), scores, first_move=False).ratings
    played, standings = games * (len(networks) - 1), []
    for mine, rating in zip(points, ratings, strict=True):
        score = float(mine / played) if played else 0.0
        low, high = wilson_interval(score, played)
        figures = {"score": score, "low": low, "high": high, "played": played}
        standings.append({**figures, "elo": rating.elo, "elo_error": rating.error})
    return standings, sum(row["moves"] for row in rows) / max(1, games * len(scores))


def play_others(
    part: Part, *, network: Path, others: list[Path], game: str, games: int, beta: float, seed: int
) -> dict[str, Any]:
    """One network against each of the others, without look-ahead: its points, and the moves of all games."""
    played, the_game = count(1), make_game(game)
    players = [IsnPlayer(the_game, _tables(path), IsnOptions(beta=beta)) for path in (network, *others)]
    matches = gauntlet(
        the_game,
        players[0],
        players[1:],
        games=games,
        # Other random numbers than those of the networks before.
        seed=int(np.random.SeedSequence([seed, len(others)]).generate_state(1)[0]),
        progress=lambda result: part.progress(next(played) / (games * len(others))),
    )
    return {
        "points": [match.total.score * games for match in matches],
        "moves": sum(len(result.position.moves) for match in matches for result in match.results),
    }


@functools.lru_cache(maxsize=256)
def _tables(path: Path) -> IsnTables:
    return open_network(path, kind=GoIsn).tables()
