"""Gumbel search against a plain one in Python, against the paper's algorithm, and what it promises."""

from __future__ import annotations

import numpy as np
import pytest
from test_forest import StubEvaluator, plain_evaluate

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.gumbel import PlainGumbel, schedule
from eightfold.benchmarks.reference.puct import LOST, WON, Node, PlainPuct
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.gumbel import considered_visits
from eightfold.search.settings import SearchSettings

OPEN = "gomoku:size=7"  # five in a row on an empty board: few playouts prove nothing
POSITIONS = [
    ("gomoku:size=6,win=4", []),
    ("gomoku:size=6,win=4", [14, 15, 20, 21]),
    ("gomoku:size=5,win=4,rule=standard", [12, 6, 7, 8]),
    ("gomoku:size=3", [0]),
    ("gomoku:size=3", [4, 0, 8, 2]),
]


def make_search(
    text: str, *, games: int = 1, playouts: int, seed: int = 0, leaves: int = 1, **settings
) -> ForestSearch:
    return ForestSearch(
        make_game(text),
        StubEvaluator(),
        games=games,
        playouts=playouts,
        leaves_a_game=leaves,
        settings=SearchSettings(root="gumbel", **settings),
        random=np.random.default_rng(seed),
    )


def search_through(search: ForestSearch, number: int, playouts: int, *, noisy: bool = True) -> None:
    search.prepare_root(number, playouts, noisy=noisy)
    while search.step():
        pass


def plain_game(text: str, moves: list[int]) -> PlainGomoku:
    game = make_game(text)
    plain = PlainGomoku(game.size, game.numbers[0], game.numbers[1] == 1)
    for move in moves:
        plain.play(move)
    return plain


def root_edges(search: ForestSearch, number: int = 0) -> slice:
    first = int(search.forest.first[number, 0])
    return slice(first, first + int(search.forest.degree[number, 0]))


def root_visits(search: ForestSearch, number: int = 0) -> list[int]:
    return [int(visits) for visits in search.forest.edge_visits[number, root_edges(search, number)]]


def assert_same(search: ForestSearch, plain: PlainGumbel, root: Node) -> None:
    assert root.edges is not None
    assert root_visits(search) == [edge.visits for edge in root.edges]
    assert int(search.forest.proof[0, 0]) == root.proof
    policy = search.root_policy(0)
    assert policy.sum() == pytest.approx(1, abs=1e-5)
    if root.proof == WON:
        winning = {edge.move for edge in root.edges if edge.child is not None and edge.child.proof == LOST}
        assert search.root_move(0) in winning
        assert set(np.flatnonzero(policy)) == winning
    else:
        assert search.root_move(0) == plain.move(root)
        expected = np.zeros(len(policy))
        for move, share in plain.policy(root).items():
            expected[move] = share
        np.testing.assert_allclose(policy, expected, atol=2e-4)


@pytest.mark.parametrize(
    ("candidates", "budget", "table"),
    [
        (1, 4, [0, 1, 2, 3]),
        (2, 6, [0, 0, 1, 1, 2, 2]),
        (4, 8, [0, 0, 0, 0, 1, 1, 2, 2]),
        (4, 11, [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4]),
        (5, 3, [0, 0, 0]),
        (6, 18, [0] * 6 + [1] * 3 + [2] * 3 + [3, 3, 4, 4, 5, 5]),
        (
            8,
            48,
            [0] * 8 + [1] * 8 + [n for n in range(2, 6) for _ in range(4)] + [n for n in range(6, 14) for _ in "ab"],
        ),
    ],
)
def test_the_schedule_of_sequential_halving(candidates, budget, table):
    assert [considered_visits(candidates, budget, done)[0] for done in range(budget)] == table
    assert schedule(candidates, budget) == table


def test_the_schedule_is_the_table_for_every_size():
    for candidates in range(1, 20):
        for budget in range(1, 90):
            places = [considered_visits(candidates, budget, done) for done in range(budget)]
            assert [visits for visits, _ in places] == schedule(candidates, budget)
    assert [done for done in range(48) if considered_visits(8, 48, done)[1]] == [16, 32]


@pytest.mark.parametrize(("text", "moves"), POSITIONS)
@pytest.mark.parametrize(("candidates", "playouts", "constants"), [(16, 150, (50.0, 1.0)), (5, 40, (20.0, 0.1))])
def test_visits_targets_and_moves_are_exactly_those_of_the_plain_search(text, moves, candidates, playouts, constants):
    for seed in range(3):
        search = make_search(
            text,
            playouts=playouts,
            seed=seed,
            gumbel_moves=candidates,
            gumbel_visits=constants[0],
            gumbel_scale=constants[1],
        )
        search.set_root(0, make_game(text).after(moves).state)
        search_through(search, 0, playouts)
        plain = PlainGumbel(plain_evaluate, search.roots.noise[0].tolist(), candidates, constants)
        assert_same(search, plain, plain.run(plain_game(text, moves), playouts))


