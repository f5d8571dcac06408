"""An actor of a cluster without a cluster: it plays by the means of its machine, with random numbers of its own."""

from __future__ import annotations

import pytest
import torch

from eightfold.learning.actors.remote import Assignment, SelfPlayActor, SliceReport
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.nets.store.description import Description


def slice_of(device: str, number: int) -> tuple[set[tuple[int, ...]], SliceReport]:
    """The games of the first actor in a place, until there are some, and what it said of them."""
    settings = SelfPlayConfig(playouts=4, parallel_games=8, gpu_games=8, opening_share=1.0, opening_stones=4)
    config = TrainConfig(game="gomoku:size=6,win=4", network="a1", device=device, selfplay=settings)
    description = Description(network="a1", game=config.game, encoder=config.encoder, symmetry=config.symmetry)
    torch.manual_seed(1)
    before = torch.get_num_threads()
    try:
        actor = SelfPlayActor(
            Assignment(config=config, description=description, games=0, number=number, life=0, threads=1)
        )
        games: set[tuple[int, ...]] = set()
        while not games:
            *packed, report = actor.play(0.2)
            games = {PlayedGame.from_bytes(data).moves for some in packed for data in some}
        return games, report
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu(kernels=True))])
def test_actors_of_a_run_play_different_games_by_the_means_of_their_machines(device):
    (games, report), (others, _) = (slice_of(device, number) for number in (0, 1))
    assert report.simulations > 0
    assert report.seconds > 0
    assert games
    assert others
    assert not games & others
