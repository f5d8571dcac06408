"""Wins by threats at the roots and leaves of a forest: proven ones are played, and moves that lose to one are left."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.state import BLACK
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.tree import LOST, ROOT, UNKNOWN, WON
from eightfold.search.proofs import check_proof
from eightfold.search.settings import PLAYING, SearchSettings, read_play_settings
from won_positions import won_positions

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CROSSING = "h8 a1 i8 o1 g9 a15 g10 o15"  # black to move wins by two threes at once
HARD = "h8 g9 g7 i9 f9 h9 i7 h6 j8 f6 g10 e8"


class Even:
    """Every move alike, every position even."""

    def __init__(self, game):
        self.actions, self.encoder = game.actions, next(iter(game.spec.encoders))

    def evaluate(self, planes):
        logits = np.zeros((len(planes), self.actions), np.float32)
        return logits, np.zeros((len(planes), 2), np.float32)


def searched(text: str, moves: str, playouts: int, *, leaves_a_game: int = 1, **settings):
    position = make_game(text).after(moves.split())
    evaluator, wanted = Even(position.game), SearchSettings(**settings)
    search = ForestSearch(position.game, evaluator, playouts=playouts, leaves_a_game=leaves_a_game, settings=wanted)
    search.set_root(0, position.state)
    search.prepare_root(0, playouts, noisy=False)
    while search.step():
        pass
    return position, search


def children(search) -> dict[int, int]:
    """What is proven of the positions after the moves of the root."""
    forest = search.forest
    edges = range(forest.first[0, ROOT], forest.first[0, ROOT] + forest.degree[0, ROOT])
    return {int(forest.move[0, edge]): int(forest.proof[0, forest.child[0, edge]]) for edge in edges}


@pytest.mark.parametrize(("moves", "nodes"), [(CROSSING, 3000), (HARD, 20_000)])
def test_a_win_by_threats_is_played_at_once(moves, nodes):
    position, search = searched("gomoku:size=15", moves, 60, proof_nodes=20, threat_nodes=nodes)
    assert search.simulations == 1, "the network is asked for the root alone"
    assert search.forest.proof[0, ROOT] == WON
    assert search.root_value(0) == 1
    room = position.game.threat_room(nodes)
    move = int(position.game.rules.find_threats(position.state, nodes, room))
    assert search.root_move(0) == move
    assert search.root_policy(0)[move] == 1
    _, without = searched("gomoku:size=15", moves, 60, proof_nodes=20)
    assert without.forest.proof[0, ROOT] == UNKNOWN


def test_little_time_leaves_little_for_threats():
    position, search = searched("gomoku:size=15", HARD, 1, threat_nodes=20_000)
    for seconds, proof in ((0.0, UNKNOWN), (0.01, UNKNOWN), (5.0, WON), (None, WON)):
        search.suit_threats(seconds)
        search.set_root(0, position.state)
        search.prepare_root(0, 8, noisy=False)
        search.step()
        assert search.forest.proof[0, ROOT] == proof, seconds
    search.set_root(0, position.state)
    for seconds, proof in ((0.01, UNKNOWN), (5.0, WON)):  # the same root again, with more time
        search.suit_threats(seconds)
        search.prepare_root(0, 8, noisy=False)
        search.step()
        assert search.forest.proof[0, ROOT] == proof, seconds


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("gomoku:size=9", "e5 a1 f5 i1 d6 a9 d7"),
        ("gomoku:size=9,rule=standard", "e5 a1 f5 i1 d6 a9 d7"),
    ],
)
def test_moves_that_lose_to_threats_are_proven_to(text, moves):
    """White to move; black would win by threats if white passed."""
    position, search = searched(text, moves, 40, proof_nodes=20, threat_nodes=20_000)
    game, room, by_threats = position.game, position.game.threat_room(20_000), 0
    proofs = children(search)
    lost = [move for move, proof in proofs.items() if proof == WON]
    for move in lost:
        after = position.play(move)
        assert game.rules.find_threats(after.state.copy(), 20_000, room) >= 0
        found = game.rules.threat_proof(room)
        by_threats += found.kind == "threats"
        assert check_proof(after, found.attack)
    assert by_threats >= 5
    if len(lost) < len(proofs):
        assert search.forest.proof[0, ROOT] == UNKNOWN
        assert search.root_move(0) not in lost
    else:
        assert search.forest.proof[0, ROOT] == LOST


def test_who_has_lost_holds_out_as_long_as_possible():
    """White has four that can be stopped on f8, and an open three that cannot be stopped any more then."""
    moves = "k8 g8 a1 h8 a15 i8 o1 j8 o15 d4 a8 e4 h15 f4"
    position, search = searched("gomoku:size=15", moves, 400, proof_nodes=100)
    assert search.forest.proof[0, ROOT] == LOST
    assert [position.game.name_of(int(move)) for move in search.best_moves(0)] == ["f8"]


def test_nothing_is_looked_for_twice_at_one_root(monkeypatch):
    position, search = searched("gomoku:size=9", "e5 a1 f5 i1", 20, threat_nodes=500)
    asked = []
    monkeypatch.setattr(search._threats, "settle_roots", lambda forest, numbers: asked.append(list(numbers)))
    search.prepare_root(0, 20, noisy=False)
    assert asked == []
    search.advance(0, int(position.legal_moves[0]))
    search.prepare_root(0, 20, noisy=False)
    search.step()
    assert asked == [[0]]


@pytest.mark.parametrize("leaves_a_game", [1, 4])
def test_leaves_are_settled_by_threats(leaves_a_game):
    """One move before the crossing twos: only after the move does the other side's win, or one's own, show."""
    moves = "e5 a1 f5 i1 d6 a9"
    plain, without = searched("gomoku:size=9", moves, 80, leaves_a_game=leaves_a_game, proof_nodes=20)
    position, search = searched(
        "gomoku:size=9", moves, 80, leaves_a_game=leaves_a_game, proof_nodes=20, leaf_threat_nodes=2000
    )
    forest, other = search.forest, without.forest
    assert (forest.proof[0, : forest.used[0, 0]] == WON).sum() > (other.proof[0, : other.used[0, 0]] == WON).sum()
    assert plain.state.tolist() == position.state.tolist()
    game, room, known = position.game, position.game.threat_room(20_000), children(search)
    for move, proof in known.items():
        if proof == WON:
            after = position.play(move)
            assert game.rules.find_threats(after.state.copy(), 20_000, room) >= 0
    assert not np.isnan(search.root_value(0))


def test_settings_of_stored_networks_read_as_before():
    assert PLAYING.threat_nodes == PLAYING.leaf_threat_nodes == 0
    stored = read_play_settings("exploration=1.25,fpu_reduction=0.2,proof_nodes=100,contempt=0.0")
    assert stored == PLAYING
    assert read_play_settings("threat_nodes=500").threat_nodes == 500
    assert read_play_settings(read_play_settings("leaf_threat_nodes=7").text).leaf_threat_nodes == 7
    with pytest.raises(EightfoldError, match="threat_nodes=-1 is not a whole number"):
        read_play_settings("threat_nodes=-1")


def test_a_game_without_threats_is_searched_as_ever(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    make_game("python:squares", trusted=True)
    _, with_threats = searched("python:squares,size=4", "b2", 30, threat_nodes=100, leaf_threat_nodes=10)
    _, without = searched("python:squares,size=4", "b2", 30)
    np.testing.assert_array_equal(with_threats.root_visits(0), without.root_visits(0))


def test_black_wins_hold_for_the_right_side():
    position, search = searched("gomoku:size=15", CROSSING, 10, threat_nodes=3000)
    assert position.to_move == BLACK
    assert children(search)[search.root_move(0)] == LOST, "for white"


@pytest.mark.slow
def test_wins_that_a_plain_solver_proves_are_played():
    """All that are won by fours, nine of ten by threes and fours. The plain solver has ten times the nodes.

    EIGHTFOLD_WON_POSITIONS=300 takes 300 of each kind, which takes half an hour.
    """
    count = int(os.environ.get("EIGHTFOLD_WON_POSITIONS", "40"))
    game, nodes = make_game("gomoku:size=15"), 2000
    fours, threats = won_positions(game, by_fours=count, by_threats=count, seed=18, nodes=10 * nodes)
    search = ForestSearch(game, Even(game), playouts=8, settings=SearchSettings(proof_nodes=100, threat_nodes=nodes))
    room, found = game.threat_room(20_000), {}
    for kind, positions in (("fours", fours), ("threats", threats)):
        found[kind] = 0
        for position in positions:
            search.set_root(0, position.state)
            search.prepare_root(0, 8, noisy=False)
            while search.step():
                pass
            if search.forest.proof[0, ROOT] == WON:
                found[kind] += 1
                after = position.play(search.root_move(0))
                replies = (after.play(int(reply)) for reply in after.legal_moves)
                assert all(game.rules.find_threats(reply.state.copy(), 20_000, room) >= 0 for reply in replies)
    print(f"found with {nodes} nodes: {found}, of {len(fours)} by fours and {len(threats)} by threes and fours")
    assert found["fours"] == len(fours) == count
    assert found["threats"] >= 0.9 * len(threats)
    assert len(threats) == count
