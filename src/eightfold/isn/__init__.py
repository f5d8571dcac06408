"""Internal Symmetry Networks (Blair) for Go.

    ISN            the network in PyTorch, to be trained; start reading at `network.py`
    GoIsn          a trained one, opened by `eightfold.nets.open_network(place, kind=GoIsn)`; needs no PyTorch
    IsnEvaluator   what one says of positions of Go

Nothing is imported before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eightfold.core.lazy import lazy_names

if TYPE_CHECKING:
    from eightfold.isn.assessment import IsnEvaluator as IsnEvaluator
    from eightfold.isn.go_network import GoIsn as GoIsn
    from eightfold.isn.network import ISN as ISN

_PLACES = {
    "GoIsn": "eightfold.isn.go_network",
    "ISN": "eightfold.isn.network",
    "IsnEvaluator": "eightfold.isn.assessment",
}
__all__ = [*_PLACES]
__getattr__, __dir__ = lazy_names(__name__, _PLACES)
