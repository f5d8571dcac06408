"""Internal Symmetry Networks at the board: choosing, looking ahead, playing each other, by name."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.arena.match import play_match, round_robin
from eightfold.arena.players import make_player
from eightfold.core.rng import make_random
from eightfold.games.game import make_game
from eightfold.games.setup import start_from, with_side
from eightfold.games.state import BLACK, WHITE
from eightfold.isn.assessment import IsnEvaluator, follow
from eightfold.isn.classes import EMPTY_POINT, liberty_classes
from eightfold.isn.fused import FusedEvaluator
from eightfold.isn.go_network import GoIsn
from eightfold.isn.move_selection import draw_move, move_values
from eightfold.isn.player import IsnOptions, IsnPlayer
from eightfold.isn.reward import board_rewards, board_values
from eightfold.isn.tables import playing_tables
from eightfold.nets.store.open import open_network
from refusals import refusal
from strange_networks import save_isn, strange


@pytest.fixture
def place(tmp_path):
    file = tmp_path / "strange.safetensors"
    save_isn(strange(1), file)
    return file


def random_position(game, plies, seed):
    random, position = np.random.default_rng(seed), game.start()
    for _ in range(plies):
        position = position.play(int(random.choice(position.legal_moves[:-1])))
    return position


def test_moves_are_as_likely_as_they_are_worth():
    moves, worth = np.array([0, 2, 3, 9], np.int64), np.full((1, 10), np.nan)
    worth[0, moves] = 0.1, 0.5, -0.2, 0.4
    random = make_random(1)
    for colour, sign in ((WHITE, 1), (BLACK, -1)):
        drawn = np.bincount([draw_move(worth, colour, 3.0, moves, 4, random) for _ in range(20_000)], minlength=10)
        chances = np.exp(3 * sign * worth[0, moves])
        np.testing.assert_allclose(drawn[moves] / 20_000, chances / chances.sum(), atol=0.015)
        assert drawn.sum() == drawn[moves].sum()
        assert draw_move(worth, colour, 0.0, moves, 4, random) == (2 if colour == WHITE else 3)


@pytest.mark.parametrize("config", [{"recurrent": 2}, {"outputs": 1}, {}])
def test_move_values_are_those_of_whole_boards(config):
    """With recurrent links, one output, and the usual network; superko and captures as the rules have it."""
    game = make_game("go:size=5,komi=0.5")
    network, single = strange(2, **config), config.get("outputs") == 1
    tables = playing_tables(network, by_count=single)
    evaluator = IsnEvaluator(game, network, by_count=single)
    captured = 0
    for seed in range(6):
        position = random_position(game, 14 + seed, seed)
        view = evaluator.assess(position)
        values, moves = np.full((1, 26), np.nan), np.zeros(26, np.int64)
        count = move_values(
            position.state, position.stones[None].copy(), view.outputs[None].copy(), tables, moves, values
        )
        assert moves[:count].tolist() == position.legal_moves.tolist()
        sign = 1 if position.to_move == WHITE else -1
        np.testing.assert_array_equal(view.moves, sign * values[0])
        for move in position.legal_moves:
            after = position.play(int(move))
            gone = np.count_nonzero(position.stones) + (move < 25) - np.count_nonzero(after.stones)
            captured += gone
            outputs = evaluator.outputs(after)
            rewards = _rewards(after.stones, outputs, single)
            assert values[0, move] == pytest.approx(rewards + sign * 0.4 * gone, abs=2e-5)
            evaluator.forget()
    assert captured > 3


@pytest.mark.parametrize("config", [{}, {"recurrent": 1}])
def test_suicide_where_it_is_legal_is_worth_the_board_without_the_stones(config):
    game = make_game("go:size=5,komi=0.5,rules=tromp-taylor")
    # A stone on b1 joins that on a1, and white's take the last liberty of both.
    position = game.after(["a1", "a2", "pass", "b2", "pass", "c1"])
    network = strange(5, **config)
    evaluator = IsnEvaluator(game, network)
    view = evaluator.assess(position)
    suicide = game.action("b1")
    assert np.isfinite(view.moves[position.legal_moves]).all()
    after = position.play(suicide)
    assert np.count_nonzero(after.stones == BLACK) == 0
    white = board_values(after.stones[None].copy(), evaluator.outputs(after).copy())[0] + 2 * 0.4
    assert view.moves[suicide] == pytest.approx(-white, abs=2e-5)


def _rewards(stones, outputs, single):
    if single:
        return float((2.8 * outputs[0, 0] - 1.4).sum())
    return float(board_values(stones[None], outputs)[0])


def test_the_view_is_the_side_to_moves():
    game = make_game("go:size=5,komi=2.5")
    evaluator = IsnEvaluator(game, strange(3), c=0.7, s=0.2)
    position = random_position(game, 9, 4)
    assert position.to_move == WHITE
    white = evaluator.assess(position)
    black = evaluator.assess(position.play("pass"))
    expected = board_rewards(position.stones[None], white.outputs[None], c=0.7, s=0.2)[0]
    np.testing.assert_allclose(white.rewards, expected, atol=1e-5)
    after = board_rewards(position.stones[None], black.outputs[None], c=0.7, s=0.2)[0]
    np.testing.assert_allclose(black.rewards, -after, atol=1e-5)
    area = board_values(position.stones[None], black.outputs[None], c=0.0, s=1.0)[0]
    assert black.lead == pytest.approx(-(area + 2.5), abs=1e-4)


def test_positions_are_followed_from_the_start_of_their_game():
    """In whatever order they are asked for; and what is set up by hand is looked at after the empty board."""
    game = make_game("go:size=5,komi=0.5")
    network = strange(4)
    position = random_position(game, 12, 5)
    one, two = IsnEvaluator(game, network), IsnEvaluator(game, network)
    steps = [game.after(position.moves[:k]) for k in range(13)]
    each = [one.outputs(step).copy() for step in steps]
    for k in (12, 3, 7, 7, 0, 12):
        np.testing.assert_array_equal(two.outputs(steps[k]), each[k])
    setup = start_from(game, {12: 1, 0: 2})
    np.testing.assert_array_equal(two.outputs(setup), IsnEvaluator(game, network).outputs(setup))
    handicap = make_game("go:size=9,handicap=2")
    assert IsnEvaluator(handicap, network).assess(handicap.start()).moves.shape == (82,)


def test_games_that_began_with_other_stones_or_with_two_moves_in_a_row_are_looked_at_as_they_stand():
    """Their moves mean nothing on the empty board: some would be played where a stone lies."""
    game, network = make_game("go:size=5,komi=0.5"), strange(4)
    around = start_from(game, {1: 1}, to_move=WHITE).play(0).play(5).play(24)  # black takes the stone in the corner
    assert around.stones[0, 0] == 0
    position = around.play(0)
    two_in_a_row = with_side(game.after([12]), BLACK).play(7)
    evaluator = IsnEvaluator(game, network)
    for each in (position, two_in_a_row, around):
        found = evaluator.assess(each).outputs
        before = FusedEvaluator(network).run(np.full((1, 5, 5), EMPTY_POINT, np.uint8))
        expected = FusedEvaluator(network).run(liberty_classes(each.stones[None].copy(), before))
        np.testing.assert_allclose(found, expected[0], atol=1e-6)
    outputs, board = np.zeros((1, 7, 5, 5), np.float32), np.zeros((1, 5, 5), np.int8)
    moves = np.array(position.moves, np.int64)
    assert follow(game.start().state.copy(), moves, playing_tables(network), board, outputs) == 3, "a stone lies there"
    after = evaluator.outputs(game.after([12])).copy()
    np.testing.assert_array_equal(after, IsnEvaluator(game, network).outputs(game.after([12])))


def plain_search(evaluator, position, root, depth, width, s=0.4, c=0.4):
    """Min-max over the same moves by recursion, for the side to move."""
    sign = 1 if position.to_move == WHITE else -1
    banked = c * (_taken(position, BLACK) - _taken(root, BLACK) - _taken(position, WHITE) + _taken(root, WHITE))
    if position.is_over:
        board, owners = position.stones, np.zeros(position.game.points, np.int8)
        position.game.rules.ownership(position.state, owners)
        owners = owners.reshape(board.shape)
        points = np.where(board == 0, 1.0, s) * ((owners == WHITE) * 1.0 - (owners == BLACK) * 1.0)
        return sign * (points.sum() + banked)
    values = {}
    worth = evaluator.assess(position).moves
    for move in position.legal_moves:
        values[int(move)] = worth[move] + sign * banked
        after = position.play(int(move))
        if after.is_over:
            values[int(move)] = -plain_search(evaluator, after, root, 0, width)
    kept = sorted(values, key=lambda move: -values[move])[:width]
    if depth == 1:
        return values[kept[0]]
    return max(-plain_search(evaluator, position.play(move), root, depth - 1, width) for move in kept)


def _taken(position, colour):
    from eightfold.games.go.layout import TAKEN

    return int(position.state[TAKEN + colour - BLACK])


@pytest.mark.parametrize(("depth", "width"), [(2, 100), (3, 4), (5, 2)])
def test_alpha_beta_finds_what_min_max_finds(place, depth, width):
    game = make_game("go:size=4,komi=0.5")
    network = open_network(place, kind=GoIsn).weights
    for seed in range(3):
        position = random_position(game, 7 + seed, seed)
        if seed == 2:
            position = position.play("pass")  # a second one would end the game
        player = make_player(f"isn:{place},depth={depth},width={width}", game)
        result = player.think(position)
        evaluator = IsnEvaluator(game, network)
        expected = plain_search(evaluator, position, position, depth, width)
        assert np.nanmax(result.scores) == pytest.approx(expected, abs=1e-4)
        assert result.scores[result.action] == np.nanmax(result.scores)
        assert result.depth == depth


def test_games_at_once_are_those_played_alone_whatever_the_threads():
    game = make_game("go:size=5,komi=0.5")
    players = [IsnPlayer(game, playing_tables(strange(seed)), IsnOptions(beta=5.0)) for seed in (8, 9, 10)]

    def games(**how: int) -> list[tuple[int, ...]]:
        found = round_robin(game, players, games=4, seed=1, **how)
        assert [tally.games for tally in found.tallies] == [8, 8, 8]
        assert sum(tally.score for tally in found.tallies) == pytest.approx(1.5)
        return [result.position.moves for match in found.matches for result in match.results]

    assert games(parallel=1) == games(threads=1) == games(threads=2)


def test_a_network_on_either_side_of_a_game_sees_it_with_its_own_eyes():
    """A match plays what two players play who are asked in turn."""
    game = make_game("go:size=5,komi=0.5")
    tables = [playing_tables(strange(seed)) for seed in (6, 7)]
    match = play_match(game, *(IsnPlayer(game, each) for each in tables), games=2, names=("a", "b"))
    for number, result in enumerate(match.results):
        players = [IsnPlayer(game, each) for each in (tables if number == 0 else tables[::-1])]
        position = game.start()
        while not position.is_over:
            position = position.play(players[position.ply % 2].think(position).action)
        assert result.position.moves == position.moves
        assert result.margin == position.margin * (1 if number == 0 else -1)


def test_players_by_name(place):
    game = make_game("go:size=5,komi=0.5")
    report = play_match(game, f"isn:{place},beta=5", f"isn:{place},seconds=0.01", games=2, seed=1)
    assert report.total.games == 2
    again = play_match(game, f"isn:{place},beta=5", "random", games=2, seed=2)
    assert (
        again.results[0].position.moves
        == play_match(game, f"isn:{place},beta=5", "random", games=2, seed=2).results[0].position.moves
    )
    for text, said in (
        ("isn:", "names no network"),
        ("isn:beta=3", "names no network"),
        ("isn:/nowhere", "holds no network"),
        (f"isn:{place},gamma=1", "gamma"),
        (f"isn:{place},depth=0", "depth"),
    ):
        assert said in refusal(lambda text=text: make_player(text, game))
    assert "plays go" in refusal(lambda: make_player(f"isn:{place}", make_game("gomoku:size=8")))
    assert "isn, " in refusal(lambda: make_player("nobody", game))
