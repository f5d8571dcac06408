"""Launches a kernel on a GPU over many items, a warp for each; the machine code is kept on disk.

A function that closes over a kernel is compiled anew in every process: numba-cuda's cache tells such functions apart by
what they close over, which differs each time. So the function that is launched is written to a module of its own,
beside the copies of `eightfold.core.specialise`, and imports its kernel by name. Its machine code goes where that of
the CPU's kernels goes (`eightfold.core.jit`), to a folder named after a digest of all sources that it depends on, the
GPU's forms of helpers (`eightfold.core.cuda`) included. Within the folder numba-cuda tells apart its own version, that
of CUDA, the compute capability of the GPU, and the types of the arguments.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eightfold.core.jit import cache_folder
from eightfold.core.specialise import import_text

_TEXT = '''"""Runs {name} for every item: a warp for each, with room in shared memory."""

import numpy as np

from eightfold.core.cuda import teach_cuda
from eightfold.core.lanes import WARP
from {module} import {name}

cuda = teach_cuda()


@cuda.jit({options})
def over_items(items, room, arguments):
    item, warp = cuda.grid(1) // WARP, cuda.threadIdx.x // WARP
    rooms = cuda.shared.array(0, np.int64)
    if item < items:
        {name}(item, WARP, rooms[warp * room : (warp + 1) * room], *arguments)
'''


def launcher(kernel: Callable[..., None], **options: Any) -> Any:
    """What numba-cuda launches: `launcher(kernel)[blocks, threads, stream, bytes](items, room, arguments)`.

    `options` are those of `numba.cuda.jit`, such as max_registers. The kernel must be one of a module, by its own name.
    """
    module = import_text(*launcher_text(kernel, **options))
    _config().CUDA_LOW_OCCUPANCY_WARNINGS = 0  # few games are few blocks, and who asks for them knows
    return _kept_on_disk(module.over_items, Path(str(module.__file__)))


def launcher_text(kernel: Callable[..., None], **options: Any) -> tuple[str, str]:
    """The name of the module that runs a kernel for every item, and its text."""
    name, module = kernel.__name__, kernel.__module__
    assert getattr(sys.modules[module], name, None) is kernel, f"{name} is not to be found in {module} by its name"
    given = ", ".join(f"{option}={value!r}" for option, value in sorted(options.items()))
    text = _TEXT.format(name=name, module=module, options=given)
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f"{name}_over_items_{digest}", text


def _kept_on_disk(function: Any, source: Path) -> Any:
    """numba-cuda, like Numba, picks a function's cache folder when caching is enabled on it, from a setting."""
    config = _config()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(source))
    try:
        function.enable_caching()
    finally:
        config.CACHE_DIR = before
    return function


def _config() -> Any:
    return importlib.import_module("numba.cuda.core.config")
