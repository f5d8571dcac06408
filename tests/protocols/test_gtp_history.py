"""Games as GTP makes them: any colour at any time, moves taken back, rules changed afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.setup import start_from
from eightfold.protocols.gtp.history import History, from_record

GAME = make_game("go:size=5")
PASS = GAME.points
STEPS = st.lists(st.tuples(st.integers(0, PASS), st.sampled_from([BLACK, WHITE, None])), max_size=40)


def played(steps) -> tuple[History, list[tuple[object, ...]]]:
    """A history of those of the steps that are legal, None standing for an undo; and all states on the way."""
    history = History(GAME.start())
    states = [state(history)]
    for action, colour in steps:
        try:
            if colour is None:
                history.undo()
                states.pop()
                assert state(history) == states[-1], "an undo goes back to exactly what was there"
            else:
                history.play(action, colour)
                states.append(state(history))
        except EightfoldError:
            assert state(history) == states[-1], "what is refused changes nothing"
    return history, states


def state(history: History) -> tuple[object, ...]:
    position = history.position
    return position.stones.tobytes(), position.to_move, position.moves, position.is_over, history.branch, len(history)


@settings(max_examples=150)
@given(STEPS)
def test_an_undo_is_exact_and_a_refusal_changes_nothing(steps):
    history, states = played(steps)
    for expected in reversed(states):
        assert state(history) == expected
        if len(history):
            history.undo()


@settings(max_examples=150)
@given(STEPS)
def test_on_one_line_equal_moves_are_equal_positions(steps):
    history = History(GAME.start())
    seen: dict[tuple[object, ...], bytes] = {}
    for action, colour in steps:
        try:
            if colour is None:
                history.undo()
            else:
                history.play(action, colour)
        except EightfoldError:
            continue
        position = history.position
        key = (history.branch, position.moves)
        assert seen.setdefault(key, position.state.tobytes()) == position.state.tobytes()


@settings(max_examples=100)
@given(STEPS)
def test_the_same_game_with_another_komi(steps):
    history, _ = played(steps)
    other = history.under(make_game("go:size=5,komi=0.5"))
    assert (other.position.stones == history.position.stones).all()
    assert other.position.to_move == history.position.to_move
    assert len(other) == len(history)


@settings(max_examples=100)
@given(STEPS)
def test_a_record_ends_with_the_same_stones(steps):
    history, _ = played(steps)
    record = history.record()
    again = from_record(record)  # the passes in between repeat nothing where whole boards may not be repeated
    assert (again.position.stones == history.position.stones).all()
    [read] = read_sgf(write_sgf([record]))
    assert (read.position().stones == history.position.stones).all()


def test_two_passes_end_a_game_until_somebody_plays_on():
    history = History(GAME.after(["c3"]))
    for colour in (WHITE, BLACK, WHITE):
        history.play(PASS, colour)
    assert history.position.is_over
    history.play(0, WHITE)
    assert not history.position.is_over
    assert history.position.to_move == BLACK
    history.undo()
    assert history.position.is_over


def test_a_start_that_was_set_up_is_kept_under_other_rules():
    history = History(start_from(GAME, {0: BLACK, 24: BLACK}, to_move=WHITE))
    history.play(12, WHITE)
    other = history.under(make_game("go:size=5,rules=japanese"))
    assert (other.position.stones == history.position.stones).all()
    assert other.position.game.values["rules"] == "japanese"
    assert other.record().setup == ((0, BLACK), (24, BLACK))
    assert not other.is_empty


def test_rules_that_forbid_a_move_say_which():
    history = History(make_game("go:size=5,suicide=allowed").start())
    for name, colour in (("a1", BLACK), ("a2", WHITE), ("b2", WHITE), ("c1", WHITE), ("b1", BLACK)):
        history.play(GAME.action(name), colour)  # the last one takes two black stones off
    assert (history.position.stones == BLACK).sum() == 0
    with pytest.raises(EightfoldError, match="does not allow move 5 of this game"):
        history.under(GAME)
