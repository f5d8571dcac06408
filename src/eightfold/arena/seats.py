"""The seat of a player in a match: it knows how many games the player can play at once, and asks it for their moves.

A `BatchedPlayer` is asked once for all positions in which it is to move. A `ForkingPlayer` gets a player of its own
for each game, and these think on all cores. Any other player (a program, a person, a class of the user's, whoever
thinks by the clock) plays one game after another.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eightfold.arena.forfeit import Forfeit
from eightfold.core.errors import EightfoldError
from eightfold.core.threads import run_parts
from eightfold.games.game import Position
from eightfold.search.result import BatchedPlayer, ForkingPlayer, Player, SearchResult

MOST_GAMES = 64  # at once
MEMORY = 1 << 30  # bytes that the games played at once may take


class Answer(NamedTuple):
    """A player's move, or why it has lost."""

    result: SearchResult | Forfeit
    seconds: float


class Seat:
    """A player, and what it keeps for each of the games that go on."""

    def __init__(self, player: Player) -> None:
        self.player = player
        timed = bool(getattr(player, "timed", False))
        self.bytes_a_game = int(getattr(player, "bytes_a_game", 0))
        self._batched = player if isinstance(player, BatchedPlayer) and not timed else None
        self._forking = player if isinstance(player, ForkingPlayer) and not timed and not self._batched else None
        self._forks: dict[int, Player] = {}
        self.last_seconds = 0.0  # that a move took

    @property
    def plays_many(self) -> bool:
        """Whether games can be played side by side."""
        return self._batched is not None or self._forking is not None

    @property
    def batched(self) -> bool:
        return self._batched is not None

    def set_up(self, games: int) -> None:
        if self._batched is not None:
            self._batched.set_up(games)

    def start_game(self, slot: int, seed: int) -> None:
        """A new game in a slot; equal seeds play equal games."""
        if self._batched is not None:
            self._batched.start_game(slot, seed)
        elif self._forking is not None:
            self._forks[slot] = self._forking.fork(seed)
        else:
            self.player.new_game()

    def tasks(self, positions: Mapping[int, Position]) -> list[Task]:
        """What has to be thought about the positions of some slots, in parts that may be done side by side."""
        if self._batched is not None:
            return [Task(self, positions)]
        return [Task(self, {slot: position}) for slot, position in positions.items()]

    def think(self, positions: Mapping[int, Position], stop: threading.Event | None = None) -> dict[int, Answer]:
        """The answers by slot; `stop`, once set, ends the thinking of a player that has a copy for each game."""
        start = time.perf_counter()
        if self._batched is not None:
            results = self._batched.think_many(positions)
            share = (time.perf_counter() - start) / len(positions)
            return {slot: Answer(result, share) for slot, result in results.items()}
        [(slot, position)] = positions.items()
        result: SearchResult | Forfeit
        try:
            result = (
                self._forks[slot].think(position, stop=stop) if slot in self._forks else self.player.think(position)
            )
        except Forfeit as error:
            result = error
        self.last_seconds = time.perf_counter() - start
        return {slot: Answer(result, self.last_seconds)}


class Task(NamedTuple):
    seat: Seat
    positions: Mapping[int, Position]  # by slot


def think_side_by_side(tasks: Sequence[Task], threads: int, *, interruptible: bool = True) -> dict[int, Answer]:
    """The answers to all tasks by slot, each thread taking the next task that is left.

    Batches come first, then who took longest: so that at the end no thread waits long for the others.
    `interruptible`: an error, or Ctrl-C, ends what other threads think; else it waits for it, which costs less.
    """
    queue = deque(sorted(tasks, key=lambda task: (not task.seat.batched, -task.seat.last_seconds)))
    threads = max(1, min(threads, len(tasks)))
    stop = threading.Event() if threads > 1 and interruptible else None

    def work(part: int) -> dict[int, Answer]:
        answers: dict[int, Answer] = {}
        while True:
            try:
                task = queue.popleft()
            except IndexError:
                return answers
            try:
                answers |= task.seat.think(task.positions, stop)
            except BaseException:  # Ctrl-C, for one: the other threads begin nothing more, and end what they began
                queue.clear()
                if stop is not None:
                    stop.set()
                raise

    parts = run_parts(work, threads)
    return {slot: answer for part in parts for slot, answer in part.items()}


def games_at_once(seats: Sequence[Seat], games: int, wanted: int = 0) -> int:
    """How many games these players can play side by side: as many as are wanted, or as many as memory holds."""
    many = all(seat.plays_many for seat in seats)
    if wanted < 0 or (wanted > 1 and not many):
        raise EightfoldError(
            f"parallel={wanted}: a program, a person, a player of your own or one that thinks by the clock"
            " plays one game at a time; give 1, or 0 to have it chosen"
        )
    if wanted or not many:
        return min(wanted or 1, games)
    # A batched player has room for all games that go on; of the others a game has two.
    forks = sorted(seat.bytes_a_game for seat in seats if not seat.batched)[-2:]
    needed = sum(forks) + sum(seat.bytes_a_game for seat in seats if seat.batched)
    return max(1, min(games, MOST_GAMES, MEMORY // max(1, needed)))
