"""Positions of an exam: from games of classical players, which are in no training run, from random openings.

Every player plays every other and itself, both colours, from openings of several lengths. A game first gives one of
its positions, drawn at random, and further ones only if all games together do not have enough. No two have the same
stones up to a turn of the board, and none is over or won by the next stone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eightfold.arena.match import play_match
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.state import NO_MOVE
from eightfold.studies.frame import Part, Work

PLAYERS = (
    "greedy",
    "alphabeta:depth=2",
    "alphabeta:depth=4",
    "mcts:style=plain,playouts=200",
    "mcts:style=plain,playouts=1000",
    "mcts:style=plain,playouts=3000",
)
OPENINGS = (2, 3, 4, 6)  # random plies
PAIRS = tuple(itertools.combinations_with_replacement(PLAYERS, 2))
FROM_A_GAME = 2  # positions that a game is played for; it may give more

Moves = tuple[int, ...]


def make_positions(work: Work) -> list[Position]:
    """So many positions as `exam_positions` says, in an order of chance."""
    settings = work.settings
    wanted, seed = settings.exam_positions, settings.exam_seed
    matches = list(itertools.product(PAIRS, OPENINGS))
    # One match of each kind if that is enough: with fewer positions fewer kinds are played.
    order = np.random.default_rng([seed, 0]).permutation(len(matches)).tolist()
    order = sorted(order[: -(-wanted // (2 * FROM_A_GAME))])
    games = 2 * -(-wanted // (2 * FROM_A_GAME * len(order)))  # both colours
    cases = [
        {
            "game": settings.game,
            "players": list(matches[number][0]),
            "opening_plies": matches[number][1],
            "games": games,
            "seed": int(np.random.SeedSequence([seed, number]).generate_state(1)[0]),
        }
        for number in order
    ]
    played = work.parts(play_exam_games, cases, [" and ".join(case["players"]) for case in cases])
    rows = [(row, case["opening_plies"]) for match, case in zip(played, cases, strict=True) for row in match["moves"]]
    return choose_positions(make_game(settings.game, trusted=True), rows, wanted=wanted, seed=seed)


def play_exam_games(
    part: Part, *, game: str, players: list[str], opening_plies: int, games: int, seed: int
) -> dict[str, Any]:
    """A part: a match, as the moves of its games."""
    played = itertools.count(1)
    report = play_match(
        make_game(game, trusted=True),
        *players,
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        progress=lambda result: part.progress(next(played) / games),
        play=part.play,
    )
    return {"moves": [list(result.position.moves) for result in report.results]}


def choose_positions(
    game: Game, games: Sequence[tuple[Sequence[int], int]], *, wanted: int, seed: int
) -> list[Position]:
    """So many positions of games, each given by its moves and how many of them were random."""
    random = np.random.default_rng([seed, 1])
    offers = [_offers(game, moves, opening, random) for moves, opening in games]
    chosen: dict[int, Position] = {}
    while offers and len(chosen) < wanted:
        going_on = []
        for offer in offers:
            found = next((each for each in offer if each.orbit_key not in chosen), None)
            if found is not None and len(chosen) < wanted:
                chosen[found.orbit_key] = found
                going_on.append(offer)
        offers = [going_on[number] for number in random.permutation(len(going_on))]
    if len(chosen) < wanted:
        raise EightfoldError(
            f"{len(games)} games of {game.text} have only {len(chosen)} positions for an exam that differ by more than"
            f" a turn; ask for no more (exam_positions={wanted})"
        )
    positions = list(chosen.values())
    return [positions[number] for number in random.permutation(len(positions))]


def _offers(game: Game, moves: Sequence[int], opening: int, random: np.random.Generator) -> Iterator[Position]:
    """The positions of a game that suit an exam, at random, from the end of its opening on."""
    plies = random.permutation(np.arange(opening, len(moves))).tolist()
    scratch = np.zeros(game.scratch, np.int64)
    for ply in plies:
        position = game.after(moves[:ply])
        if not position.is_over and game.kernels.find_win(position.state.copy(), 0, scratch) == NO_MOVE:
            yield position
