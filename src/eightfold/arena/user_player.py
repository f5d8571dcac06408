"""A player of the user's own, `python:module:Class`: a class with one method, `move(position)`, that gives a move."""

from __future__ import annotations

import threading
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.specs import NoOptions
from eightfold.core.user_code import import_user_module, user_code_error
from eightfold.games.game import Game, Position
from eightfold.search.kind import PlayerKind
from eightfold.search.move_time import Seconds
from eightfold.search.result import Progress, SearchResult, one_hot


def split_class(path: str) -> tuple[str, str]:
    """The module and the class of `module:Class`."""
    module_name, _, class_name = path.partition(":")
    if not module_name or not class_name:
        raise EightfoldError(f"player {f'python:{path}'!r} is not of the form python:MODULE:CLASS")
    return module_name, class_name


class UserPlayer:
    """A user's class with a `move(position)` method, as a player; every game gets a new object of it."""

    KIND = PlayerKind(
        summary="your own class with a method move(position), see docs/players.md",
        argument="MODULE:CLASS",
        example="python:copycat:Copycat",
        is_program=True,
    )
    Options = NoOptions

    def __init__(self, game: Game, path: str, options: NoOptions = NoOptions(), *, seed: int = 0) -> None:  # noqa: B008
        self._who = f"player {f'python:{path}'!r}"
        module_name, class_name = split_class(path)
        module = import_user_module(module_name, self._who)
        if not hasattr(module, class_name):
            raise EightfoldError(f"{self._who}: module {module_name} has no {class_name}")
        self._class = getattr(module, class_name)
        if not callable(getattr(self._class, "move", None)):
            raise EightfoldError(f"{self._who}: the class has no method move(position)")
        self._player: Any = None

    def new_game(self) -> None:
        try:
            self._player = self._class()
        except Exception as error:
            raise user_code_error(error, self._who) from error

    def think(
        self,
        position: Position,
        *,
        seconds: Seconds | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        if self._player is None:
            self.new_game()
        try:
            move = self._player.move(position)
        except Exception as error:
            raise user_code_error(error, self._who) from error
        try:
            action = position.game.action(move)
        except EightfoldError as error:
            raise EightfoldError(f"{self._who}: {error}") from None
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)
