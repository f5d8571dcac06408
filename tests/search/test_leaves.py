"""Leaves valued by games: the players in them against the players by name, the mixture, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games import make_game
from eightfold.games.state import BLACK, DRAW, WHITE
from eightfold.search.alphabeta import AlphaBeta, AlphaBetaOptions, make_work
from eightfold.search.forest import ForestSearch
from eightfold.search.greedy import Greedy
from eightfold.search.leaves import Rollouts, check_leaves
from eightfold.search.settings import LeafSettings, SearchSettings
from refusals import refusal

GAME = make_game("gomoku:size=6,win=4")
KERNELS = specialise("eightfold.search.kernels.minmax_leaves", GAME.rules)


class Even:
    """A network that knows nothing: all moves alike, values from what it is given."""

    encoder = "last-move"

    def __init__(self, value=0.0):
        self.value = value

    def evaluate(self, planes):
        actions = planes.shape[-1] ** 2
        return np.zeros((len(planes), actions), np.float32), np.full(len(planes), self.value, np.float32)


def positions(count, seed=1):
    """Positions after random moves in which nobody has won."""
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        position = GAME.start()
        for _ in range(int(random.integers(2, 14))):
            if not position.is_over:
                position = position.play(int(random.choice(position.legal_moves)))
        if not position.is_over:
            found.append(position)
    return found


def work_at(position, depth=1):
    work = make_work(GAME, depth + 1, 1 << 10)
    specialise("eightfold.search.kernels.alphabeta", GAME.rules).prepare(work, position.state, 2, position.stones)
    return work


def rollouts_of(position, *, seed=1, **options):
    """The value and the share of draws that games from one position give."""
    rollouts = Rollouts(GAME, LeafSettings(**options), games=1, batch=1, seed=seed)
    nothing = np.zeros((1, GAME.actions), np.float32), np.zeros((1, 2), np.float32)
    _, values = rollouts.beside(lambda: nothing, position.state[None], np.zeros(1, np.int32), 1.0)
    assert rollouts.games == options.get("rollouts", LeafSettings().rollouts)
    return values[0]


def test_greedy_rollouts_play_what_greedy_plays():
    random = make_random(1)
    for position in positions(40):
        scores = Greedy(GAME).think(position).scores
        best = set(np.flatnonzero(scores == scores.max()).tolist())
        work = work_at(position)
        played = {KERNELS.greedy_move(work.states[0], work.scores[0], random) for _ in range(20)}
        assert played <= best
        assert len(best) == 1 or len(played) > 1, "one of the best by chance"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_rollouts_with_look_ahead_play_a_best_move_of_alphabeta(depth):
    player = AlphaBeta(GAME, AlphaBetaOptions(depth=depth))
    for position in positions(12):
        scores = player.root_scores(position)
        move = KERNELS.best_move(work_at(position, depth), depth, 2)
        assert scores[move] == np.nanmax(scores)


def test_exploring_moves_are_drawn_in_proportion_to_their_scores():
    [position] = positions(1, seed=5)
    scores = Greedy(GAME).think(position).scores
    work, random, counts = work_at(position), make_random(2), np.zeros(GAME.actions)
    for _ in range(20_000):
        counts[KERNELS.drawn_move(work.states[0], work.scores[0], random)] += 1
    expected = 20_000 * scores / scores.sum()
    assert (counts[scores == 0] == 0).all()
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected) + 1).all()


@pytest.mark.parametrize("options", [{"leaves": "minmax"}, {"leaves": "minmax", "rollout_depth": 2}])
def test_minmax_rollouts_see_a_row_that_wins(options):
    open_three = GAME.after([GAME.action(move) for move in ("b3", "a6", "c3", "f6", "d3", "f1")])
    value, draws = rollouts_of(open_three, rollouts=50, rollout_epsilon=0, **options)
    assert (value, draws) == (1, 0), "black to move makes four"
    after = open_three.play(GAME.action("a3"))
    assert after.is_over
    blocked = GAME.after([GAME.action(move) for move in ("b3", "a6", "c3", "f6", "d3")])
    value, _ = rollouts_of(blocked, rollouts=50, rollout_epsilon=0, **options)
    assert value == -1, "white can close one end only"


def test_random_rollouts_agree_with_plain_ones():
    moves = [14, 0, 15, 5, 20]
    value, draws = rollouts_of(GAME.after(moves), leaves="random", rollouts=10_000)
    random, total, drawn, games = np.random.default_rng(3), 0, 0, 300
    for _ in range(games):
        plain = PlainGomoku(6, 4)
        for move in moves:
            plain.play(move)
        side = plain.side
        while plain.result == 0:
            plain.play(int(random.choice(plain.legal())))
        total += 0 if plain.result == DRAW else 1 if plain.result == side else -1
        drawn += plain.result == DRAW
    assert abs(value - total / games) < 4 / games**0.5
    assert abs(draws - drawn / games) < 4 * max(draws, 1 / games) ** 0.5 / games**0.5 + 1e-3


def visits(settings, *, games=1, slot=0, threads=1, value=0.3, seed=100):
    search = ForestSearch(GAME, Even(value), games=games, playouts=60, settings=settings, threads=threads)
    for number in range(games):
        search.set_root(number, GAME.after([14, 0, 15]).state)
        if search.rollouts is not None:
            search.rollouts.reseed(number, seed + number - slot)
        search.prepare_root(number, 60, noisy=False)
    while search.step():
        pass
    return search.root_visits(slot).tolist(), search.root_value(slot)


def test_theta_mixes_the_network_and_the_rollouts():
    assert visits(SearchSettings(leaves="mixed", theta=0)) == visits(SearchSettings())
    assert visits(SearchSettings(leaves="mixed", theta=1)) == visits(SearchSettings(leaves="minmax"))
    alone = visits(SearchSettings(leaves="mixed", theta=1, rollout="random"))
    assert alone == visits(SearchSettings(leaves="random"))
    assert alone != visits(SearchSettings())


def test_a_leaf_is_worth_the_weighted_mean():
    position, network, games = GAME.after([14, 0]), 0.5, {}
    for theta in (0.0, 0.25, 1.0):
        search = ForestSearch(
            GAME, Even(network), settings=SearchSettings(leaves="mixed", theta=theta, rollout="random")
        )
        search.set_root(0, position.state)
        if theta > 0:
            search.rollouts.reseed(0, 4)
        search.prepare_root(0, 1)
        search.step()
        games[theta] = float(search.forest.value[0, 0])
    assert games[0.0] == network
    assert games[0.25] == pytest.approx(0.25 * games[1.0] + 0.75 * network)


def test_rollouts_depend_neither_on_the_games_beside_nor_on_threads():
    settings = SearchSettings(leaves="minmax", rollout_epsilon=0.3)
    alone = visits(settings)
    assert alone == visits(settings, games=70, slot=69, threads=2)
    assert alone != visits(settings, seed=101)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("gomoku:size=5,win=5,rule=renju", "minmax"),
        ("gomoku:size=7,win=5,rule=caro", "minmax"),
        ("go:size=5", "random"),
        pytest.param("go:size=5", "minmax", marks=pytest.mark.slow),  # greedy players end no game: random moves do
    ],
)
def test_games_from_leaves_come_to_an_end_under_all_rules(text, kind):
    game = make_game(text)
    rollouts = Rollouts(game, LeafSettings(leaves=kind, rollouts=20), games=1, batch=1, seed=1)
    nothing = np.zeros((1, game.actions), np.float32), np.zeros((1, 2), np.float32)
    _, [[value, draws]] = rollouts.beside(lambda: nothing, game.start().state[None], np.zeros(1, np.int32), 1.0)
    assert abs(value) + draws <= 1


def test_a_game_without_scores_refuses_min_max_rollouts(examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    squares = make_game("python:squares,size=4", trusted=True)
    check_leaves(LeafSettings(leaves="random"), squares)
    check_leaves(LeafSettings(leaves="mixed", rollout="random"), squares)
    for settings in (LeafSettings(leaves="minmax"), LeafSettings(leaves="mixed")):
        with pytest.raises(
            EightfoldError, match=r"needs a game that scores moves; python:squares offers no score_moves"
        ):
            check_leaves(settings, squares)


def test_what_only_mixed_leaves_have_is_refused_with_others():
    for leaves in ("network", "random", "minmax"):
        assert refusal(lambda leaves=leaves: check_leaves(LeafSettings(leaves=leaves, theta=0.8), GAME)) == (
            f"theta=0.8 goes with leaves=mixed, and leaves={leaves} has none of it;"
            " set leaves=mixed, or leave theta out"
        )
        check_leaves(LeafSettings(leaves=leaves, theta=0.5, rollout="minmax"), GAME)  # as runs keep them
    assert "rollout=random goes with leaves=mixed" in refusal(lambda: visits(SearchSettings(rollout="random")))
    check_leaves(LeafSettings(leaves="mixed", theta=0.8, rollout="random"), GAME)


def test_what_rollouts_alone_have_is_refused_without_them():
    for options in ({"rollouts": 8}, {"rollout_depth": 2}, {"rollout_epsilon": 0.5}):
        name = next(iter(options))
        assert f"{name}={options[name]} goes with leaves=" in refusal(
            lambda options=options: check_leaves(LeafSettings(**options), GAME)
        )
        check_leaves(LeafSettings(leaves="minmax", **options), GAME)
    assert "minmax or mixed" in refusal(lambda: check_leaves(LeafSettings(leaves="random", rollout_depth=2), GAME))
    check_leaves(LeafSettings(leaves="random", rollouts=8), GAME)


def test_colours_are_told_apart():
    """The same stones are good for whose they are, whoever is to move."""
    row = [GAME.action(move) for move in ("b3", "a6", "c3", "f6", "d3", "f1")]
    black = rollouts_of(GAME.after(row), leaves="minmax", rollouts=20, rollout_epsilon=0)
    position = GAME.after([GAME.action("a1"), *row])  # the row is white's now, and white is to move
    assert position.to_move == WHITE != BLACK
    white = rollouts_of(position, leaves="minmax", rollouts=20, rollout_epsilon=0)
    assert black[0] == white[0] == 1
