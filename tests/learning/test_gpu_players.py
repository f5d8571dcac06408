"""Who plays a run's games on a GPU: its games keep to the rules, with every symmetry mode and with new weights."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import torch

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.learning.actors.gpu import GpuPlayers
from eightfold.learning.actors.players import Wanted
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.record import PlayedGame, samples_of
from eightfold.nets.store.description import Description

pytestmark = pytest.mark.gpu(kernels=True)

PATIENCE = 300.0  # seconds for some games: others may use the GPU too


def players(text: str, symmetry: str = "none", network: str = "resnet:blocks=1,filters=16", **changes) -> GpuPlayers:
    settings = SelfPlayConfig(**{"playouts": 12, "gpu_games": 32, "opening_stones": 2, "proof_nodes": 20, **changes})
    config = TrainConfig(game=text, network=network, symmetry=symmetry, device="cuda", selfplay=settings)
    description = Description(network=network, game=text, encoder=config.encoder, symmetry=symmetry)
    torch.manual_seed(1)
    made = GpuPlayers(
        Wanted(
            config=config,
            game=make_game(text),
            network=description.make(),
            description=description,
            turns=np.random.SeedSequence(1),
            games=0,
            checkpoint=Path(),
        )
    )
    made.prepare(lambda: False)
    return made


def played(by: GpuPlayers, games: int) -> list[PlayedGame]:
    ended: list[PlayedGame] = []
    assert by.play(games, on_game=ended.append, deadline=time.perf_counter() + PATIENCE) == len(ended) >= games
    return ended


@pytest.mark.parametrize(
    ("text", "symmetry", "changes"),
    [
        ("gomoku:size=6,win=4", "slap", {}),
        ("gomoku:size=6,win=4", "random", {"fast_playouts": 4, "full_share": 0.5}),
        ("gomoku:size=7,rule=renju", "slap-cc", {"forced_playouts": 2.0}),
        ("go:size=4", "average", {"root": "gumbel", "gumbel_moves": 4}),
    ],
)
def test_games_keep_to_the_rules_and_become_samples(text, symmetry, changes):
    game, by = make_game(text), players(text, symmetry, **changes)
    before = by.simulations
    ended = played(by, 40)  # more than begin at once
    assert by.simulations > before
    assert len({each.moves for each in ended}) > 20
    for each in ended:
        whole = PlayedGame.from_bytes(each.to_bytes())
        positions = whole.replay(game)
        assert not positions[-1].is_over or positions[-1].result == whole.result
        assert len(samples_of(whole, positions, encoder="last-move")) == len(whole.plies)
        np.testing.assert_allclose(whole.policies.sum(axis=1), 1, atol=1e-3)
        for ply, policy in zip(whole.plies, whole.policies, strict=True):
            assert not policy[~positions[ply].legal_mask].any()


def test_new_weights_are_played_with():
    """First those that want the first point alone, then those that want nothing and visit all points alike."""
    by = players("gomoku:size=6,win=4", network="a1", opening_share=0.0, noise=0.0, proof_nodes=0, playouts=40)
    network = by._network
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        for wanted, right in ((20.0, lambda policy: policy[0] > 0.5), (0.0, lambda policy: policy.max() < 0.2)):
            network.policy[-1].bias[0] = wanted
            by.load(network, theta=0.0)
            played(by, 3 * sum(group.forest.trees for group in by.groups))  # among them all that began with others
            assert all(right(each.policies[0]) for each in played(by, 20))


def test_weights_that_are_no_numbers_are_told_in_one_line(run_python):
    """In a process of its own: who knows what a GPU does with them."""
    code = (
        f"import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]\n"
        "from test_gpu_players import tell_of_bad_weights\ntell_of_bad_weights()\n"
    )
    assert "not a number" in run_python(code)


def tell_of_bad_weights() -> None:
    by = players("gomoku:size=6,win=4")
    with torch.no_grad():
        for parameter in by._network.parameters():
            parameter.fill_(float("nan"))
    by.load(by._network, theta=0.0)
    try:
        by.play(10**6, on_game=lambda game: None, deadline=time.perf_counter() + PATIENCE)
    except EightfoldError as trouble:
        print(trouble)
