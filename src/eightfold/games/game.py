"""Games and positions for people: a thin, immutable face over the kernels of a game.

    >>> game = make_game("gomoku:size=8")
    >>> position = game.start().play("d5").play((4, 4))
    >>> position.ply, position.to_move, game.name_of(position.last_move)
    (2, 1, 'e4')

A `Position` never changes: `play` gives a new one. It is always in the board's own frame. Two positions are equal if
their games and their rows are, however they came about; the rows hold all that matters for the rest of the game.

A text may come from anywhere: a network's file, a record, a browser. So `make_game` imports nothing that is not part
of this package. A user's own game is code; only a text that the user typed, `trusted=True`, imports it. From then on
its texts make games like any other.

Read next: `eightfold.games.spec` and `eightfold.games.contract`, what a game declares and what it offers.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError, shown, unknown
from eightfold.core.jit import Ints
from eightfold.core.settings import settings_of
from eightfold.core.specialise import complete_kernels
from eightfold.core.specs import Value, read_spec, spec_values, split_name, write_spec
from eightfold.core.user_code import USER_CODE, import_user_module, user_code_error
from eightfold.games.spec import GameSpec
from eightfold.games.state import BLACK, DRAW, HASHES, HEADER, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, WHITE
from eightfold.symmetry.group import read_symmetries, symmetry_mask
from eightfold.symmetry.orbit import LARGEST_BOARD, orbit_key

GAMES = {"gomoku": "eightfold.games.gomoku.rules", "go": "eightfold.games.go.rules"}
DEFAULT_GAME = "gomoku:size=15"
KERNELS = ("reset", "legal", "play", "stones")  # without which no position can be played
COLOUR_NAMES = {BLACK: "black", WHITE: "white"}

Move = int | Sequence[int] | str  # an action, a (row, column), or a name such as "h8"


def make_game(text: str = DEFAULT_GAME, *, trusted: bool = False) -> Game:
    """The game that a text names, `gomoku:size=15,win=5,rule=standard`, wherever the text is from.

    `trusted` says that the user typed the text: then `python:module,size=7`, code of theirs, is imported.

    >>> make_game("gomoku:size=8").text
    'gomoku:size=8,win=5,rule=freestyle'
    """
    name, rest = split_name(text)
    if name == USER_CODE:
        module, _, rest = rest.partition(",")
        module = module.strip()
        if module not in _trusted:
            if not trusted:
                raise EightfoldError(
                    f"game python:{module} is code of somebody's own, which only you can ask for;"
                    f" if you trust it, name it yourself: --game {USER_CODE}:{module}"
                )
            _trusted[module] = _import_rules(module)
        return _game(f"{USER_CODE}:{module}", _trusted[module], rest)
    if name not in GAMES:
        raise unknown("game", name, [*GAMES, "python:MODULE"])
    return _game(name, importlib.import_module(GAMES[name]), rest)


_trusted: dict[str, ModuleType] = {}  # modules that the user named in this process


def known_games() -> list[str]:
    """The names of all games that a text from anywhere may ask for: those of the package, and what the user typed."""
    return [*GAMES, *(f"{USER_CODE}:{module}" for module in _trusted)]


def name_in(text: str) -> str:
    """The name of the game in a text, as `Game.name` has it, known or not.

    >>> name_in("gomoku:size=9"), name_in("python:othello,size=6")
    ('gomoku', 'python:othello')
    """
    name, rest = split_name(text)
    return f"{USER_CODE}:{rest.partition(',')[0].strip()}" if name == USER_CODE else name


def _import_rules(module: str) -> ModuleType:
    rules = import_user_module(module, f"game {USER_CODE}:{module}")
    if not isinstance(getattr(rules, "GAME", None), GameSpec):
        raise EightfoldError(f"game {USER_CODE}:{module}: the module has no GAME = GameSpec(...), see docs/new-game.md")
    options = rules.GAME.options
    declares = isinstance(options, type) and dataclasses.is_dataclass(options)
    if not declares or "size" not in {each.name for each in settings_of(options)}:
        raise EightfoldError(f"game {USER_CODE}:{module}: its options are no dataclass with a setting size")
    return rules


def _game(name: str, rules: ModuleType, options: str) -> Game:
    spec: GameSpec = rules.GAME
    values = spec_values(read_spec(options, spec.options, name))
    if int(values["size"]) > LARGEST_BOARD:
        raise EightfoldError(f"{name}: size={values['size']} is not a whole number up to {LARGEST_BOARD}")
    try:
        numbers = spec.complete(values)
        length = spec.state_length(int(values["size"]))
    except EightfoldError:
        raise
    except Exception as error:
        raise user_code_error(error, f"game {name}") from None
    if length < HEADER:
        raise EightfoldError(f"game {name}: state_length is {length}, and every state begins with {HEADER} numbers")
    return Game(name=name, spec=spec, rules=rules, values=values, numbers=numbers)


def _trusted_game(text: str) -> Game:
    return make_game(text, trusted=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """One game on one board: the rules bound to a size and options. Games with one text are equal."""

    name: str
    spec: GameSpec
    rules: ModuleType = field(repr=False)
    values: Mapping[str, Value]
    numbers: tuple[int, int, int]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _trusted_game, (self.text,)  # so that positions can go to other processes, which trust this one

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, Game) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    @functools.cached_property
    def text(self) -> str:
        """The text that makes this game again, every option written out."""
        return write_spec(self.name, self.values)

    @functools.cached_property
    def size(self) -> int:
        return int(self.values["size"])

    @property
    def points(self) -> int:
        return self.size * self.size

    @property
    def scratch(self) -> int:
        """The room that `find_win` needs: all actions, and behind them a state or what the game asks for."""
        return self.actions + max(self.spec.state_length(self.size), self.spec.scratch)

    def threat_room(self, nodes: int) -> Ints:
        """Room for `find_threats` with so many nodes; next to none where the game has no such kernel."""
        room = self.spec.threat_room
        return np.zeros(room(self.size, nodes) if room and nodes else 1, np.int64)

    @property
    def actions(self) -> int:
        """How many entries a policy has: the points, and one more where one can pass."""
        return self.points + int(self.spec.has_pass)

    @functools.cached_property
    def symmetries(self) -> tuple[int, ...]:
        """Which of the eight symmetries the rules have, ascending."""
        return read_symmetries(self.spec.symmetries)

    @functools.cached_property
    def symmetry_mask(self) -> int:
        """The same as bits."""
        return symmetry_mask(self.symmetries)

    @property
    def counts_points(self) -> bool:
        """Whether points decide it: then positions can be counted (`eightfold.games.points`)."""
        return hasattr(self.rules, "margin_of")

    @property
    def has_dead_stones(self) -> bool:
        """Whether stones that lie on the board at the end may be dead, so that people have to agree on them."""
        return hasattr(self.rules, "count_points")

    @property
    def has_ownership(self) -> bool:
        """Whether points belong to somebody at the end, which networks may learn and random games estimate."""
        return self.counts_points or hasattr(self.rules, "ownership")

    @property
    def can_be_set_up(self) -> bool:
        """Whether it can begin with any stones on the board (`eightfold.games.setup`)."""
        return hasattr(self.rules, "set_up")

    @property
    def scores_moves(self) -> bool:
        """Whether it has a move heuristic, which the players `greedy` and `alphabeta` need."""
        return hasattr(self.rules, "score_moves")

    @property
    def takes_stones(self) -> bool:
        """Whether it says what a move does to groups (`eightfold.games.effects`), which patterns learn as features."""
        return hasattr(self.rules, "move_effects")

    @property
    def has_playouts(self) -> bool:
        """Whether it can play out with knowledge, which the full style of the player `mcts` needs."""
        return hasattr(self.rules, "playout")

    @property
    def usual_player(self) -> str:
        """The classical player that suits it."""
        return self.spec.usual_player or ("alphabeta" if self.scores_moves else "mcts")

    @functools.cached_property
    def kernels(self) -> Any:
        """The kernels that a game may leave out (rollout, encode_batch ...): its own, or the default for it."""
        return complete_kernels(self.rules)

    def start(self) -> Position:
        state = np.zeros(self.spec.state_length(self.size), np.int64)
        lacking = [name for name in KERNELS if not hasattr(self.rules, name)]
        if lacking:
            raise EightfoldError(f"game {self.name}: the module has no {', '.join(lacking)}, see docs/new-game.md")
        self.rules.reset(state, self.size, np.array(self.numbers, np.int64))
        return Position(self, state, ())

    def after(self, moves: Sequence[Move]) -> Position:
        """The position after `moves` from the start."""
        position = self.start()
        for move in moves:
            position = position.play(move)
        return position

    def action(self, move: Move) -> int:
        """The action of a move given as a number, as (row, column) or as a name; not yet checked for legality.

        >>> game = make_game("gomoku:size=8")
        >>> game.action("a8"), game.action((7, 7)), game.action(12)
        (0, 63, 12)
        """
        if isinstance(move, str):
            return self._action_of_name(move)
        if isinstance(move, (int, np.integer)):
            if not 0 <= move < self.actions:
                raise EightfoldError(f"move {move} is not an action of {self.text}: 0 to {self.actions - 1}")
            return int(move)
        try:
            row, column = (operator.index(part) for part in move)
        except (TypeError, ValueError):
            what = "an action, a (row, column) or a name such as 'a1'"
            raise EightfoldError(f"move {shown(move)} is not {what}") from None
        if not (0 <= row < self.size and 0 <= column < self.size):
            raise EightfoldError(f"(row {row}, column {column}) is off a {self.size}x{self.size} board")
        return row * self.size + column

    def _action_of_name(self, name: str) -> int:
        text = name.strip().lower()
        if text == "pass" and self.spec.has_pass:
            return self.points
        column = self.spec.letters.find(text[:1] or "?")
        row = self.size - int(text[1:]) if text[1:].isdecimal() and len(text) <= 4 else -1
        if not (0 <= column < self.size and 0 <= row < self.size):
            last = f"{self.spec.letters[self.size - 1]}{self.size}" + (" or pass" if self.spec.has_pass else "")
            raise EightfoldError(f"{shown(name)} is not a point of a {self.size}x{self.size} board: a1 to {last}")
        return row * self.size + column

    def name_of(self, action: int) -> str:
        """The name of an action: a letter for the column, a number for the row from below."""
        if action == self.points and self.spec.has_pass:
            return "pass"
        row, column = divmod(int(action), self.size)
        return f"{self.spec.letters[column]}{self.size - row}"

    def encoder(self, name: str) -> tuple[int, int]:
        """The number of an encoder and of its planes."""
        names = list(self.spec.encoders)
        if name not in names:
            raise unknown(f"encoder of {self.name}", name, names)
        return names.index(name), self.spec.encoders[name]


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A position and the moves that led to it.

    Equal are positions of equal games with equal rows: the same stones, side to move, last move and whatever of the
    past the rules look at. The moves are not compared: orders that lead to one row lead to one position.
    """

    game: Game
    # Never to be written to; not marked so, because Numba would compile every kernel again for read-only rows.
    state: Ints  # [L]
    moves: tuple[int, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and np.array_equal(self.state, other.state)

    def __hash__(self) -> int:
        return hash((self.game, self.state.tobytes()))

    def play(self, move: Move) -> Position:
        """The position after a legal move."""
        action = self.game.action(move)
        if not self.legal_mask[action]:
            raise EightfoldError(f"move {self.game.name_of(action)} is not legal: {self._why_not(action)}")
        state = self.state.copy()
        self.game.rules.play(state, action)
        return Position(self.game, state, (*self.moves, action))

    def _why_not(self, action: int) -> str:
        if self.is_over:
            return f"the game is over ({self.outcome})"
        if action < self.game.points and self.stones.flat[action]:
            return f"a {COLOUR_NAMES[int(self.stones.flat[action])]} stone is there"
        if action in self.forbidden_moves:
            return str(self.game.rules.why_forbidden(self.state, action))
        return "the rules forbid it here"

    @functools.cached_property
    def legal_moves(self) -> Ints:
        """The legal actions, ascending."""
        moves = np.empty(self.game.actions, np.int64)
        return moves[: self.game.rules.legal(self.state, moves)]

    @functools.cached_property
    def legal_mask(self) -> NDArray[np.bool_]:  # [A]
        mask = np.zeros(self.game.actions, np.bool_)
        mask[self.legal_moves] = True
        return mask

    @functools.cached_property
    def forbidden_moves(self) -> Ints:
        """The empty points that the side to move may not play, ascending: black's under renju, mostly none."""
        points = np.empty(self.game.actions, np.int64)
        forbidden = getattr(self.game.rules, "forbidden", None)  # a game need not have it
        return points[: forbidden(self.state, points) if forbidden else 0]

    @property
    def to_move(self) -> int:
        """BLACK (1) or WHITE (2)."""
        return int(self.state[SIDE])

    @property
    def ply(self) -> int:
        return int(self.state[PLY])

    @property
    def last_move(self) -> int | None:
        last = int(self.state[LAST])
        return None if last == NO_MOVE else last

    @property
    def is_over(self) -> bool:
        return self.result != ONGOING

    @property
    def result(self) -> int:
        """ONGOING, BLACK, WHITE (that side has won) or DRAW."""
        return int(self.state[RESULT])

    @property
    def winner(self) -> int | None:
        """BLACK or WHITE, None for a draw; an error while the game goes on. `result` can always be asked."""
        if not self.is_over:
            raise EightfoldError(f"the game is not over ({self.outcome}), so nobody has won or drawn it yet")
        return None if self.is_draw else self.result

    @property
    def is_draw(self) -> bool:
        """Whether the game is over and nobody has won."""
        return self.result == DRAW

    @property
    def outcome(self) -> str:
        """How the game stands, in words."""
        if not self.is_over:
            return f"{COLOUR_NAMES[self.to_move]} to move"
        if self.is_draw:
            return "draw"
        lead = f" by {abs(self.margin):g}" if self.margin else ""
        return f"{COLOUR_NAMES[self.result]} wins{lead}"

    @functools.cached_property
    def margin(self) -> float | None:
        """Black's lead in points when the game is over; None while it goes on and in games without points."""
        margin_of = getattr(self.game.rules, "margin_of", None)
        return float(margin_of(self.state)) if margin_of and self.is_over else None

    @property
    def prisoners(self) -> tuple[int, int] | None:
        """The stones that black took and those that white took; None in games that take none."""
        prisoners = getattr(self.game.rules, "prisoners", None)
        return prisoners(self.state) if prisoners else None

    @functools.cached_property
    def ko_points(self) -> Ints | None:
        """Of the forbidden points those of a ko; None in games that know no ko, where all are marked alike."""
        ko_points = getattr(self.game.rules, "ko_points", None)
        points = np.empty(self.game.actions, np.int64)
        return points[: ko_points(self.state, points)] if ko_points else None

    @functools.cached_property
    def stones(self) -> NDArray[np.int8]:
        """[N, N]: 0 for an empty point, 1 for black, 2 for white."""
        size = self.game.size
        stones = np.zeros((size, size), np.int8)
        self.game.rules.stones(self.state, stones)
        return stones

    @property
    def orbit_key(self) -> int:
        """A number that this position shares with what the game's symmetries turn it into."""
        return int(orbit_key(self.state[HASHES : HASHES + 8], self.game.symmetry_mask))

    def encode(self, encoder: str) -> NDArray[np.float32]:
        """[C, N, N]: the network input for the side to move."""
        number, planes = self.game.encoder(encoder)
        size = self.game.size
        out = np.empty((planes, size, size), np.float32)
        self.game.rules.encode(self.state, number, out)
        return out

    def __str__(self) -> str:
        """The board as text: X for black, O for white."""
        size = self.game.size
        rows = [f"{size - row:2d} " + " ".join(".XO"[stone] for stone in self.stones[row]) for row in range(size)]
        return "\n".join([*rows, "   " + " ".join(self.game.spec.letters[:size])])

    def __repr__(self) -> str:
        return f"<Position {self.game.text} after {self.ply} moves: {self.outcome}>"
