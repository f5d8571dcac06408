"""Learning from self-play: the buffer of samples, the trainer, the loops of runs. Names come when they are asked for.

    >>> from eightfold.learning import DataBuffer, Trainer

Importing this package brings neither PyTorch nor LMDB. Read next: `loop.py` (self-play), `td/loop.py` (TD(λ)).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eightfold.learning.data.batches import BatchMaker as BatchMaker
    from eightfold.learning.data.buffer import DataBuffer as DataBuffer
    from eightfold.learning.data.record import PlayedGame as PlayedGame
    from eightfold.learning.data.sample import Batch as Batch
    from eightfold.learning.data.sample import Sample as Sample
    from eightfold.learning.trainer import Trainer as Trainer

_PLACES = {
    "Batch": "data.sample",
    "BatchMaker": "data.batches",
    "DataBuffer": "data.buffer",
    "PlayedGame": "data.record",
    "Sample": "data.sample",
    "Trainer": "trainer",
}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
