"""Monitors that name self-play which teaches nothing.

Collapsed: games are short and one side wins nearly all of them, or so short that neither side can have defended.
Redundant: the same games, up to a symmetry of the board, come again and again.

Games that begin with random stones differ by that alone, and must not hide what the others do. So lengths are counted
from where the random stones end, games are compared with those that began alike, and the games without random stones
are also judged alone.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, DRAW, WHITE

MEMORY = 200  # games
ENOUGH = 100  # games, before anything is said of them
FEW = 20  # games that began alike, before anything is said of those
SHORT, VERY_SHORT = 2.0, 1.75  # times a win without any resistance
ONE_SIDED = 0.85
REPEATED = 0.1  # of the last games are one and the same
DISTINCT = 0.5  # of the games that began alike


class Seen(NamedTuple):
    """What is remembered of a game; positions by their orbit keys, which symmetric boards share."""

    moves: int
    opening: int  # of them were random
    winner: int  # or DRAW
    first: int  # the colour that moved first after the random stones
    began: int  # the position after the random stones
    ended: int  # the last position

    @property
    def length(self) -> int:
        return self.moves - self.opening


class SelfPlayMonitor:
    """Remembers the last games."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._seen: deque[Seen] = deque(maxlen=MEMORY)

    def add(self, positions: Sequence[Position], opening: int, result: int) -> None:
        """Remember a game: its positions from the start to the end, how many moves were random, and who won."""
        began, ended = positions[opening], positions[-1]
        moves = len(positions) - 1
        self._seen.append(Seen(moves, opening, result, began.to_move, began.orbit_key, ended.orbit_key))

    def refill(self, games: Path) -> None:
        """Remember the newest games that a run has kept; a line that cannot be read tells nothing."""
        with open(games, encoding="utf-8", errors="replace") as file:
            lines = deque(file, maxlen=MEMORY)
        for line in lines:
            with contextlib.suppress(ValueError, TypeError, KeyError, IndexError):
                kept = json.loads(line)
                positions = [self._game.start()]
                for move in kept["moves"]:
                    positions.append(positions[-1].play(move))
                self.add(positions, kept["opening"], kept["result"])

    def figures(self) -> dict[str, float]:
        seen = self._seen
        if not seen:
            return {}
        winners, games = Counter(game.winner for game in seen), _groups(list(seen))
        return {
            "game_length": sum(game.moves for game in seen) / len(seen),
            "black_wins": winners[BLACK] / len(seen),
            "white_wins": winners[WHITE] / len(seen),
            "draws": winners[DRAW] / len(seen),
            "distinct_games": len(games) / len(seen),
            "repeated_games": max(games.values()) / len(seen),
        }

    def warnings(self) -> list[str]:
        """What is wrong with the last games, in words; nothing until there are enough of them."""
        seen = list(self._seen)
        if len(seen) < ENOUGH:
            return []
        plain = [game for game in seen if game.opening == 0]
        said = (self._collapsed(seen) or self._collapsed(plain), _redundant(seen))
        return [warning for warning in said if warning]

    def _collapsed(self, seen: list[Seen]) -> str:
        if len(seen) < FEW:
            return ""
        length, one_side = sum(game.length for game in seen) / len(seen), _one_sided(seen)
        decided = sum(game.winner != DRAW for game in seen) / len(seen)
        if length < self._short(SHORT) and one_side > ONE_SIDED:
            how = f"{one_side:.0%} won by one side"
        elif length < self._short(VERY_SHORT) and decided > ONE_SIDED:  # either side wins, for neither defends
            how = f"{decided:.0%} of them decided"
        else:
            return ""
        return (
            f"collapsed self-play: games of {length:.1f} moves after any random stones, {how};"
            " more playouts, noise or random openings help"
        )

    def _short(self, times: float) -> float:
        """So many times a win without any resistance; less on a board with little room."""
        wins_in = 2 * int(self._game.values.get("win", self._game.size)) - 1
        return min(times * wins_in, 0.3 * times * self._game.points)


def _one_sided(seen: list[Seen]) -> float:
    """The largest share of games won by black, by white, by who moved first after the random stones, or second."""
    black, white = (sum(game.winner == colour for game in seen) for colour in (BLACK, WHITE))
    first = sum(game.winner == game.first for game in seen)
    return max(black, white, first, black + white - first) / len(seen)


def _groups(seen: list[Seen]) -> Counter[tuple[int, int]]:
    """How often each game came: games that began and ended alike are one."""
    return Counter((game.began, game.ended) for game in seen)


def _redundant(seen: list[Seen]) -> str:
    games = _groups(seen)
    repeated = max(games.values())
    # Of the games that began alike, how many are different; 1 where few began so.
    began = Counter(game.began for game in seen)
    kinds = Counter(start for start, _ in games)
    distinct = min((kinds[start] / count for start, count in began.items() if count >= FEW), default=1.0)
    if repeated >= REPEATED * len(seen):
        what = f"one game is {repeated} of the last {len(seen)}"
    elif distinct < DISTINCT:
        what = f"only {distinct:.0%} of the last games that began alike are different"
    else:
        return ""
    return f"redundant self-play: {what}, symmetric boards counted as one; a higher temperature or random openings help"
