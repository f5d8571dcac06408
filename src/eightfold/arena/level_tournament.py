"""How strong the named levels of a network are: a tournament of all of them with classical players, `eightfold levels`.

Openings are balanced by the network, the ratings those of any tournament (`tournaments/`), and what it found is
written beside the network, with a digest of the weights that were measured and with what the levels were.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.arena.openings.source import BALANCED
from eightfold.arena.tournaments.play import tournament
from eightfold.arena.tournaments.standings import Standings
from eightfold.core.files import replace_file
from eightfold.games.game import Game, make_game
from eightfold.nets.levels import LEVELS, ratings_file
from eightfold.nets.store.policy_value import describe_network

ZERO = "mcts:playouts=2000"  # its rating is 0: it plays any game by its rules alone, and is neither weak nor strong
SEARCHES = ("mcts:playouts=100", ZERO)
WITH_SCORES = ("greedy", "alphabeta:depth=2", "alphabeta:depth=4")


def anchors_for(game: Game) -> list[str]:
    """The classical players that levels are measured with, in games that score moves some more."""
    return [*SEARCHES, *(WITH_SCORES if game.scores_moves else ())]


def level_text(place: str, level: str) -> str:
    return f"net:{place},level={level}"


def rate_levels(
    place: str,
    folder: Path,
    *,
    games: int,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> Standings:
    """Play what is missing of the tournament in the folder, and write the ratings beside the network."""
    game = make_game(describe_network(place).game)
    path, digest = ratings_file(place)
    texts = {level: level_text(place, level) for level in LEVELS}
    others = anchors_for(game)
    standings = tournament(
        folder, [*texts.values(), *others], game=game.text, games=games, openings=f"{BALANCED}:{place}", seed=seed,
        anchor=ZERO, progress=progress, say=say,
    )  # fmt: skip
    found = {
        name: {"elo": round(rating.elo, 1), "elo_error": round(rating.error, 1)}
        for name, rating in zip(standings.names, standings.fit.ratings, strict=True)
    }
    told: dict[str, Any] = {
        "network": digest,
        "version": __version__,
        "command": f"eightfold levels {place} --rate FOLDER --games {games} --seed {seed}",
        "game": game.text,
        "openings": f"{BALANCED}:{place}",
        "games": games,
        "zero": ZERO,
        "levels": {level: {**found[text], "options": asdict(LEVELS[level])} for level, text in texts.items()},
        "others": {name: found[name] for name in others},
    }
    replace_file(path, (json.dumps(told, indent=1) + "\n").encode())
    return standings
