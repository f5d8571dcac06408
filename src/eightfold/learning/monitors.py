"""Monitors that name self-play which teaches nothing.

The words are those of Zhao & Zhang, section 4.4.1; docs/training.md says how far their meaning is the same.

Collapsed: games are short and one side wins nearly all of them, or so short that neither side can have defended.
Redundant: the same games, up to a symmetry of the board, come again and again.

Games that begin with random stones differ by that alone, and must not hide what the others do. So lengths are counted
from where the random stones end, games are compared with those that began alike, and the games without random stones
are also judged alone.

`SelfPlayMonitor` remembers the last games of a run; `findings` judges any stretch of games (`health.py` does so for a
whole run).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from eightfold.core.jit import Ints
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, DRAW, WHITE
from eightfold.learning.data.kept import read_kept
from eightfold.learning.data.record import PlayedGame

MEMORY = 200  # games
ENOUGH = 100  # games, before anything is said of them
FEW = 20  # games that began alike, before anything is said of those
SHORT, VERY_SHORT = 2.0, 1.75  # times a win without any resistance
ONE_SIDED = 0.85
REPEATED = 0.1  # of the games are one and the same
DISTINCT = 0.5  # of the games that began alike
COLLAPSED, REDUNDANT = "collapsed", "redundant"


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

    @property
    def kind(self) -> tuple[int, int]:
        """Games that began and ended alike are one."""
        return self.began, self.ended


class Finding(NamedTuple):
    """What is wrong with a stretch of games."""

    kind: str  # COLLAPSED or REDUNDANT
    what: str
    remedy: str

    @property
    def text(self) -> str:
        return f"{self.kind} self-play: {self.what}; {self.remedy}"


def seen(positions: Sequence[Position], opening: int, result: int) -> Seen:
    """A game by its positions from the start to the end, how many moves were random, and who won."""
    return seen_between(positions[opening], positions[-1], len(positions) - 1, opening, result)


def seen_between(began: Position, ended: Position, moves: int, opening: int, result: int) -> Seen:
    """The same by the positions after the random moves and at the end alone."""
    return Seen(moves, opening, result, began.to_move, began.orbit_key, ended.orbit_key)


class SelfPlayMonitor:
    """Remembers the last games."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._seen: deque[Seen] = deque(maxlen=MEMORY)

    def add(self, positions: Sequence[Position], opening: int, result: int) -> None:
        """Remember a game, given as in `seen`."""
        self._seen.append(seen(positions, opening, result))

    def add_states(self, games: Sequence[PlayedGame], replayed: Sequence[Ints]) -> None:
        """Remember games by their states from the start to the end, as `PlayedGame.replay_states` gives them."""
        for played, states in list(zip(games, replayed, strict=True))[-MEMORY:]:
            began, ended = (Position(self._game, row, ()) for row in (states[played.opening], states[-1]))
            self._seen.append(seen_between(began, ended, len(played.moves), played.opening, played.result))

    def refill(self, games: Path) -> None:
        """Remember the newest games that a run has kept; a line that cannot be read tells nothing."""
        with open(games, encoding="utf-8", errors="replace") as file:
            lines = deque(file, maxlen=MEMORY)
        for line in lines:
            kept = read_kept(line)
            if kept is not None and (positions := kept.positions(self._game)) is not None:
                self.add(positions, kept.opening, kept.result)

    def figures(self) -> dict[str, float]:
        return figures(self._seen)

    def warnings(self) -> list[str]:
        """What is wrong with the last games, in words; nothing until there are enough of them."""
        return [finding.text for finding in findings(self._game, self._seen)]


# ---- any stretch of games ---------------------------------------------------------------------------------


def figures(games: Collection[Seen]) -> dict[str, float]:
    """Length, results and variety."""
    if not games:
        return {}
    winners, kinds = Counter(game.winner for game in games), Counter(game.kind for game in games)
    return {
        "game_length": sum(game.moves for game in games) / len(games),
        "black_wins": winners[BLACK] / len(games),
        "white_wins": winners[WHITE] / len(games),
        "draws": winners[DRAW] / len(games),
        "one_sided": one_sided(games),
        "distinct_games": len(kinds) / len(games),
        "repeated_games": max(kinds.values()) / len(games),
    }


def findings(game: Game, games: Collection[Seen]) -> list[Finding]:
    """What is wrong with a stretch of games; nothing where they are too few to say."""
    if len(games) < ENOUGH:
        return []
    plain = [each for each in games if each.opening == 0]
    found = (_collapsed(game, games) or _collapsed(game, plain), _redundant(games))
    return [finding for finding in found if finding is not None]


def one_sided(games: Collection[Seen]) -> float:
    """The largest share of games won by black, by white, by who moved first after the random stones, or second."""
    black, white = (sum(game.winner == colour for game in games) for colour in (BLACK, WHITE))
    first = sum(game.winner == game.first for game in games)
    return max(black, white, first, black + white - first) / len(games)


def _collapsed(game: Game, games: Collection[Seen]) -> Finding | None:
    if len(games) < FEW:
        return None
    length, one_side = sum(each.length for each in games) / len(games), one_sided(games)
    decided = sum(each.winner != DRAW for each in games) / len(games)
    none_defends = decided > ONE_SIDED and game.spec.has_draws  # either side wins; without draws, always
    if length < _short(game, SHORT) and one_side > ONE_SIDED:
        how = f"{one_side:.0%} won by one side"
    elif length < _short(game, VERY_SHORT) and none_defends:
        how = f"{decided:.0%} of them decided"
    else:
        return None
    what = f"games of {length:.1f} moves after any random stones, {how}"
    return Finding(COLLAPSED, what, "more playouts, noise or random openings help")


def _short(game: Game, times: float) -> float:
    """So many times a win without any resistance; less on a board with little room."""
    wins_in = 2 * int(game.values.get("win", game.size)) - 1
    return min(times * wins_in, 0.3 * times * game.points)


def _redundant(games: Collection[Seen]) -> Finding | None:
    kinds = Counter(game.kind for game in games)
    repeated = max(kinds.values())
    # Of the games that began alike, how many are different; 1 where few began so.
    began = Counter(game.began for game in games)
    different = Counter(start for start, _ in kinds)
    distinct = min((different[start] / count for start, count in began.items() if count >= FEW), default=1.0)
    if repeated >= REPEATED * len(games):
        what = f"one game is {repeated} of {len(games)}"
    elif distinct < DISTINCT:
        what = f"only {distinct:.0%} of the games that began alike are different"
    else:
        return None
    return Finding(
        REDUNDANT, f"{what}, symmetric boards counted as one", "a higher temperature or random openings help"
    )
