"""Specs: short texts by which people call games, players and networks, `name:key=value,key=value`.

A value with commas of its own, such as another spec, stands in brackets: `slap-net:inner=[resnet:blocks=2,filters=32]`.

The options of each are a dataclass of settings; one reader makes it from a text, so that every mistake gets the same
kind of answer: the offending word and the list of what is known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import Setting, settings_of

Value = int | float | str
Options = TypeVar("Options")


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoOptions:
    """Of what takes none."""


def split_name(text: str) -> tuple[str, str]:
    """The name and what follows it.

    >>> split_name("mcts:playouts=1000"), split_name("random")
    (('mcts', 'playouts=1000'), ('random', ''))
    """
    name, _, rest = text.strip().partition(":")
    return name.strip().lower(), rest.strip()


def read_spec(
    text: str, options: type[Options], owner: str, *, stored: bool = False, defaults: Options | None = None
) -> Options:
    """The options in `key=value,key=value` as a dataclass of settings.

    What is not there is as in `defaults`, or else as declared. `stored`: the text is from a file, which may be of an
    earlier version, so that former names of options are accepted.
    """
    given = read_options(text, settings_of(options), owner, stored=stored)
    return options(**given) if defaults is None else dataclasses.replace(defaults, **given)  # type: ignore[type-var]


def read_options(text: str, declared: Iterable[Setting], owner: str, *, stored: bool = False) -> dict[str, Any]:
    """The values in `key=value,key=value` by the names of their fields, those that are there."""
    known = {one.name: one for one in declared}
    former = {name: one for one in known.values() for name in one.former}
    values: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in _pieces(text, owner))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            listed = ", ".join(known) or "(it takes none)"
            raise EightfoldError(f"{owner}: {part!r} is not of the form key=value; keys: {listed}")
        if key in former and stored:
            key = former[key].name
        if key in former:
            raise EightfoldError(
                f"{owner}: option {key!r} is now called {former[key].name!r}; write {former[key].name}="
            )
        if key not in known:
            raise unknown(f"option of {owner}", key, known or ["(it takes none)"])
        if known[key].field in values:
            raise EightfoldError(f"{owner}: option {key!r} is given twice in {text!r}")
        if value.startswith("["):
            if not value.endswith("]"):
                raise EightfoldError(f"{owner}: {key}={value} goes on behind its bracket; a comma is missing")
            value = value[1:-1].strip()
        values[known[key].field] = read_value(value, known[key], owner)
    return values


def _pieces(text: str, owner: str) -> list[str]:
    """The text cut at its commas, those in brackets apart; a bracket opens right behind an equals sign."""
    pieces, depth = [""], 0
    for letter in text:
        if letter == "," and not depth:
            pieces.append("")
            continue
        if letter == "[" and (depth or pieces[-1].rstrip().endswith("=")):
            depth += 1
        elif letter == "]" and depth:
            depth -= 1
        pieces[-1] += letter
    if depth:
        raise EightfoldError(f"{owner}: a bracket is not closed in {text!r}")
    return pieces


def read_value(text: str, declared: Setting, owner: str) -> Any:
    """A text as the value of a setting, or an error that says what would be right."""
    kind, value = type(declared.default), text
    if declared.choices and text not in declared.choices:
        raise unknown(f"value for {declared.name!r} of {owner}", text, declared.choices)
    if kind is str:
        return text
    try:
        if kind is bool:
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        value = kind(text)
    except (ValueError, KeyError):
        raise EightfoldError(f"{owner}: {declared.name}={text!r} is not {declared.expected()}") from None
    check_value(value, declared, owner)
    return value


def check_value(value: object, declared: Setting, owner: str) -> None:
    """An error if a value is not one that this setting takes."""
    if declared.fault(value):
        raise EightfoldError(f"{owner}: {declared.name}={value!r} is not {declared.expected()}")


def check_spec(options: Any, owner: str) -> None:
    """Check options that did not come from a text: those given to a class directly."""
    for declared in settings_of(type(options)):
        value = getattr(options, declared.field)
        if value is not None or not declared.absent:
            check_value(value, declared, owner)


def spec_values(options: Any) -> dict[str, Value]:
    """The values of a dataclass of settings by the names that people write, those that there are."""
    values = {declared.name: getattr(options, declared.field) for declared in settings_of(type(options))}
    return {name: value for name, value in values.items() if value is not None}


def write_spec(name: str, values: Mapping[str, Value]) -> str:
    """The text that names the same thing again.

    >>> write_spec("gomoku", {"size": 8, "win": 5}), write_spec("python:squares", {"size": 5})
    ('gomoku:size=8,win=5', 'python:squares,size=5')
    >>> write_spec("slap-net", {"inner": "resnet:blocks=2,filters=32", "at": "planes"})
    'slap-net:inner=[resnet:blocks=2,filters=32],at=planes'
    """
    pairs = ",".join(f"{key}={_bracketed(str(value))}" for key, value in values.items())
    return f"{name}{',' if ':' in name else ':'}{pairs}" if pairs else name


def _bracketed(value: str) -> str:
    """A value as it stands in a text."""
    return f"[{value}]" if "," in value or value.startswith("[") else value
