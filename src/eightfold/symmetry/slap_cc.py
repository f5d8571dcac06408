"""SLAP-CC: the stones moved to the middle of the board, beside the board as it is (Suen & Alonso, 3.1).

The bounding box of all stones is centred by rolling the planes; two more planes, rolled along, tell
every point where it really lies. Input gets four planes more; augmentation stays on and policies stay as
they are. The rounding of the shift is not symmetric, so a turn comes before the centring, never after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import kernel
from eightfold.symmetry.group import check_size
from eightfold.symmetry.transform import Array, as_array, is_tensor, on_device

EXTRA_PLANES = 4  # own stones centred, opponent's stones centred, row index, column index


def slap_cc(stacks: Array) -> Array:
    """Planes [C, N, N] or [B, C, N, N] with own and opponent's stones first; C + 4 planes come back.

    >>> planes = np.zeros((4, 8, 8), np.float32)
    >>> planes[0, 0, 1] = planes[1, 1, 0] = 1
    >>> centred = slap_cc(planes)
    >>> centred.shape, np.argwhere(centred[4])[0].tolist(), np.argwhere(centred[5])[0].tolist()
    ((8, 8, 8), [3, 4], [4, 3])
    """
    if is_tensor(stacks):  # the work is done on this processor, wherever the tensor lives; no gradient passes
        centred: Any = on_device(slap_cc(stacks.detach().cpu().float().numpy()), stacks)
        return centred.to(stacks.dtype) if stacks.is_floating_point() else centred  # places are no whole numbers
    given = as_array("planes", stacks)
    if given.ndim not in (3, 4) or given.shape[-1] != given.shape[-2]:
        raise EightfoldError(f"planes have shape {given.shape}, expected [C, N, N] or [B, C, N, N]")
    check_size(given.shape[-1])
    planes = given[None] if given.ndim == 3 else given
    if planes.shape[1] < 2:
        raise EightfoldError(f"{planes.shape[1]} plane(s) are too few: own and opponent's stones come first")
    source = np.ascontiguousarray(planes, np.float32)
    batch, count, size, _ = source.shape
    centred = np.empty((batch, count + EXTRA_PLANES, size, size), np.float32)
    centred[:, :count] = source
    _centre(source, centred[:, count:])
    return centred[0] if given.ndim == 3 else centred


@kernel
def _centre(stacks: NDArray[Any], centred: NDArray[Any]) -> None:  # [B, C, N, N], [B, 4, N, N]
    size = stacks.shape[2]
    last = max(size - 1, 1)
    for sample in range(stacks.shape[0]):
        top, left, bottom, right = size, size, -1, -1
        for row in range(size):
            for column in range(size):
                if stacks[sample, 0, row, column] != 0 or stacks[sample, 1, row, column] != 0:
                    top, bottom = min(top, row), max(bottom, row)
                    left, right = min(left, column), max(right, column)
        down = right_ward = 0
        if bottom >= 0:  # an empty board is not shifted
            down = (size - 1 - top - bottom) // 2
            right_ward = (size - 1 - left - right) // 2
        for row in range(size):
            to_row = (row + down) % size
            for column in range(size):
                to_column = (column + right_ward) % size
                centred[sample, 0, to_row, to_column] = stacks[sample, 0, row, column]
                centred[sample, 1, to_row, to_column] = stacks[sample, 1, row, column]
                centred[sample, 2, to_row, to_column] = 1.0 - 2.0 * row / last
                centred[sample, 3, to_row, to_column] = 1.0 - 2.0 * column / last
