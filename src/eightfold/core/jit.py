"""The one decorator for hot code: Numba, without the GIL, cached on disk so that a kernel compiles once.

Numba's own cache looks at the file of a function and not at the files of the functions it calls, so a
change in a callee goes unnoticed. Here the cache lives in a folder named after a digest of the
kernel's module and of every module that it imports, directly or not: change any of them and the next
process compiles afresh. What is installed (the standard library, site-packages) is not watched, Eightfold is.

Set `EIGHTFOLD_CACHE` to move the cache; set `NUMBA_DISABLE_JIT=1` to run every kernel as plain Python,
where a debugger can follow it. Read next: `eightfold.core.specialise`, which binds a search to a game.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import re
import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config
from numba.types import unliteral  # type: ignore[attr-defined]
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
Ints = NDArray[np.int64]  # what nearly every array inside a kernel is
Int: Any = np.int64  # inside a kernel `int` keeps a number's width, and for another width a callee compiles again
At: Any = np.uint64  # an index that is not negative: then a kernel need not look whether it counts from the end

PACKAGE = Path(__file__).parents[1]
numba_config: Any = config  # filled in by Numba as it starts
KERNELS = "eightfold-kernels"
UNUSED_DAYS = 30  # a digest's folder that nobody touched for so long belongs to a forgotten version

# Nobody takes the C address of a kernel, and the wrapper that it would have takes a fifth of the time to compile.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}

if numba_config.DISABLE_JIT:
    # Hashes and random numbers wrap around on purpose; NumPy's scalars would warn each time.
    np.seterr(over="ignore")
else:
    # Imported by its name, so that it is none of the sources that machine code depends on.
    importlib.import_module(f"{__package__}.compiling").hear_numba()


def kernel(function: F) -> F:
    """Compile `function` on first use and keep the machine code for later processes."""
    compiled = numba.njit(**_OPTIONS)(function)
    source = Path(function.__code__.co_filename)
    if numba_config.DISABLE_JIT:
        return function
    if not source.is_file():
        return cast(F, compiled)  # typed in at a prompt: there is nothing to remember it by
    _take_constants_as_numbers(compiled)
    # Numba picks a function's cache folder when caching is enabled on it, from this setting: it is put
    # back at once, so the kernels of other packages keep theirs.
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(cache_folder(source))
    try:
        compiled.enable_caching()
    finally:
        numba_config.CACHE_DIR = before
    return cast(F, compiled)


def _take_constants_as_numbers(compiled: Any) -> None:
    """Let a kernel that calls this one with a constant, as in `f(x, 0)`, use the version for any number.

    Numba would compile one for each constant. What gains by knowing it is inlined anyway.
    """
    template = compiled.get_call_template

    def for_any_number(args: Any, kws: Any) -> Any:
        return template([unliteral(each) for each in args], {name: unliteral(each) for name, each in kws.items()})

    compiled.get_call_template = for_any_number


@functools.cache
def cache_folder(source: Path) -> Path:
    """Where the machine code of the kernels in the file `source` is kept."""
    folder = cache_root() / KERNELS / sources_digest(source)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


@functools.cache
def sources_digest(source: Path) -> str:
    """A digest of `source` and of all it imports."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted(_imported_files(source.resolve())):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)


def _imported_files(source: Path) -> set[Path]:
    places = tuple(os.path.abspath(place) for place in sys.path)  # '' is where we are
    seen: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports_of(path, path.stat().st_mtime_ns, places))
    return seen


@functools.cache  # dozens of kernels import the same modules, and every command would look for them again
def _imports_of(path: Path, changed: int, places: tuple[str, ...]) -> tuple[Path, ...]:
    """The files that a file imports, as it was when it was `changed`, with `places` to look for modules."""
    return tuple(dict.fromkeys(_find_imports(path, places)))


def _find_imports(path: Path, places: tuple[str, ...]) -> Iterator[Path]:
    for match in _IMPORT.finditer(path.read_bytes()):
        origin, names, plain = (part.decode() if part else "" for part in match.groups())
        if origin:
            words = [word.split()[0] for word in names.strip("() \t\r\n").split(",") if word.split()]
            dot = "" if origin.endswith(".") else "."
            modules = [origin] + [f"{origin}{dot}{word}" for word in words]
        else:
            modules = [word.split()[0] for word in plain.split(",") if word.split()]
        for module in modules:
            found = _file_of(module, path, places)
            if found is not None:
                yield found


def _file_of(module: str, importer: Path, places: tuple[str, ...]) -> Path | None:
    """The source file of `module` as `importer` names it, or None if it is not watched."""
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module[dots:].split(".") if part]
    if not parts:
        return None
    if dots:
        return _module_in(importer.parents[dots - 1], parts)
    if parts[0] == PACKAGE.name:
        return _module_in(PACKAGE.parent, parts)
    # An absolute import: beside the importer, or beside the package that it belongs to, or elsewhere on the path.
    folder = importer.parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    for base in (folder, *map(Path, places)):
        if base.is_dir() and not _is_installed(base):
            found = _module_in(base, parts)
            if found is not None:
                return found
    return None


def _module_in(base: Path, parts: list[str]) -> Path | None:
    stem = base.joinpath(*parts)
    candidates = (stem.with_name(stem.name + ".py"), stem / "__init__.py")
    return next((file.resolve() for file in candidates if file.is_file()), None)


@functools.cache
def _is_installed(folder: Path) -> bool:
    """Whether a folder on the path holds installed packages or the standard library."""
    resolved = folder.resolve()
    library = Path(sysconfig.get_paths()["stdlib"]).resolve()
    return resolved == library or library in resolved.parents or "site-packages" in resolved.parts


@functools.cache
def cache_root() -> Path:
    """The folder for everything Eightfold can make again: the user's cache, or a temporary folder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    for choice in (os.environ.get("EIGHTFOLD_CACHE"), os.path.join(home, "eightfold")):
        if choice and _private_folder(Path(choice)):
            _forget_old_versions(Path(choice) / KERNELS)
            return Path(choice)
    shared = Path(tempfile.gettempdir()) / f"eightfold-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    return shared if _private_folder(shared) else Path(tempfile.mkdtemp(prefix="eightfold-"))


def _private_folder(folder: Path) -> bool:
    """Make `folder` if need be; True if we can write there and nobody else put it there for us.

    Loading machine code is running it, so a folder that belongs to another user is not ours to trust.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError:
        return False
    ours = not hasattr(os, "getuid") or owner == os.getuid()
    return ours and os.access(folder, os.W_OK | os.X_OK)


def _forget_old_versions(kernels: Path) -> None:
    """Remove folders of ours that nobody used for long: they belong to sources that are no more."""
    oldest = time.time() - UNUSED_DAYS * 86_400
    try:
        for folder in kernels.iterdir():
            if re.fullmatch(r"[0-9a-f]{20}", folder.name) and folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return  # another process cleans up at this moment, or there is nothing yet
