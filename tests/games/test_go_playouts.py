"""Playouts of Go with knowledge, move by move beside a plain implementation of the rules."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.benchmarks.reference.go import PlainGo
from eightfold.core.rng import make_random
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.go.board import cell_at, point_at, put_stone
from eightfold.games.go.layout import COLOUR, EMPTY, cell_count
from eightfold.games.go.playouts import CODES, know, next_move, playout
from eightfold.games.go.proposals import propose
from eightfold.games.go.tactics import CAPTURE, NO_LIBERTY, NOWHERE, ONE, SEVERAL, liberties_after, vital_point
from eightfold.patterns.templates import small_neighbourhoods

SIZE = 7


def knowledge_of(size=SIZE, weights=None, **changes):
    kinds, points = small_neighbourhoods(size)
    switches = {"captures": True, "self_atari": 1, "mercy": 0.0, "nakade": True, **changes}
    return know(size, kinds=kinds, points=points, weights=weights, **switches)


def some_weights():
    """A third of all shapes may be played, with weights of all sizes."""
    random = np.random.default_rng(3)
    return (random.random((3, CODES)) * (random.random((3, CODES)) < 1 / 3)).astype(np.float32)


class Followed:
    """A playout one move at a time: the kernel chooses and plays, the plain rules follow."""

    def __init__(self, position, knowledge, seed):
        self.size, self.knowledge, self.random = position.game.size, knowledge, make_random(seed)
        self.plain = PlainGo(self.size, ko="simple", komi=float(position.game.values["komi"]))
        for move in position.moves:
            self.plain.play(move)
        self.state, self.last = position.state.copy(), position.last_move
        self.scratch, self.count = np.zeros(len(self.state), np.int64), 0
        for point in range(self.size**2):
            if self.state[cell_at(point, self.size)] & COLOUR == EMPTY:
                self.scratch[self.count] = cell_at(point, self.size)
                self.count += 1
        self.first = np.zeros(self.size**2 + 1, np.int64)

    def _cell(self, point):
        return cell_at(point, self.size) if point is not None and point < self.size**2 else NOWHERE

    def choose(self):
        """The next move; a pass for nowhere."""
        self._note_places()
        ko = self.plain.retake
        cell = next_move(
            self.state,
            self.size + 1,
            self._cell(self.last),
            self.plain.side,
            self._cell(None if ko is None else ko[0] * self.size + ko[1]),
            self.knowledge.table,
            self.knowledge.weights,
            self.random,
            self.scratch,
            self.count,
        )
        return point_at(cell, self.size) if cell != NOWHERE else self.size**2

    def _note_places(self):
        for place in range(self.count):
            self.scratch[cell_count(self.size) + self.scratch[place]] = place

    def play(self, move):
        self.last = move
        if move < self.size**2:
            cell, listed = self._cell(move), self.scratch[: self.count].tolist()
            self.first[move] = self.first[move] or self.plain.side
            self.count -= 1
            self.scratch[listed.index(cell)] = self.scratch[self.count]
            self.count = put_stone(self.state, self.size + 1, cell, self.plain.side, self.scratch, self.count)
        self.plain.play(move)
        board = {divmod(p, self.size): self.state[self._cell(p)] & COLOUR for p in range(self.size**2)}
        assert {point: colour for point, colour in board.items() if colour != EMPTY} == self.plain.stones


@pytest.mark.parametrize("weights", [None, some_weights()], ids=["no patterns", "patterns"])
@pytest.mark.parametrize("seed", range(3))
def test_a_playout_is_made_of_legal_moves_that_fill_no_eye_and_are_no_self_ataris(weights, seed):
    game = make_game(f"go:size={SIZE},komi=3.5")
    knowledge = knowledge_of(weights=weights)
    followed = Followed(game.start(), knowledge, seed)
    plain = followed.plain
    while len(plain.moves) < 3 * SIZE * SIZE and not plain.result:
        move = followed.choose()
        assert plain.is_legal(move)
        if move < SIZE * SIZE:
            point = divmod(move, SIZE)
            assert not plain.is_eye(point, plain.side)
            stones, taken = plain.after(point, plain.side)
            group, around = plain.flood(point, stones)
            assert taken or len(group) == 1 or len(around - set(stones)) > 1, "a self-atari of several stones"
        followed.play(move)
    state, first = game.start().state.copy(), np.zeros(game.actions, np.int8)
    result = playout(state, make_random(seed), knowledge, first, np.zeros(len(state), np.int64))
    np.testing.assert_array_equal(first, followed.first)
    assert result == (BLACK if plain.area() > 3.5 else WHITE)


def choices(moves, size=SIZE, **changes):
    """The names of what playouts play after some moves, over many draws."""
    game = make_game(f"go:size={size}")
    followed = Followed(game.after(moves), knowledge_of(size, **changes), 1)
    return {game.name_of(followed.choose()) for _ in range(60)}


def test_captures_come_first_and_then_escapes():
    attacked = ["d4", "c4", "a1", "d5", "a2", "e4"]  # white has three sides of d4
    assert choices(attacked) == {"d3"}, "the only way out"
    assert len(choices(attacked, captures=False)) > 5
    # A stone that was put down into atari is taken; so is one that holds an own stone in atari.
    assert choices(["d4", "g7", "e5", "g6", "f4", "e4"]) == {"e3"}
    assert choices(["d4", "c4", "b4", "d5", "c5", "e4"]) == {"c3"}, "a capture rather than the way out"


def test_a_way_out_that_leads_back_into_atari_is_none():
    # The stone a1 is in atari and its last liberty a2 has white all around: no way out, so anything may be played.
    assert len(choices(["a1", "b2", "g7", "a3", "g6", "b1"])) > 5


def test_the_middle_of_three_points_is_played():
    #  . . . X   black's three points in the corner, all else black's stones
    moves = ["d7", "g1", "a6", "g2", "b6", "g3", "c6", "g4"]
    game = make_game(f"go:size={SIZE}")
    position = game.after(moves)
    assert game.name_of(point_at(vital_point(position.state, SIZE + 1, cell_at(game.action("c6"), SIZE)), SIZE)) == "b7"
    assert choices(moves[:-1]) == {"b7"}, "white to play prevents two eyes"
    assert len(choices(moves[:-1], nakade=False)) > 5
    assert vital_point(game.after(moves[:2]).state, SIZE + 1, cell_at(game.action("d7"), SIZE)) == NOWHERE


def test_mercy_ends_hopeless_games():
    game = make_game(f"go:size={SIZE},komi=3.5")
    moves = [each for k in range(SIZE) for each in (f"d{k + 1}", "pass")]  # seven black stones and none of white's
    state, first = game.after(moves).state, np.zeros(game.actions, np.int8)

    def played(mercy):
        playout(state.copy(), make_random(1), knowledge_of(mercy=mercy), first, np.zeros(len(state), np.int64))
        return np.count_nonzero(first)

    assert played(0.1) == 0, "seven stones are more than a tenth of 49"
    assert played(0.2) > 0


@pytest.mark.parametrize("seed", range(3))
def test_what_a_stone_comes_to_is_what_the_plain_rules_say(seed):
    random = np.random.default_rng(seed)
    position, plain = make_game("go:size=5,ko=simple").start(), PlainGo(5, ko="simple")
    while not position.is_over and position.ply < 60:
        for point in range(25):
            if divmod(point, 5) not in plain.stones:
                stones, taken = plain.after(divmod(point, 5), plain.side)
                left = plain.flood(divmod(point, 5), stones)[1] - set(stones)
                own = divmod(point, 5) in taken
                expected = NO_LIBERTY if own else CAPTURE if taken else ONE if len(left) == 1 else SEVERAL
                assert liberties_after(position.state, 6, cell_at(point, 5), plain.side) == expected
        move = int(random.choice(position.legal_moves[:-1])) if len(position.legal_moves) > 1 else 25
        position = position.play(move)
        plain.play(move)


def test_shapes_are_seen_from_the_side_to_move():
    """White meets a shape with the colours exchanged where black meets it."""
    weights = np.zeros((3, CODES), np.float32)
    kinds, points = small_neighbourhoods(SIZE)
    game = make_game(f"go:size={SIZE}")
    spot = game.action("d4")
    assert kinds[spot] == 0
    digit = points[spot].tolist().index(game.action("d5"))
    weights[0, 2 * 3**digit] = 1  # nothing round the point but a stone of the opponent's
    for moves in (["d5"], ["a1", "d5"]):  # white to move, black to move
        found = choices(moves, weights=weights)
        assert "d4" in found
        assert found == {"d4", *found & {"d6", "c5", "e5", "c6", "e6", "c4", "e4"}}
        other = np.zeros_like(weights)
        other[0, 1 * 3**digit] = 1
        assert len(choices(moves, weights=other)) > 8, "no such shape"


def test_proposals_leave_out_eyes_and_prefer_captures():
    game = make_game(f"go:size={SIZE}")
    position = game.after(["a2", "g7", "b1", "g6", "b2", "f6", "f7"])  # black's eye a1; f7 is black's, in atari at e7
    moves, games, results = np.zeros(50, np.int64), np.ones(50, np.float32), np.zeros(50, np.float32)
    count = propose(position.state, knowledge_of(), moves, games, results)
    proposed = dict(zip(moves[:count].tolist(), (results / games)[:count].tolist(), strict=True))
    assert proposed[game.action("e7")] == max(proposed.values()), "white takes f7"
    assert game.action("pass") in proposed
    count = propose(position.play("d4").state, knowledge_of(), moves, games, results)
    assert game.action("a1") not in moves[:count].tolist()
