"""A game's rules for one board: copies of its modules in which the board's size and options are numbers.

    size, rule = state[SIZE], state[RULE]      becomes      size, rule = (8), (0)

A kernel reads them from the state, so that it compiles once for a game and not once for a size. A GPU pays for that:
what is read may be anything, so the rules of every variant take instructions, registers and a stack, up to four times
what the one that is played needs. Numbers leave what this board needs. `eightfold.core.specialise` binds searches to
such copies as to any rules. Lines stay where they were, so that `copied_from` leads from what a compiler
says of a copy to the line that somebody wrote.

Rules that cannot be copied, such as those that read a file beside their own, are left as they are, which is right too.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from eightfold.core.specialise import import_text

STATE = "state"  # what kernels call the row of a position

_FROM = re.compile(rb"from\s+([.\w]+)")
_ORIGINALS: dict[str, str] = {}  # the file of a copy, and the one that it was made from


def with_constants(rules: ModuleType, fields: Mapping[int, int]) -> ModuleType:
    """The rules with these numbers in the place of what a state holds at these places, `{SIZE: 8}`.

    Modules of the same package that the rules import are copied with them. The kernels are right for states that do
    hold these numbers, and for no others.
    """
    package = rules.__name__.rpartition(".")[0]
    try:
        return sys.modules[_Copies(package=package, fields=dict(fields)).copy_of(rules.__name__)]
    except Exception:  # a module of somebody else's may do anything when it is imported again from another place
        return rules


def copied_from(file: str) -> str:
    """The file that a copy was made from; of any other file, itself."""
    return _ORIGINALS.get(os.path.abspath(file), file)


@dataclass(frozen=True, kw_only=True)
class _Copies:
    package: str
    fields: Mapping[int, int]
    made: dict[str, str] = field(default_factory=dict)  # the name of a module, and of its copy

    def copy_of(self, name: str) -> str:
        """The name of a module's copy, which is made with all that it imports of the package."""
        if name not in self.made:
            self.made[name] = name  # to modules that it imports and that import it
            module = importlib.import_module(name)
            text = self._text(module)
            digest = hashlib.blake2b(f"{name}\0{text}".encode(), digest_size=8).hexdigest()
            copy = f"{name.replace('.', '_')}_with_constants_{digest}"
            _ORIGINALS[os.path.abspath(str(import_text(copy, text).__file__))] = str(module.__file__)
            self.made[name] = copy
        return self.made[name]

    def _text(self, module: ModuleType) -> str:
        """The module's text with its edits, from the last to the first, so that places stay what they were."""
        source = Path(str(module.__file__)).read_bytes()
        lines = source.splitlines(keepends=True)
        for line, start, end, words in sorted(self._edits(ast.parse(source), lines, module), reverse=True):
            text = lines[line - 1]
            lines[line - 1] = text[:start] + words.encode() + text[end:]
        return b"".join(lines).decode()

    def _edits(self, tree: ast.Module, lines: list[bytes], module: ModuleType) -> Iterator[tuple[int, int, int, str]]:
        """Line, first byte, end, and what comes there."""
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                words = "." * node.level + (node.module or "")
                whole = importlib.util.resolve_name(words, module.__package__)
                name = self.copy_of(whole) if self._is_member(whole) else whole
                if name != words:
                    place = _FROM.match(lines[node.lineno - 1], node.col_offset)
                    if place is None or place[1] != words.encode():
                        raise ValueError(f"an import of {whole} that is written in an unusual way")
                    yield node.lineno, *place.span(1), name
            elif isinstance(node, ast.Subscript) and self._is_known(node, module):
                number = self.fields[getattr(module, node.slice.id)]  # type: ignore[attr-defined]
                assert node.end_col_offset is not None
                yield node.lineno, node.col_offset, node.end_col_offset, f"({number})"

    def _is_member(self, module: str) -> bool:
        """Whether this is a module of the package, and a file of its own."""
        if not self.package or not module.startswith(f"{self.package}."):
            return False
        spec = importlib.util.find_spec(module)
        return spec is not None and spec.submodule_search_locations is None and str(spec.origin).endswith(".py")

    def _is_known(self, node: ast.Subscript, module: ModuleType) -> bool:
        """Whether this reads one of the fields of a state by its name, which is a constant's: in capitals."""
        if not isinstance(node.slice, ast.Name) or not node.slice.id.isupper():
            return False
        place = getattr(module, node.slice.id, None)
        of_state = isinstance(node.value, ast.Name) and node.value.id == STATE and node.lineno == node.end_lineno
        return of_state and isinstance(node.ctx, ast.Load) and isinstance(place, int) and place in self.fields
