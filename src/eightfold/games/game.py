"""Games and positions for people: a thin, immutable face over the kernels of a game.

    >>> game = make_game("gomoku:size=8")
    >>> position = game.start().play("d5").play((4, 4))
    >>> position.ply, position.to_move, game.name_of(position.last_move)
    (2, 1, 'e4')

A `Position` never changes: `play` gives a new one. It is always in the board's own frame.

A text may come from anywhere: a network's file, a record, a browser. So `make_game` imports nothing that is not part
of this package. A game of somebody's own is code, and only `typed_game`, for what a user typed, imports it; from then
on its texts make games like any other.
"""

from __future__ import annotations

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
from eightfold.core.specialise import complete_kernels
from eightfold.core.specs import Value, read_spec, spec_values, split_name, write_spec
from eightfold.core.user_code import import_own
from eightfold.games.spec import Family
from eightfold.games.state import BLACK, DRAW, HASHES, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, WHITE
from eightfold.symmetry.orbit import LARGEST_BOARD, orbit_key

FAMILIES = {"gomoku": "eightfold.games.gomoku.rules", "go": "eightfold.games.go.rules"}
DEFAULT_GAME = "gomoku:size=15"
OWN = "python"  # in a text: a game of the user's own, `python:MODULE`
COLOUR_NAMES = {BLACK: "black", WHITE: "white"}

Move = int | Sequence[int] | str  # an action, a (row, column), or a name such as "h8"


def make_game(text: str = DEFAULT_GAME) -> Game:
    """The game that a text names, `gomoku:size=15,win=5,rule=standard`, wherever the text is from.

    >>> make_game("gomoku:size=8").text
    'gomoku:size=8,win=5,rule=freestyle'
    """
    name, rest = split_name(text)
    if name == OWN:
        module, _, rest = rest.partition(",")
        module = module.strip()
        if module not in _typed:
            raise EightfoldError(
                f"game python:{module} is code of somebody's own, which only you can ask for;"
                f" if you trust it, name it yourself: --game {OWN}:{module}"
            )
        return _game(f"{OWN}:{module}", _typed[module], rest)
    if name not in FAMILIES:
        raise unknown("game", name, [*FAMILIES, "python:MODULE"])
    return _game(name, importlib.import_module(FAMILIES[name]), rest)


def typed_game(text: str = DEFAULT_GAME) -> Game:
    """The game of a text that a user typed, which may be `python:module,size=7`: code of theirs, imported by this."""
    name, rest = split_name(text)
    if name == OWN:
        module = rest.partition(",")[0].strip()
        if module not in _typed:
            _typed[module] = _import_rules(module)
    return make_game(text)


_typed: dict[str, ModuleType] = {}  # modules that the user named in this process


def _import_rules(module: str) -> ModuleType:
    rules = import_own(module, f"game {OWN}:{module}")
    if not isinstance(getattr(rules, "GAME", None), Family):
        raise EightfoldError(f"game {OWN}:{module}: the module has no GAME = Family(...), see docs/new-game.md")
    return rules


def _game(name: str, rules: ModuleType, options: str) -> Game:
    family: Family = rules.GAME
    values = spec_values(read_spec(options, family.options, name))
    if int(values["size"]) > LARGEST_BOARD:
        raise EightfoldError(f"{name}: size={values['size']} is not a whole number up to {LARGEST_BOARD}")
    numbers = family.complete(values)
    return Game(name=name, family=family, rules=rules, values=values, numbers=numbers)


@dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """One game on one board: the rules bound to a size and options."""

    name: str
    family: Family
    rules: ModuleType = field(repr=False)
    values: Mapping[str, Value]
    numbers: tuple[int, int, int]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return typed_game, (self.text,)  # so that positions can go to other processes, which trust this one

    @property
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
    def actions(self) -> int:
        """How many entries a policy has: the points, and one more where one can pass."""
        return self.points + int(self.family.has_pass)

    @functools.cached_property
    def kernels(self) -> Any:
        """The kernels that a game may leave out (rollout, encode_batch ...): its own, or the default for it."""
        return complete_kernels(self.rules)

    def start(self) -> Position:
        state = np.empty(self.family.state_length(self.size), np.int64)
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
        if text == "pass" and self.family.has_pass:
            return self.points
        column = self.family.letters.find(text[:1] or "?")
        row = self.size - int(text[1:]) if text[1:].isdecimal() and len(text) <= 4 else -1
        if not (0 <= column < self.size and 0 <= row < self.size):
            last = f"{self.family.letters[self.size - 1]}{self.size}" + (" or pass" if self.family.has_pass else "")
            raise EightfoldError(f"{shown(name)} is not a point of a {self.size}x{self.size} board: a1 to {last}")
        return row * self.size + column

    def name_of(self, action: int) -> str:
        """The name of an action: a letter for the column, a number for the row from below."""
        if action == self.points and self.family.has_pass:
            return "pass"
        row, column = divmod(int(action), self.size)
        return f"{self.family.letters[column]}{self.size - row}"

    def encoder(self, name: str) -> tuple[int, int]:
        """The number of an encoder and of its planes."""
        names = list(self.family.encoders)
        if name not in names:
            raise unknown(f"encoder of {self.name}", name, names)
        return names.index(name), self.family.encoders[name]


@dataclass(frozen=True, eq=False, repr=False)
class Position:
    """A position and the moves that led to it."""

    game: Game
    # Never to be written to; not marked so, because Numba would compile every kernel again for read-only rows.
    state: Ints  # [L]
    moves: tuple[int, ...]

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
        return bool(self.state[RESULT] != ONGOING)

    @property
    def winner(self) -> int | None:
        """BLACK, WHITE, or None for a draw and while the game goes on."""
        result = int(self.state[RESULT])
        return result if result in COLOUR_NAMES else None

    @property
    def outcome(self) -> str:
        """How the game stands, in words."""
        if not self.is_over:
            return f"{COLOUR_NAMES[self.to_move]} to move"
        if self.state[RESULT] == DRAW:
            return "draw"
        lead = f" by {abs(self.margin):g}" if self.margin else ""
        return f"{COLOUR_NAMES[int(self.state[RESULT])]} wins{lead}"

    @functools.cached_property
    def margin(self) -> float | None:
        """Black's lead in points when the game is over; None while it goes on and in games without points."""
        margin_of = getattr(self.game.rules, "margin_of", None)
        return float(margin_of(self.state)) if margin_of and self.is_over else None

    @functools.cached_property
    def stones(self) -> NDArray[np.int8]:
        """[N, N]: 0 for an empty point, 1 for black, 2 for white."""
        size = self.game.size
        stones = np.zeros((size, size), np.int8)
        self.game.rules.stones(self.state, stones)
        return stones

    @property
    def orbit_key(self) -> int:
        """A number that this position shares with its turned and mirrored variants."""
        return int(orbit_key(self.state[HASHES : HASHES + 8]))

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
        return "\n".join([*rows, "   " + " ".join(self.game.family.letters[:size])])

    def __repr__(self) -> str:
        return f"<Position {self.game.text} after {self.ply} moves: {self.outcome}>"
