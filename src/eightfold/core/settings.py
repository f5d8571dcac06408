"""Settings: what a value may be, said once, where the value is declared.

`Allowed` is the declaration: the default, a line of help, a range or a list of choices. The fields of the
configurations carry one each (`setting`), the options of players and games are one with a name (`texts.Option`). The
checks, the listing of `eightfold settings` and the documentation all read it from there.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeVar, get_type_hints

from eightfold.core.errors import EightfoldError, shown, unknown

T = TypeVar("T")

_KEY = "allowed"  # where a field's metadata hold its declaration
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """What a value may be. Its kind is that of the default; a tuple is a list of whole numbers, one at least."""

    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    def fault(self, value: object) -> str:
        """What is wrong with a value, in words that follow it; nothing if it is allowed.

        >>> size = Allowed(default=256, help="", least=1, most=65536)
        >>> size.fault(0), size.fault(2.5), size.fault(64)
        ('is too small; 1 or more is needed', 'is not a whole number', '')
        """
        if isinstance(self.default, tuple):
            if not isinstance(value, (list, tuple)) or not all(type(item) is int for item in value):
                return "is not a list of whole numbers"
            beyond = [item for item in value if self._beyond(item)]
            return "" if value and not beyond else f"is not a list of numbers {self.range}, one at least"
        if not self._is_of_kind(value):
            return f"is not {_KINDS[type(self.default)]}"
        if self.choices and value not in self.choices:
            return f"is not one of {', '.join(self.choices)}"
        return self._beyond(value) if isinstance(value, Real) else ""

    def _is_of_kind(self, value: object) -> bool:
        kind = type(self.default)
        if kind is bool or isinstance(value, bool):
            return kind is type(value)
        if kind is float:
            return isinstance(value, Real)
        return isinstance(value, Integral if kind is int else kind)

    def _beyond(self, value: Any) -> str:
        if value != value or value in (math.inf, -math.inf):
            return f"is not {_KINDS[float]} {self.range}".rstrip()
        if self.least is not None and value < self.least:
            return f"is too small; {_number(self.least)} or more is needed"
        if self.most is not None and value > self.most:
            return f"is too large; {_number(self.most)} or less is needed"
        return ""

    @property
    def range(self) -> str:
        """From where to where, in words; nothing where everything goes."""
        if self.least is not None and self.most is not None:
            return f"from {_number(self.least)} to {_number(self.most)}"
        return f"of at least {_number(self.least)}" if self.least is not None else ""

    def expected(self) -> str:
        """What is allowed, in words.

        >>> Allowed(default=4, help="", least=1, most=20).expected()
        'a whole number from 1 to 20'
        """
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if isinstance(self.default, tuple):
            return f"whole numbers {self.range}"
        return f"{_KINDS[type(self.default)]} {self.range}".rstrip()

    def accept(self, value: Any, key: str, origin: str = "") -> Any:
        """The value as a configuration holds it, or an error with its key, where it came from and what is right."""
        fault = self.fault(value)
        if fault and self.choices and isinstance(value, str):
            raise unknown(f"{key} in {origin}" if origin else key, value, self.choices)
        if fault:
            raise EightfoldError(f"{origin}: {key} = {shown(value)} {fault}".removeprefix(": "))
        if isinstance(self.default, tuple):
            return tuple(value)
        return float(value) if isinstance(self.default, float) else value


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def setting(
    default: T, help: str, *, least: float | None = None, most: float | None = None, choices: tuple[str, ...] = ()
) -> T:
    """A field of a configuration, declared; texts without choices are checked by what they name."""
    allowed = Allowed(default=default, help=help, least=least, most=most, choices=choices)
    return _field(default, allowed)


def same_setting(config: type, name: str, default: T) -> T:
    """A field that allows what a field of another configuration does, with a default of its own."""
    allowed = dataclasses.replace(allowed_for(config, name), default=default)
    return _field(default, allowed)


def _field(default: T, allowed: Allowed) -> T:
    # As the signature of `dataclasses.field` has it, the class body takes this for the value.
    return dataclasses.field(default=default, metadata={_KEY: allowed})


def settings_of(config: type, prefix: str = "") -> Iterator[tuple[str, Allowed]]:
    """Every setting of a configuration and of its sections, by its full key."""
    hints = get_type_hints(config)
    for item in dataclasses.fields(config):
        if _KEY in item.metadata:
            yield prefix + item.name, item.metadata[_KEY]
        else:
            yield from settings_of(hints[item.name], f"{prefix}{item.name}.")


def allowed_for(config: type, name: str) -> Allowed:
    """The declaration of one field."""
    return dict(settings_of(config))[name]


def check_settings(config: Any) -> None:
    """An error for the first value of a configuration that is not allowed."""
    for key, allowed in settings_of(type(config)):
        value = config
        for part in key.split("."):
            value = getattr(value, part)
        allowed.accept(value, key)


def check_values(config: type, **values: object) -> None:
    """The same for single values, given under the names of a configuration's fields."""
    for name, value in values.items():
        allowed_for(config, name).accept(value, name)
