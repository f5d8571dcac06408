"""The first weights of a run that starts from another network: its own, or those of a larger one that it becomes.

    eightfold train --from runs/first --set network=resnet:blocks=10,filters=96

Read before: `../nets/growing.py`.
"""

from __future__ import annotations

from torch import nn

from eightfold.core.errors import EightfoldError
from eightfold.learning.config import TrainConfig
from eightfold.nets.growing import check_growth, grow
from eightfold.nets.networks import network_text
from eightfold.nets.store.checkpoint import load_weights
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork, describe_network


def load_start(network: nn.Module, config: TrainConfig) -> None:
    """Give a run's fresh network the weights that the run starts from; an error in one line if they do not fit."""
    other = describe_network(config.start_from)
    if other.encoder != config.encoder:
        raise EightfoldError(
            f"{config.start_from} has encoder {other.encoder!r} and this run {config.encoder!r}; a run that starts from"
            f" its weights needs the same: leave out encoder, or set encoder={other.encoder}"
        )
    opened = open_network(config.start_from, kind=PolicyValueNetwork)
    if network_text(config.network) == network_text(other.network):
        load_weights(network, opened.checkpoint)
        return
    try:
        check_growth(other.network, config.network)
    except EightfoldError as error:
        raise EightfoldError(
            f"{config.start_from} is of another network: {error}; leave out network, or set network={other.network}"
        ) from None
    assert opened.checkpoint  # an exported network is refused here
    grow(opened.module, network)
