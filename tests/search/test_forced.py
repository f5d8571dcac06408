"""Forced playouts and the pruned target against a plain search in Python."""

from __future__ import annotations

import numpy as np
import pytest
from test_forest import StubEvaluator, plain_evaluate
from test_gumbel import POSITIONS, plain_game, root_edges, root_visits, search_through

from eightfold.benchmarks.reference.forced import PlainForced
from eightfold.benchmarks.reference.puct import UNKNOWN
from eightfold.games import make_game
from eightfold.search.forest import ForestSearch
from eightfold.search.settings import SearchSettings


def searched(text: str, moves: list[int], playouts: int, **settings) -> ForestSearch:
    game = make_game(text)
    search = ForestSearch(game, StubEvaluator(), playouts=playouts, settings=SearchSettings(**settings))
    search.set_root(0, game.after(moves).state)
    search_through(search, 0, playouts)
    return search


@pytest.mark.parametrize(("text", "moves"), POSITIONS)
@pytest.mark.parametrize(("exploration", "fpu_reduction"), [(5.0, -1.0), (1.25, 0.2)])
@pytest.mark.parametrize("forced", [2.0, 8.0])
def test_visits_and_targets_are_exactly_those_of_the_plain_search(text, moves, exploration, fpu_reduction, forced):
    search = searched(text, moves, 200, exploration=exploration, fpu_reduction=fpu_reduction, forced_playouts=forced)
    plain = PlainForced(plain_evaluate, exploration, fpu_reduction, forced)
    root = plain.run(plain_game(text, moves), 200)
    assert root.edges is not None
    assert root_visits(search) == [edge.visits for edge in root.edges]
    policy = search.root_policy(0)
    assert policy.sum() == pytest.approx(1, abs=1e-5)
    if root.proof == UNKNOWN:
        target = np.zeros(len(policy))
        for move, visits in plain.target().items():
            target[move] = visits
        np.testing.assert_allclose(policy, target / target.sum(), atol=1e-6)
    else:
        visits = search.root_visits(0)
        np.testing.assert_array_equal(policy, visits / visits.sum())


def test_tried_moves_get_what_they_are_due_and_the_target_does_not_show_it():
    search = searched("gomoku:size=6,win=4", [14, 15], 300, exploration=1.25, fpu_reduction=0.2, forced_playouts=2.0)
    free = searched("gomoku:size=6,win=4", [14, 15], 300, exploration=1.25, fpu_reduction=0.2)
    forest, edges = search.forest, root_edges(search)
    visits, prior = forest.edge_visits[0, edges], forest.prior[0, edges]
    unproven = forest.proof[0, forest.child[0, edges]] == UNKNOWN
    due = np.sqrt(2 * prior * visits.sum())
    tried = (visits > 0) & unproven
    assert (visits[tried] >= np.floor(due[tried])).all()
    free_visits = free.forest.edge_visits[0, root_edges(free)]
    assert (visits[tried] > free_visits[tried]).sum() > 2, "or nothing was forced"
    policy, plain_policy = search.root_policy(0), visits / visits.sum()
    assert policy.max() > plain_policy.max()
    kept = policy[forest.move[0, edges]] * visits.max() / policy.max()  # the most visited keeps all its visits
    assert (kept <= visits + 1e-3).all()
    assert not np.isclose(kept, 1, atol=1e-3).any(), "single visits are dropped"


def test_a_quiet_root_is_searched_as_ever():
    text, moves = "gomoku:size=6,win=4", [14, 15]
    game = make_game(text)
    search = ForestSearch(game, StubEvaluator(), playouts=200, settings=SearchSettings(forced_playouts=2.0))
    search.set_root(0, game.after(moves).state)
    search_through(search, 0, 200, noisy=False)
    free = searched(text, moves, 200)
    assert root_visits(search) == root_visits(free)
    np.testing.assert_array_equal(search.root_policy(0), free.root_policy(0))


def test_proofs_are_kept():
    game = make_game("gomoku:size=8")
    for moves, right in (
        (["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"], {"b4", "g4"}),
        (["b4", "a4", "c4", "h8", "d4", "h6", "e4"], {"f4"}),
    ):
        search = searched("gomoku:size=8", list(game.after(moves).moves), 20, forced_playouts=2.0)
        assert {game.name_of(int(move)) for move in np.flatnonzero(search.root_policy(0))} == right
