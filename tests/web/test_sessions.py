"""The state of a game on the page, apart from connections."""

from __future__ import annotations

import numpy as np

from eightfold.arena import make_player
from eightfold.games.game import make_game
from eightfold.games.state import BLACK, WHITE
from eightfold.web.assessment import assessment
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


def test_the_winning_line_is_named_and_the_end_needs_no_player_to_evaluate_it():
    game = session([0, 7, 1, 8, 2, 9, 3])
    state = game.state(0.0)
    assert state["line"] == [0, 1, 2, 3]
    assert state["evaluations"]["7"] == [1.0, None]
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
    game.stop_clocks(now=6.0)
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


def test_selecting_a_node_pauses_the_players_and_another_move_is_a_variation():
    game = session([24, 25, 17])
    game.select(1, now=0.0)
    assert not game.playing
    game.play(3, now=0.0)
    assert game.tree[1].children == [2, 4]
    assert "no node 9" in refusal(lambda: game.select(9, now=0.0))


def test_the_result_is_saved():
    game = session([24])
    game.resign(now=0.0)
    assert "RE[B+R]" in game.as_sgf()
    game.select(0, now=0.0)
    assert "RE[B+R]" in game.as_sgf(), "it stays true when one looks at another position"
    won = session([0, 7, 1, 8, 2, 9, 3], white=ENGINE)
    assert "RE[B+]" in won.as_sgf()
    assert "PW[greedy]" in won.as_sgf()


def test_the_result_that_is_saved_is_that_of_the_main_line():
    game = Session.from_sgf("(;GM[4]SZ[9]RE[W+R];B[ee];W[ff])", now=0.0)
    game.select(0, now=0.0)
    for action in (0, 9, 1, 10, 2, 11, 3, 12, 4):  # black wins in a variation
        game.play(action, now=0.0)
    assert game.is_over
    assert "RE[W+R]" in game.as_sgf()
    game.undo(now=0.0)
    game.resign(now=0.0)
    assert "RE[W+R]" in game.as_sgf(), "who resigns in a variation does not lose the game"
    game.undo(now=0.0)
    assert "RE[W+R]" in game.as_sgf()
    won = session([0, 7, 1, 8, 2, 9, 3])
    won.select(0, now=0.0)
    won.play(24, now=0.0)
    assert "RE[B+]" in won.as_sgf(), "the main line ended on the board"
    won.remove(7, now=0.0)
    assert "RE[" not in won.as_sgf()


def test_the_result_goes_with_the_last_move():
    game = Session.from_sgf("(;GM[4]SZ[9]RE[W+R];B[ee];W[ff])", now=0.0)
    game.remove(2, now=0.0)
    assert "RE[" not in game.as_sgf()


def test_undo_lifts_a_resignation_where_there_is_no_move_to_take_back():
    game = session(black=ENGINE)
    game.resign(now=0.0)
    game.undo(now=1.0)
    assert not game.is_over
    assert game.mover == ENGINE, "which is asked again"
    assert "RE[" not in game.as_sgf()


def test_undo_that_is_refused_changes_nothing():
    game = Session.from_sgf("(;GM[4]SZ[9]RE[W+R];B[ee];W[ff])", now=0.0)
    game.set_seats(ENGINE, HUMAN, playing=True, now=0.0)
    game.select(1, now=0.0)
    assert "no move to take back" in refusal(lambda: game.undo(now=1.0))
    assert "RE[W+R]" in game.as_sgf()


def test_who_removes_the_move_before_a_resignation_lifts_it():
    game = session([24, 25])
    game.resign(now=0.0)
    game.remove(2, now=0.0)
    assert not game.is_over
    game.play(3, now=0.0)


def test_time_after_a_resignation_is_nobodys():
    game = session([24])
    game.resign(now=2.0)
    game.undo(now=100.0)
    assert game.used == {BLACK: 0.0, WHITE: 2.0}


def test_a_person_resigns_also_while_the_engine_thinks():
    game = session([24], white=ENGINE)
    game.resign(now=0.0)
    assert game.winner == WHITE


