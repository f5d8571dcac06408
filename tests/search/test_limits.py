"""Thinking within limits: the same three arguments mean the same for every player.

Time is told here by a clock of our own (`Limits`), or ends by a stop; how late a search is by the clock on the wall is
for `eightfold bench gomocup`.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from eightfold.arena import make_player
from eightfold.games import make_game
from eightfold.parts import CLASSICAL_PLAYERS
from eightfold.search import AlphaBeta, Mcts
from eightfold.search.limits import LONGEST, REPORT_EVERY, Limits
from eightfold.search.move_time import MoveTime
from eightfold.search.result import LONGEST_VARIATION, MOST_VARIATIONS, SearchResult, one_hot
from eightfold.search.uct import Uct
from patience import LONG, finished
from refusals import refusal

SEARCHING = ["mcts:playouts=1000000000", "alphabeta:depth=60", "alphabeta"]


def middle_game(size: int = 15):
    return make_game(f"gomoku:size={size}").after(["h8", "g9", "g7", "i9", "f9", "h9", "i7", "h6", "j8", "f6", "g10"])


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


@pytest.mark.parametrize(
    ("own", "given", "allowed"),
    [(0.0, None, None), (2.0, None, 2.0), (2.0, 0.5, 0.5), (0.0, 0.0, 0.0), (1.0, 3.0, 3.0), (0.0, 1e9, LONGEST)],
)
def test_the_time_that_is_allowed(own, given, allowed):
    clock = Clock()
    limits = Limits(own, given, now=clock)
    assert limits.seconds == allowed
    assert limits.timed == (allowed is not None)
    assert limits.reached() == (allowed == 0)
    if allowed is None:
        clock.at += 1e12
        assert not limits.reached()
    elif allowed:
        clock.at += 0.999 * allowed
        assert not limits.reached()
        clock.at += 0.002 * allowed
        assert limits.reached()


def test_a_time_on_a_clock_is_the_usual_one_unless_there_is_a_reason_for_more():
    clock = Clock()
    limits = Limits(9.0, MoveTime(usual=2.0, most=6.0), now=clock)
    assert (limits.seconds, limits.most, limits.on_a_clock) == (2.0, 6.0, True)
    assert not Limits(9.0, MoveTime(usual=2.0, most=2.0), now=clock).on_a_clock
    assert not Limits(9.0, 2.0, now=clock).on_a_clock
    for seconds, reached, exhausted in ((1.9, False, False), (2.1, True, False), (5.9, True, False), (6.1, True, True)):
        clock.at = 1000.0 + seconds
        assert limits.elapsed == pytest.approx(seconds)
        assert (limits.reached(), limits.exhausted()) == (reached, exhausted)
    assert "is not a time to think" in refusal(lambda: Limits(0.0, MoveTime(usual=3.0, most=2.0)))


@pytest.mark.parametrize("name", [*CLASSICAL_PLAYERS])
def test_every_player_takes_a_time_on_a_clock(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    result = finished(lambda: player.think(position, seconds=MoveTime(usual=0.05, most=1e6)))
    assert position.legal_mask[result.action]


def test_a_stop_is_the_end_whatever_the_time():
    stop = threading.Event()
    limits = Limits(0.0, None, stop, now=Clock())
    assert limits.watched
    assert not limits.reached()
    stop.set()
    assert limits.stopped()
    assert limits.reached()


def test_snapshots_are_made_a_few_times_a_second_and_only_then():
    clock, told = Clock(), []
    limits = Limits(0.0, 10.0, on_progress=told.append, now=clock)
    made = 0

    def snapshot() -> SearchResult:
        nonlocal made
        made += 1
        return SearchResult(action=0, policy=one_hot(4, 0), value=0.0)

    for _ in range(1000):
        clock.at += 0.001
        limits.report(snapshot)
    assert made == len(told) == pytest.approx(1 / REPORT_EVERY, abs=1)


@pytest.mark.parametrize("name", [*CLASSICAL_PLAYERS, "mcts:playouts=1000000000", "alphabeta:depth=60"])
def test_every_player_takes_seconds(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    for seconds in (0, 0.2):
        result = finished(lambda seconds=seconds: player.think(position, seconds=seconds))  # else it takes years
        assert position.legal_mask[result.action]
        assert result.policy.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", SEARCHING[:2])
def test_a_stop_ends_a_search(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    player.think(position, seconds=0)
    stop = threading.Event()
    ended = []
    thread = threading.Thread(target=lambda: ended.append(player.think(position, stop=stop)), daemon=True)
    thread.start()
    time.sleep(0.5)
    assert not ended
    stop.set()
    thread.join(LONG)
    [result] = ended
    assert position.legal_mask[result.action]
    assert result.effort > 1


def think_until(player, position, enough, **limits):
    """Think until a snapshot is enough; what came of it."""
    stop = threading.Event()

    def hear(snapshot):
        if enough(snapshot):
            stop.set()

    return finished(lambda: player.think(position, stop=stop, on_progress=hear, **limits))


@pytest.mark.parametrize("name", [*CLASSICAL_PLAYERS, *SEARCHING])
def test_a_stop_that_is_already_set_still_gives_a_move(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    stop = threading.Event()
    stop.set()
    result = finished(lambda: player.think(position, stop=stop))
    assert position.legal_mask[result.action]
    if name == "mcts:playouts=1000000000":
        more = think_until(player, position, lambda snapshot: snapshot.effort > 256)
        assert more.effort > 256, "a stop that was taken back stops nothing"


@pytest.mark.parametrize("name", ["mcts", "alphabeta:depth=60"])
def test_progress_is_told(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    told = []

    def three(snapshot):
        told.append(snapshot)
        return len(told) == 3

    result = think_until(player, position, three, seconds=1e6)
    assert len(told) >= 3
    for snapshot in told:
        assert position.legal_mask[snapshot.action]
        assert snapshot.policy.sum() == pytest.approx(1, abs=1e-5)
    efforts = [snapshot.effort for snapshot in told]
    assert efforts == sorted(efforts)
    assert efforts[-1] <= result.effort


@pytest.mark.parametrize("name", ["mcts:playouts=2000", "alphabeta:depth=3"])
def test_whoever_is_told_hears_how_the_game_goes_on_after_every_move(name):
    position = middle_game()
    player = make_player(name, position.game, seed=1)
    result = player.think(position, on_progress=lambda snapshot: None)
    assert result.variations[0] == result.principal_variation
    firsts = [line[0] for line in result.variations]
    assert len(set(firsts)) == len(firsts) == MOST_VARIATIONS
    assert max(map(len, result.variations)) >= 3
    for line in result.variations:
        assert len(line) <= LONGEST_VARIATION
        position.game.after([*position.moves, *line])  # all of it is legal
    player.new_game()
    assert player.think(position).variations == (), "nobody asked"


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


@pytest.mark.parametrize("name", [*CLASSICAL_PLAYERS, "alphabeta:depth=3", "mcts:playouts=700"])
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
    mcts = Mcts(position.game, Mcts.Options(playouts=10), seed=1)
    assert mcts.think(position).effort == 10
    assert think_until(mcts, position, lambda snapshot: True, seconds=1e6).effort > 10
    assert mcts.think(position).effort == 10, "for that move only"
    assert AlphaBeta(position.game, AlphaBeta.Options(depth=2), seed=1).think(position, seconds=1e6).depth == 2
    plain = AlphaBeta(position.game, seed=1).think(position)
    assert plain.depth == 4
    deeper = think_until(
        AlphaBeta(position.game, seed=1), position, lambda snapshot: snapshot.effort > plain.effort, seconds=1e6
    )
    assert deeper.effort > plain.effort


def test_a_tree_that_grows_keeps_what_it_knows():
    game = make_game("gomoku:size=8")
    player = Mcts(game, Mcts.Options(playouts=500), seed=1)
    position = game.after(["d4"])
    before = player.think(position)
    after = player.think(position, seconds=0.05)
    assert before.visits is not None
    assert after.visits is not None
    assert (after.visits >= before.visits).all()


def test_memory_limits_the_tree():
    game = make_game("gomoku:size=8")
    small = Uct(game, Mcts.Options(seconds=0.2, memory=1), seed=1)
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
