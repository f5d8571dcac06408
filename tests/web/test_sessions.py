"""What is known of a game on the page, apart from connections."""

from __future__ import annotations

from eightfold.games.state import BLACK, WHITE
from eightfold.web.messages import Seat
from eightfold.web.session import MOST_NODES, Session
from refusals import refusal

HUMAN, ENGINE = Seat(player="human"), Seat(player="greedy")


def session(moves=(), *, black=HUMAN, white=HUMAN, game="gomoku:size=7,win=4", playing=True):
    return Session.new(game, list(moves), black, white, playing=playing, now=0.0)


def test_a_state_is_all_that_a_page_needs():
    state = session([24, 25]).state(0.0)
    assert state["tree"] == [[0, -1, -1], [1, 0, 24], [2, 1, 25]]
    assert state["stones"][24] == "1"
    assert state["stones"][25] == "2"
    assert (state["last"], state["to_move"], state["over"]) == (25, BLACK, False)


def test_the_winning_line_is_named_and_the_end_needs_no_opinion():
    game = session([0, 7, 1, 8, 2, 9, 3])
    state = game.state(0.0)
    assert state["line"] == [0, 1, 2, 3]
    assert state["judged"]["7"] == [1.0, None]
    assert game.winner == BLACK


def test_a_row_that_is_crossed_by_another_names_both():
    # Black's last stone at 3 ends a row and a column of four.
    game = session([0, 48, 1, 46, 2, 44, 10, 42, 17, 40, 24, 38, 3])
    assert game.state(0.0)["line"] == [0, 1, 2, 3, 10, 17, 24]


def test_clocks_run_for_the_side_to_move_and_stand_when_nobody_is_there():
    game = session()
    game.play(0, now=3.0)
    game.play(1, now=5.0)
    assert game.used == {BLACK: 3.0, WHITE: 2.0}
    game.hold_clocks(now=6.0)
    assert game.used[BLACK] == 4.0
    game.start_clocks(now=100.0)
    game.play(2, now=101.0)
    assert game.used[BLACK] == 5.0


def test_undo_against_an_engine_takes_back_both_moves_and_forgets_them():
    game = session([24, 25, 17, 18], white=ENGINE)
    game.undo(now=1.0)
    assert game.position.moves == (24, 25)
    game.undo(now=1.0)
    assert game.position.moves == ()
    assert "no move to take back" in refusal(lambda: game.undo(now=1.0))


def test_undo_while_the_engine_thinks_takes_back_one():
    game = session([24], white=ENGINE)
    game.undo(now=1.0)
    assert game.position.moves == ()


def test_looking_elsewhere_rests_the_players_and_another_move_is_a_variation():
    game = session([24, 25, 17])
    game.go(1, now=0.0)
    assert not game.playing
    game.play(3, now=0.0)
    assert game.tree[1].children == [2, 4]
    assert "no node 9" in refusal(lambda: game.go(9, now=0.0))


def test_the_result_is_saved():
    game = session([24])
    game.resign(now=0.0)
    assert "RE[B+R]" in game.as_sgf()
    game.go(0, now=0.0)
    assert "RE[B+R]" in game.as_sgf(), "it stays true when one looks at another position"
    won = session([0, 7, 1, 8, 2, 9, 3], white=ENGINE)
    assert "RE[B+]" in won.as_sgf()
    assert "PW[greedy]" in won.as_sgf()


def test_a_person_resigns_also_while_the_engine_thinks():
    game = session([24], white=ENGINE)
    game.resign(now=0.0)
    assert game.winner == WHITE


def test_a_tree_does_not_grow_for_ever():
    game = session(game="gomoku:size=25", playing=False)
    for first in range(MOST_NODES // 600 + 1):
        game.go(0, now=0.0)
        game.play(first, now=0.0)
        for second in range(10, 610):
            if len(game.tree) == MOST_NODES:
                assert "more are not kept" in refusal(lambda action=second: game.play(action, now=0.0))
                return
            game.play(second, now=0.0)
            game.go(game.tree[game.node].parent, now=0.0)
    raise AssertionError("the tree was to be full by now")
