"""Ratings of the networks of a study by round robin: every one against every other, from random openings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from eightfold.arena.bradley_terry import RatingFit, Score, fit_ratings
from eightfold.arena.match import gauntlet
from eightfold.games.game import make_game
from eightfold.nets.player import NetOptions
from eightfold.studies.frame import Part, Work
from eightfold.studies.networks import player_of
from eightfold.studies.runs import network_place

Entrant = tuple[str, str]  # the place of a run in the study's folder, and the name of one of its networks


def round_robin(
    work: Work,
    entrants: Sequence[Entrant],
    *,
    guests: Sequence[Entrant] = (),
    game: str,
    games: int,
    playouts: int,
    opening_plies: int,
    backend: str,
    seed: int,
) -> list[dict[str, Any]]:
    """Elo, half of its 95 % interval, score and games of every entrant, then of every guest.

    Entrants play each other; a guest plays all entrants, and no guest. A part is one network against all entrants
    before it, so a longer list goes on where a shorter one ended.
    """
    everybody = [*entrants, *guests]
    same = {
        "game": game,
        "games": games,
        "playouts": playouts,
        "opening_plies": opening_plies,
        "backend": backend,
        "seed": seed,
    }
    cases = [
        {
            "network": list(everybody[n]),
            "others": [list(each) for each in everybody[: min(n, len(entrants))]],
            **({"guest": n - len(entrants)} if n > len(entrants) else {}),  # who all play the same others
            **same,
        }
        for n in range(1, len(everybody))
    ]
    labels = [f"network {n + 1} of {len(everybody)} against those before" for n in range(1, len(everybody))]
    found = work.parts(play_those_before, cases, labels)
    scores, points, played = [], np.zeros(len(everybody)), np.zeros(len(everybody))
    for n, row in enumerate(found, start=1):
        for other, (first, second) in enumerate(row["matches"]):
            scores += [Score(n, other, *first), Score(other, n, *reversed(second))]
            won = first[0] + second[0] + (first[1] + second[1]) / 2
            total = sum(first) + sum(second)
            points[[n, other]] += won, total - won
            played[[n, other]] += total
    fit: RatingFit = fit_ratings(len(everybody), scores)
    return [
        {"elo": rating.elo, "elo_error": rating.error, "score": float(mine / of) if of else 0.0, "played": int(of)}
        for rating, mine, of in zip(fit.ratings, points, played, strict=True)
    ]


def play_those_before(
    part: Part,
    *,
    network: list[str],
    others: list[list[str]],
    game: str,
    games: int,
    playouts: int,
    opening_plies: int,
    backend: str,
    seed: int,
    guest: int = 0,
) -> dict[str, Any]:
    """A part: one network against others; of each match its wins, draws and losses when it began and when not.

    Nobody has proofs by threat search, whatever it was trained with: it is networks that are compared.
    """
    told, the_game, options = count(1), make_game(game, trusted=True), NetOptions(playouts=playouts, proof_nodes=0)
    players = [
        player_of(network_place(part.output, place, name), the_game, options, backend=backend, seed=seed)
        for place, name in (network, *others)
    ]
    matches = gauntlet(
        the_game,
        players[0],
        players[1:],
        games=games,
        # Other random numbers than those of the networks before.
        seed=int(np.random.SeedSequence([seed, len(others), *([guest] if guest else [])]).generate_state(1)[0]),
        opening_plies=opening_plies,
        progress=lambda result: part.progress(next(told) / (games * len(others))),
    )
    return {
        "matches": [
            [[side.wins, side.draws, side.losses] for side in (match.as_first, match.as_second)] for match in matches
        ]
    }
