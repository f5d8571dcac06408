"""Wins by threes and fours: every reply played out by the rules, and a plain solver that tries them all."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.threats import PlainThreats
from eightfold.core.errors import EightfoldError
from eightfold.core.specialise import specialise
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.gomoku.forced_wins import CHAIN, ROOM
from eightfold.games.gomoku.threat_moves import SET, add_fours_of, add_zone
from eightfold.games.proof import Attack
from eightfold.games.state import NO_MOVE
from eightfold.search.proofs import check_proof


def find(position, nodes: int = 3000):
    """The move and what the search came to; the state must be as it was."""
    game, state = position.game, position.state.copy()
    room = game.threat_room(nodes)
    move = int(game.rules.find_threats(state, nodes, room))
    np.testing.assert_array_equal(state, position.state)
    found = game.rules.threat_proof(room)
    assert (move == NO_MOVE) == (found.kind in ("none", "limit"))
    assert found.attack is None or found.attack.move == move
    return move, found


def quiet_games(game, random, games: int):
    """Positions of random games in which nobody wins as long as that can be helped."""
    for _ in range(games):
        position = game.start()
        while not position.is_over:
            yield position
            moves = [int(move) for move in random.permutation(position.legal_moves)]
            quiet = (move for move in moves if position.play(move).result not in (BLACK, WHITE))
            position = position.play(next(quiet, moves[0]))


def stones_of(position) -> dict[int, int]:
    board = position.stones.ravel()
    return {int(point): int(board[point]) for point in np.flatnonzero(board)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gomoku:size=6,win=4", 20),
        ("gomoku:size=6,win=4,rule=standard", 20),
        ("gomoku:size=7,win=5", 10),
        ("gomoku:size=8", 15),
        ("gomoku:size=8,rule=standard", 15),
        ("gomoku:size=8,rule=renju", 10),
        ("gomoku:size=8,rule=caro", 12),
        ("gomoku:size=7,win=4,rule=caro-exact", 12),
        ("gomoku:size=9", 10),
    ],
)
def test_every_reply_loses_by_the_rules(text, wanted):
    game, random, proofs = make_game(text), np.random.default_rng(1), 0
    for position in quiet_games(game, random, 200):
        _, found = find(position)
        if found.kind == "threats":
            assert game.rules.find_win(position.state.copy(), 2000, np.empty(game.scratch, np.int64)) == NO_MOVE
            assert check_proof(position, found.attack).lines > 0
            proofs += 1
            if proofs == wanted:
                return
    raise AssertionError(f"{proofs} wins by threats were found")


@pytest.mark.parametrize(
    ("size", "win", "rule", "depth", "every_move"),
    [(6, 4, "freestyle", 2, True), (6, 4, "standard", 2, True), (8, 5, "freestyle", 2, False)],
)
def test_what_a_plain_solver_proves_is_found(size, win, rule, depth, every_move):
    """Two threats before the fours; the plain solver tries every reply, and on 6x6 every move that threatens."""
    game, random = make_game(f"gomoku:size={size},win={win},rule={rule}"), np.random.default_rng(size)
    plain = PlainThreats(size, win, rule == "standard", every_move=every_move)
    seen = {0: 0, 1: 0, 2: 0}
    for position in quiet_games(game, random, 12):
        needed = plain.solve(stones_of(position), position.to_move, most_threats=depth, nodes=1500)
        if needed is not None:
            kind = find(position, 20_000)[1].kind
            assert kind == "fours" if needed == 0 else kind == "threats", (position.moves, needed)
            seen[needed] += 1
    assert seen[1] >= 5, seen
    assert seen[2] >= 1, seen


@pytest.mark.parametrize("rule", ["freestyle", "standard", "caro", "caro-exact"])
@pytest.mark.parametrize(("size", "win"), [(8, 5), (7, 4), (15, 5)])
def test_a_reply_outside_of_the_zone_changes_nothing(rule, size, win):
    """After a pass the attacker wins by fours. So he does after any stone that is not in the zone and makes no four."""
    game, random = make_game(f"gomoku:size={size},win={win},rule={rule}"), np.random.default_rng([size, win])
    scratch, chains, outside = np.zeros(game.scratch, np.int64), 0, 0
    middle = [row * size + column for row in range(min(size, 8)) for column in range(min(size, 8))]
    while chains < 60:
        position = game.start()
        for move in random.permutation(middle)[: random.integers(10, 26)]:
            position = position if position.is_over else position.play(int(move))
        state = position.state.copy()
        if position.is_over or game.rules.find_win(state, 0, scratch) != NO_MOVE:
            continue
        if game.rules.find_win(state, 1000, scratch) == NO_MOVE:
            continue
        attacker, zone = position.to_move, np.zeros(SET, np.int64)
        assert 1 <= scratch[CHAIN] < ROOM
        add_zone(state, scratch, zone)
        np.testing.assert_array_equal(state, position.state)
        add_fours_of(state, BLACK + WHITE - attacker, zone)
        touched = 0
        for reply in position.legal_moves:
            if zone[reply // size] >> (reply % size) & 1:
                touched += 1
                continue
            beyond = position.state.copy()
            beyond[1] = BLACK + WHITE - attacker  # the defender moves first
            game.rules.play(beyond, int(reply))
            assert beyond[1] == attacker
            assert game.rules.find_win(beyond, 100_000, scratch) != NO_MOVE, (position, game.name_of(reply))
            outside += 1
        chains += touched > 0
    assert outside > 500


def after(moves: str, text: str = "gomoku:size=15"):
    return make_game(text).after(moves.split())


def test_by_hand():
    double = after("h8 a1 i8 o1 g9 a15 g10 o15")  # two twos that cross: g8, or a neighbour of it, makes two threes
    _, found = find(double)
    assert found.kind == "threats"
    assert check_proof(double, found.attack)
    assert len(found.attack.replies) <= 3
    assert find(after("h8 a1 i8 o1"))[1].kind in ("none", "limit")
    three = after("h8 a1 i8 a3 j8 c1")
    assert find(three)[1].kind == "fours"
    assert find(after("h8 a1"))[1].kind == "none"


def test_a_four_of_the_defenders_may_turn_the_tables():
    closed = after("h8 a1 i8 b1 g9 c1 g10 o15")
    assert find(closed)[1].kind == "threats", "d1 is parried on e1 and black goes on"
    straight = after("h8 g11 i8 f11 g9 e11 g10 o15")
    assert find(straight)[1].kind == "none", "a straight four of white's comes first"


def test_nodes_and_room_limit_the_search():
    hard = after("h8 g9 g7 i9 f9 h9 i7 h6 j8 f6 g10 e8")
    assert find(hard, 100)[1].kind == "limit"
    _, found = find(hard, 50_000)
    assert found.kind == "threats"
    assert found.nodes <= 50_000
    game, small = hard.game, hard.game.threat_room(50)
    assert int(game.rules.find_threats(hard.state.copy(), 1_000_000, small)) == NO_MOVE
    assert game.rules.threat_proof(small).kind == "limit"


def test_a_wrong_proof_is_refused():
    position = after("h8 a1 i8 o1 g9 a15 g10 o15")
    _, found = find(position)
    quiet = Attack(move=position.game.action("c3"))
    with pytest.raises(EightfoldError, match="does not hold"):
        check_proof(position, quiet)
    for reply in found.attack.replies:
        replies = {move: attack for move, attack in found.attack.replies.items() if move != reply}
        with pytest.raises(EightfoldError, match="does not hold"):
            check_proof(position, Attack(move=found.attack.move, replies=replies))
    with pytest.raises(EightfoldError, match="after no move there is no win"):
        check_proof(position, None)


def test_games_without_threats_have_none():
    go = make_game("go:size=5")
    kernels = specialise("eightfold.games.defaults", go.rules)
    assert kernels.find_threats(go.start().state, 1000, go.threat_room(1000)) == NO_MOVE
