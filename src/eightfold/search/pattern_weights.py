"""The weights of 3x3 shapes that the full style of `mcts` plays by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError


def read_weights(text: str) -> NDArray[np.float32] | None:  # [3, 3^8]
    """None for `off`, else those of a file."""
    if text == "off":
        return None
    try:
        weights = np.load(text, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise EightfoldError(f"player mcts: patterns={text} cannot be read: {error}") from None
    return np.ascontiguousarray(weights, np.float32)
