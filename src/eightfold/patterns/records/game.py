"""Which games are read from records: one kind, on boards of any size or of one.

Records come from players under all kinds of rules. They are replayed with the options that `REPLAY_OPTIONS` of their
kind of SGF fixes, for Go a simple ko, since not every game kept to a superko; the other options are those of the text.

    >>> games = RecordedGames("go")
    >>> games.number, games.usual_size, games.on_board(9).text
    (1, 19, 'go:size=9,komi=7.5,rules=chinese,handicap=0,ko=simple,suicide=forbidden')
"""

from __future__ import annotations

from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import settings_of
from eightfold.core.specs import read_options, split_name, write_spec
from eightfold.core.user_code import USER_CODE
from eightfold.games.game import Game, make_game
from eightfold.games.records.sgf import STYLES

SMALLEST = 4  # the side of the largest block


class RecordedGames:
    """`text` is a game with or without options; a `size` in it, or given beside it, leaves out other boards."""

    def __init__(self, text: str, *, size: int | None = None, trusted: bool = False) -> None:
        game = make_game(text, trusted=trusted)
        self.name, self.rules, self.number, self.has_pass = game.name, game.rules, game.spec.sgf, game.spec.has_pass
        if self.number not in STYLES:
            raise EightfoldError(f"game {self.name} has no records in SGF; gomoku and go have")
        style = STYLES[self.number]
        self.usual_size = style.USUAL_SIZE
        self._options = _given_options(text, game)
        for key, value in style.REPLAY_OPTIONS.items():
            if self._options.setdefault(key, value) != value:
                raise EightfoldError(f"records are replayed with {key}={value}, not {key}={self._options[key]}")
        inside = self._options.pop("size", None)
        self.size: int | None = size if size is not None else inside
        self._boards: dict[int, Game | None] = {}
        if self.size is not None and self.on_board(self.size) is None:
            raise EightfoldError(
                f"no patterns are learned on {self.size}x{self.size}; boards from {SMALLEST}x{SMALLEST} are read"
            )

    @property
    def text(self) -> str:
        """The game without its size."""
        return write_spec(self.name, self._options)

    def on_board(self, size: int) -> Game | None:
        """The game on a board of that size, or None if such games are not read."""
        if size not in self._boards:
            self._boards[size] = self._make(size)
        return self._boards[size]

    def _make(self, size: int) -> Game | None:
        if size < SMALLEST or self.size not in (None, size):
            return None
        try:
            return make_game(write_spec(self.name, {"size": size, **self._options}))
        except EightfoldError:
            return None  # the game is not played on it


def _given_options(text: str, game: Game) -> dict[str, Any]:
    name, rest = split_name(text)
    options = rest.partition(",")[2] if name == USER_CODE else rest
    return read_options(options, settings_of(game.spec.options), game.name)
