"""Small arrays for the time of a call, inside kernels that run on a CPU and on a GPU.

On a CPU they are taken from the heap. A GPU has no heap worth the name: there they lie in the memory of the thread, so
their shape must be a constant, large enough for the largest board. What they hold at first is undefined.
`eightfold.core.cuda` tells the GPU's compiler how.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from eightfold.core.jit import Ints

Shape = int | tuple[int, ...]


def scratch_ints(shape: Shape) -> Ints:
    return np.empty(shape, np.int64)


def scratch_bytes(shape: Shape) -> NDArray[np.int8]:
    return np.empty(shape, np.int8)


def scratch_floats(shape: Shape) -> NDArray[np.float64]:
    return np.empty(shape, np.float64)


TYPES: dict[Any, Any] = {scratch_ints: np.int64, scratch_bytes: np.int8, scratch_floats: np.float64}


def _for_cpu(function: Any, number: Any) -> None:
    overload(function, target="cpu")(lambda shape: lambda shape: np.empty(shape, number))


for _function, _number in TYPES.items():
    _for_cpu(_function, _number)
