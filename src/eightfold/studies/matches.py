"""Matches as rows of a study: the one place here that asks for games to be played."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from eightfold.arena.match import play_match
from eightfold.arena.ratings import wilson_interval
from eightfold.games.game import make_game
from eightfold.isn.match import play_pairs
from eightfold.isn.place import load_go_isn
from eightfold.isn.tables import IsnTables, playing_tables
from eightfold.studies.frame import Part, Work


def match_row(
    game: str,
    first: str,
    second: str,
    *,
    games: int,
    seed: int,
    opening_plies: int = 0,
    progress: Callable[[float], None] = lambda share: None,
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
    )
    leads = [
        (result.position.margin or 0.0) * (1 if result.first_named_is_black else -1)
        for result in report.results
        if result.forfeited_by is None and result.position.margin is not None
    ]
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
    """Every Internal Symmetry Network against every other: each one's score, and the mean length of a game.

    A part is one network against all those before it, so a longer list goes on where a shorter one ended.
    """
    same = {"game": game, "games": games, "beta": beta, "seed": seed}
    cases = [{"network": networks[n], "others": list(networks[:n]), **same} for n in range(1, len(networks))]
    rows = work.parts(play_others, cases, [f"network {n + 1} against those before" for n in range(1, len(networks))])
    points = np.zeros(len(networks))
    for number, row in enumerate(rows, start=1):
        points[number] += sum(row["points"])
        points[:number] += games - np.array(row["points"])
    played = games * (len(networks) - 1)
    standings = []
    for score in (float(mine / played) if played else 0.0 for mine in points):
        low, high = wilson_interval(score, played)
        standings.append({"score": score, "low": low, "high": high, "played": played})
    return standings, sum(row["moves"] for row in rows) / max(1, played * len(networks) // 2)


def play_others(
    part: Part, *, network: Path, others: list[Path], game: str, games: int, beta: float, seed: int
) -> dict[str, Any]:
    """One network against each of the others, without look-ahead: its points, and the moves of all games."""
    pairs = [(0, number) for number in range(1, len(others) + 1)]
    # Other random numbers than those of the networks before.
    mixed = int(np.random.SeedSequence([seed, len(others)]).generate_state(1)[0])
    tables = [_tables(path) for path in (network, *others)]
    results = play_pairs(make_game(game), tables, pairs, games=games, beta=beta, seed=mixed)
    return {
        "points": [result.points for result in results],
        "moves": sum(int(result.moves.sum()) for result in results),
    }


@functools.lru_cache(maxsize=256)
def _tables(path: Path) -> IsnTables:
    network, by_count = load_go_isn(path)
    return playing_tables(network, by_count=by_count)
