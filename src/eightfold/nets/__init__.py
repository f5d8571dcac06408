"""The networks room: the networks, what runs them, and the evaluator that gives a search its answers.

    open_network       a trained network by its place: a run, a checkpoint, an exported file, a shipped one
    Network            what that gives; `PolicyValueNetwork` is one with a policy and a value
    make_network       a fresh PyTorch module by its text, `resnet:blocks=6,filters=64`, for a `Shape`
    NetworkEvaluator   what a search asks: planes in, logits and values out, boards turned as a symmetry mode says

Nothing is imported before it is asked for; only `make_network` needs PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eightfold.core.lazy import lazy_names

if TYPE_CHECKING:
    from eightfold.nets.inference.evaluator import NetworkEvaluator as NetworkEvaluator
    from eightfold.nets.networks import make_network as make_network
    from eightfold.nets.shape import Shape as Shape
    from eightfold.nets.store.network import Network as Network
    from eightfold.nets.store.open import open_network as open_network
    from eightfold.nets.store.policy_value import PolicyValueNetwork as PolicyValueNetwork

_PLACES = {
    "Network": "eightfold.nets.store.network",
    "NetworkEvaluator": "eightfold.nets.inference.evaluator",
    "PolicyValueNetwork": "eightfold.nets.store.policy_value",
    "Shape": "eightfold.nets.shape",
    "make_network": "eightfold.nets.networks",
    "open_network": "eightfold.nets.store.open",
}
__all__ = [*_PLACES]
__getattr__, __dir__ = lazy_names(__name__, _PLACES)
