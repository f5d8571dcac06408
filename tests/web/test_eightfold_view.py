"""The eight sides of a position."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.games.game import make_game
from eightfold.symmetry.slap import slap
from eightfold.web.eightfold_view import disagreement, eight_sides
from eightfold.web.menu import Menu

GAME = make_game("gomoku:size=7")


def board(text):
    return np.array(list(text), int).reshape(7, 7)


@pytest.mark.parametrize(
    ("moves", "name", "different"),
    [
        ((), "all eight", 1),
        ((24,), "all eight", 1),
        ((0, 48), "mirror in the main diagonal", 4),
        ((3, 45, 21, 27), "mirror in the main diagonal", 4),
        ((1, 24), "none", 8),
        ((3, 24), "mirror left and right", 4),
        ((0, 24, 48), "both diagonal mirrors", 2),
    ],
)
def test_the_stabiliser_is_named(moves, name, different):
    answer = eight_sides(GAME.after(moves))
    assert answer["stabiliser"] == name
    assert answer["different"] == different
    assert len({turn["stones"] for turn in answer["sides"]}) == different
    assert len(answer["canonical"]) == 8 // different


def test_the_turns_are_what_numpy_says_and_the_canonical_one_is_slaps():
    position = GAME.after([3, 24, 10, 11, 0])
    answer = eight_sides(position)
    stones = position.stones
    turned = [np.rot90(stones, -k) for k in range(4)] + [np.fliplr(stones), np.flipud(stones), stones.T]
    for turn, expected in zip(answer["sides"], turned, strict=False):
        assert (board(turn["stones"]) == expected).all()
    own = (stones == position.to_move).astype(np.float32)
    other = ((stones != 0) & (stones != position.to_move)).astype(np.float32)
    canonical, _ = slap(np.stack([own, other]))
    for number in answer["canonical"]:
        assert ((board(answer["sides"][number]["stones"]) == position.to_move) == canonical[0]).all()


def test_disagreement_is_between_nothing_and_one():
    random = np.random.default_rng(1)
    policies = random.dirichlet(np.ones(49), size=8)
    assert 0 < disagreement(policies) < 1
    assert disagreement(np.repeat(policies[:1], 8, axis=0)) == 0


def test_a_bare_network_disagrees_with_itself_and_slap_makes_it_agree(run_folder):
    entry = Menu(runs=[run_folder]).find(f"net:{run_folder.name}")
    position = GAME.after([3, 24, 10, 11, 0])
    played = eight_sides(position, entry)
    assert played["disagreement"] == 0
    assert played["symmetry"] == "slap"
    assert len({turn["best_on_board"] for turn in played["sides"]}) == 1
    bare = eight_sides(position, entry, as_played=False)
    assert bare["disagreement"] > 0
    for turn in bare["sides"]:
        assert abs(sum(turn["policy"]) - 1) < 0.01
        assert all(p == 0 for p, stone in zip(turn["policy"], turn["stones"], strict=True) if stone != "0")
