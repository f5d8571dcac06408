"""`eightfold play`: a game against a player, in a terminal.

One loop: draw the board, ask whoever is to move. What is typed is a point such as h8 or one of `COMMANDS`; anything
else is answered with one line and asked again. A game of Go that two passes ended is counted, and stones can be called
dead. The end of the input ends the game politely, so that a game can also be played from a file or a pipe.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console

from eightfold.arena.forfeit import Forfeit, Resignation, how_lost
from eightfold.arena.openings.swap2 import FIRST, SECOND, Swap2
from eightfold.arena.players import make_player
from eightfold.arena.report import draw_board
from eightfold.arena.terminal_swap2 import open_by_swap2
from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, Position
from eightfold.games.points import count, result_text
from eightfold.games.records.files import write_records
from eightfold.games.records.record import GameRecord
from eightfold.games.state import BLACK, WHITE
from eightfold.search.result import Player, close_player

COMMANDS = {
    "h8": "play there (a letter for the column, a number for the row)",
    "pass": "pass",
    "dead c3": "call a group dead when both have passed, or alive again",
    "undo": "take back your last move",
    "hint": "what your opponent would play in your place",
    "save FILE": "keep the game, as .sgf or .psq",
    "resign": "give up",
    "quit": "leave",
    "help": "this list",
}


class TerminalGame:
    """A person against a player."""

    def __init__(self, game: Game, player: str, *, colour: int, swap2: bool = False, seed: int = 0) -> None:
        """With `swap2` black places the first stones, and who is black in the end is chosen then."""
        self._game, self._name, self._colour = game, player, colour
        self._swap2, self._random = swap2, np.random.default_rng(seed)
        if swap2:
            Swap2(game)  # an error now for a game that does not begin so
        self._opening = 0  # moves that cannot be taken back
        self._comment = ""
        self._player: Player = make_player(player, game, seed=seed)
        self._position = game.start()
        self._seconds: list[float] = []
        self._ending: tuple[int, str, str] | None = None  # off the board: who lost it, how, and SGF's letter for that
        self._dead: tuple[int, ...] = ()
        self._console = Console(highlight=False, soft_wrap=True, emoji=False)

    def run(self, read: Callable[[str], str] = input) -> None:
        """Play until the game is over or somebody leaves."""
        self._begin()
        try:
            if self._swap2 and not self._open(read):
                return
            mine, others = COLOUR_NAMES[self._colour], COLOUR_NAMES[BLACK + WHITE - self._colour]
            who = f"you play {mine}, {self._name} plays {others}"
            self._say(f"{self._game.text}: {who}; type help for what you can type")
            draw_board(self._position)
            while True:
                while self._goes_on and self._position.to_move != self._colour:
                    self._let_player_move()
                if not self._turn(read):
                    return
        except EOFError:
            self._say("\nthat was the end of the input; good bye")
        finally:
            close_player(self._player)

    def _begin(self) -> None:
        try:
            self._player.new_game()
        except Forfeit as error:
            raise EightfoldError(f"player {self._name}: {error}") from None

    def _open(self, read: Callable[[str], str]) -> bool:
        """Begin with swap2; False if the person left."""
        draw_board(self._position)
        opened = open_by_swap2(
            self._game,
            self._player,
            self._name,
            person=FIRST if self._colour == BLACK else SECOND,
            random=self._random,
            read=read,
            say=self._say,
        )
        if opened is None:
            return False
        self._position, self._colour, self._comment = opened.position, opened.colour, opened.comment
        self._opening = opened.position.ply
        self._seconds = [0.0] * self._opening
        return True

    @property
    def _goes_on(self) -> bool:
        return not (self._position.is_over or self._ending)

    def _turn(self, read: Callable[[str], str]) -> bool:
        """One line of the person; False to leave."""
        start = time.perf_counter()
        dead = "dead POINT, " if self._game.has_dead_stones else ""
        over = f"{self._outcome}; {dead}undo, save FILE or quit> "
        prompt = f"{COLOUR_NAMES[self._colour]}> " if self._goes_on else over
        line = read(prompt).strip()
        command, _, rest = line.partition(" ")
        try:
            match command.lower():
                case "":
                    return True
                case "quit" | "exit" | "q":
                    return False
                case "help" | "?":
                    self._help()
                case "dead" if self._game.has_dead_stones:
                    self._call_dead(rest.strip())
                case "undo":
                    self._undo()
                case "hint":
                    self._hint()
                case "save":
                    self._save(rest.strip())
                case "resign":
                    self._resign()
                case _:
                    self._play(line, time.perf_counter() - start)
        except EightfoldError as error:
            self._say(str(error))
        return True

    def _let_player_move(self) -> None:
        start = time.perf_counter()
        try:
            result = self._player.think(self._position)
        except Forfeit as error:
            loser = BLACK + WHITE - self._colour
            letter = "R" if isinstance(error, Resignation) else "F"
            self._ending = (loser, f"{COLOUR_NAMES[loser]} {how_lost(error)}", letter)
            return
        try:
            position = self._position.play(result.action)
        except EightfoldError as error:
            raise EightfoldError(f"player {self._name}: {error}") from None
        self._enter(position, time.perf_counter() - start)
        name = self._game.name_of(result.action)
        self._say(f"{self._name} {'passes' if name == 'pass' else f'plays {name}'}")

    def _play(self, text: str, seconds: float) -> None:
        if not self._goes_on:
            raise EightfoldError(f"the game is over ({self._outcome}); undo, save FILE or quit")
        try:
            action = self._game.action(text)
        except EightfoldError as error:
            raise EightfoldError(f"{error}; or type help") from None
        self._enter(self._position.play(action), seconds)

    def _enter(self, position: Position, seconds: float) -> None:
        self._position = position
        self._seconds.append(seconds)
        draw_board(position)

    def _undo(self) -> None:
        moves = list(self._position.moves)
        if self._ending is not None and self._position.to_move == self._colour:
            self._ending = None
        elif any(self._mover(ply) == self._colour for ply in range(self._opening, len(moves))):
            self._dead = ()
            while True:
                moves.pop()
                if self._mover(len(moves)) == self._colour:  # now the person is to move again
                    break
        else:
            raise EightfoldError("there is no move of yours to take back")
        self._ending = None
        self._position = self._game.after(moves)
        self._seconds = self._seconds[: len(moves)]
        draw_board(self._position)

    def _mover(self, ply: int) -> int:
        """Who moves after so many moves: black begins, and with a handicap white does."""
        first = self._game.start().to_move
        return first if ply % 2 == 0 else BLACK + WHITE - first

    def _call_dead(self, name: str) -> None:
        if not self._position.is_over:
            raise EightfoldError("stones are called dead when both sides have passed")
        if not name:
            raise EightfoldError("dead needs a stone: dead c3")
        action = self._game.action(name)
        group = set(count(self._position, dead=[action]).dead)
        dead = set(self._dead)
        self._dead = tuple(sorted(dead - group if action in dead else dead | group))
        counted = count(self._position, dead=self._dead)
        self._say(f"counted with {len(self._dead)} dead: black {counted.black:g}, white {counted.white:g}")

    def _margin(self) -> float | None:
        """Black's lead in points with the dead stones; None in games without points."""
        if self._position.margin is None or not self._dead:
            return self._position.margin
        return count(self._position, dead=self._dead).margin

    def _hint(self) -> None:
        if not self._goes_on:
            raise EightfoldError(f"the game is over ({self._outcome})")
        try:
            result = self._player.think(self._position)
        except Forfeit as error:
            raise EightfoldError(f"{self._name} gives no hint: {error}") from None
        chance = f", expecting {(1 + result.value) / 2:.0%} for you" if result.visits is not None else ""
        self._say(f"{self._name} would play {self._game.name_of(result.action)}{chance}")

    def _save(self, name: str) -> None:
        if not name:
            raise EightfoldError("save needs a file: save game.sgf")
        if Path(name).exists():
            raise EightfoldError(f"{name} is there already; choose another name")
        people = {self._colour: "human", BLACK + WHITE - self._colour: self._name}
        record = GameRecord(
            game=self._game.text,
            moves=self._position.moves,
            black=people[BLACK],
            white=people[WHITE],
            result=self._result(),
            seconds=tuple(self._seconds),
            dead=self._dead,
            comment=self._comment,
        )
        write_records(name, [record])
        self._say(f"kept in {name}")

    def _resign(self) -> None:
        if not self._goes_on:
            raise EightfoldError(f"the game is over ({self._outcome})")
        self._ending = (self._colour, f"{COLOUR_NAMES[self._colour]} resigns", "R")

    def _result(self) -> str:
        if self._ending is not None:
            loser, _, letter = self._ending
            return f"{'W' if loser == BLACK else 'B'}+{letter}"
        if not self._position.is_over:
            return ""
        if (margin := self._margin()) is not None:
            return result_text(margin)
        return {BLACK: "B+", WHITE: "W+", None: "Draw"}[self._position.winner]

    @property
    def _outcome(self) -> str:
        if self._ending is not None:
            return self._ending[1]
        margin = self._margin() if self._dead else None
        if margin is None:
            return self._position.outcome
        return "draw" if margin == 0 else f"{COLOUR_NAMES[BLACK if margin > 0 else WHITE]} wins by {abs(margin):g}"

    def _help(self) -> None:
        lacking = {"pass": not self._game.spec.has_pass, "dead c3": not self._game.has_dead_stones}
        for command, words in COMMANDS.items():
            if lacking.get(command):
                continue
            self._say(f"  {command:10} {words}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False)
