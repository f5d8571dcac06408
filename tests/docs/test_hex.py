"""Hex, the example of docs/new-game.md: its rules, its two symmetries, and every place where it is played."""

from __future__ import annotations

import os

import numpy as np
import pytest

from controllers import Controller
from eightfold.core.rng import make_random
from eightfold.games import BLACK, WHITE, Game, Position, make_game
from eightfold.games.records.sgf import read_sgf
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.symmetry.group import destinations
from launching import eightfold


@pytest.fixture(autouse=True)
def _own_games(examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))


def hex_board(size: int) -> Game:
    return make_game(f"python:hex,size={size}", trusted=True)


def joins(stones: np.ndarray, colour: int) -> bool:
    """Whether a colour has joined its sides: a flood from one of them through its stones, six ways at a time."""
    own = {(int(row), int(column)) for row, column in np.argwhere(stones == colour)}
    way = 0 if colour == BLACK else 1  # black's sides are the first and last row, white's the columns
    reached = [point for point in own if point[way] == 0]
    for row, column in reached:  # it grows meanwhile
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            near = (row + down, column + right)
            if near in own and near not in reached:
                reached.append(near)
    return any(point[way] == len(stones) - 1 for point in reached)


def random_game(game: Game, random: np.random.Generator) -> list[Position]:
    positions = [game.start()]
    for move in random.permutation(game.points).tolist():
        if not positions[-1].is_over:
            positions.append(positions[-1].play(move))
    return positions


# ---- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_somebody_has_won_exactly_when_sides_are_joined(size):
    game, random = hex_board(size), np.random.default_rng(size)
    winners = set()
    for _ in range(12):
        positions = random_game(game, random)
        for position in positions:
            mover = BLACK + WHITE - position.to_move
            assert position.result == (mover if joins(position.stones, mover) else 0)
            empty = np.flatnonzero(position.stones == 0).tolist()
            assert position.legal_moves.tolist() == ([] if position.is_over else empty)
        assert positions[-1].is_over
        winners.add(positions[-1].result)
    assert winners == {BLACK, WHITE}


@pytest.mark.parametrize("size", [2, 4, 7, 11])
def test_a_full_board_has_exactly_one_winner(size):
    game, random = hex_board(size), np.random.default_rng(size)
    for _ in range(30):
        order = random.permutation(game.points)
        board = np.empty(game.points, np.int8)
        board[order[::2]], board[order[1::2]] = BLACK, WHITE
        board = board.reshape(size, size)
        assert joins(board, BLACK) != joins(board, WHITE)
        position = game.start()
        for move in order.tolist():
            position = position if position.is_over else position.play(move)
        assert joins(board, position.result), "whoever joins first has joined for good"


def test_random_games_that_fill_the_board_find_the_winner():
    game = hex_board(5)
    black = 0
    for seed in range(200):
        state = game.start().play("c3").state.copy()
        result = game.kernels.rollout(state, make_random(seed), np.empty(game.actions, np.int64))
        board = state[16 : 16 + game.points].reshape(5, 5)
        assert (np.count_nonzero(board == BLACK), np.count_nonzero(board == WHITE)) == (13, 12)
        assert joins(board, result)
        black += result == BLACK
    assert 100 < black < 200, "who begins in the middle of a small board wins most random games"
    over = game.after(["a5", "b5", "a4", "b4", "a3", "b3", "a2", "b2", "a1"])
    assert over.result == BLACK
    assert game.kernels.rollout(over.state.copy(), make_random(1), np.empty(game.actions, np.int64)) == BLACK


def test_the_order_of_moves_leaves_no_trace():
    game, random = hex_board(6), np.random.default_rng(2)
    for _ in range(20):
        moves = random.permutation(game.points)[:16]
        other = moves.copy()
        other[0:14:2], other[1:15:2] = random.permutation(moves[0:14:2]), random.permutation(moves[1:15:2])
        one = game.start()
        for move in moves.tolist():
            one = one.play(move)
        two = game.after(other.tolist())
        assert one == two
        assert one.orbit_key == two.orbit_key


# ---- two symmetries, and no more ------------------------------------------------------------------------------


def test_the_rules_have_the_half_turn_and_none_of_the_other_six():
    game, random = hex_board(5), np.random.default_rng(7)
    assert game.symmetries == (0, 2)
    differs = np.zeros(8, int)
    games = 60
    for _ in range(games):
        last = random_game(game, random)[-1]
        for g in range(8):
            position = game.start()
            for move in last.moves:
                if not position.is_over:
                    position = position.play(int(destinations(5)[g, move]))
            same = position.ply == last.ply and position.result == last.result
            differs[g] += not same
            if g in game.symmetries:
                assert position.orbit_key == last.orbit_key
            elif not same:
                assert position.orbit_key != last.orbit_key
    assert differs[[0, 2]].tolist() == [0, 0]
    assert (differs[[1, 3, 4, 5, 6, 7]] > games / 4).all(), differs


def test_short_games_that_either_side_wins_are_no_collapse_where_there_are_no_draws():
    game, random = hex_board(5), np.random.default_rng(1)
    monitor = SelfPlayMonitor(game)
    for number in range(200):
        positions = random_game(game, random)
        monitor.add(positions, 0, BLACK if number % 2 else WHITE)
    assert monitor.figures()["draws"] == 0
    assert not monitor.warnings()


# ---- in a terminal, over GTP, in records ----------------------------------------------------------------------


def test_it_is_played_in_a_terminal_and_the_sides_are_told(examples):
    played = eightfold(
        "play", "random", "--game", "python:hex,size=3", compiled=False, cwd=examples,
        input="help\na3\npass\na3\nundo\nquit\n",
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    told = " ".join(played.stdout.split())
    assert "● black (top and bottom) ○ white (left and right): black to move after 0 moves" in told
    assert "'pass' is not a point" in told
    assert "a black stone is there" in told
    assert "dead" not in told


def test_it_is_matched_and_written(examples, tmp_path):
    done = eightfold(
        "match", "mcts:playouts=30", "random", "--game", "python:hex,size=4", "--games", "4",
        "--sgf", str(tmp_path / "games"), compiled=False, cwd=examples,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    hex_board(4)
    for path in (tmp_path / "games").iterdir():
        assert "GM[11]" in path.read_text()
        [record] = read_sgf(path.read_text())
        assert record.position().result == (BLACK if record.result == "B+" else WHITE)


def test_it_is_played_over_gtp(examples):
    paths = os.pathsep.join(filter(None, [str(examples), os.environ.get("PYTHONPATH", "")]))
    environment = {"PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    with Controller("--player", "mcts:playouts=100", "--game", "python:hex,size=3", **environment) as engine:
        for line in ("play b a3", "play w c3", "play b a2", "play w c2"):
            engine.gtp(line)
        assert engine.gtp("genmove b") == "A1"
        assert engine.gtp("gogui-rules_final_result") == "black wins"
        assert "invalid vertex" in engine.refused("play w pass")
        assert "has no points" in engine.refused("final_score")
        assert engine.quit() == 0
