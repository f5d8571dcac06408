"""The engine that every protocol speaks to: a game, the stones on its board, a player, and a clock.

A protocol turns its commands into calls of an `Engine` and the results into text. Everything that takes long (compiling
or loading kernels, opening a network) begins in `start`, in a thread of its own, so that it is not charged to a move.
Callers who have no time to wait see that the engine is not ready yet.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence

from eightfold.arena.players import make_player, read_player
from eightfold.arena.warmup import warm_up_player
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.setup import Stone, arranged, is_in_turn
from eightfold.games.state import BLACK, WHITE
from eightfold.protocols.background import BackgroundTask
from eightfold.protocols.clock import Clock
from eightfold.protocols.default_player import engine_player
from eightfold.search.limits import LONGEST
from eightfold.search.move_time import Seconds
from eightfold.search.result import Player, PonderingPlayer, Progress, SearchResult, close_player


class Engine:
    """One player at one board. Errors are `EightfoldError`s and leave everything as it was."""

    def __init__(
        self, player: str | None = None, *, seed: int = 0, now: Callable[[], float] = time.perf_counter
    ) -> None:
        """`player` is a player's text; None: the best there is for each board. `now` tells the time."""
        self._text, self._seed, self._now = player, seed, now
        self._memory = 0
        self._player: Player | None = None
        self._player_game = ""  # the game that the player was made for
        self._branch = 0  # which branch of moves the player follows, see `show`
        self._game: Game | None = None
        self._position: Position | None = None
        self._preparing: BackgroundTask[tuple[Player, Position]] | None = None  # a player, and the start of its game
        self._stones: list[Stone] = []
        self.clock = Clock()

    @property
    def position(self) -> Position:
        self._finish_preparing()
        if self._position is None:
            raise EightfoldError("no game was started yet")
        return self._position

    @property
    def game(self) -> Game:
        if self._game is None:
            raise EightfoldError("no game was started yet")
        return self._game

    @property
    def player_text(self) -> str:
        """The text of the player that thinks."""
        return engine_player(self._text, self.game, memory=self._memory)

    # ---- games and players --------------------------------------------------------------------------

    def start(self, text: str, *, since: float | None = None, timeout: float | None = None) -> None:
        """An empty board of the game that `text` names, and a player for it that can think at once.

        The time that this takes, `since` it was asked for, is charged to the first move. It may take a minute where
        kernels have to be compiled. After `timeout` seconds it goes on in the background: `is_ready` is false until
        it is done, and whoever asks for the position waits.
        """
        begun = self._now() if since is None else since
        game = make_game(text)
        if self._player is None or self._player_game != game.text or self._preparing is not None:
            preparing = self._prepare(game)
            in_time = preparing.wait(None if timeout is None else max(0.0, timeout - (self._now() - begun)))
            if in_time:
                preparing.result()  # an error leaves everything as it was
            self._preparing, self._game, self._position, self._stones = preparing, game, None, []
            self.clock.new_game()
            if in_time:
                self._finish_preparing()
        else:
            self._game = game
            self.clear()
        self.clock.setup_seconds = self._now() - begun

    @property
    def is_ready(self) -> bool:
        """Whether the board and the player can be asked without waiting."""
        return self._preparing is None or self._preparing.done

    def wait(self, seconds: float | None, stop: threading.Event | None = None) -> bool:
        """Wait for the board and the player, at most so long or until `stop`; returns whether they are ready."""
        return self._preparing is None or self._preparing.wait(seconds, stop)

    def prepare(self, game: Game) -> None:
        """Begin to make a player for a game that will most likely be played. Errors are told when it is."""
        self._preparing = self._prepare(game)

    def _prepare(self, game: Game) -> BackgroundTask[tuple[Player, Position]]:
        earlier, self._preparing = self._preparing, None

        def work() -> tuple[Player, Position]:
            if earlier is not None:  # nobody will use that player any more
                with contextlib.suppress(Exception):
                    close_player(earlier.result()[0])
            start = game.start()
            return self._make_player(game), start

        return BackgroundTask(work)

    def _finish_preparing(self) -> None:
        """Wait for the player that is made in the background, and use it from now on."""
        if self._preparing is not None:
            player, start = self._preparing.result()
            self._preparing = None
            self._use(player, start.game)
            if self._position is None:
                self._game, self._position = start.game, start

    def clear(self) -> None:
        """The same game from the start."""
        self._position, self._stones = self.game.start(), []
        self.clock.new_game()
        if self._player is not None:
            self._player.new_game()

    def limit_memory(self, megabytes: int) -> None:
        """Limit the memory of the whole process; 0: what tournaments allow."""
        before, self._memory = self._memory, megabytes
        if self._game is not None and megabytes != before:
            texts = {engine_player(self._text, self.game, memory=limit) for limit in (before, megabytes)}
            if len(texts) > 1 and self._preparing is not None:
                self._preparing = self._prepare(self.game)
            elif len(texts) > 1:  # only some players can do with less
                self._use(self._make_player(self.game), self.game)

    def change_game(self, text: str) -> None:
        """Continue with the same stones under other rules."""
        game = make_game(text)
        if game.text == self.game.text:
            return
        if self._preparing is not None:  # and so there are no stones
            self._preparing, self._game = self._prepare(game), game
            return
        position = arranged(game, self._stones, self.position.to_move)
        self._use(self._make_player(game), game)
        self._game, self._position = game, position

    def ready(self) -> None:
        """Have a player for the game that can think at once."""
        if self._preparing is not None and self._position is None:
            self._finish_preparing()  # without it there is nothing to think about
        elif self._preparing is not None:
            with contextlib.suppress(EightfoldError):  # it may have been for another game, and this one is played
                self._finish_preparing()
            self._preparing = None
        if self._player is None or self._player_game != self.game.text:
            self._use(self._make_player(self.game), self.game)

    def _make_player(self, game: Game) -> Player:
        """A player for a game, with all kernels that it needs loaded."""
        text = engine_player(self._text, game, memory=self._memory)
        player = make_player(text, game, seed=self._seed)
        warm_up_player(player, game)
        with contextlib.suppress(EightfoldError):  # a game may have no such position
            arranged(game, [(0, WHITE)], BLACK)
        if not read_player(text).kind.argument:  # cheap to make: a fresh one plays the same whatever the trial took
            player = make_player(text, game, seed=self._seed)
        player.new_game()
        return player

    def _use(self, player: Player, game: Game) -> None:
        self.close()
        self._player, self._player_game = player, game.text

    def close(self) -> None:
        """Close the player: it may hold a process or a file."""
        preparing, self._preparing = self._preparing, None
        if preparing is not None and preparing.done:
            with contextlib.suppress(Exception):
                close_player(preparing.result()[0])
        if self._player is not None:
            close_player(self._player)
            self._player = None

    # ---- the board ----------------------------------------------------------------------------------

    def show(self, position: Position, *, branch: int) -> None:
        """Put a position on the board.

        A player remembers games by their moves. Where equal moves lead to another position (from another start, or
        because one side moved twice), `branch` is another number, and the player forgets.
        """
        self._game, self._position, self._stones = position.game, position, []
        if branch != self._branch:
            self._branch = branch
            self.forget()

    def forget(self) -> None:
        """Let the player forget the game so far."""
        if self._player is not None:
            self._player.new_game()

    def play(self, action: int) -> None:
        """A stone of the side to move."""
        position = self.position
        self._position = position.play(action)
        self._stones.append((action, position.to_move))

    def take_back(self, action: int) -> None:
        """Take a stone off the board. The side with fewer stones is to move, or black."""
        stones = [stone for stone in self._stones if stone[0] != action]
        if len(stones) == len(self._stones):
            raise EightfoldError(f"there is no stone at {self.game.name_of(action)} to take back")
        black = sum(colour == BLACK for _, colour in stones)
        self._set(stones, BLACK if 2 * black <= len(stones) else WHITE)

    def set_up(self, stones: Sequence[tuple[int, bool]]) -> None:
        """Put stones on an empty board: an action and whether it is of the side to move, in any order."""
        mine = sum(is_mine for _, is_mine in stones)
        to_move = BLACK if 2 * mine >= len(stones) else WHITE  # black begins, so with equal numbers it is black's turn
        self._set([(action, to_move if is_mine else BLACK + WHITE - to_move) for action, is_mine in stones], to_move)

    def _set(self, stones: list[Stone], to_move: int) -> None:
        continued = self._continued(stones, to_move)
        if continued is not None:
            self._position, self._stones = continued
            return
        self._position = arranged(self.game, stones, to_move)
        self._stones = stones
        if self._player is not None and not is_in_turn(stones, to_move):
            self._player.new_game()  # it remembers games by moves in turn

    def _continued(self, stones: list[Stone], to_move: int) -> tuple[Position, list[Stone]] | None:
        """The position on the board after a move or two, if that is what is set up: the player then keeps its tree.

        Managers that set up the whole board for every move may do so in any order, another one each time.
        """
        position, board = self._position, set(self._stones)
        added = [stone for stone in stones if stone not in board]
        if position is None or len(stones) != len(board) + len(added) or len(added) > 2 or not board.issubset(stones):
            return None
        if not is_in_turn(self._stones, position.to_move) or len(position.moves) != len(self._stones):
            return None
        first = position.to_move
        added.sort(key=lambda stone: stone[1] != first)
        try:
            for action, colour in added:
                if position.to_move != colour:
                    return None
                position = position.play(action)
        except EightfoldError:
            return None  # which setting it up will explain
        return (position, [*self._stones, *added]) if position.to_move == to_move else None

    # ---- thinking -----------------------------------------------------------------------------------

    def think(
        self,
        *,
        since: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        """The move of the player, within the limits of the clock, which runs `since` then."""
        since = self._now() if since is None else since
        self.ready()
        begun = self._now()
        allowed, setup = self.clock.allowed(), self.clock.setup_seconds
        if allowed is not None:
            if setup >= allowed.usual:  # a manager that counts it has given up already: the move may as well be good
                setup = 0.0
            allowed = allowed.less(setup + begun - since)
        result = self._ask(allowed, stop, on_progress)
        self.clock.add_move(self._now() - since + setup)
        return result

    def ponder(self, stop: threading.Event) -> None:
        """Use the opponent's time for the position on the board, until `stop` is set; no clock runs.

        Returns at once where there is nothing to think about, or nobody who can keep what is found.
        """
        player, current = self._player, self._preparing is None and self._player_game == self.game.text
        if isinstance(player, PonderingPlayer) and current and not self.position.is_over:
            player.ponder(self.position, stop)

    def analyse(self, stop: threading.Event, on_progress: Progress) -> SearchResult:
        """Think until `stop` is set or there is nothing more to find; no clock runs."""
        self.ready()
        return self._ask(LONGEST, stop, on_progress)

    def _ask(self, seconds: Seconds | None, stop: threading.Event | None, on_progress: Progress | None) -> SearchResult:
        assert self._player is not None
        result = self._player.think(self.position, seconds=seconds, stop=stop, on_progress=on_progress)
        if not self.position.legal_mask[result.action]:
            raise EightfoldError(f"the player chose {self.game.name_of(result.action)}, which is not legal here")
        return result
