"""Binds a search that is written once to the rules of one game, so that Numba can compile the two together.

A search kernel imports what it needs of a game from `eightfold.games.contract`. `specialise` writes a
copy of that module into the cache folder in which this import names the game's own module instead,
and imports the copy. It is a real module with a file of its own: Numba's disk cache misses
kernels that close over other kernels, and confuses two games that share one source file; kernels of
different files it finds again in every later process.

What a game does not offer is taken from `eightfold.games.defaults`, specialised in the same way.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import sys
import threading
from pathlib import Path
from types import ModuleType

from eightfold.errors import EightfoldError
from eightfold.jit import cache_root, sources_digest

CONTRACT = "eightfold.games.contract"
DEFAULTS = "eightfold.games.defaults"
_CONTRACT_IMPORT = re.compile(rf"^from {re.escape(CONTRACT)} import (\([^)]*\)|[^\n]+)\n", re.MULTILINE)


_MAKING = threading.RLock()  # a module is in `sys.modules` before it is whole: nobody else may see it so


def specialise(template: str, rules: ModuleType) -> ModuleType:
    """The module named `template`, with the contract's kernels replaced by those of `rules`."""
    with _MAKING:
        return _specialised(template, rules)


@functools.cache
def _specialised(template: str, rules: ModuleType) -> ModuleType:
    text = _source(template)
    text = _CONTRACT_IMPORT.sub(lambda match: _imports(match.group(1), template, rules), text)

    identity = f"{rules.__name__}\0{sources_digest(_file(rules))}\0{text}".encode()
    digest = hashlib.blake2b(identity, digest_size=8).hexdigest()
    last = template.rpartition(".")[2]
    name = f"{last}_for_{rules.__name__.replace('.', '_')}_{digest}"
    return sys.modules.get(name) or _import_file(name, _written(name, text))


def _imports(names: str, template: str, rules: ModuleType) -> str:
    """The import lines that take the place of an import from the contract."""
    wanted = [word.strip() for word in names.strip("() ").split(",") if word.strip()]
    offered = [word for word in wanted if hasattr(rules, word)]
    lacking = [word for word in wanted if not hasattr(rules, word)]
    lines = f"from {rules.__name__} import {', '.join(offered)}\n" if offered else ""
    if lacking:
        has_default = [] if template == DEFAULTS else _default_kernels()
        missing = [word for word in lacking if word not in has_default]
        if missing:
            raise EightfoldError(
                f"the game module {rules.__name__} offers no kernel {missing[0]!r}, "
                f"which {template.rpartition('.')[2]} needs"
            )
        lines += f"from {specialise(DEFAULTS, rules).__name__} import {', '.join(lacking)}\n"
    return lines


def _default_kernels() -> list[str]:
    return re.findall(r"^def (\w+)", _source(DEFAULTS), re.MULTILINE)


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {module!r} to specialise")
    return Path(spec.origin).read_text(encoding="utf-8")


def _file(module: ModuleType) -> Path:
    if module.__file__ is None:
        raise EightfoldError(f"the game module {module.__name__} has no source file")
    return Path(module.__file__)


def _written(name: str, text: str) -> Path:
    path = cache_root() / "eightfold-specialised" / f"{name}.py"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.draft")  # renamed when whole: others may read already
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, path)
    return path


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
