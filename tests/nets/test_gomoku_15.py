"""What the shipped network for 15x15 must see: wins, fours and threes in positions of other players' games.

`won_15x15.txt` has positions that `PlainThreats` proved won with 50,000 nodes, one a line, as `won_positions.py` finds
them: 300 by fours and 300 by threes and fours, half of each with seed 20261 and half with 20262. That is more than ten
times the nodes that the player has at its root in half a second.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from eightfold.arena import make_player
from eightfold.benchmarks.reference.threats import PlainThreats
from eightfold.games import make_game
from eightfold.games.setup import stones_of
from won_positions import FOURS, THREATS, positions_of_players

GAME = make_game("gomoku:size=15")
PLAIN_NODES = 50_000


def won_by(kind: str):
    lines = (Path(__file__).parent / "won_15x15.txt").read_text().splitlines()
    return [GAME.after(moves.split()) for kind_of, moves in (line.split(" ", 1) for line in lines) if kind_of == kind]


def plain_wins(position, side: int, *, most_threats: int) -> bool:
    plain = PlainThreats(15, 5, False)
    return plain.solve(stones_of(position), side, most_threats=most_threats, nodes=PLAIN_NODES) is not None


def leaves_no_escape(position, move: int) -> bool:
    """Whether every reply to a move loses, by the kernels; what they prove is checked by the rules elsewhere."""
    after, room = position.play(move), GAME.threat_room(200_000)
    if after.is_over:
        return True
    replies = (after.play(int(reply)) for reply in after.legal_moves)
    return all(GAME.rules.find_threats(reply.state.copy(), 200_000, room) >= 0 for reply in replies)


def wins_found(player, positions) -> int:
    found = 0
    for position in positions:
        player.new_game()
        result = player.think(position)
        if result.value == 1:
            assert leaves_no_escape(position, result.action), position
            found += 1
    return found


def completions(position, side: int) -> set[int]:
    """The points where a side would win at once."""
    plain = PlainThreats(15, 5, False)
    for point, colour in stones_of(position).items():
        plain.put(point, colour)
    return plain.completions(side)


def dangers(count: int, seed: int):
    """So many positions of each kind: a win in one, a four that can be blocked, and a three that has a defence.

    A three here is whatever lets the other side win by fours if nothing is done; whether there is a defence is found
    by trying all moves.
    """
    found = {"win": [], "four": [], "three": []}
    for position in positions_of_players(GAME, seed):
        side, other = position.to_move, 3 - position.to_move
        own, theirs = completions(position, side), completions(position, other)
        if own:
            kind = "win"
        elif theirs:
            kind = "four" if len(theirs) == 1 else ""
        elif not plain_wins(position, side, most_threats=0) and plain_wins(position, other, most_threats=0):
            kind = "three" if defences(position, most=1) else ""
        else:
            kind = ""
        if kind and len(found[kind]) < count:
            found[kind].append((position, own or theirs))
        if all(len(each) == count for each in found.values()):
            return found
    raise AssertionError("there is no end of positions")


def defences(position, *, most: int) -> list[int]:
    """Moves after which the other side does not win by fours."""
    safe = (
        int(move)
        for move in position.legal_moves
        if not plain_wins(position.play(int(move)), 3 - position.to_move, most_threats=0)
    )
    return list(islice(safe, most))


def check_dangers(player, found) -> None:
    for kind, positions in found.items():
        for position, points in positions:
            player.new_game()
            result = player.think(position)
            if kind in ("win", "four"):
                assert result.action in points, (kind, position)
            elif result.value < 1:  # its own proven win is as good an answer
                after = position.play(result.action)
                assert not plain_wins(after, after.to_move, most_threats=0), (kind, position)


def test_it_sees_wins_and_dangers_at_a_glance():
    player = make_player("net:gomoku-15,playouts=16", GAME)
    for positions in (won_by(FOURS)[::100], won_by(THREATS)[::100]):
        assert wins_found(player, positions) == len(positions)
    check_dangers(player, dangers(2, seed=3))


@pytest.mark.slow
def test_in_half_a_second_it_finds_what_a_plain_solver_proves():
    player = make_player("net:gomoku-15,seconds=0.5", GAME)
    fours, threats = won_by(FOURS), won_by(THREATS)
    found = wins_found(player, fours), wins_found(player, threats)
    print(f"found {found[0]} of {len(fours)} by fours, {found[1]} of {len(threats)} by threes and fours")
    assert len(fours) == len(threats) == 300
    assert found[0] == len(fours)
    assert found[1] >= 0.9 * len(threats)


@pytest.mark.slow
def test_in_half_a_second_it_misses_no_win_in_one_no_four_and_no_three():
    check_dangers(make_player("net:gomoku-15,seconds=0.5", GAME), dangers(100, seed=4))
