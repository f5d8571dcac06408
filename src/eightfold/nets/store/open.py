"""The one way to open a network, for players, measurements, the page and exports alike.

    >>> network = open_network("gomoku-8")
    >>> network.game.text, network.any_size
    ('gomoku:size=8,win=5,rule=freestyle', True)
    >>> policies, values = network.evaluate([network.game.start(), network.game.after(["d4"])])
    >>> policies.shape, values.shape
    ((2, 64), (2,))

What was opened is kept as long as its file does not change, so that all who ask share the weights. Read before:
`places.py` (what a place may be); read next: `policy_value.py`, `eightfold.isn.go_network`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any, TypeVar, cast

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.nets.store.network import Network
from eightfold.nets.store.places import find_network

N = TypeVar("N", bound=Network)

MOST_KEPT = 8  # networks
_kept: OrderedDict[tuple[Any, ...], Network] = OrderedDict()
_lock = threading.RLock()


def open_network(
    place: str | Path,
    game: Game | None = None,
    *,
    backend: str = "auto",
    device: str = "cpu",
    kind: type[N] = Network,  # type: ignore[assignment]  # any kind
) -> N:
    """The network at a place, for a game, by default the one that it was trained for.

    `backend` and `device` say what runs it (`eightfold.nets.inference.backends`), `kind` which kind of network it has
    to be. A network that does not play the game is an error.
    """
    found, file = find_network(place, kind)
    try:
        same_file = file.parent.resolve() / file.name  # however the place was written
        opened = found, same_file, found.version(file), backend, device
    except OSError as error:
        raise EightfoldError(f"{file}: {error.strerror}") from None
    with _lock:
        asked = *opened, None if game is None else game.text
        network = _kept.get(asked)
        if network is None:
            network = found.open(file, game, place=str(place), backend=backend, device=device)
        named = *opened, network.game.text
        network = _kept.setdefault(named, network)  # one copy, whether its own game is named or not
        for key in (asked, named):
            _kept[key] = network
            _kept.move_to_end(key)
        while len(set(_kept.values())) > MOST_KEPT:
            _kept.popitem(last=False)
        return cast(N, network)
