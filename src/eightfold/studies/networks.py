"""Networks that a study kept, opened for its measurements.

They are many, each is asked several times, and making one ready for OpenVINO takes a second: so those that were opened
stay open.
"""

from __future__ import annotations

import functools
from pathlib import Path

from eightfold.games.game import Game
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork

MOST = 256


@functools.lru_cache(maxsize=MOST)
def opened(place: Path, backend: str) -> PolicyValueNetwork:
    """The network at a place. Nothing ever changes what a study has kept."""
    return open_network(place, backend=backend, kind=PolicyValueNetwork)


def player_of(place: Path, game: Game, options: NetOptions, *, backend: str, seed: int) -> NetPlayer:
    return NetPlayer(game, opened(place, backend), options, seed=seed)