def test_a_kept_tree_is_searched_on_as_in_the_plain_search():
    text, playouts = "gomoku:size=6,win=4", 60
    search, moves = make_search(text, playouts=playouts, gumbel_moves=6), [14]
    search.set_root(0, make_game(text).after(moves).state)
    root, kept = Node(), 0
    for _ in range(6):
        search_through(search, 0, playouts)
        plain = PlainGumbel(plain_evaluate, search.roots.noise[0].tolist(), 6, (50.0, 1.0))
        plain.go_on(root, plain_game(text, moves), playouts)
        assert_same(search, plain, root)
        if root.proof:
            break
        move = plain.move(root)
        root = next(edge.child for edge in root.edges if edge.move == move)
        kept += sum(edge.visits for edge in root.edges)
        moves.append(move)
        search.advance(0, move)
    assert kept > 60, "or this test says nothing"


class Directed(PlainPuct):
    """Simulations that are told their move at the root; below it the plain Gumbel search."""

    def __init__(self, below: PlainGumbel) -> None:
        super().__init__(plain_evaluate, 0.0, 0.0)
        self.below, self.root, self.next_move = below, Node(), 0

    def select(self, node):
        if node is not self.root:
            return self.below.select(node)
        return next(edge for edge in node.edges if edge.move == self.next_move)


