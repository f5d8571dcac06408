"""The Gomocup (Piskvork) protocol, engine side: lines of a manager in, lines for it out.

`Gomocup.handle` answers one line; it knows nothing of pipes and threads, which are in `session.py`. Bad input
is answered with UNKNOWN or ERROR and changes nothing; no line ends it but END.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

from eightfold import __version__
from eightfold.core.compiling import BURSTS
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.protocols.engine import Engine
from eightfold.protocols.gomocup.pending_moves import PendingMoves
from eightfold.protocols.gomocup.rules import RULES, UNLIMITED, game_text, read_point, refusal, write_point
from eightfold.protocols.gomocup.swap2 import SWAP, answer_swap2, open_swap2
from eightfold.search.result import SearchResult

ABOUT = f'name="Eightfold", version="{__version__}", author="the Eightfold authors", country="World"'
MINE, OPPONENT, SPECIAL = 1, 2, 3  # the third number of a stone's line
PASS = "-1,-1"  # how analysis programs write a pass
SHOWN = 60  # letters of an unknown line that are repeated
BLOCKS = ("BOARD", "YXBOARD", "SWAP2BOARD")
INSIDE = ("INFO", "ABOUT", "YXSTOP")  # commands that may come in the middle of a block


class Gomocup:
    """One conversation with a manager."""

    def __init__(
        self, engine: Engine, say: Callable[[str], None], *, seed: int = 0, start_timeout: float | None = None
    ) -> None:
        """`start_timeout`: seconds after which START is answered, ready or not; None: when it is ready."""
        self._engine, self._say, self._start_timeout = engine, say, start_timeout
        self._pending = PendingMoves()
        self._random = np.random.default_rng(seed)
        self._rule = 0
        self._started = False
        self._block: tuple[str, list[str]] | None = None  # the command that opened it, and its lines so far
        self._answered: Position | None = None  # the board after our last move
        self._complaints: list[str] = []  # about INFO, told with the next move
        self._since: float | None = None
        self._stop: threading.Event | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start,
            "RECTSTART": self._rectangle,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "PLAY": self._play,
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": lambda rest: self._say(ABOUT),
            "YXSTOP": lambda rest: None,  # `session.py` has stopped what it stops
            "YXSHOWFORBID": self._show_forbidden,
            "YXNBEST": self._best,
            **{name: self._open_block(name) for name in BLOCKS},
        }

    def handle(self, line: str, *, since: float | None = None, stop: threading.Event | None = None) -> bool:
        """Answer a line that came at the time `since` (perf_counter); False when it was END."""
        self._since, self._stop = since, stop
        name, _, rest = line.strip().partition(" ")
        name = name.upper()
        if name == "END":
            self._engine.close()
            return False
        try:
            if self._block is not None and name not in INSIDE:
                self._in_block(line.strip(), name)
            else:
                self._command(name, rest, line)
        except EightfoldError as error:
            self._say(f"ERROR {error}")
        except Exception as error:  # a bug of ours or of a user's player must not end a tournament game silently
            self._say(f"ERROR {type(error).__name__}: {' '.join(str(error).split())}")
        return True

    def ponder(self, stop: threading.Event) -> None:
        """Think on, if our own move is the last on the board."""
        engine = self._engine
        if self._answered is None or self._block is not None or not engine.is_ready:
            return
        try:
            if engine.position is self._answered:
                engine.ponder(stop)
        except Exception:  # what is wrong is told when the player is asked for a move
            self._answered = None

    def close(self) -> None:
        self._engine.close()

    def _command(self, name: str, rest: str, line: str) -> None:
        if not name:
            return
        command = self._commands.get(name)
        if command is None:
            self._say(f"UNKNOWN {' '.join(line.split())[:SHOWN]}")
        else:
            command(rest.strip())

    # ---- a game -------------------------------------------------------------------------------------

    def _start(self, rest: str) -> None:
        if not (rest.isascii() and rest.isdecimal() and len(rest) <= 9):
            raise EightfoldError(f"START {rest[:SHOWN]!r} is not a board size; write for example START 15")
        rule = self._rule if self._rule in RULES else 0  # the complaint about a rule waits for the next move
        self._engine.start(game_text(int(rest), rule), since=self._since, timeout=self._start_timeout)
        self._started = True
        self._pending = PendingMoves()
        self._say("OK")

    def _rectangle(self, rest: str) -> None:
        sides = [side.strip() for side in rest.split(",")]
        if len(sides) != 2 or sides[0] != sides[1]:
            raise EightfoldError("rectangular boards are not supported; use START")
        self._start(sides[0])

    def _restart(self, rest: str) -> None:
        self._need_start()
        self._pending = PendingMoves()
        if self._engine.is_ready:
            self._engine.clear()
            self._follow_rule()
        else:
            self._engine.clock.new_game()
        self._say("OK")

    def _begin(self, rest: str) -> None:
        self._need_game_to_move()
        if self._pending.actions or (self._engine.is_ready and self._engine.position.moves):
            raise EightfoldError("BEGIN is for an empty board; send RESTART first")
        if self._ready_in_time():
            self._move()
        else:
            self._quick_move()

    def _turn(self, rest: str) -> None:
        self._need_game_to_move()
        action = read_point(rest, self._engine.game)
        if self._ready_in_time():
            self._engine.play(action)
            self._move()
        else:
            self._pending.play(action, self._engine.game)
            self._quick_move()

    def _play(self, rest: str) -> None:
        self._need_game()
        action = read_point(rest, self._engine.game)
        self._engine.play(action)
        self._say(write_point(action, self._engine.game))

    def _take_back(self, rest: str) -> None:
        self._need_game()
        self._engine.take_back(read_point(rest, self._engine.game))
        self._say("OK")

    def _need_start(self) -> None:
        if not self._started:
            raise EightfoldError("START comes first")

    def _need_game(self) -> None:
        """Have a board with all stones on it, however long that takes."""
        self._need_start()
        _ = self._engine.position  # waits
        for action in self._pending.hand_over():
            self._engine.play(action)

    def _ready_in_time(self) -> bool:
        """Whether the engine can think about this move: it is ready, or becomes ready while there is time."""
        if not self._engine.is_ready:
            allowed = self._engine.clock.allowed()
            if RULES[self._rule] == "renju":
                allowed = None  # not every empty point is legal
            waited = 0.0 if self._since is None else time.perf_counter() - self._since
            if not self._engine.wait(None if allowed is None else allowed.usual - waited, self._stop):
                return False
        self._need_game()
        return True

    def _quick_move(self) -> None:
        """A move without thinking: kernels still compile, and time is up."""
        action = self._pending.quick_move(self._engine.game)
        self._pending.play(action, self._engine.game)
        self._engine.clock.add_move(0.0 if self._since is None else time.perf_counter() - self._since)
        why = "compiles (once on this machine)" if BURSTS.now else "loads"
        self._say(f"MESSAGE the player still {why}; this is a quick move")
        self._say(write_point(action, self._engine.game))

    def _move(self) -> None:
        """Think, play and answer."""
        result = self._think()
        self._engine.play(result.action)
        self._answered = self._engine.position
        self._say(write_point(result.action, self._engine.game))

    def _think(self) -> SearchResult:
        result = self._engine.think(since=self._since, stop=self._stop)
        self._say(self._described(result))
        return result

    def _described(self, result: SearchResult) -> str:
        game = self._engine.game
        depth = f"depth {result.depth} | " if result.depth else ""
        line = " ".join(write_point(action, game) for action in result.principal_variation)
        return f"MESSAGE {depth}value {result.value:+.3f} | nodes {result.effort} | line {line}"

    def _need_game_to_move(self) -> None:
        """Before a move, tell what was wrong with INFO; a rule that is not supported is an error every time."""
        self._need_start()
        complaints, self._complaints = self._complaints, []
        for complaint in complaints:
            self._say(f"MESSAGE {complaint}")
        if self._rule not in RULES:
            raise EightfoldError(refusal(self._rule))

    # ---- boards -------------------------------------------------------------------------------------

    def _open_block(self, name: str) -> Callable[[str], None]:
        def begin(rest: str) -> None:
            self._block = (name, [])

        return begin

    def _in_block(self, line: str, name: str) -> None:
        """A line of a board; whatever else begins a command ends it, since DONE was lost then."""
        assert self._block is not None
        kind, lines = self._block
        if name == "DONE":
            self._block = None
            self._need_game_to_move()
            self._need_game()
            if len(lines) > self._most_lines:
                raise EightfoldError(f"{kind} has more lines than the board has points")
            {"BOARD": self._board, "YXBOARD": self._set_up, "SWAP2BOARD": self._swap2}[kind](lines)
        elif name in self._commands:
            self._block = None
            self._command(name, line.partition(" ")[2], line)
        elif line and len(lines) <= self._most_lines:  # one too many is enough to know that there are too many
            lines.append(line)

    @property
    def _most_lines(self) -> int:
        return self._engine.game.points if self._started else 0

    def _board(self, lines: list[str]) -> None:
        self._set_up(lines)
        self._move()

    def _set_up(self, lines: list[str]) -> None:
        """Stones `x,y,f` in any order; f is 1 for ours, 2 for the opponent's."""
        game, stones = self._engine.game, []
        for line in lines:
            point, _, kind = line.rpartition(",")
            if kind.strip() not in ("1", "2", "3"):
                raise EightfoldError(f"{line[:SHOWN]!r} is not a stone; write x,y,1 for your own or x,y,2")
            if point.replace(" ", "") == PASS:
                continue
            if int(kind) == SPECIAL:
                if RULES.get(self._rule) == "renju":
                    continue  # a forbidden point, which the rules know by themselves
                raise EightfoldError(f"{line[:SHOWN]!r}: 3 is for renju and continuous games")
            stones.append((read_point(point, game), int(kind) == MINE))
        self._follow_rule()
        self._engine.set_up(stones)

    def _swap2(self, lines: list[str]) -> None:
        game = self._engine.game
        points = [read_point(",".join(line.split(",")[:2]), game) for line in lines]
        if len(points) not in (0, 3, 5):
            raise EightfoldError(f"SWAP2BOARD takes 0, 3 or 5 stones, not {len(points)}")
        self._follow_rule()
        self._engine.set_up([])
        if not points:
            points = open_swap2(self._engine, self._random)
            self._say(" ".join(write_point(point, game) for point in points))
            for point in points:
                self._engine.play(point)
            return
        for point in points:
            self._engine.play(point)
        answer, value = answer_swap2(self._engine, since=self._since, stop=self._stop)
        self._say(f"MESSAGE value {value:+.3f} for white")
        if isinstance(answer, int):
            self._engine.play(answer)
            self._say(write_point(answer, game))
        else:
            self._say(SWAP)

    # ---- extensions of analysis programs ------------------------------------------------------------

    def _show_forbidden(self, rest: str) -> None:
        self._need_game()
        size = self._engine.game.size
        points = (divmod(action, size) for action in self._engine.position.forbidden_moves.tolist())
        self._say(f"FORBID {''.join(f'{column:02d}{row:02d}' for row, column in points)}.")

    def _best(self, rest: str) -> None:
        """The n most promising moves, as messages, and then the best of them, which is not played."""
        self._need_game_to_move()
        self._need_game()
        result = self._think()
        count = min(int(rest), 99) if rest.isascii() and rest.isdecimal() and len(rest) < 9 else 1
        for rank, action in enumerate(np.argsort(-result.policy, kind="stable")[:count], start=1):
            if result.policy[action] > 0:
                point = write_point(int(action), self._engine.game)
                self._say(f"MESSAGE ({rank}) {point} share {result.policy[action]:.3f}")
        self._say(write_point(result.action, self._engine.game))

    # ---- INFO ---------------------------------------------------------------------------------------

    def _info(self, rest: str) -> None:
        """Never answered; unknown keys are ignored."""
        key, _, value = (part.strip() for part in rest.partition(" "))
        clock = self._engine.clock
        key = key.lower()
        if key not in ("timeout_turn", "timeout_match", "time_left", "max_memory", "rule"):
            return
        try:
            number = int(value) if len(value) < 20 else int("too long")
        except ValueError:
            self._complaints.append(f"INFO {key} {value[:SHOWN]!r} is not a whole number and was ignored")
            return
        try:
            if key == "timeout_turn":
                clock.per_move = None if number >= UNLIMITED else max(0, number) / 1000
            elif key == "timeout_match":
                clock.per_game = None if number <= 0 or number >= UNLIMITED else number / 1000
            elif key == "time_left":
                clock.remaining = None if number >= UNLIMITED else number / 1000
            elif key == "max_memory":
                self._engine.limit_memory(max(0, number) // 1_000_000)
            else:
                self._change_rule(number)
        except EightfoldError as error:
            self._complaints.append(f"INFO {key} {number}: {error}")

    def _change_rule(self, rule: int) -> None:
        self._rule = rule
        if self._started and rule in RULES:
            self._engine.change_game(game_text(self._engine.game.size, rule))

    def _follow_rule(self) -> None:
        """Take up the rule that the stones of a finished game did not allow, now that they are swept off the board."""
        engine = self._engine
        if self._rule in RULES and engine.game.text != game_text(engine.game.size, self._rule):
            engine.set_up([])
            self._change_rule(self._rule)


def answers(engine: Engine, lines: list[str]) -> list[str]:
    """The answers of an engine to some lines, for tests and for trying things out.

    >>> answers(Engine("greedy"), ["start 15", "Fly me", "end", "start 20"])
    ['OK', 'UNKNOWN Fly me']
    """
    said: list[str] = []
    gomocup = Gomocup(engine, said.append)
    for line in lines:
        if not gomocup.handle(line, since=time.perf_counter()):
            break
    return said
