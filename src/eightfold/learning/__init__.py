"""Learning from self-play: the buffer of samples, the trainer, the loops of runs. Names come when they are asked for.

    >>> from eightfold.learning import DataBuffer, Trainer

Importing this package brings neither PyTorch nor LMDB. Read next: `loop.py` (self-play), `td/loop.py` (TD(λ)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eightfold.core.lazy import lazy_names

if TYPE_CHECKING:
    from eightfold.learning.data.batches import BatchMaker as BatchMaker
    from eightfold.learning.data.buffer import DataBuffer as DataBuffer
    from eightfold.learning.data.record import PlayedGame as PlayedGame
    from eightfold.learning.data.sample import Batch as Batch
    from eightfold.learning.data.sample import Sample as Sample
    from eightfold.learning.trainer import Trainer as Trainer

_PLACES = {
    "Batch": "eightfold.learning.data.sample",
    "BatchMaker": "eightfold.learning.data.batches",
    "DataBuffer": "eightfold.learning.data.buffer",
    "PlayedGame": "eightfold.learning.data.record",
    "Sample": "eightfold.learning.data.sample",
    "Trainer": "eightfold.learning.trainer",
}
__all__ = [*_PLACES]
__getattr__, __dir__ = lazy_names(__name__, _PLACES)
