"""What every game promises to the searches, checked over all of them."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.specialise import specialise
from eightfold.games import BLACK, DRAW, WHITE, count, make_game
from eightfold.games import GAMES as KNOWN
from eightfold.games.state import HASHES, LAST, NO_MOVE, ONGOING, PLY, RESULT, SIDE, SIZE
from eightfold.symmetry.group import destinations

GAMES = [
    "gomoku:size=6,win=4",
    "gomoku:size=9,rule=standard",
    "go:size=4",
    "go:size=5,rules=japanese",
    "go:size=5,rules=new-zealand",
    "go:size=7,handicap=3,komi=0.5",
    "python:squares,size=5",
    "python:drop_four,size=5",
    "python:othello,size=6",
    "python:hex,size=5",
]


@pytest.fixture(params=GAMES)
def game(request, examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    return make_game(request.param, trusted=True)


def some_games(game, count=5):
    """The positions of random games, one after the other."""
    random = np.random.default_rng(1)
    for _ in range(count):
        position = game.start()
        yield position
        while not position.is_over:
            position = position.play(int(random.choice(position.legal_moves)))
            yield position


def test_every_family_is_here():
    assert {text.partition(":")[0] for text in GAMES} == {*KNOWN, "python"}


def test_the_header_of_a_state_means_the_same(game):
    before = 0
    for position in some_games(game):
        state = position.state
        assert state[SIZE] == game.size
        assert state[PLY] == len(position.moves)
        assert state[LAST] == (position.moves[-1] if position.moves else NO_MOVE)
        assert state[SIDE] in (BLACK, WHITE)
        assert state[RESULT] in (ONGOING, BLACK, WHITE, DRAW)
        if position.moves:
            assert state[SIDE] != before
        before = state[SIDE]


def test_what_is_said_to_stay_as_it_was_does(game):
    fixed, start = list(game.spec.fixed), game.start().state
    assert SIZE in fixed
    for position in some_games(game):
        assert (position.state[fixed] == start[fixed]).all()


def test_legal_moves_ascend_and_there_are_none_at_the_end_alone(game):
    for position in some_games(game):
        moves = position.legal_moves
        assert (np.diff(moves) > 0).all()
        assert (len(moves) == 0) == position.is_over
        points = moves[moves < game.points]
        assert not position.stones.ravel()[points].any()


def test_playing_changes_nothing_but_the_new_state(game):
    for position in some_games(game, count=1):
        before = position.state.copy()
        for move in position.legal_moves[:5]:
            position.play(int(move))
        position.encode(next(iter(game.spec.encoders)))
        np.testing.assert_array_equal(position.state, before)


def test_orbit_keys_turn_with_the_board(game):
    start = game.start().stones.ravel()
    for g in game.symmetries:
        turned = np.append(destinations(game.size)[g], game.points)
        if (start[turned[:-1]] != start).any():
            continue  # stones at the start have a direction, so that a turned game would begin with others
        *_, last = some_games(game, count=1)
        image = game.after([int(turned[move]) for move in last.moves])
        assert image.orbit_key == last.orbit_key
        assert sorted(image.state[HASHES : HASHES + 8]) == sorted(last.state[HASHES : HASHES + 8])


def test_points_are_those_of_the_owners_and_decide_the_game(game):
    for position in some_games(game, count=3):
        if not game.counts_points:
            assert position.margin is None
            with pytest.raises(EightfoldError, match="has no points to count"):
                count(position)
        elif position.is_over:
            counted = count(position)
            assert counted.margin == position.margin
            assert position.result == {BLACK: BLACK, WHITE: WHITE, None: DRAW}[counted.winner]
            if not game.has_dead_stones:
                assert counted.black == np.count_nonzero(counted.owners == BLACK)
                assert counted.white == np.count_nonzero(counted.owners == WHITE)


def test_encoders_write_every_number_from_both_sides(game):
    for position in some_games(game, count=2):
        for encoder, planes in game.spec.encoders.items():
            number, _ = game.encoder(encoder)
            written = np.full((planes, game.size, game.size), np.nan, np.float32)
            game.rules.encode(position.state, number, written)
            assert np.isfinite(written).all()
            np.testing.assert_array_equal(written[0], position.stones == position.to_move)
            np.testing.assert_array_equal(written[1], position.stones == BLACK + WHITE - position.to_move)


def test_random_games_of_the_search_come_to_an_end(game):
    kernels = specialise("eightfold.search.kernels.playouts", game.rules)
    results = np.zeros(4, np.int64)
    kernels.random_games(game.start().state, 200, make_random(1), np.zeros(game.actions, np.int64), results)
    assert results.sum() == 200
    assert results[ONGOING] == 0
    assert min(results[BLACK], results[WHITE]) > 0


def test_a_win_on_the_spot_is_found_when_there_is_one(game):
    scratch = np.empty(game.scratch, np.int64)
    find_win = game.kernels.find_win
    for position in some_games(game, count=3):
        if not position.is_over:
            wins = [int(m) for m in position.legal_moves if position.play(int(m)).result == position.to_move]
            found = int(find_win(position.state, 0, scratch))
            assert found in wins if wins else found == NO_MOVE
