"""Short texts by which people call games and players: `name:key=value,key=value`.

One reader for all of them, so that every mistake gets the same kind of answer: the offending word and
the list of what is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import Allowed

Value = int | float | str


@dataclass(frozen=True, kw_only=True)
class Option(Allowed):
    """One `key=value` of a game or a player; the type of the default is the type of the option."""

    name: str
    default: Value
    absent: str = ""  # what leaving it out means, where that is no value: then there is none, and no default

    def read(self, text: str, owner: str) -> Value:
        """`text` as this option's value, or an error that says what would be right."""
        if self.choices:
            if text not in self.choices:
                raise unknown(f"value for {self.name!r} of {owner}", text, self.choices)
            return text
        if isinstance(self.default, str):
            return text
        try:
            value: int | float = int(text) if isinstance(self.default, int) else float(text)
        except ValueError:
            raise EightfoldError(f"{owner}: {self.name}={text!r} is not {self.expected()}") from None
        self.check(value, owner)
        return value

    def check(self, value: Value, owner: str) -> None:
        """An error if `value` is not one that this option takes."""
        if self.fault(value):
            raise EightfoldError(f"{owner}: {self.name}={value!r} is not {self.expected()}")


def check_options(options: Sequence[Option], owner: str, values: Mapping[str, Value | None]) -> None:
    """Check values that did not come from a text: those given to a class directly."""
    for option in options:
        value = values[option.name]
        if value is not None or not option.absent:
            option.check(value, owner)  # type: ignore[arg-type]  # None is no value of any option, and refused


def split_name(text: str) -> tuple[str, str]:
    """The name and what follows it.

    >>> split_name("mcts:playouts=1000"), split_name("random")
    (('mcts', 'playouts=1000'), ('random', ''))
    """
    name, _, rest = text.strip().partition(":")
    return name.strip().lower(), rest.strip()


def read_options(text: str, options: Sequence[Option], owner: str) -> dict[str, Value]:
    """The values in `key=value,key=value`, with defaults for the keys that are not there, if they have any."""
    known = {option.name: option for option in options}
    values: dict[str, Value] = {option.name: option.default for option in options if not option.absent}
    given: set[str] = set()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise EightfoldError(f"{owner}: {part!r} is not of the form key=value; keys: {_list(known)}")
        if key not in known:
            raise unknown(f"option of {owner}", key, known or ["(it takes none)"])
        if key in given:
            raise EightfoldError(f"{owner}: option {key!r} is given twice in {text!r}")
        given.add(key)
        values[key] = known[key].read(value, owner)
    return values


def write_options(name: str, values: Mapping[str, Value]) -> str:
    """The text that names the same thing again.

    >>> write_options("gomoku", {"size": 8, "win": 5}), write_options("python:squares", {"size": 5})
    ('gomoku:size=8,win=5', 'python:squares,size=5')
    """
    pairs = ",".join(f"{key}={value}" for key, value in values.items())
    return f"{name}{',' if ':' in name else ':'}{pairs}" if pairs else name


def _list(known: Mapping[str, Option]) -> str:
    return ", ".join(known) or "(it takes none)"
