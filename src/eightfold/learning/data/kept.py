"""The games of a run as people look at them later: a line of JSON for each, in `games.jsonl`.

    >>> read_kept('{"moves": [24, 25], "opening": 0, "result": 3}')
    KeptGame(moves=(24, 25), opening=0, result=3, game='')

A file may be damaged or a stranger's: a line that does not hold a game is None, and so are the positions of a game
whose moves the rules forbid.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.state import BLACK, DRAW, WHITE


@dataclass(frozen=True, kw_only=True)
class KeptGame:
    """One game of self-play: what was played, and who won."""

    moves: tuple[int, ...]
    opening: int  # moves at its start that were random
    result: int  # BLACK, WHITE or DRAW
    game: str = ""  # its text, where its rules are not the run's own

    def own_game(self, game: Game) -> Game:
        """The game that it was, in a run of this game."""
        return make_game(self.game) if self.game else game

    def positions(self, game: Game) -> list[Position] | None:
        """The positions after each number of moves, from none to all; None where the rules forbid a move."""
        try:
            own = self.own_game(game)
            if (own.spec, own.size) != (game.spec, game.size):
                return None
            positions = [own.start()]
            for move in self.moves:
                positions.append(positions[-1].play(move))
        except EightfoldError:
            return None
        return positions

    def as_dict(self) -> dict[str, Any]:
        line = {"moves": list(self.moves), "opening": self.opening, "result": self.result}
        return {**line, "game": self.game} if self.game else line


def read_kept(line: str | bytes) -> KeptGame | None:
    """The game of a line; None if it does not hold one."""
    try:
        found = json.loads(line)
        moves, opening, result = tuple(found["moves"]), found["opening"], found["result"]
        game = found.get("game", "")
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    whole = all(type(number) is int for number in (*moves, opening, result))
    if not isinstance(game, str) or not whole or result not in (BLACK, WHITE, DRAW) or not 0 <= opening <= len(moves):
        return None
    return KeptGame(moves=moves, opening=opening, result=result, game=game)
