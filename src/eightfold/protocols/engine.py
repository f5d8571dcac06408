"""The engine core that every protocol speaks to: a game, the stones on its board, a player, and a clock.

A protocol turns its commands into calls of an `Engine` and its answers into text; what a point is called and when
somebody may speak is its business. Everything that takes long (compiling or loading kernels, a network) begins in
`start`, in a thread of its own, so that it is not billed to a move; who has no time to wait for it is told that the
engine is not ready yet.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence

from eightfold.arena.players import make_player, read_player
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.setup import Stone, arranged, is_in_turn
from eightfold.games.state import BLACK, WHITE
from eightfold.protocols.beside import Beside
from eightfold.protocols.choice import player_text
from eightfold.protocols.clock import Clock
from eightfold.search.limits import LONGEST
from eightfold.search.result import Player, Progress, SearchResult, close_player

TRIAL = 0.05  # seconds of thinking that load every kernel a player has


class Engine:
    """One player at one board. Errors are `EightfoldError`s and leave everything as it was."""

    def __init__(
        self, player: str | None = None, *, seed: int = 0, now: Callable[[], float] = time.perf_counter
    ) -> None:
        """`player` is a player's text; None: the best there is for each board. `now` tells the time."""
        self._text, self._seed, self._now = player, seed, now
        self._memory = 0
        self._player: Player | None = None
        self._seated = ""  # the game that the player was made for
        self._line = 0  # which line of moves it follows, where a protocol tells lines apart
        self._game: Game | None = None
        self._position: Position | None = None
        self._coming: Beside[tuple[Player, Position]] | None = None  # a player, and the start of the game it is for
        self._stones: list[Stone] = []
        self.clock = Clock()

    @property
    def position(self) -> Position:
        self._settle()
        if self._position is None:
            raise EightfoldError("no game was started yet")
        return self._position

    @property
    def game(self) -> Game:
        if self._game is None:
            raise EightfoldError("no game was started yet")
        return self._game

    def start(self, text: str, *, since: float | None = None, patience: float | None = None) -> None:
        """An empty board of the game that `text` names, and a player for it that is ready to think at once.

        The time that this takes, `since` it was asked for, is put on the bill of the first move. It may take a
        minute where kernels have to be compiled; so long as `patience` says it is waited for, and then goes on beside.
        Until it is done `is_ready` is false, and whoever asks for the position waits.
        """
        begun = self._now() if since is None else since
        game = make_game(text)
        if self._player is None or self._seated != game.text or self._coming is not None:
            coming = self._beside(game)
            in_time = coming.wait(None if patience is None else max(0.0, patience - (self._now() - begun)))
            if in_time:
                coming.result()  # its trouble leaves everything as it was
            self._coming, self._game, self._position, self._stones = coming, game, None, []
            self.clock.new_game()
            if in_time:
                self._settle()
        else:
            self._game = game
            self.clear()
        self.clock.billed = self._now() - begun

    @property
    def is_ready(self) -> bool:
        """Whether the board and the player can be asked without waiting."""
        return self._coming is None or self._coming.done

    def wait(self, seconds: float | None, stop: threading.Event | None = None) -> bool:
        """Wait for the board and the player, so long or until `stop`; whether they are ready."""
        return self._coming is None or self._coming.wait(seconds, stop)

    def prepare(self, game: Game) -> None:
        """Begin to get a player ready for a game that will most likely be played; trouble is met when it is."""
        self._coming = self._beside(game)

    def _beside(self, game: Game) -> Beside[tuple[Player, Position]]:
        earlier, self._coming = self._coming, None

        def work() -> tuple[Player, Position]:
            if earlier is not None:  # nobody will take that player any more
                with contextlib.suppress(Exception):
                    close_player(earlier.result()[0])
            start = game.start()
            return self._made(game), start

        return Beside(work)

    def _settle(self) -> None:
        """Take the player that was made beside, once it is there."""
        if self._coming is not None:
            player, start = self._coming.result()
            self._coming = None
            self._take(player, start.game)
            if self._position is None:
                self._game, self._position = start.game, start

    def clear(self) -> None:
        """The same game from the start."""
        self._position, self._stones = self.game.start(), []
        self.clock.new_game()
        if self._player is not None:
            self._player.new_game()

    def limit_memory(self, megabytes: int) -> None:
        """What the whole process may take; 0: as much as tournaments allow."""
        before, self._memory = self._memory, megabytes
        if self._game is not None and megabytes != before:
            texts = {player_text(self._text, self.game, memory=limit) for limit in (before, megabytes)}
            if len(texts) > 1 and self._coming is not None:
                self._coming = self._beside(self.game)
            elif len(texts) > 1:  # only some players can do with less
                self._take(self._made(self.game), self.game)

    def change_game(self, text: str) -> None:
        """Go on with the same stones under other rules."""
        game = make_game(text)
        if game.text == self.game.text:
            return
        if self._coming is not None:  # and so no stones either
            self._coming, self._game = self._beside(game), game
            return
        position = arranged(game, self._stones, self.position.to_move)
        self._take(self._made(game), game)
        self._game, self._position = game, position

    def show(self, position: Position, *, line: int) -> None:
        """Any position of any game, from a protocol that keeps the moves itself.

        A player remembers games by their moves. Where equal moves lead to another position (from another start, or
        because one side moved twice), the `line` is another number, and the player is made to forget.
        """
        self._game, self._position, self._stones = position.game, position, []
        if line != self._line:
            self._line = line
            self.forget()

    def forget(self) -> None:
        """Think from nothing next time."""
        if self._player is not None:
            self._player.new_game()

    def ready(self) -> None:
        """Have a player at the board that is ready to think at once."""
        if self._coming is not None and self._position is None:
            self._settle()  # without it there is nothing to think about
        elif self._coming is not None:
            with contextlib.suppress(EightfoldError):  # it may have been for another game, and this one is played
                self._settle()
            self._coming = None
        if self._player is None or self._seated != self.game.text:
            self._take(self._made(self.game), self.game)

    def play(self, action: int) -> None:
        """A stone of the side to move."""
        position = self.position
        self._position = position.play(action)
        self._stones.append((action, position.to_move))

    def take_back(self, action: int) -> None:
        """Take a stone off the board; whoever then has fewer, or black, is to move."""
        stones = [stone for stone in self._stones if stone[0] != action]
        if len(stones) == len(self._stones):
            raise EightfoldError(f"there is no stone at {self.game.name_of(action)} to take back")
        black = sum(colour == BLACK for _, colour in stones)
        self._set(stones, BLACK if 2 * black <= len(stones) else WHITE)

    def set_up(self, stones: Sequence[tuple[int, bool]]) -> None:
        """These stones, each an action and whether it is of the side to move, in any order."""
        own = sum(mine for _, mine in stones)
        to_move = BLACK if 2 * own >= len(stones) else WHITE  # black begins, so with equal numbers it is black's turn
        self._set([(action, to_move if mine else BLACK + WHITE - to_move) for action, mine in stones], to_move)

    def _set(self, stones: list[Stone], to_move: int) -> None:
        self._position = arranged(self.game, stones, to_move)
        self._stones = stones
        if self._player is not None and not is_in_turn(stones, to_move):
            self._player.new_game()  # what it remembers goes by moves in turn

    def think(
        self,
        *,
        since: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        """What the player would play here, within the limits of the clock, which ran `since` then."""
        since = self._now() if since is None else since
        self.ready()
        begun = self._now()
        allowed, billed = self.clock.allowed(), self.clock.billed
        seconds = None
        if allowed is not None:
            if billed >= allowed:  # whoever counts that has lost patience already, so the move may as well be good
                billed = 0.0
            seconds = max(0.0, allowed - billed - (begun - since))
        result = self._asked(seconds, stop, on_progress)
        self.clock.moved(self._now() - since + billed)
        return result

    def analyse(self, stop: threading.Event, on_progress: Progress) -> SearchResult:
        """Think until somebody stops it, or there is nothing more to find; no clock runs."""
        self.ready()
        return self._asked(LONGEST, stop, on_progress)

    def _asked(self, seconds: float | None, stop: threading.Event | None, on_progress: Progress | None) -> SearchResult:
        assert self._player is not None
        result = self._player.think(self.position, seconds=seconds, stop=stop, on_progress=on_progress)
        if not self.position.legal_mask[result.action]:
            raise EightfoldError(f"the player chose {self.game.name_of(result.action)}, which is not legal here")
        return result

    def _made(self, game: Game) -> Player:
        """A player for a game that has thought for a moment, which loads all that it needs."""
        text = player_text(self._text, game, memory=self._memory)
        player = make_player(text, game, seed=self._seed)
        position, stop = game.start(), threading.Event()
        for _ in range(2):  # twice, so that a tree is also kept
            if not position.is_over:
                position = position.play(player.think(position, seconds=TRIAL, stop=stop).action)
        arranged(game, [(0, WHITE)], BLACK)
        if not read_player(
            text
        ).kind.argument:  # made in no time: one whose chances do not depend on how long that took
            player = make_player(text, game, seed=self._seed)
        player.new_game()
        return player

    def _take(self, player: Player, game: Game) -> None:
        self.close()
        self._player, self._seated = player, game.text

    def close(self) -> None:
        """Give back what the player holds of the world outside."""
        coming, self._coming = self._coming, None
        if coming is not None and coming.done:
            with contextlib.suppress(Exception):
                close_player(coming.result()[0])
        if self._player is not None:
            close_player(self._player)
            self._player = None
