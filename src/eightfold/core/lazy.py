"""Packages that offer names without importing what is behind them until one is asked for.

    __getattr__, __dir__ = lazy_names(__name__, {"DataBuffer": "eightfold.learning.data.buffer"})

`if TYPE_CHECKING:` imports beside it tell type checkers and editors the same.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package; `places` gives each name's module, or 'module:other name' there."""

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = places[name].partition(":")
        value = getattr(importlib.import_module(module), attribute or name)
        setattr(sys.modules[package], name, value)  # the next time it is found without asking here
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return get, names
