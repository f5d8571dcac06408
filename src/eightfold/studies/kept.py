"""The numbers of an experiment on disk, each with what it was measured for: they count for the very same alone.

`results.json` holds the numbers of every stage by its name, as the report wants them. `keys` says by a digest what each
was measured for (weights and settings), `run` which run all of it is about, and `earlier` keeps what was measured
for other settings of the same run, so that going back to them costs nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.nets.store.checkpoint import replace_file


def digest(*facts: Any) -> str:
    """A short name for what facts say: a path stands for the content of its file, the rest is what JSON can hold."""
    mixed = hashlib.blake2b(digest_size=8)
    for fact in facts:
        content = fact.read_bytes() if isinstance(fact, Path) else json.dumps(fact, sort_keys=True).encode()
        mixed.update(len(content).to_bytes(8, "little") + content)
    return mixed.hexdigest()


class Kept:
    """What was measured of one run so far."""

    def __init__(self, path: Path, run: str) -> None:
        self._path = path
        self.numbers = _read(path)
        if self.numbers and self.numbers.get("run") != run:
            raise EightfoldError(
                f"{path} holds the numbers of another run, or does not say of which; choose another output folder"
            )
        self.numbers |= {"run": run, "keys": {}, "earlier": {}} if not self.numbers else {}

    def stage(self, name: str, key: str, measure: Callable[[], dict[str, Any]]) -> bool:
        """Make `numbers[name]` those for this key: kept ones, or measured now, which is what the answer says."""
        keys, earlier = self.numbers["keys"], self.numbers["earlier"]
        if keys.get(name) == key:
            return False
        self.set_aside(name)
        kept = earlier.pop(f"{name} {key}", None)
        self.numbers[name] = measure() if kept is None else kept
        keys[name] = key
        self.save()
        return kept is None

    def set_aside(self, name: str) -> None:
        """Leave a stage out of the report; its numbers are not thrown away."""
        if name in self.numbers:
            key = self.numbers["keys"].pop(name)
            self.numbers["earlier"][f"{name} {key}"] = self.numbers.pop(name)

    def match(self, key: str, play: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """One match, or what was found when it was played before: a match may take long, and is kept at once."""
        matches: dict[str, dict[str, Any]] = self.numbers.setdefault("matches", {})
        if key not in matches:
            matches[key] = play()
            self.save()
        return matches[key]

    def save(self) -> None:
        replace_file(self._path, (json.dumps(self.numbers, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        numbers = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        numbers = None
    if not isinstance(numbers, dict):
        raise EightfoldError(f"{path} does not hold this experiment's numbers; choose another output folder")
    return numbers
