"""A registry: things of one kind by their names, each imported when it is first asked for.

    >>> numbers = Registry("number", {"pi": "math:pi"})
    >>> list(numbers), numbers["pi"] > 3
    (['pi'], True)

So a room can find what later rooms offer without importing them. What belongs to the package is listed in
`eightfold/parts.py`; a program may `add` its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

from eightfold.core.errors import unknown


class Registry(Mapping[str, Any]):
    def __init__(self, what: str, targets: Mapping[str, Any] = {}) -> None:
        """`what`: the kind of thing, in errors. A target is the thing itself, or where it lives: 'module:name'."""
        self.what = what
        self._targets = dict(targets)

    def add(self, name: str, target: Any) -> None:
        """Offer one more, or another one under the same name."""
        self._targets[name] = target

    def __getitem__(self, name: str) -> Any:
        if name not in self._targets:
            raise KeyError(name)
        target = self._targets[name]
        if isinstance(target, str):
            module, _, attribute = target.partition(":")
            target = self._targets[name] = getattr(importlib.import_module(module), attribute)
        return target

    def find(self, name: str, *others: str) -> Any:
        """The thing of a name, or an error that lists the known names, and `others`."""
        if name not in self._targets:
            raise unknown(self.what, name, [*self, *others])
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._targets  # without importing it

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)
