"""Settings: what a value may be, declared once, as a field of a dataclass.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class Options:
    ...     playouts: int = setting(1000, "random games for a move", least=1, most=1e9)
    >>> [(one.name, one.default, one.expected()) for one in settings_of(Options)]
    [('playouts', 1000, 'a whole number from 1 to 1,000,000,000')]

`setting` declares the field: its default, a line of help, a range or a list of choices. Configurations
(`eightfold.config`) and the options of players, games and networks (`eightfold.core.specs`) are such dataclasses; the
checks, the command line, the page's menus and the documentation all read the declaration.
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

_KEY = "setting"  # where a field's metadata hold its declaration
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a value may be. Its kind is that of the default; a tuple is a list of whole numbers, one at least."""

    name: str = ""  # as people write it
    field: str = ""  # of the dataclass, where that differs: `lambda` is a word that Python keeps for itself
    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    absent: str = ""  # what leaving it out means, where that is no value: the value is None then
    former: tuple[str, ...] = ()  # names that it had in earlier versions
    distinct: bool = False  # whether a list may name nothing twice

    def fault(self, value: object) -> str:
        """What is wrong with a value, in words that follow it; nothing if it is allowed.

        >>> size = Setting(default=256, help="", least=1, most=65536)
        >>> size.fault(0), size.fault(2.5), size.fault(64)
        ('is too small; 1 or more is needed', 'is not a whole number', '')
        """
        if isinstance(self.default, tuple):
            if not isinstance(value, (list, tuple)) or not all(type(item) is int for item in value):
                return "is not a list of whole numbers"
            beyond = [item for item in value if self._beyond(item)]
            if self.distinct and len(set(value)) < len(value):
                return "names something twice"
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

        >>> Setting(default=4, help="", least=1, most=20).expected()
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
    default: T,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] = (),
    absent: str = "",
    former: tuple[str, ...] = (),
    name: str = "",
    distinct: bool = False,
) -> T:
    """A field, declared. With `absent`, `default` only tells the kind: a value that is not given is None.

    Texts without choices are checked by what they name. `name`: as people write it, where Python cannot.
    """
    declared = Setting(
        name=name,
        default=default,
        help=help,
        least=least,
        most=most,
        choices=choices,
        absent=absent,
        former=former,
        distinct=distinct,
    )
    # As the signature of `dataclasses.field` has it, the class body takes this for the value.
    value: Any = None if absent else default
    return dataclasses.field(default=value, metadata={_KEY: declared})


def with_default(config: type, name: str, default: T) -> T:
    """A field as another dataclass declares it, with a default of its own."""
    declared = dataclasses.replace(setting_of(config, name), default=default, name="", field="")
    return dataclasses.field(default=default, metadata={_KEY: declared})


def all_optional(config: type, absent: str) -> type:
    """A dataclass with the same settings, none of which has to be given; `absent` says what that means."""
    fields = []
    for declared in settings_of(config):
        left_out = dataclasses.replace(declared, absent=absent, name="", field="")
        kind: Any = type(declared.default)
        fields.append((declared.field, kind | None, dataclasses.field(default=None, metadata={_KEY: left_out})))
    return dataclasses.make_dataclass(f"Optional{config.__name__}", fields, frozen=True, kw_only=True)


def settings_of(config: type, prefix: str = "") -> Iterator[Setting]:
    """Every setting of a dataclass and of its sections, by its full name."""
    hints = get_type_hints(config)
    for item in dataclasses.fields(config):
        if _KEY in item.metadata:
            declared: Setting = item.metadata[_KEY]
            yield dataclasses.replace(declared, name=prefix + (declared.name or item.name), field=item.name)
        elif dataclasses.is_dataclass(hints[item.name]):
            yield from settings_of(hints[item.name], f"{prefix}{item.name}.")


def setting_of(config: type, name: str) -> Setting:
    """The declaration of one field."""
    return next(declared for declared in settings_of(config) if declared.name == name)


def check_settings(config: Any) -> None:
    """An error for the first value of a dataclass that is not allowed."""
    for declared in settings_of(type(config)):
        value = config
        for part in (*declared.name.split(".")[:-1], declared.field):
            value = getattr(value, part)
        if value is not None or not declared.absent:
            declared.accept(value, declared.name)


def check_values(config: type, **values: object) -> None:
    """The same for single values, given under the names of a dataclass's fields."""
    for name, value in values.items():
        setting_of(config, name).accept(value, name)
