"""The forest of search trees against a plain PUCT that walks one leaf at a time."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.puct import UNKNOWN, PlainPuct
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.state import BLACK, WHITE
from eightfold.search.forest import ForestSearch
from eightfold.search.kernels.tree import WON
from eightfold.search.settings import SearchSettings


class StubEvaluator:
    """Answers drawn from the stones themselves: the same position, the same answer, and no two alike."""

    encoder = "last-move"

    def evaluate(self, planes):
        answers = [stub_answer(plane) for plane in planes]
        return np.stack([logits for logits, _ in answers]), np.array([value for _, value in answers], np.float32)


def stub_answer(planes: np.ndarray) -> tuple[np.ndarray, float]:
    stones = planes[:2].astype(np.int64).ravel()
    random = np.random.default_rng([int(x) for x in np.packbits(stones.astype(np.uint8))])
    return random.normal(size=planes.shape[-1] ** 2).astype(np.float32), float(np.float32(random.uniform(-0.9, 0.9)))


def plain_evaluate(game: PlainGomoku) -> tuple[list[float], float]:
    planes = np.zeros((2, game.size, game.size), np.float32)
    for point, colour in game.stones.items():
        planes[0 if colour == game.side else 1][point] = 1
    logits, value = stub_answer(planes)
    return logits.tolist(), value


def both(text: str, moves: list[int], playouts: int, **settings: float):
    game = make_game(text)
    search = ForestSearch(game, StubEvaluator(), playouts=playouts, settings=SearchSettings(**settings))
    search.set_root(0, game.after(moves).state, contempt_side=BLACK)
    search.prepare_root(0, playouts)
    while search.step():
        pass
    plain_game = PlainGomoku(game.size, game.numbers[0], game.numbers[1] == 1)
    for move in moves:
        plain_game.play(move)
    exploration, fpu_reduction = settings.get("exploration", 5.0), settings.get("fpu_reduction", -1.0)
    draw = -settings.get("contempt", 0.0)
    plain = PlainPuct(plain_evaluate, exploration, fpu_reduction, by_fours="proof_nodes" in settings, draw=draw)
    return game, search, plain.run(plain_game, playouts)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("gomoku:size=6,win=4", []),
        ("gomoku:size=6,win=4", [14, 15, 20, 21]),
        ("gomoku:size=5,win=4,rule=standard", [12, 6, 7, 8]),
        ("gomoku:size=3", [0]),
        ("gomoku:size=3", [4, 0, 8, 2]),
        ("gomoku:size=6,win=4", [14, 0, 15, 5]),  # black wins by fours
    ],
)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"exploration": 1.25, "fpu_reduction": 0.2},
        {"proof_nodes": 10_000},
        {"exploration": 1.25, "proof_nodes": 10_000},
        {"contempt": 0.5},
    ],
)
def test_visits_and_proofs_are_exactly_those_of_the_plain_search(text, moves, settings):
    _, search, root = both(text, moves, 150 if "proof_nodes" in settings else 300, **settings)
    forest = search.forest
    first, degree = int(forest.first[0, 0]), int(forest.degree[0, 0])
    assert root.edges is not None
    assert [int(move) for move in forest.move[0, first : first + degree]] == [edge.move for edge in root.edges]
    assert [int(n) for n in forest.edge_visits[0, first : first + degree]] == [edge.visits for edge in root.edges]
    assert int(forest.proof[0, 0]) == root.proof
    np.testing.assert_allclose(
        forest.edge_value[0, first : first + degree], [edge.total for edge in root.edges], atol=1e-3
    )


def solve(game: PlainGomoku) -> int:
    """The value of a position for its side to move: 1, 0 or -1."""
    if game.result:
        return 0 if game.result == 3 else -1
    values = []
    for move in game.legal():
        after = game.copy()
        after.play(move)
        values.append(-solve(after))
    return max(values)


def test_what_is_proven_is_true():
    """Three in a row on 3x3: nearly all positions get proven, and every proof agrees with a full search."""
    game, random = make_game("gomoku:size=3"), np.random.default_rng(4)
    search = ForestSearch(game, StubEvaluator(), playouts=3000)
    proven = 0
    for _ in range(60):
        moves = [int(move) for move in random.permutation(9)[: random.integers(2, 6)]]
        plain = PlainGomoku(3, 3)
        for move in moves:
            if not plain.result:
                plain.play(move)
        if plain.result:
            proven += 1
            continue
        search.set_root(0, game.after(moves).state)
        search.prepare_root(0, 3000)
        while search.step():
            pass
        if search.forest.proof[0, 0] != UNKNOWN:
            proven += 1
            assert search.root_value(0) == solve(plain)
    assert proven >= 45


def test_a_win_in_one_is_never_missed_and_a_loss_is_not_chosen():
    game = make_game("gomoku:size=8")
    search = ForestSearch(game, StubEvaluator(), playouts=4)
    win = game.after(["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"])
    search.set_root(0, win.state)
    search.prepare_root(0, 4)
    while search.step():
        pass
    assert {game.name_of(int(move)) for move in np.flatnonzero(search.root_visits(0))} == {"b4", "g4"}
    assert search.root_value(0) == 1
    parry = game.after(["b4", "a4", "c4", "h8", "d4", "h6", "e4"])  # only f4 does not lose at once
    search.set_root(0, parry.state)
    search.prepare_root(0, 4)
    while search.step():
        pass
    assert {game.name_of(int(move)) for move in np.flatnonzero(search.root_visits(0))} == {"f4"}


def test_many_games_at_once_are_each_searched_as_if_alone():
    game = make_game("gomoku:size=6,win=4")
    openings = [[], [14], [14, 15], [0, 35, 1]]
    together = ForestSearch(game, StubEvaluator(), games=4, playouts=150)
    for number, moves in enumerate(openings):
        together.set_root(number, game.after(moves).state)
        together.prepare_root(number, 150)
    while together.step():
        pass
    for number, moves in enumerate(openings):
        _, alone, _ = both("gomoku:size=6,win=4", moves, 150)
        np.testing.assert_array_equal(together.root_visits(number), alone.root_visits(0))


def test_several_leaves_of_one_game_leave_no_virtual_loss_behind():
    game = make_game("gomoku:size=6,win=4")
    search = ForestSearch(game, StubEvaluator(), playouts=256, leaves_a_game=8)
    search.set_root(0, game.after([14, 15]).state)
    search.prepare_root(0, 256)
    while search.step():
        pass
    forest = search.forest
    first, degree = int(forest.first[0, 0]), int(forest.degree[0, 0])
    visits = forest.edge_visits[0, first : first + degree]
    assert visits.sum() == forest.visits[0, 0] - 1
    assert (np.abs(forest.edge_value[0, first : first + degree]) <= visits + 1e-4).all()


def test_the_tree_below_a_move_is_kept_and_a_full_tree_does_no_harm():
    game = make_game("gomoku:size=6,win=4")
    search = ForestSearch(game, StubEvaluator(), playouts=60)
    position = game.start()
    while not position.is_over:
        search.prepare_root(0, 60)
        while search.step():
            pass
        move = int(search.root_visits(0).argmax())
        edge = search.kernels.find_edge(search.forest, 0, move)
        expected = int(search.forest.edge_visits[0, edge])
        expanded = search.forest.first[0, search.forest.child[0, edge]] >= 0
        search.advance(0, move)
        position = position.play(move)
        np.testing.assert_array_equal(search.forest.states[0], position.state)
        if expanded:
            assert int(search.forest.visits[0, 0]) == expected


def priors_of_root(search: ForestSearch) -> np.ndarray:
    first, degree = int(search.forest.first[0, 0]), int(search.forest.degree[0, 0])
    return search.forest.prior[0, first : first + degree].copy()


def test_noise_changes_the_priors_and_keeps_their_sum():
    """At a root without priors the noise comes as soon as it has them, at another at once."""
    game = make_game("gomoku:size=6,win=4")
    plain = ForestSearch(game, StubEvaluator(), playouts=8)
    noisy = ForestSearch(game, StubEvaluator(), playouts=8, settings=SearchSettings(noise=0.25))
    for search in (plain, noisy):
        search.prepare_root(0, 1)
        search.step()
    before, after = priors_of_root(plain), priors_of_root(noisy)
    noisy.prepare_root(0, 2)
    twice = priors_of_root(noisy)
    for old, new in ((before, after), (after, twice)):
        assert new.sum() == pytest.approx(1, abs=1e-5)
        assert (new >= 0.75 * old - 1e-6).all()
        assert not np.allclose(old, new)


def test_noise_that_is_due_does_not_outlive_its_root():
    game = make_game("gomoku:size=6,win=4")
    noisy = ForestSearch(game, StubEvaluator(), playouts=8, settings=SearchSettings(noise=0.25))
    noisy.prepare_root(0, 1)
    noisy.advance(0, 14)
    noisy.prepare_root(0, 1, noisy=False)
    noisy.step()
    plain = ForestSearch(game, StubEvaluator(), playouts=8)
    plain.advance(0, 14)
    plain.prepare_root(0, 1)
    plain.step()
    np.testing.assert_array_equal(priors_of_root(noisy), priors_of_root(plain))


class Drawish:
    """Says even chances of every position, and a draw the likelier the fewer stones are left of the diagonal."""

    encoder = "last-move"

    def __init__(self, told: bool) -> None:
        self.told = told

    def evaluate(self, planes):
        sharp = np.triu(planes[:, :2].sum(axis=1), 1).sum(axis=(1, 2)) == 0
        values = np.zeros((len(planes), 2), np.float32)
        values[:, 1] = np.where(sharp, 0.2, 0.9)
        return np.zeros((len(planes), planes.shape[-1] ** 2), np.float32), values if self.told else values[:, 0]


def test_contempt_seeks_positions_that_are_not_drawn():
    game = make_game("gomoku:size=6,win=4")
    for wants, sharp in ((BLACK, True), (WHITE, False)):
        search = ForestSearch(game, Drawish(told=True), playouts=200, settings=SearchSettings(contempt=0.5))
        search.set_root(0, game.start().state, contempt_side=wants)
        search.prepare_root(0, 200)
        while search.step():
            pass
        visits = search.root_visits(0).reshape(6, 6)
        drawish = visits[np.triu_indices(6, 1)].mean()
        likelier = visits[np.tril_indices(6)].mean() > 1.5 * drawish
        assert likelier == sharp, "black to move: it avoids draws if it wants to win, and seeks them if not"
        assert abs(search.root_value(0)) < 0.01, "what a draw is worth does not change what is expected"


class Moody:
    """Sees black losing at first, and then nothing but draws."""

    encoder = "last-move"
    sees_draws = False

    def evaluate(self, planes):
        black_to_move = planes[:, :2].sum(axis=(1, 2, 3)) % 2 == 0
        lost = np.where(black_to_move, -0.99, 0.99)
        value, draw = (0 * lost, 1.0) if self.sees_draws else (lost, 0.0)
        values = np.stack([value, np.full(len(planes), draw)], axis=1).astype(np.float32)
        return np.zeros((len(planes), planes.shape[-1] ** 2), np.float32), values


def test_what_a_root_is_worth_stays_within_the_range_of_results_when_a_tree_is_kept():
    game = make_game("gomoku:size=6,win=4")
    evaluator = Moody()
    search = ForestSearch(
        game, evaluator, playouts=60, settings=SearchSettings(contempt=0.8, count_reused_visits=False)
    )
    search.set_root(0, game.start().state, contempt_side=WHITE)
    for evaluator.sees_draws, playouts in ((False, 50), (True, 4)):
        search.prepare_root(0, playouts, noisy=False)
        while search.step():
            pass
    assert search.root_value(0) == -1


def test_without_contempt_draws_change_nothing():
    game = make_game("gomoku:size=6,win=4")
    found = []
    for told in (True, False):
        search = ForestSearch(game, Drawish(told), playouts=100)
        search.prepare_root(0, 100)
        while search.step():
            pass
        found.append(search.root_visits(0))
    np.testing.assert_array_equal(*found)


def test_several_threads_search_as_one_does():
    game = make_game("gomoku:size=6,win=4")
    found = []
    for threads in (1, 3):
        search = ForestSearch(game, StubEvaluator(), games=100, playouts=24, threads=threads)
        for number in range(100):
            search.set_root(number, game.after([number % 36]).state)
            search.prepare_root(number, 4 + number % 20)  # some are done early: gaps between the threads' leaves
        while search.step():
            pass
        found.append((np.stack([search.root_visits(number) for number in range(100)]), search.simulations))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_a_search_tells_the_value_of_every_move_and_how_it_goes_on():
    game, search, _ = both("gomoku:size=6,win=4", [14, 15], 300)
    values, visits = search.root_values(0), search.root_visits(0)
    looked = visits > 0
    assert np.isnan(values[~looked]).all()
    assert np.abs(values[looked]).max() <= 1
    total = (values[looked] * visits[looked]).sum() + search.forest.value[0, 0]
    assert total / (visits.sum() + 1) == pytest.approx(search.root_value(0), abs=1e-4)
    best = int(visits.argmax())
    line = search.variation(0, best)
    assert line[0] == best
    assert len(line) > 2
    game.after([14, 15, *line])  # every move of it is legal


def test_the_value_of_a_move_is_exact_where_it_is_proven():
    game, search, _ = both("gomoku:size=6,win=4", [14, 0, 15, 5], 150, proof_nodes=10_000)  # black wins by fours
    winning = [move for move in range(36) if search.root_values(0)[move] == 1]
    assert search.root_move(0) in winning
    for move in winning:
        position = game.after([14, 0, 15, 5, move])
        replies = [position.play(int(reply)) for reply in position.legal_moves]
        scratch = np.empty(game.scratch, np.int64)
        assert all(game.rules.find_win(reply.state, 10_000, scratch) >= 0 for reply in replies)


@pytest.mark.parametrize("rule", ["renju", "caro", "caro-exact"])
def test_what_is_proven_under_other_rules_holds_and_nothing_forbidden_is_looked_at(rule):
    """Whoever has a proven win keeps it, by legal moves alone, whatever the other side plays."""
    game, random = make_game(f"gomoku:size=8,rule={rule}"), np.random.default_rng(5)
    search = ForestSearch(game, StubEvaluator(), playouts=60, settings=SearchSettings(proof_nodes=200))
    proven = forbidden = 0

    def searched(position):
        search.set_root(0, position.state)
        search.prepare_root(0, 60)
        while search.step():
            pass
        edges = slice(int(search.forest.first[0, 0]), int(search.forest.first[0, 0] + search.forest.degree[0, 0]))
        np.testing.assert_array_equal(np.sort(search.forest.move[0, edges]), position.legal_moves)
        return search.forest.proof[0, 0] == WON

    for _ in range(25):
        position = game.start()
        for move in random.permutation(64)[: random.integers(18, 34)]:
            if not position.is_over and position.legal_mask[move]:
                position = position.play(int(move))
        if position.is_over:
            continue
        forbidden += len(position.forbidden_moves)
        if not searched(position):
            continue
        proven, winner = proven + 1, position.to_move
        while not position.is_over:
            if position.to_move == winner:
                assert searched(position), position
                position = position.play(search.root_move(0))
            else:
                position = position.play(int(random.choice(position.legal_moves)))
        assert position.winner == winner
    assert proven >= 5, proven
    assert (forbidden > 0) == (rule == "renju")


@pytest.mark.parametrize("playouts", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("moves", [[], [14, 15], [14, 15, 20, 21, 8]])
def test_equal_visits_are_told_apart_by_the_priors(moves, playouts):
    """The plain rule over the plain search's tree; with no visits at all it is the network's policy."""
    game, search, root = both("gomoku:size=6,win=4", moves, playouts)
    logits, _ = plain_evaluate(plain_position(game, moves))
    by_network = {edge.move: logits[edge.move] for edge in root.edges}
    safe = [edge for edge in root.edges if edge.child is None or edge.child.proof == UNKNOWN] or root.edges
    most = max(edge.visits for edge in safe)
    expected = max((edge.move for edge in safe if edge.visits == most), key=by_network.__getitem__)
    assert {search.root_move(0) for _ in range(8)} == {expected}
    assert search.best_moves(0).tolist() == [expected]
    assert search.is_unvisited(0) == all(edge.visits == 0 for edge in root.edges)


def plain_position(game, moves: list[int]) -> PlainGomoku:
    plain = PlainGomoku(game.size, game.numbers[0], game.numbers[1] == 1)
    for move in moves:
        plain.play(move)
    return plain


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (["a6", "b3", "f6", "c3", "a3", "d3"], {"e3"}),  # white's row of three is closed on one side
        (["b3", "a6", "c3", "f6", "d3", "a1"], {"a3", "e3"}),  # black's own is open
    ],
)
def test_without_any_visit_a_proof_comes_before_the_policy(moves, expected):
    game = make_game("gomoku:size=6,win=4")
    search = ForestSearch(game, StubEvaluator(), playouts=1)
    search.set_root(0, game.after(moves).state)
    search.prepare_root(0, 1)
    while search.step():
        pass
    found = {game.name_of(search.root_move(0)) for _ in range(20)}
    assert len(found) == 1
    assert found <= expected


@pytest.mark.parametrize("broken", ["logits", "values"])
def test_a_network_whose_answers_are_no_numbers_is_named(broken):
    class Broken(StubEvaluator):
        def evaluate(self, planes):
            logits, values = super().evaluate(planes)
            (logits if broken == "logits" else values)[0] = np.nan
            return logits, values

    search = ForestSearch(make_game("gomoku:size=5,win=4"), Broken(), playouts=20, settings=SearchSettings())
    search.prepare_root(0, 20)
    with pytest.raises(EightfoldError, match="not a number"):
        search.step()
