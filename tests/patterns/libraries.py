"""Small libraries for tests, counted in plain Python over random games that the project plays itself."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np

from eightfold.games.game import make_game
from eightfold.patterns.codes import encode_digits
from eightfold.patterns.combine import combine
from eightfold.patterns.library import Library, Table
from eightfold.patterns.templates import placements, templates_with


@functools.lru_cache(maxsize=8)
def random_games_library(
    game: str = "go:size=7", *, games: int = 4, moves: int = 30, sides: tuple[int, ...] = (3, 4), seed: int = 0
) -> Library:
    """Raw counts: round every legal point of every position one match, round the one that is played one play."""
    rng, the_game = np.random.default_rng(seed), make_game(game)
    templates = templates_with(sides)
    matches = {template.name: Counter[int]() for template in templates}
    plays = {template.name: Counter[int]() for template in templates}
    played = 0
    for _ in range(games):
        position = the_game.start()
        for _ in range(moves):
            legal = np.flatnonzero(position.legal_mask[: the_game.points])
            if position.is_over or not len(legal):
                break
            move = int(rng.choice(legal))
            own = [0, 1, 2] if position.to_move == 1 else [0, 2, 1]
            stones = position.stones.reshape(-1).tolist()
            for template in templates:
                where = placements(template, the_game.size)
                for point in legal.tolist():
                    if where[point, 0] >= 0:
                        code = encode_digits(own[stones[p]] for p in where[point].tolist())
                        matches[template.name][code] += 1
                        plays[template.name][code] += point == move
            position = position.play(move)
            played += 1
    tables = {}
    for name, seen in matches.items():
        codes = sorted(seen)
        tables[name] = Table(
            codes=np.array(codes, np.uint32),
            matches=np.array([seen[code] for code in codes], np.uint32),
            plays=np.array([plays[name][code] for code in codes], np.uint32),
        )
    return Library(game=the_game.name, combined=False, tables=tables, about={"games": games, "moves": played})


def with_gammas(library: Library) -> Library:
    """The same with made-up strengths: the posterior over the mean of all, and none where nothing was played."""
    tables = {}
    for name, table in library.tables.items():
        mean = table.plays.sum() / table.matches.sum()
        tables[name] = Table(
            codes=table.codes, matches=table.matches, plays=table.plays, gammas=table.posteriors / max(mean, 1e-9)
        )
    return Library(game=library.game, combined=library.combined, tables=tables, about=library.about)


def combined_library(game: str = "go:size=7", sides: tuple[int, ...] = (3, 4)) -> Library:
    return with_gammas(combine(random_games_library(game, sides=sides)))
