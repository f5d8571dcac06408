"""Whose turn it is in a game against a rival, shown to a network.

A network that has met a rival in training knows two sides that play differently: its own and the rival's. What it
expects of a position depends on which of them is to move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.games.state import RIVAL, SIDE
from eightfold.jit import Ints, kernel


@kernel
def show_roles(state: Ints, planes: NDArray[np.float32]) -> None:  # [2, N, N]
    """All ones in the first plane where the network is to move, in the second where its rival is; else zeros."""
    planes[0] = state[RIVAL] != 0 and state[SIDE] != state[RIVAL]
    planes[1] = state[SIDE] == state[RIVAL]