def test_a_tree_does_not_grow_for_ever():
    game = session(game="gomoku:size=25", playing=False)
    for first in range(MOST_NODES // 600 + 1):
        game.select(0, now=0.0)
        game.play(first, now=0.0)
        for second in range(10, 610):
            if len(game.tree) == MOST_NODES:
                assert "more are not kept" in refusal(lambda action=second: game.play(action, now=0.0))
                return
            game.play(second, now=0.0)
            game.select(game.tree[game.node].parent, now=0.0)
    raise AssertionError("the tree was to be full by now")


def go(moves=(), *, black=HUMAN, white=HUMAN, game="go:size=5,komi=0.5"):
    start = make_game(game)
    return session([start.action(move) for move in moves], black=black, white=white, game=game)


def test_go_tells_prisoners_the_ko_and_who_begins():
    state = go(["b3", "c3", "a2", "d2", "b1", "c1", "c2", "b2"]).state(0.0)
    assert list(state["prisoners"]) == [0, 1]
    assert state["ko"] == [make_game("go:size=5").action("c2")]
    assert state["forbidden"] == [], "a suicide goes without saying"
    assert state["score"] is None
    handicap = go(game="go:size=9,handicap=2").state(0.0)
    assert (handicap["game"]["first"], handicap["to_move"], handicap["stones"].count("1")) == (WHITE, WHITE, 2)


def test_two_passes_are_counted_with_the_dead_stones_that_somebody_marks():
    game = go(["c3", "a1", "pass", "pass"])
    assert game.is_over
    alive = game.state(0.0)
    assert alive["score"]["text"] == "W+0.5", "both reach every empty point"
    game.mark_dead(20)
    told = game.state(0.0)
    assert (told["score"]["text"], told["score"]["dead"], told["outcome"]) == ("B+24.5", [20], "black wins by 24.5")
    assert told["score"]["ownership"] == "1" * 25
    assert told["score"]["scoring"] == "area"
    assert told["evaluations"]["4"] == [1.0, None]
    assert not told["score"]["agreed"]
    game.agree()
    assert game.state(0.0)["score"]["agreed"]
    sgf = game.as_sgf()
    assert "RE[B+24.5]" in sgf
    again = Session.from_sgf(sgf, now=0.0)
    assert again.state(0.0)["score"] == game.state(0.0)["score"]
    game.mark_dead(20)
    assert not game.state(0.0)["score"]["agreed"], "another count is another question"
    assert "no stone lies on b1" in refusal(lambda: game.mark_dead(21))


def test_nothing_is_counted_before_both_have_passed():
    game = go(["c3", "pass"])
    assert "both sides have passed" in refusal(lambda: game.mark_dead(12))
    assert "both sides have passed" in refusal(game.agree)
    game.play(25 - 1, now=0.0)
    assert not game.is_over
    assert "no stone is dead in gomoku" in refusal(lambda: session([24]).mark_dead(24))


def test_programs_agree_at_once_and_a_resigned_game_is_not_counted():
    assert go(["pass", "pass"], black=ENGINE, white=ENGINE).state(0.0)["score"]["agreed"]
    game = go(["c3"])
    assert game.state(0.0)["can_pass"]
    game.resign(now=0.0)
    told = game.state(0.0)
    assert told["score"] is None
    assert not told["can_pass"]


def test_undo_after_a_handicap_counts_from_white():
    game = go(["e5", "c6", "d4"], white=ENGINE, game="go:size=9,handicap=2")
    game.undo(now=0.0)
    assert len(game.position.moves) == 1
    assert game.position.to_move == BLACK


def test_exact_scores_of_alpha_beta_are_told_to_the_page():
    game = session([24, 25])
    for player, told in (("alphabeta:depth=2", False), ("alphabeta:depth=2,scores=exact", True)):
        result = make_player(player, game.game, seed=1).think(game.position)
        message = assessment(game, game.node, result, 0.1)
        assert message["visits"] is None
        assert (message["values"] is not None) == (message["scores"] is not None) == told
    known = [point for point, score in enumerate(message["scores"]) if score is not None]
    assert known == np.flatnonzero(np.isfinite(result.scores)).tolist()
    assert message["scores"][message["action"]] == max(message["scores"][point] for point in known)
