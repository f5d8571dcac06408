"""What answers the searches of a run: its network on a backend, by the symmetry mode, behind a cache if it has one."""

from __future__ import annotations

import numpy as np
from torch import nn

from eightfold.games.game import Game
from eightfold.learning.config import TrainConfig
from eightfold.nets.inference.backends import Backend, make_backend
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.shape import Shape


def make_evaluator(
    config: TrainConfig,
    network: nn.Module,
    shape: Shape,
    *,
    game: Game,
    random: np.random.Generator,
    threads: int,
) -> tuple[Backend, NetworkEvaluator, CachedEvaluator | None]:
    """The backend, which is given new weights; the evaluator on it; and the cache before that, if the run has one."""
    backend = make_backend(config.backend, network, shape, device=config.device, threads=threads)
    evaluator = NetworkEvaluator(
        backend, encoder=config.encoder, symmetry=config.symmetry, symmetries=game.symmetries, random=random
    )
    settings = config.selfplay
    cache = CachedEvaluator(evaluator, capacity=settings.cache, key=settings.cache_key) if settings.cache else None
    return backend, evaluator, cache
