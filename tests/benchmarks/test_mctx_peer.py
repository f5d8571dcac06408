"""The peer does the same work: the same network, the same rules, and a search that finds what there is to find."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from eightfold.benchmarks.peers import mctx_selfplay as peer
from eightfold.games import make_game
from eightfold.games.state import DRAW, ONGOING, RESULT
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape

GAME = make_game("gomoku:size=8")


def test_it_is_left_out_where_it_is_not_installed(monkeypatch):
    monkeypatch.setattr(peer.importlib.util, "find_spec", lambda name: None)
    network = make_network("a1", Shape(planes=4, size=8))
    assert peer.fastest(network, np.zeros((1, 8, 8), np.int8), simulations=4) is None


@pytest.fixture
def jax():
    pytest.importorskip("mctx")
    return pytest.importorskip("jax")


def network_and_planes():
    torch.manual_seed(3)
    network, random = make_network("a1", Shape(planes=4, size=8)), np.random.default_rng(3)
    for parameter in network.parameters():
        parameter.data += 0.05 * torch.randn_like(parameter)  # biases too
    moves = [random.permutation(64)[: random.integers(0, 9)].tolist() for _ in range(16)]
    return network, np.stack([GAME.after(each).encode("last-move") for each in moves])


@pytest.mark.parametrize("way", peer.WAYS)
def test_its_network_is_ours(way, jax):
    network, planes = network_and_planes()
    with torch.no_grad():
        logits, values = network(torch.from_numpy(planes))
    ours = peer._network(*way)(peer._weights(network), planes.transpose(0, 2, 3, 1))
    near = 1e-4 if way[1] == "float32" else 0.05
    np.testing.assert_allclose(ours[0], logits, atol=near)
    np.testing.assert_allclose(ours[1], values, atol=near)


def test_its_rules_are_ours(jax):
    random = np.random.default_rng(4)
    state, play = peer._state(np.zeros((40, 8, 8), np.int8)), jax.jit(peer._play)
    orders = np.stack([random.permutation(64) for _ in range(40)])
    positions = [GAME.start()] * 40
    for ply in range(64):
        state, won = play(state, orders[:, ply])
        for k, before in enumerate(positions):
            if before.is_over:
                assert not won[k]
                assert state.over[k]
                continue
            after = positions[k] = before.play(int(orders[k, ply]))
            assert bool(won[k]) == (after.state[RESULT] not in (ONGOING, DRAW))
            assert bool(state.over[k]) == after.is_over
            if not after.is_over:
                np.testing.assert_array_equal(
                    np.array(peer._planes(state)[k]).transpose(2, 0, 1), after.encode("last-move")
                )


def test_its_search_wins_where_it_can(jax):
    network, _ = network_and_planes()
    board = GAME.after([0, 8, 1, 9, 2, 10, 3, 11]).stones  # black to move wins with 4
    search = jax.jit(peer._searcher(peer._network("convolution", "float32"), 200, 200))
    found = search(peer._weights(network), jax.random.PRNGKey(1), peer._state(board[None]))
    assert int(found.action_weights[0].argmax()) == 4
    assert peer.fastest(network, np.repeat(board[None], 8, axis=0), simulations=24, searches=1).simulations_per_s > 0
