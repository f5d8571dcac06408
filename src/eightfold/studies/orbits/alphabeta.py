"""Alpha-beta with a transposition table of orbits and with one of positions, on the same games.

Both searches look at every position of a game, in turn, and keep their table from move to move, as in play. They give
the same values, for an entry counts only for the depth that it was made for; what differs is how many positions they
look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eightfold.arena.openings.random_moves import random_openings
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.gomoku import rules
from eightfold.search.alphabeta import AlphaBeta, AlphaBetaOptions
from eightfold.studies.frame import Part, Work
from eightfold.studies.orbits import unturned
from eightfold.studies.orbits.streams import ORBIT, POSITION

SETTINGS = ("game", "alphabeta_depth", "alphabeta_games", "alphabeta_opening")


def alphabeta(work: Work) -> dict[str, Any] | None:
    settings = work.settings
    if settings.alphabeta_depth == 0:
        return None
    cases = [
        {
            "game": settings.game,
            "depth": settings.alphabeta_depth,
            "opening": number % (settings.alphabeta_opening + 1),
            "seed": number,
        }
        for number in range(settings.alphabeta_games)
    ]
    found = work.parts(search_game, cases)
    rows = [{"seed": case["seed"], **row} for case, game in zip(cases, found, strict=True) for row in game]
    return {"depth": settings.alphabeta_depth, "games": len(cases), "rows": rows}


def search_game(part: Part, *, game: str, depth: int, opening: int, seed: int) -> list[dict[str, Any]]:
    """A part: a game of alpha-beta against itself, every position searched with either table."""
    turned, plain = both_games(game)
    options = AlphaBetaOptions(depth=depth)
    players = {key: AlphaBeta(each, options, seed=seed) for key, each in ((ORBIT, turned), (POSITION, plain))}
    rows: list[dict[str, Any]] = []
    for position in _game(turned, players[ORBIT], opening, seed, rows):
        found = players[POSITION].think(Position(plain, position.state, position.moves))
        rows[-1][POSITION] = found.effort
        if found.value != rows[-1]["value"]:
            raise EightfoldError(f"the two tables disagree after {position.moves}: {found.value}, {rows[-1]['value']}")
        part.progress(position.ply / turned.points)
    return rows


def _game(game: Game, player: AlphaBeta, opening: int, seed: int, rows: list[dict[str, Any]]) -> Iterator[Position]:
    """The positions of a game, each after it was searched with orbit keys."""
    position = next(random_openings(game, opening, seed)) if opening else game.start()
    while not position.is_over:
        found = player.think(position)
        rows.append({"ply": position.ply, "value": found.value, ORBIT: found.effort})
        yield position
        position = position.play(found.action)


def both_games(text: str) -> tuple[Game, Game]:
    """A game of Gomoku as it is, and without its symmetries."""
    game = make_game(text, trusted=True)
    if game.rules is not rules:
        raise EightfoldError(f"{game.text}: alpha-beta is compared on Gomoku alone; leave it out (alphabeta_depth=0)")
    return game, replace(game, rules=unturned, spec=unturned.GAME)
