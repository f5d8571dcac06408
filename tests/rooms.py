"""The import graph of the package and a few figures of its size: `python tests/rooms.py [FOLDER OF A CHECKOUT]`."""

from __future__ import annotations

import ast
import functools
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "eightfold"


@dataclass(frozen=True)
class Import:
    importer: str  # a module, without the package's name: 'games.game'
    imported: str
    line: int
    is_lazy: bool  # inside a function
    for_types: bool  # under `if TYPE_CHECKING`


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by its name without the package's; '' is the package itself."""
    root = source / PACKAGE
    found = {}
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@functools.cache
def imports(source: Path) -> tuple[Import, ...]:
    """Every import of one module of the package by another."""
    known = modules(source)
    found = []
    for name, file in known.items():
        waiting: list[tuple[ast.AST, bool, bool]] = [(ast.parse(file.read_text(encoding="utf-8")), False, False)]
        while waiting:
            node, is_lazy, for_types = waiting.pop()
            is_lazy |= isinstance(node, _FUNCTIONS)
            for_types |= _is_type_checking(node)
            waiting += [(inner, is_lazy, for_types) for inner in ast.iter_child_nodes(node)]
            line = getattr(node, "lineno", 0)
            found += [Import(name, imported, line, is_lazy, for_types) for imported in _imported(node, known)]
    return tuple(found)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imported(node: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name == PACKAGE or alias.name.startswith(f"{PACKAGE}."):
                yield alias.name.removeprefix(PACKAGE).removeprefix(".")
    elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == PACKAGE:
        origin = node.module.removeprefix(PACKAGE).removeprefix(".")
        for alias in node.names:
            inner = f"{origin}.{alias.name}".removeprefix(".")
            yield inner if inner in known else origin


def room(module: str) -> str:
    return module.split(".")[0]


def cycles(edges: set[tuple[str, str]]) -> list[list[str]]:
    """The groups of nodes that reach each other (Tarjan), those of more than one."""
    graph: dict[str, list[str]] = {}
    for a, b in edges:
        graph.setdefault(a, []).append(b)
        graph.setdefault(b, [])
    reach = {node: _reachable(graph, node) for node in graph}
    groups = {frozenset(other for other in reach[node] if node in reach[other]) | {node} for node in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reachable(graph: dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def figures(checkout: Path) -> dict[str, object]:
    """How large a checkout is, and how its rooms hang together."""
    source = checkout / "src"
    graph = [each for each in imports(source) if each.importer != each.imported]
    between = {(room(each.importer), room(each.imported)) for each in graph}
    used = [each for each in graph if not each.for_types and each.imported and room(each.importer)]
    texts = {file: file.read_text(encoding="utf-8") for file in modules(source).values()}
    return {
        "source files": len(texts),
        "source lines": sum(text.count("\n") for text in texts.values()),
        "longest file": max(text.count("\n") for text in texts.values()),
        "test files": len(list((checkout / "tests").rglob("*.py"))),
        "test lines": sum(file.read_text().count("\n") for file in (checkout / "tests").rglob("*.py")),
        "rooms that import each other": cycles({(a, b) for a, b in between if a and b and a != b}),
        "modules that import each other": len(cycles({(each.importer, each.imported) for each in used})),
        "lazy imports of the package's own modules": sum(each.is_lazy for each in graph),
        "questions after a game's name": sum(_name_questions(text) for text in texts.values()),
        "public names": sum(_public_names(text) for text in texts.values()),
    }


def _name_questions(text: str) -> int:
    """Comparisons of somebody's `name` with a literal that is the name of a game."""
    count = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asks = any(isinstance(side, ast.Attribute) and side.attr == "name" for side in sides)
            count += asks and any(isinstance(side, ast.Constant) and side.value in ("go", "gomoku") for side in sides)
    return count


def _public_names(text: str) -> int:
    """Functions, classes and constants at the top of a module that do not begin with an underscore."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        names.update(inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name))
    return sum(not name.startswith("_") for name in names)


if __name__ == "__main__":
    print(json.dumps(figures(Path(sys.argv[1] if len(sys.argv) > 1 else ".")), indent=2))
