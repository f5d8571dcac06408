"""Wins by fours against a search that tries every reply, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.fours import PlainFours
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.state import NO_MOVE, PAUSED

PLENTY = 1_000_000


def find(position, nodes: int = PLENTY) -> str | None:
    """The winning move's name; the state must come back as it was."""
    state = position.state.copy()
    move = int(position.game.rules.find_win(state, nodes, np.empty(position.game.scratch, np.int64)))
    np.testing.assert_array_equal(state, position.state)
    return None if move == NO_MOVE else position.game.name_of(move)


@pytest.mark.parametrize(
    ("size", "win", "rule", "games"),
    [(5, 3, "freestyle", 6), (6, 4, "freestyle", 25), (6, 4, "standard", 25), (8, 5, "freestyle", 15)],
)
def test_a_chain_of_fours_is_found_exactly_when_there_is_one(size, win, rule, games):
    game = make_game(f"gomoku:size={size},win={win},rule={rule}")
    random = np.random.default_rng([size, win])
    solver = PlainFours(size, win, rule == "standard")
    seen = {"at once": 0, "chain": 0, "none": 0}
    for _ in range(games):
        position, stones = game.start(), {}
        while not position.is_over:
            side = 1 + position.ply % 2
            by_chain = solver.wins(stones, side)
            assert (find(position) is not None) == by_chain, position.moves
            at_once = bool(solver.winning_points(stones, side))
            seen["at once" if at_once else "chain" if by_chain else "none"] += 1
            move = int(random.choice(position.legal_moves))
            position = position.play(move)
            stones[divmod(move, size)] = side
    assert min(seen.values()) >= 5, seen


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
def test_a_search_in_parts_finds_what_the_whole_one_finds(rule):
    game, random = make_game(f"gomoku:size=9,rule={rule}"), np.random.default_rng(9)
    scratch, pauses, found = np.empty(game.scratch, np.int64), 0, 0
    for _ in range(60):
        position = game.start()
        while not position.is_over and position.ply < 60:
            for nodes, part in ((1, 1), (7, 2), (40, 1), (40, 16)):
                whole = int(game.rules.find_win(position.state.copy(), nodes, scratch))
                scratch[:] = -9  # what lies there must not matter
                move = int(game.rules.find_win_in_parts(position.state.copy(), nodes, part, False, scratch, 1))
                while move == PAUSED:
                    pauses += 1
                    move = int(game.rules.find_win_in_parts(position.state.copy(), nodes, part, True, scratch, 1))
                assert move == whole, position.moves
                found += move != NO_MOVE
            position = position.play(int(random.choice(position.legal_moves)))
    assert pauses > 500
    assert found > 50


@pytest.mark.parametrize(("size", "win"), [(3, 3), (6, 4), (8, 5), (9, 5)])
def test_a_position_is_dead_exactly_when_every_line_is_blocked(size, win):
    game, random = make_game(f"gomoku:size={size},win={win}"), np.random.default_rng(size)
    solver = PlainFours(size, win, False)
    dead = 0
    for _ in range(20):
        position, stones = game.start(), {}
        while not position.is_over:
            expected = solver.dead(stones)
            assert game.rules.is_dead(position.state) == expected
            dead += expected
            moves = [int(move) for move in random.permutation(position.legal_moves)]
            move = next(
                (move for move in moves if position.play(move).result not in (BLACK, WHITE)), moves[0]
            )  # long games
            stones[divmod(move, size)] = 1 + position.ply % 2
            position = position.play(move)
        assert not (position.result in (BLACK, WHITE) and solver.dead(stones))
    assert dead > 0


@pytest.mark.parametrize("rule", ["freestyle", "standard", "renju", "caro"])
@pytest.mark.parametrize("size", [8, 15, 19])
def test_playing_the_chain_out_wins_against_every_kind_of_reply(size, rule):
    """Random positions too rich to solve: whoever has a chain keeps one, whatever the other side plays."""
    game = make_game(f"gomoku:size={size},rule={rule}")
    random = np.random.default_rng(size)
    middle = [r * size + c for r in range(1, 8) for c in range(1, 8)]
    chains = 0
    while chains < 40:
        position = game.start()
        for move in random.permutation(middle)[: random.integers(14, 30)]:
            if not position.is_over and position.legal_mask[move]:
                position = position.play(int(move))
        if position.is_over or find(position) is None or find(position, 0) is not None:
            continue
        chains += 1
        attacker = position.to_move
        while not position.is_over:
            name = find(position)
            assert name is not None, position.moves
            position = position.play(name)
            if not position.is_over:
                position = position.play(int(random.choice(position.legal_moves)))
            if not position.is_over and find(position, 0) is None:
                # The other side did parry: it had to, and the chain goes on.
                assert find(position) is not None
        assert position.winner == attacker


@pytest.mark.parametrize(
    ("size", "win", "rule"),
    [
        (6, 4, "freestyle"),
        (6, 4, "standard"),
        (6, 4, "caro"),
        (6, 4, "caro-exact"),
        (7, 5, "caro"),
        (7, 5, "caro-exact"),
        (8, 5, "renju"),
        (9, 5, "caro"),
    ],
)
def test_no_reply_escapes_from_a_win_that_was_found(size, win, rule):
    """After the move that was found every legal reply leaves a win that is found again: so each of them is one."""
    game, random = make_game(f"gomoku:size={size},win={win},rule={rule}"), np.random.default_rng([size, win])
    found = 0
    for _ in range(60):
        position = game.start()
        while not position.is_over:
            name = find(position)
            if name is not None and find(position, 0) is None:
                attacker, after = position.to_move, position.play(name)
                for reply in after.legal_moves:
                    beyond = after.play(int(reply))
                    assert beyond.result == attacker or find(beyond) is not None, (position, name)
                found += 1
            quiet = [
                int(move) for move in position.legal_moves if position.play(int(move)).result not in (BLACK, WHITE)
            ]
            position = position.play(int(random.choice(quiet or position.legal_moves)))
    assert found >= 10, found


def test_by_hand():
    game = make_game("gomoku:size=15")
    open_three = game.after(["h8", "a1", "i8", "a3", "j8", "c1"])
    assert find(open_three) in {"g8", "k8"}
    assert find(open_three, 0) is None
    closed_three = game.after(["h8", "g8", "i8", "a3", "j8", "c1"])
    assert find(closed_three) is None
    two_closed_threes = game.after(["h8", "g8", "i8", "g9", "j8", "a1", "h9", "c1", "h10", "a3", "h7", "h6"])
    assert find(two_closed_threes) is not None
    with_a_four_against = game.after(["h8", "a1", "i8", "b1", "j8", "c1", "o15", "d1"])
    assert find(with_a_four_against) is None, "e1 must be parried first, and no four of ours does that"


def test_a_larger_search_finds_more():
    open_three = make_game("gomoku:size=15").after(["h8", "a1", "i8", "a3", "j8", "c1"])
    assert [find(open_three, nodes) is not None for nodes in (0, 1, 20)] == [False, False, True]
