"""Prisoners in the keys of positions of Go: where they are points they tell positions apart, elsewhere they do not."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.games.game import Position
from eightfold.games.go.layout import KO, TAKEN
from eightfold.games.state import HASHES
from eightfold.search import AlphaBeta
from eightfold.symmetry.group import destinations


def alike(text: str, games: int, *, moves: int = 40) -> list[list[Position]]:
    """Positions of random games that look the same: board, side to move, ko, a pass before or not; two or more each."""
    game, random = make_game(text), np.random.default_rng(5)
    found: dict[tuple[object, ...], dict[tuple[int, int], Position]] = defaultdict(dict)
    for _ in range(games):
        position = game.start()
        while not position.is_over and position.ply < moves:
            legal = position.legal_moves
            position = position.play(int(random.choice(legal[:-1] if len(legal) > 1 else legal)))
            passed = position.last_move == game.points
            look = (position.stones.tobytes(), position.to_move, int(position.state[KO]), passed)
            found[look].setdefault(prisoners(position), position)
    return [list(group.values()) for group in found.values() if len(group) > 1]


def prisoners(position: Position) -> tuple[int, int]:
    black, white = position.state[TAKEN : TAKEN + 2]
    return int(black), int(white)


@pytest.mark.parametrize("ko", ["simple", "positional"])
def test_positions_that_differ_in_prisoners_differ_in_keys_where_these_count(ko):
    groups = alike(f"go:size=3,rules=japanese,ko={ko}", 60)
    assert len(groups) > 50
    for group in groups:
        for place in range(8):
            assert len({int(position.state[HASHES + place]) for position in group}) == len(group)
        assert len({position.orbit_key for position in group}) == len(group)


@pytest.mark.parametrize("rules", ["chinese", "aga", "new-zealand", "tromp-taylor"])
def test_positions_that_differ_in_prisoners_share_a_key_under_area_rules(rules):
    groups = alike(f"go:size=3,rules={rules},ko=simple", 40)
    assert len(groups) > 30
    for group in groups:
        assert len({position.orbit_key for position in group}) == 1


def test_equal_prisoners_share_a_key_in_whatever_order_and_on_whatever_side():
    game = make_game("go:size=5,rules=japanese")
    walls = ["b5", "e1", "b4", "e2", "a3", "e3"]  # black's around a5 and a4, where white throws in
    one = game.after([*walls, "pass", "a5", "pass", "e4", "a4"])
    other = game.after([*walls, "pass", "e4", "pass", "a5", "a4"])
    assert prisoners(one) == prisoners(other) == (0, 1)
    assert one.orbit_key == other.orbit_key
    for turned in destinations(5):
        moves = np.append(turned, 25)[list(one.moves)]  # a pass stays
        assert game.after(moves.tolist()).orbit_key == one.orbit_key


def test_the_table_of_alpha_beta_does_not_mix_positions_with_other_prisoners():
    """What was found for one position must not change what is found for its likeness with other prisoners."""
    different = 0
    for group in alike("go:size=3,rules=japanese,komi=0.5", 60)[:60]:
        game = group[0].game
        alone = [AlphaBeta(game, AlphaBeta.Options(depth=3)).root_scores(position) for position in group]
        together = AlphaBeta(game, AlphaBeta.Options(depth=3))
        for position, expected in zip(group, alone, strict=True):
            np.testing.assert_array_equal(together.root_scores(position), expected)
        different += any(not np.array_equal(alone[0], scores, equal_nan=True) for scores in alone[1:])
    assert different > 2, "the prisoners never mattered: this proves nothing"
