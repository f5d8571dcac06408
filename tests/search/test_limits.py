"""Thinking within limits: the same three arguments mean the same for every player."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from eightfold.arena import make_player
from eightfold.arena.players import PLAYERS
from eightfold.games import make_game
from eightfold.search import AlphaBeta, Mcts
from refusals import refusal

SEARCHING = ["mcts:playouts=1000000000", "alphabeta:depth=60", "alphabeta"]
LATE = 5.0  # seconds that a busy machine is forgiven; without the limit these searches take years


def middle_game(size: int = 15):
    return make_game(f"gomoku:size={size}").after(["h8", "g9", "g7", "i9", "f9", "h9", "i7", "h6", "j8", "f6", "g10"])


@pytest.mark.parametrize("name", [*PLAYERS, "mcts:playouts=1000000000", "alphabeta:depth=60"])
def test_every_player_takes_seconds(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    player.think(position, seconds=0)  # loads kernels
    for seconds in (0, 0.2):
        begun = time.perf_counter()
        result = player.think(position, seconds=seconds)
        assert time.perf_counter() - begun < seconds + LATE
        assert position.legal_mask[result.action]
        assert result.policy.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", SEARCHING[:2])
def test_a_stop_ends_a_search_soon(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    player.think(position, seconds=0)
    stop = threading.Event()
    ended = []

    def think() -> None:
        result = player.think(position, stop=stop)
        ended.append((time.perf_counter(), result))

    thread = threading.Thread(target=think)
    thread.start()
    time.sleep(0.5)
    assert not ended
    stopped = time.perf_counter()
    stop.set()
    thread.join(60)
    [(at, result)] = ended
    assert at - stopped < LATE
    assert position.legal_mask[result.action]
    assert result.effort > 1


@pytest.mark.parametrize("name", [*PLAYERS, *SEARCHING])
def test_a_stop_that_is_already_set_still_gives_a_move(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    stop = threading.Event()
    stop.set()
    begun = time.perf_counter()
    result = player.think(position, stop=stop)
    assert position.legal_mask[result.action]
    assert time.perf_counter() - begun < 60, "kernels may be compiled, nothing else takes long"
    if name == "mcts:playouts=1000000000":
        stop.clear()
        timed = player.think(position, seconds=0.1, stop=stop)
        assert timed.effort > 256, "a stop that was taken back stops nothing"


@pytest.mark.parametrize("name", ["mcts", "alphabeta:depth=60"])
def test_progress_is_told_a_few_times_a_second(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    player.think(position, seconds=0)
    told = []
    result = player.think(position, seconds=1.2, on_progress=told.append)
    assert 1 <= len(told) <= 6
    for snapshot in told:
        assert position.legal_mask[snapshot.action]
        assert snapshot.policy.sum() == pytest.approx(1, abs=1e-5)
    efforts = [snapshot.effort for snapshot in told]
    assert efforts == sorted(efforts)
    assert efforts[-1] <= result.effort


def test_whoever_is_told_may_have_had_enough():
    class Enough(Exception):
        pass

    def refuse(result):
        raise Enough

    position = middle_game()
    for name in ("mcts", "alphabeta:depth=60"):
        player = make_player(name, position.game, seed=1)
        with pytest.raises(Enough):
            player.think(position, seconds=60, on_progress=refuse)
        assert position.legal_mask[player.think(position, seconds=0.05).action]


@pytest.mark.parametrize("name", [*PLAYERS, "alphabeta:depth=3", "mcts:playouts=700"])
def test_being_watched_changes_no_result(name):
    position = middle_game()
    plain = make_player(name, position.game, seed=3).think(position)
    watched = make_player(name, position.game, seed=3).think(
        position, stop=threading.Event(), on_progress=lambda result: None
    )
    assert (plain.action, plain.value, plain.effort, plain.depth) == (
        watched.action,
        watched.value,
        watched.effort,
        watched.depth,
    )
    np.testing.assert_array_equal(plain.policy, watched.policy)


def test_seconds_take_the_place_of_playouts_and_leave_a_depth():
    position = middle_game()
    mcts = Mcts(position.game, playouts=10, seed=1)
    assert mcts.think(position).effort == 10
    assert mcts.think(position, seconds=0.3).effort > 1000
    assert mcts.think(position).effort == 10, "for that move only"
    assert AlphaBeta(position.game, depth=2, seed=1).think(position, seconds=5).depth == 2
    plain = AlphaBeta(position.game, seed=1).think(position)
    assert plain.depth == 4
    assert AlphaBeta(position.game, seed=1).think(position, seconds=3).effort > plain.effort


def test_a_tree_that_grows_keeps_what_it_knows():
    game = make_game("gomoku:size=8")
    player = Mcts(game, playouts=500, seed=1)
    position = game.after(["d4"])
    before = player.think(position)
    after = player.think(position, seconds=0.05)
    assert before.visits is not None
    assert after.visits is not None
    assert (after.visits >= before.visits).all()


def test_memory_limits_the_tree():
    game = make_game("gomoku:size=8")
    small = Mcts(game, seconds=0.2, memory=1, seed=1)
    assert small._tree.move.shape[0] == 1_000_000 // 48
    position = game.start()
    for _ in range(3):
        position = position.play(small.think(position).action)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_time_that_is_none_is_refused(seconds):
    position = middle_game()
    for name in ("mcts", "alphabeta"):
        assert "is not a time to think" in refusal(
            lambda name=name: make_player(name, position.game).think(position, seconds=seconds)
        )
