"""What thinking about a position gives: the record that passes from a search to whoever asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.jit import Ints
from eightfold.games.game import Game, Position
from eightfold.search.move_time import Seconds


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """All of it in the board's own frame and from the side to move. A actions."""

    action: int
    policy: NDArray[np.float32]  # [A] sums to one
    value: float  # -1 (lost) to 1 (won)
    visits: Ints | None = None  # [A] where the search counts visits
    scores: NDArray[Any] | None = None  # [A] where it scores moves; nan or 0 for what was not scored
    values: NDArray[np.float32] | None = None  # [A] of each move for the side to move; nan where nobody looked
    principal_variation: tuple[int, ...] = ()  # the move, and how the search expects the game to go on
    variations: tuple[tuple[int, ...], ...] = ()  # the same for the moves looked at most, where somebody is told of it
    effort: int = 0  # playouts, or positions looked at
    depth: int = 0


Progress = Callable[[SearchResult], None]
MOST_VARIATIONS, LONGEST_VARIATION = 24, 12  # moves that are told of, and plies of each


def check_position(position: Position, game: Game, player: str) -> None:
    """A player is made for one game and asked for a move while it goes on."""
    if position.game is not game and position.game.text != game.text:
        raise EightfoldError(f"player {player} was made for {game.text} and is asked about {position.game.text}")
    if position.is_over:
        raise EightfoldError(f"player {player} is asked for a move, but the game is over ({position.outcome})")


def check_seed(seed: int) -> int:
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise EightfoldError(f"seed {shown(seed)} is not a whole number of at least 0")
    return int(seed)


class Player(Protocol):
    """Anything that chooses moves. It may remember the game so far: `new_game` makes it forget.

    A player that holds something of the world outside (a process) also has `close()`; see `close_player`. One that can
    play several games at once is also a `ForkingPlayer` or a `BatchedPlayer`; a match plays many games of those side by
    side, unless `timed` says that the player thinks by the clock, and no more than fit memory by `bytes_a_game`.
    """

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        """The move to play.

        `seconds` takes the place of the player's own limit in time or playouts, for this move; a depth that alphabeta
        was given stays its limit. A `MoveTime` says that the move is one of many on a clock. `stop`, once set, ends the
        thinking within some ten milliseconds, with the best move so far. `on_progress` is told how it stands a few
        times a second, in the thread that thinks; then results also have `variations`.
        Players that do not search have no use for any of the three.
        """

    def new_game(self) -> None: ...


@runtime_checkable
class PonderingPlayer(Protocol):
    """A player that can use its opponent's time: it keeps a tree, and grows it meanwhile."""

    def ponder(self, position: Position, stop: threading.Event) -> None:
        """Think about a position in which the opponent is to move, until `stop` is set or nothing more can be gained.

        What is found is kept: the next `think`, about a position that follows from this one, begins with it.
        """


@runtime_checkable
class ForkingPlayer(Protocol):
    """A player of which a match makes one for each game."""

    def fork(self, seed: int) -> Player:
        """A player with the same options and its own memory and random numbers."""


@runtime_checkable
class BatchedPlayer(Protocol):
    """A player that thinks about many games at once, each in a slot, where its tree and random numbers are kept."""

    def set_up(self, games: int) -> None:
        """Make room for so many games at once: slots 0 to `games` - 1."""

    def start_game(self, slot: int, seed: int) -> None:
        """A new game in a slot."""

    def think_many(self, positions: Mapping[int, Position]) -> dict[int, SearchResult]:
        """The moves to play in the games of some slots."""


def close_player(player: Player) -> None:
    """Let a player give back what it holds of the world outside; most hold nothing."""
    close = getattr(player, "close", None)
    if close is not None:
        close()


def most_looked_at(visits: NDArray[Any]) -> list[int]:
    """The moves that variations are told of, the most visited first. visits: [A]"""
    order = np.argsort(-visits, kind="stable")[:MOST_VARIATIONS]
    return [int(action) for action in order if visits[action] > 0]


def one_hot(actions: int, action: int) -> NDArray[np.float32]:
    policy = np.zeros(actions, np.float32)
    policy[action] = 1
    return policy
