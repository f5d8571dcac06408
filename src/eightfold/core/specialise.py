"""Binds a search that is written once to the rules of one game, so that Numba can compile the two together.

A search kernel imports what it needs of a game from `eightfold.games.contract`. `specialise` writes a
copy of that module into the cache folder in which this import names the game's own module instead,
and imports the copy. It is a real module with a file of its own: Numba's disk cache misses
kernels that close over other kernels, and confuses two games that share one source file; kernels of
different files it finds again in every later process.

What a game does not offer is taken from `HOMES`, specialised in the same way. So is another
search of the same package that a search imports from.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import cache_root, sources_digest

CONTRACT = "eightfold.games.contract"
DEFAULTS = "eightfold.games.defaults"
HOMES = (
    DEFAULTS,
    "eightfold.games.defaults_together",
    "eightfold.games.defaults_in_parts",
)  # of kernels that a game may leave out; the later use the earlier
DRAFT = ".draft"
DRAFT_SECONDS = 3600  # nobody writes a copy for so long

_MAKING = threading.RLock()  # a module is in `sys.modules` before it is whole: nobody else may see it so


def specialise(template: str, rules: ModuleType) -> ModuleType:
    """The module named `template`, with the contract's kernels replaced by those of `rules`."""
    with _MAKING:
        return _specialised(template, rules)


def complete_kernels(rules: ModuleType) -> SimpleNamespace:
    """Every kernel that has a default: the game's own where it has one, as a search would get it."""
    homes = {name: home for home in HOMES for name in _kernels_in(home)}
    return SimpleNamespace(
        **{name: getattr(rules, name, getattr(specialise(home, rules), name)) for name, home in homes.items()}
    )


@functools.cache
def _specialised(template: str, rules: ModuleType) -> ModuleType:
    text = _bound(template, rules)
    identity = f"{rules.__name__}\0{sources_digest(_file(rules))}\0{text}".encode()
    digest = hashlib.blake2b(identity, digest_size=8).hexdigest()
    last = template.rpartition(".")[2]
    name = f"{last}_for_{rules.__name__.replace('.', '_')}_{digest}"
    return import_text(name, text)


def import_text(name: str, text: str) -> ModuleType:
    """The module of this name and text, whose file is kept in the cache folder: what Numba compiles there it keeps."""
    with _MAKING:
        return sys.modules.get(name) or _import_copy(name, text)


def _bound(template: str, rules: ModuleType) -> str:
    """The template's text, in which every import from the contract names the game instead."""
    text = _source(template)
    tree = ast.parse(text)
    ours = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == CONTRACT]
    if not ours or any(_names_contract(node) for node in ast.walk(tree) if node not in ours):
        # Left alone it would compile against kernels without a body, and answer nonsense.
        raise EightfoldError(
            f"cannot bind {template} to {rules.__name__}: all it needs of a game it must import "
            f"at its top level by `from {CONTRACT} import ...`"
        )
    replaced = [(node, _imports(node.names, template, rules)) for node in ours]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None and _is_neighbour(node.module, template):
            names = ", ".join(map(ast.unparse, node.names))
            replaced.append((node, f"from {specialise(node.module, rules).__name__} import {names}\n"))
    lines = text.splitlines(keepends=True)
    for node, line in sorted(replaced, key=lambda each: -each[0].lineno):  # so that earlier numbers stay right
        lines[node.lineno - 1 : node.end_lineno] = [line]
    return "".join(lines)


def _is_neighbour(module: str, template: str) -> bool:
    """Whether this is a template too, of the same package."""
    return module.rpartition(".")[0] == template.rpartition(".")[0] and f"from {CONTRACT} import" in _source(module)


def _names_contract(node: ast.AST) -> bool:
    """Whether this imports the contract in any way."""
    if isinstance(node, ast.Import):
        return any(alias.name == CONTRACT for alias in node.names)
    package, _, last = CONTRACT.rpartition(".")
    if not isinstance(node, ast.ImportFrom):
        return False
    return node.module == CONTRACT or (node.module == package and any(alias.name == last for alias in node.names))


def _imports(wanted: list[ast.alias], template: str, rules: ModuleType) -> str:
    """The import lines that take the place of an import from the contract."""
    offered = [alias for alias in wanted if hasattr(rules, alias.name)]
    lacking = [alias for alias in wanted if not hasattr(rules, alias.name)]
    lines = f"from {rules.__name__} import {', '.join(map(ast.unparse, offered))}\n" if offered else ""
    homes = HOMES[: HOMES.index(template) if template in HOMES else None]
    missing = [alias.name for alias in lacking if not any(alias.name in _kernels_in(home) for home in homes)]
    if missing:
        raise EightfoldError(
            f"the game module {rules.__name__} offers no kernel {missing[0]!r}, "
            f"which {template.rpartition('.')[2]} needs"
        )
    for home in homes:
        found = [alias for alias in lacking if alias.name in _kernels_in(home)]
        lacking = [alias for alias in lacking if alias not in found]
        if found:
            lines += f"from {specialise(home, rules).__name__} import {', '.join(map(ast.unparse, found))}\n"
    return lines


def _kernels_in(module: str) -> list[str]:
    return re.findall(r"^def (\w+)", _source(module), re.MULTILINE)


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {module!r} to specialise")
    return Path(spec.origin).read_text(encoding="utf-8")


def _file(module: ModuleType) -> Path:
    if module.__file__ is None:
        raise EightfoldError(f"the game module {module.__name__} has no source file")
    return Path(module.__file__)


# ---- copies in the cache folder -----------------------------------------------------------------------


def _import_copy(name: str, text: str) -> ModuleType:
    """Import the module `name` from its file in the cache, which is written if need be.

    A copy that cannot be imported is not left behind; an interrupt leaves it, for then it is whole.
    """
    path = cache_root() / "eightfold-specialised" / f"{name}.py"
    while True:
        _write_copy(path, text)
        try:
            return _import_file(name, path)
        except Exception as trouble:
            if isinstance(trouble, FileNotFoundError) and trouble.filename == str(path):
                continue  # another process failed with the same copy just now and took it away
            for made in (path, Path(importlib.util.cache_from_source(str(path)))):
                made.unlink(missing_ok=True)
            raise


def _write_copy(path: Path, text: str) -> None:
    """Make sure that the file holds the text; one that does is left alone, for Numba goes by its time."""
    content = text.encode()
    with contextlib.suppress(FileNotFoundError):
        if path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    _forget_old_drafts(path.parent)
    number, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}.", suffix=DRAFT)
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(draft, path)  # only when it is whole: others may read already
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _forget_old_drafts(folder: Path) -> None:
    """Remove drafts of processes that were killed; those of others that write at this moment are younger."""
    for draft in folder.glob(f"*{DRAFT}"):
        with contextlib.suppress(FileNotFoundError):  # somebody else was quicker
            if draft.stat().st_mtime < time.time() - DRAFT_SECONDS:
                draft.unlink()


def _import_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # by this name another specialised module imports it
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
