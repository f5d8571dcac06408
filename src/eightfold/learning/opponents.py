"""Networks that a run's network is measured against: one of its own earlier ones, and the shipped one for its game.

A run keeps the networks of its last evaluations in `evaluated/`, each in a folder named after the number of self-play
games; `net:runs/quick/evaluated/000600` is a player as any other. An evaluation without games keeps its network all the
same: the study `strength` measures how a run grew, later and elsewhere.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from torch import nn

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.learning.config import EvaluationConfig
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.nets.store.places import shipped_networks
from eightfold.nets.store.policy_value import PolicyValueNetwork, describe_network

EVALUATED = "evaluated"
log = logging.getLogger("eightfold")


def evaluated_folder(run: Path, games: int) -> Path:
    """Where the network of an evaluation after so many games lies."""
    return run / EVALUATED / f"{games:06d}"


def evaluated_networks(run: Path) -> dict[int, Path]:
    """The networks of earlier evaluations by the number of self-play games, ascending."""
    found = {int(folder.name): folder for folder in (run / EVALUATED).glob("*") if folder.name.isdecimal()}
    return dict(sorted(found.items()))


def spread_out(games: Sequence[int], count: int) -> list[int]:
    """At most so many of ascending numbers of games, the last among them, each about as many times the one before.

    >>> spread_out([100, 200, 300, 400, 500, 600, 700, 800], 4), spread_out([100, 200], 1), spread_out([100], 4)
    ([100, 200, 400, 800], [200], [100])
    """
    kept = list(games)
    while len(kept) > count:
        # The one whose neighbours are closest to each other is missed the least.
        inner = range(1, len(kept) - 1)
        del kept[min(inner, key=lambda k: (kept[k + 1] + 1) / (kept[k - 1] + 1), default=0)]
    return kept


def keep_network(run: Path, games: int, network: nn.Module, description: Description, *, keep: int) -> None:
    """Keep a network that was evaluated after so many games, and no more than `keep` of them."""
    if keep == 0:
        return
    save_checkpoint(evaluated_folder(run, games), network, description)
    for folder in list(evaluated_networks(run).values())[:-keep]:
        shutil.rmtree(folder, ignore_errors=True)


def network_opponents(run: Path, game: Game, settings: EvaluationConfig, *, games: int) -> dict[str, str]:
    """Where the networks lie to play against after so many games: `earlier` and `shipped`, as far as there are any.

    One that cannot be read is left out, and somebody is told so: a run does not end for it.
    """
    places: dict[str, str] = {}
    earlier = [folder for at, folder in evaluated_networks(run).items() if at < games]
    if settings.keep_networks and earlier:
        places["earlier"] = str(earlier[-1])
    if settings.shipped and (name := shipped_for(game)):
        places["shipped"] = name
    readable = {}
    for name, place in places.items():
        try:
            open_network(place, game, kind=PolicyValueNetwork).runner()
            readable[name] = place
        except EightfoldError as error:
            log.warning("eightfold: note: no games against %s: %s", place, error)
    return readable


def shipped_for(game: Game) -> str | None:
    """The network that comes with Eightfold for this very game, if there is one."""
    for name in shipped_networks(PolicyValueNetwork):
        if describe_network(name).game == game.text:
            return name
    return None
