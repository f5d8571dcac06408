"""What an engine allows its player, by a clock that goes on only when it is told to."""

from __future__ import annotations

import pytest

from eightfold.protocols import engine as engine_module
from eightfold.protocols.clock import FASTEST
from eightfold.protocols.engine import Engine
from eightfold.search.move_time import MoveTime
from eightfold.search.result import SearchResult, one_hot

GAME = "gomoku:size=15"


class Slow:
    """A player that takes all the time it is given and a little more, and remembers what it was given."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.given, self.late, self.most = clock, [], 0.01, None

    def new_game(self) -> None: ...

    def think(self, position, *, seconds=None, stop=None, on_progress=None):
        usual = seconds.usual if isinstance(seconds, MoveTime) else seconds
        self.given.append(usual)
        self.most = seconds.most if isinstance(seconds, MoveTime) else seconds
        self.clock.at += 3.0 if usual is None else usual + self.late
        action = int(position.legal_moves[0])
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)


class Clock:
    def __init__(self) -> None:
        self.at = 500.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def player(clock, monkeypatch):
    slow = Slow(clock)
    monkeypatch.setattr(engine_module, "make_player", lambda *arguments, **more: slow)
    return slow


def started(clock, player, *, loading=0.0):
    engine = Engine(now=clock)
    since = clock.at
    clock.at += loading
    engine.start(GAME, since=since)
    engine.clock.setup_seconds = loading  # without the trial moves of this player, which are no loading
    player.given.clear()
    return engine


def test_a_player_gets_what_a_turn_allows_less_a_margin(clock, player):
    engine = started(clock, player)
    for turn, allowed in ((10.0, 9.6), (1.0, 0.9), (0.4, 0.3), (0.0, FASTEST)):
        engine.clock.per_move = turn
        engine.think()
        assert player.given[-1] == pytest.approx(allowed)
    engine.clock.per_move = None
    engine.think()
    assert player.given[-1] is None


def test_what_a_command_waited_for_is_taken_off(clock, player):
    engine = started(clock, player)
    engine.clock.per_move = 1.0
    came = clock.at
    clock.at += 0.25
    engine.think(since=came)
    assert player.given[-1] == pytest.approx(0.65)
    assert engine.clock.used == pytest.approx(0.25 + 0.65 + player.late)
    came = clock.at
    clock.at += 5
    engine.think(since=came)
    assert player.given[-1] == player.most == 0, "no time is left, and a move is made all the same"


def test_what_a_command_waited_for_is_taken_off_a_hard_move_too(clock, player):
    engine = started(clock, player)
    engine.clock.per_game = 100.0
    engine.think()
    usual, most = player.given[-1], player.most
    engine.clock.new_game()
    came = clock.at
    clock.at += 1.0
    engine.think(since=came)
    assert (player.given[-1], player.most) == pytest.approx((usual - 1.0, most - 1.0))


def test_start_is_on_the_bill_of_the_first_move_alone(clock, player):
    engine = started(clock, player, loading=1.5)
    engine.clock.per_move = 4.0
    engine.think()
    assert player.given[-1] == pytest.approx(3.84 - 1.5)
    engine.think()
    assert player.given[-1] == pytest.approx(3.84)


def test_a_start_that_took_more_than_a_turn_takes_nothing_off(clock, player):
    engine = started(clock, player, loading=20)
    engine.clock.per_move = 1.0
    engine.think()
    assert player.given[-1] == pytest.approx(0.9)


def test_the_time_of_a_match_lasts_for_any_number_of_moves(clock, player):
    engine = started(clock, player)
    engine.clock.per_move, engine.clock.per_game = 30.0, 60.0
    player.late = 0.0
    begun = clock.at
    for number in range(60):
        engine.think()
        assert clock.at - begun < 60, f"move {number + 1}"
    assert player.given[0] == pytest.approx(60 / 30, rel=0.1)
    assert max(player.given) < 4, "no move takes more than its share"


@pytest.mark.parametrize("left", [-3.0, 0.0])
def test_without_any_time_left_a_move_is_as_fast_as_possible(clock, player, left):
    engine = started(clock, player)
    engine.clock.per_move, engine.clock.remaining = 5.0, left
    engine.think()
    assert player.given[-1] == FASTEST
