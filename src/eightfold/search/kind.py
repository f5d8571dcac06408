"""What a kind of player says of itself: read by the command line, the page's menus, the engines and the docs.

A player is a class with two attributes beside its methods (`eightfold.search.result.Player`): `KIND`, which is one of
these, and `Options`, a dataclass of settings. It is made as `Class(game, options, seed=seed)`; a kind whose text
names something first (a network, a program) as `Class(game, argument, options, seed=seed)`. `eightfold/parts.py` gives
it its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from eightfold.search.result import Player


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What "stronger" means: an option, its values in ascending order, and which of them to begin with."""

    option: str
    values: tuple[int, ...] | tuple[str, ...]
    usual: int
    unit: tuple[str, str] = ("", "")  # one of them, and several; levels by name have none

    def names(self) -> list[str]:
        return [
            value.capitalize() if isinstance(value, str) else f"{value:,} {self.unit[value != 1]}"
            for value in self.values
        ]


@dataclass(frozen=True, kw_only=True)
class PlayerKind:
    summary: str
    argument: str = ""  # what its text names beside options: "PLACE", "COMMAND", "MODULE:CLASS" or nothing
    example: str = ""
    levels: Levels | None = None
    has_tree: bool = False  # takes as much memory as its time allows, or as its option `memory` says
    needs: str = ""  # a property of `Game` that says whether a game offers what it needs; "": nothing but the rules
    is_program: bool = False  # somebody else's program in a process of its own

    @property
    def usual_level(self) -> str | None:
        """The strength to begin with, if strengths have names."""
        usual = self.levels.values[self.levels.usual] if self.levels is not None else None
        return usual if isinstance(usual, str) else None


class PlayerClass(Protocol):
    """A class of players."""

    KIND: ClassVar[PlayerKind]
    Options: ClassVar[Any]  # a dataclass of settings

    def __call__(self, *arguments: Any, seed: int = 0) -> Player: ...
