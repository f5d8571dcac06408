"""A network from the place that a player's text names: a run, a checkpoint, a shipped network, an exported file.

Only checkpoints bring PyTorch along. Read before: `description.py`, which says where networks lie.
"""

from __future__ import annotations

from pathlib import Path

from eightfold.games.game import Game
from eightfold.nets.inference.backends.interface import Runner
from eightfold.nets.store.description import WEIGHTS, Description, find_checkpoint, load_description
from eightfold.nets.store.exported import is_exported, load_exported, read_description


def open_network(place: str, game: Game) -> tuple[Runner, Description]:
    """The network of a place, ready to run for a game: an exported file as it is, a checkpoint by PyTorch's help."""
    if is_exported(place):
        return load_exported(Path(place), game)
    from eightfold.nets.inference.backends.choice import make_backend  # these bring PyTorch along
    from eightfold.nets.store.checkpoint import load_checkpoint

    network, description = load_checkpoint(find_checkpoint(place))
    description = description.fitted_to(game, who=f"player net:{place}", any_size=bool(network.any_size))
    return make_backend("auto", network, description.shape()), description


def describe_network(place: str) -> tuple[Description, bool]:
    """What the network of a place is, and whether it plays any board size; the weights are not looked at."""
    if is_exported(place):
        return read_description(Path(place))
    from eightfold.nets.networks import read_network

    description = load_description(find_checkpoint(place))
    return description, bool(read_network(description.network)[0].any_size)


def weights_file(place: str) -> Path:
    """The file that changes with the weights."""
    return Path(place) if is_exported(place) else find_checkpoint(place) / WEIGHTS