@pytest.mark.parametrize("seed", range(4))
def test_the_root_is_searched_as_in_algorithm_2_of_the_paper(seed):
    """Candidates drawn once, visited equally often, and the better half of them kept, without a table."""
    search = make_search(OPEN, playouts=49, seed=seed, gumbel_moves=8)
    search_through(search, 0, 49)
    noise = search.roots.noise[0]

    game, below = PlainGomoku(7, 5), PlainGumbel(plain_evaluate, noise.tolist(), 8, (50.0, 1.0))
    directed = Directed(below)
    directed.simulate(directed.root, game.copy())
    logits = np.array(plain_evaluate(game)[0])
    candidates = [int(move) for move in np.argsort(-(noise + logits))[:8]]
    edges = {edge.move: edge for edge in directed.root.edges}
    while len(candidates) > 1:
        for move in candidates * (48 // (3 * len(candidates))):
            directed.next_move = move
            directed.simulate(directed.root, game.copy())
        most = max(edge.visits for edge in edges.values())
        scores = {
            m: noise[m] + logits[m] + (50 + most) * (edges[m].total / edges[m].visits + 1) / 2 for m in candidates
        }
        candidates = sorted(candidates, key=lambda move: -scores[move])[: len(candidates) // 2]
    assert root_visits(search) == [edge.visits for edge in directed.root.edges]
    assert search.root_move(0) == candidates[0]


@pytest.mark.parametrize(
    ("candidates", "simulations", "move", "visits", "shares"),
    [
        (
            8,
            48,
            26,
            {24: 6, 26: 14, 29: 2, 34: 2, 35: 2, 38: 2, 40: 6, 43: 14},
            {26: 0.434659, 40: 0.522577, 43: 0.041024},
        ),
        (
            16,
            100,
            13,
            {11: 10, 13: 28, 23: 10, 43: 28}
            | dict.fromkeys([1, 30, 38, 41], 4)
            | dict.fromkeys([24, 26, 28, 29, 34, 35, 39, 40], 1),
            {11: 0.006598, 13: 0.988042, 30: 0.003218, 43: 0.001115},
        ),
    ],
)
def test_golden_numbers_of_another_implementation(candidates, simulations, move, visits, shares):
    """mctx 0.0.71 on the same answers: gumbel_scale 0, values not rescaled, value_scale 0.5 for values of -1 to 1."""
    search = make_search(OPEN, playouts=simulations + 1, gumbel_moves=candidates)
    search_through(search, 0, simulations + 1, noisy=False)
    assert {point: count for point, count in enumerate(root_visits(search)) if count} == visits
    assert search.root_move(0) == move
    policy = search.root_policy(0)
    assert {
        int(point): pytest.approx(float(policy[point]), abs=2e-5) for point in np.flatnonzero(policy > 1e-3)
    } == shares


def test_many_games_at_once_are_each_at_their_own_place_in_their_schedule():
    text, openings, playouts = "gomoku:size=6,win=4", [[], [14], [14, 15], [0, 35, 1]], [40, 90, 17, 61]
    together = make_search(text, games=4, playouts=90)
    game = make_game(text)
    for number, moves in enumerate(openings):
        together.set_root(number, game.after(moves).state)
        together.prepare_root(number, playouts[number])
    while together.step():
        pass
    for number, moves in enumerate(openings):
        alone = make_search(text, playouts=90)
        alone.set_root(0, game.after(moves).state)
        alone.prepare_root(0, playouts[number])
        alone.roots.noise[0] = together.roots.noise[number]
        while alone.step():
            pass
        assert root_visits(together, number) == root_visits(alone)
        np.testing.assert_array_equal(together.root_policy(number), alone.root_policy(0))


@pytest.mark.parametrize("leaves", [1, 3, 8, 32])
def test_several_leaves_at_a_time_keep_to_the_schedule_and_leave_no_virtual_loss(leaves):
    search = make_search(OPEN, playouts=49, leaves=leaves, gumbel_moves=8)
    search_through(search, 0, 49)
    assert sorted(root_visits(search), reverse=True)[:9] == [14, 14, 6, 6, 2, 2, 2, 2, 0]
    edges = root_edges(search)
    assert (np.abs(search.forest.edge_value[0, edges]) <= search.forest.edge_visits[0, edges] + 1e-4).all()


def test_a_batch_ends_where_moves_are_dropped_so_that_all_answers_count():
    search = make_search(OPEN, playouts=49, leaves=32, gumbel_moves=8)
    search.prepare_root(0, 49)
    made = []
    while search.step():
        made.append(sum(root_visits(search)))
    assert made == [0, 16, 32, 48]


def test_without_noise_the_search_is_the_same_every_time():
    first, second = (make_search(OPEN, playouts=40, seed=seed) for seed in (1, 2))
    for search in (first, second):
        search_through(search, 0, 40, noisy=False)
    assert root_visits(first) == root_visits(second)
    assert first.root_move(0) == second.root_move(0)
    search_through(second, 0, 40)
    assert second.roots.noise[0].std() > 0.5


def test_a_win_in_one_is_never_missed_and_a_loss_is_not_chosen():
    game = make_game("gomoku:size=8")
    for seed in range(5):
        for playouts in (1, 4, 30):
            search = make_search("gomoku:size=8", playouts=30, seed=seed, gumbel_moves=4)
            search.set_root(0, game.after(["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"]).state)
            search_through(search, 0, playouts)
            winning = {"b4", "g4"}
            assert {game.name_of(int(move)) for move in np.flatnonzero(search.root_policy(0))} == winning
            assert game.name_of(search.root_move(0)) in winning
            assert search.root_value(0) == 1
            search.set_root(0, game.after(["b4", "a4", "c4", "h8", "d4", "h6", "e4"]).state)
            search_through(search, 0, playouts)
            assert {game.name_of(int(move)) for move in np.flatnonzero(search.root_policy(0))} == {"f4"}
            assert game.name_of(search.root_move(0)) == "f4"


def test_proven_losses_get_nothing_and_are_not_played_while_anything_else_is_left():
    text, random, lost_and_open = "gomoku:size=5,win=4", np.random.default_rng(5), 0
    search, game = make_search(text, playouts=60, gumbel_moves=8, leaves=2), make_game(text)
    for _ in range(60):
        position = game.start()
        for move in random.permutation(25)[: random.integers(4, 14)]:
            if not position.is_over:
                position = position.play(int(move))
        if position.is_over:
            continue
        search.set_root(0, position.state)
        search_through(search, 0, 60)
        forest, edges = search.forest, root_edges(search)
        proofs = dict(
            zip(forest.move[0, edges].tolist(), forest.proof[0, forest.child[0, edges]].tolist(), strict=True)
        )
        policy = search.root_policy(0)
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert set(np.flatnonzero(policy)) <= set(position.legal_moves)
        lost = [move for move, proof in proofs.items() if proof == search.kernels.WON]
        if len(lost) < len(proofs):
            lost_and_open += bool(lost)
            assert not policy[lost].any()
            assert search.root_move(0) not in lost
        assert -1 <= search.root_value(0) <= 1
    assert lost_and_open > 10


def test_where_everything_loses_there_still_is_a_move_and_a_target():
    game = make_game("gomoku:size=8")
    search = make_search("gomoku:size=8", playouts=10)
    search.set_root(0, game.after(["c4", "a8", "d4", "c8", "e4", "e8", "f4"]).state)  # b4 and g4 cannot both be met
    search_through(search, 0, 10)
    assert search.root_value(0) == -1
    assert search.root_policy(0).sum() == pytest.approx(1, abs=1e-5)
    assert search.root_move(0) in game.after(["c4", "a8", "d4", "c8", "e4", "e8", "f4"]).legal_moves


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"root": "gumble"}, "unknown root 'gumble' (did you mean 'gumbel'?); known: puct, gumbel"),
        ({"gumbel_moves": 0}, "gumbel_moves = 0 is too small; 1 or more is needed"),
        ({"gumbel_scale": -1.0}, "gumbel_scale = -1.0 is too small; 0 or more is needed"),
        ({"gumbel_visits": float("nan")}, "gumbel_visits = nan is not a number from 0 to 1,000,000"),
        ({"forced_playouts": -2.0}, "forced_playouts = -2.0 is too small; 0 or more is needed"),
        (
            {"root": "gumbel", "forced_playouts": 2.0},
            "forced_playouts = 2.0 goes with root = puct; root = gumbel needs 0",
        ),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(settings, said):
    with pytest.raises(EightfoldError) as caught:
        SearchSettings(**settings)
    assert str(caught.value) == said
