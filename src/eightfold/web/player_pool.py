"""The pool of players: games borrow a player for one piece of thinking and give it back.

No server needs more players of a kind than it has workers. A hundred games against the same network load it at most
once for each worker, and memory does not grow with the games. A player can think about any position. It keeps its
search tree when it serves the same game again.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eightfold.games.game import Game
from eightfold.search.result import Player, close_player
from eightfold.web.menu import MenuEntry

MOST_IDLE = 12  # players kept for later


@dataclass(eq=False)
class _Pooled:
    key: tuple[Any, ...]
    player: Player
    table: str  # which game it served last


class PlayerPool:
    """Players of a server."""

    def __init__(self, *, seed: int | None = None) -> None:
        self._idle: list[_Pooled] = []  # the one that was given back last is the last
        self._lock = threading.Lock()
        self._making = threading.Lock()  # one at a time: loading two networks at once takes twice the memory
        self._seeds = itertools.count(secrets.randbelow(1 << 30) if seed is None else seed)
        self._closed = False

    @contextlib.contextmanager
    def borrow(self, entry: MenuEntry, level: int, game: Game, table: str) -> Iterator[Player]:
        """A player for the time of a `with` block; one that raises an exception is closed."""
        key = (entry.key, level, entry.version(), game.text)
        pooled = self._take(key, table)
        if pooled is None:
            with self._making:
                pooled = self._take(key, table)  # another thread may have given one back meanwhile
                if pooled is None:
                    pooled = _Pooled(key, entry.make(level, game, next(self._seeds)), table="")
        if pooled.table != table:
            pooled.player.new_game()
            pooled.table = table
        try:
            yield pooled.player
        except BaseException:
            _close(pooled.player)  # its state is unknown
            raise
        self._give_back(pooled)

    def _take(self, key: tuple[Any, ...], table: str) -> _Pooled | None:
        with self._lock:
            fitting = [pooled for pooled in self._idle if pooled.key == key]
            if not fitting:
                return None
            known = [pooled for pooled in fitting if pooled.table == table]
            pooled = known[0] if known else fitting[0]
            self._idle.remove(pooled)
            return pooled

    def _give_back(self, pooled: _Pooled) -> None:
        with self._lock:
            self._idle.append(pooled)
            dropped = [self._idle.pop(0)] if len(self._idle) > MOST_IDLE else []
            if self._closed:
                dropped, self._idle = dropped + self._idle, []
        for old in dropped:
            _close(old.player)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            dropped, self._idle = self._idle, []
        for pooled in dropped:
            _close(pooled.player)


def _close(player: Player) -> None:
    """Close a player that nobody uses any more; its errors do not matter."""
    with contextlib.suppress(Exception):
        close_player(player)
