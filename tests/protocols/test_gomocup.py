"""The Gomocup protocol: what every command is answered with."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.game import Position
from eightfold.protocols.engine import Engine
from eightfold.protocols.gomocup import swap2
from eightfold.protocols.gomocup.engine import ABOUT, Gomocup
from eightfold.protocols.gomocup.rules import game_text, read_point, rule_number, write_point
from eightfold.search.result import SearchResult, one_hot
from managers import move_of
from refusals import refusal


class Talk:
    """A conversation with an engine in this process."""

    def __init__(self, player: str | None = "greedy") -> None:
        self.said: list[str] = []
        self.engine = Engine(player)
        self.gomocup = Gomocup(self.engine, self.said.append)

    def all(self, *lines: str, stop: threading.Event | None = None) -> list[str]:
        del self.said[:]
        for line in lines:
            assert self.gomocup.handle(line, stop=stop)
        return list(self.said)

    def __call__(self, *lines: str) -> list[str]:
        """The answers, without what is for people."""
        return [line for line in self.all(*lines) if not line.startswith("MESSAGE")]

    @property
    def position(self) -> Position:
        return self.engine.position


def is_move(text: str, size: int = 15) -> bool:
    return 0 <= move_of(text, size) < size * size


def started(player: str | None = "greedy", size: int = 15) -> Talk:
    talk = Talk(player)
    assert talk(f"START {size}") == ["OK"]
    return talk


@pytest.mark.parametrize("size", [5, 8, 15, 19, 20, 25])
def test_start(size):
    talk = started(size=size)
    assert talk.engine.game.text == f"gomoku:size={size},win=5,rule=freestyle"
    [answer] = talk("BEGIN")
    assert is_move(answer, size)


@pytest.mark.parametrize(
    "bad", ["START", "START x", "START 4", "START 26", "START -15", "START 1e3", "START 99999999999"]
)
def test_a_board_that_cannot_be_is_an_error(bad):
    talk = Talk()
    [answer] = talk(bad)
    assert answer.startswith("ERROR ")
    assert talk("BEGIN") == ["ERROR START comes first"]
    assert talk("START 15") == ["OK"]


def test_a_failed_start_leaves_the_game_as_it_was():
    talk = started()
    talk("TURN 7,7")
    before = talk.position.moves
    assert talk("START 3")[0].startswith("ERROR")
    assert talk.position.moves == before


def test_rectangles_are_refused_and_squares_are_not():
    talk = Talk()
    for bad in ("RECTSTART 15,20", "RECTSTART", "RECTSTART 15", "RECTSTART a,b"):
        assert talk(bad)[0].startswith("ERROR rectangular boards are not supported")
    assert talk("RECTSTART 10,10") == ["OK"]
    assert talk.engine.game.size == 10


def test_nothing_but_start_works_before_start():
    talk = Talk()
    for command in ("RESTART", "BEGIN", "TURN 1,1", "PLAY 1,1", "TAKEBACK 1,1", "YXSHOWFORBID", "YXNBEST 3"):
        assert talk(command) == ["ERROR START comes first"], command
    for block in ("BOARD", "YXBOARD", "SWAP2BOARD"):
        assert talk(block, "1,1,1", "2,2,2", "DONE") == ["ERROR START comes first"]
    assert talk("ABOUT") == [ABOUT]


def test_a_game_by_turns_and_a_restart():
    talk = started()
    [first] = talk("TURN 7,7")
    assert is_move(first)
    assert talk.position.stones[7, 7] == BLACK
    assert talk.position.moves == (7 * 15 + 7, move_of(first, 15))
    assert talk("TURN 7,7")[0].startswith("ERROR")
    assert talk(f"TURN {first}")[0].startswith("ERROR")
    assert talk("RESTART") == ["OK"]
    assert talk.position.moves == ()
    assert is_move(talk("BEGIN")[0])
    assert talk("BEGIN")[0].startswith("ERROR BEGIN is for an empty board")


@pytest.mark.parametrize("bad", ["TURN", "TURN 7", "TURN a,b", "TURN 15,0", "TURN 0,-1", "TURN 7,7,7", "TURN 7;7"])
def test_a_point_that_is_none_is_an_error_and_changes_nothing(bad):
    talk = started()
    assert talk(bad)[0].startswith("ERROR ")
    assert talk.position.moves == ()
    assert is_move(talk("TURN 7,7")[0])


def test_coordinates_are_column_then_row():
    game = make_game("gomoku:size=15")
    assert read_point("3,0", game) == 3
    assert read_point(" 0 , 3 ", game) == 45
    for action in range(225):
        assert read_point(write_point(action, game), game) == action


def test_case_blanks_and_empty_lines_do_not_matter():
    talk = Talk()
    assert talk("", "   ", "start 15", "  TuRn   3,4  ")[0] == "OK"
    assert talk.position.stones[4, 3] == BLACK


def test_a_board_in_any_order():
    talk = started()
    stones = ["7,7,2", "8,8,1", "6,6,2", "9,9,1", "5,5,2"]
    [answer] = talk("BOARD", *stones, "DONE")
    assert is_move(answer)
    assert talk.position.to_move == BLACK, "we were white, with two stones to three, and have played"
    assert [talk.position.stones[k, k] for k in (7, 8, 6, 9, 5)] == [BLACK, WHITE, BLACK, WHITE, BLACK]
    assert len(talk.position.moves) == 6
    assert is_move(talk("BOARD", *reversed(stones), "DONE")[0])
    assert is_move(talk("TURN 0,0")[0]), "and the game goes on from there"


def test_a_board_with_equal_numbers_makes_us_black():
    talk = started()
    talk("BOARD", "1,1,2", "2,2,1", "DONE")
    assert talk.position.stones[2, 2] == BLACK
    assert talk.position.stones[1, 1] == WHITE


def test_an_empty_board_and_one_with_too_many_stones_of_a_side():
    talk = started()
    assert is_move(talk("BOARD", "DONE")[0])
    assert is_move(talk("BOARD", "1,1,2", "3,3,2", "5,5,2", "DONE")[0])
    assert is_move(talk("BOARD", "1,1,1", "3,3,1", "5,5,1", "DONE")[0])
    assert is_move(talk("TURN 9,9")[0])


@pytest.mark.parametrize(
    "lines",
    [
        ["7,7,4"],
        ["7,7"],
        ["x"],
        ["7,7,1", "7,7,2"],
        ["15,15,1"],
        ["7,7,3"],
        ["7,7,1,1"],
    ],
)
def test_a_board_that_cannot_be_is_an_error_and_changes_nothing_either(lines):
    talk = started()
    talk("TURN 7,7")
    before = talk.position.moves
    [answer] = talk("BOARD", *lines, "DONE")
    assert answer.startswith("ERROR ")
    assert talk.position.moves == before


def test_a_board_that_is_already_won_is_an_error():
    talk = started()
    for kind in (1, 2):
        [answer] = talk("BOARD", *[f"{k},0,{kind}" for k in range(5)], "DONE")
        assert answer.startswith("ERROR ")
        assert "the game is over" in answer


def test_six_in_a_row_are_set_up_under_the_standard_rule_whatever_the_order():
    talk = started()
    talk("INFO rule 1")
    own = [f"{k},0,1" for k in (0, 1, 2, 3, 4, 5)]
    other = [f"{k},9,2" for k in (0, 2, 4, 6, 8, 10)]
    assert is_move(talk("BOARD", *own, *other, "DONE")[0])


def test_a_lost_done_does_not_block_for_ever():
    talk = started()
    assert talk("BOARD", "7,7,2", "RESTART") == ["OK"]
    assert is_move(talk("BEGIN")[0])
    assert talk("BOARD", "7,7,2", "ABOUT", "INFO timeout_turn 0", "nonsense", "DONE")[0] == ABOUT
    assert talk("BOARD", *["1,1,1"] * 1000, "DONE") == ["ERROR BOARD has more lines than the board has points"]
    assert not Talk().gomocup.handle("END")
    inside = started()
    inside("BOARD")
    assert not inside.gomocup.handle("end")


def test_taking_back():
    talk = started()
    [answer] = talk("TURN 7,7")
    assert talk("TAKEBACK 0,0")[0].startswith("ERROR there is no stone")
    assert talk(f"TAKEBACK {answer}") == ["OK"]
    assert talk.position.to_move == WHITE
    assert talk("TAKEBACK 7,7") == ["OK"]
    assert talk.position.moves == ()
    assert talk.position.to_move == BLACK
    [answer] = talk("TURN 3,3")
    assert talk("TAKEBACK 3,3") == ["OK"], "also one that is not the last"
    assert talk.position.stones[3, 3] == 0
    assert is_move(talk("TURN 4,4")[0])


def test_play_puts_our_own_move():
    talk = started()
    assert talk("PLAY 2,3") == ["2,3"]
    assert talk.position.stones[3, 2] == BLACK
    assert talk("PLAY 2,3")[0].startswith("ERROR")
    assert is_move(talk("TURN 4,4")[0])


def test_swap2():
    for seed_size in (15, 20, 8, 5):
        talk = started(size=seed_size)
        [answer] = talk("SWAP2BOARD", "DONE")
        points = [move_of(text, seed_size) for text in answer.split(" ")]
        assert len(set(points)) == 3
        assert talk.position.moves == tuple(points)
    talk = started("alphabeta:depth=2")
    won_for_black = ["7,7", "0,0", "8,7"]
    even = ["7,7", "8,8", "0,14"]
    for stones in (won_for_black, even):
        [answer] = talk("SWAP2BOARD", *stones, "DONE")
        assert answer == "SWAP" or is_move(answer)
        assert len(talk.position.moves) == (3 if answer == "SWAP" else 4)
    [answer] = talk("SWAP2BOARD", "7,7", "8,8", "0,14", "8,6", "8,7", "DONE")
    assert answer == "SWAP" or is_move(answer)
    for count in (1, 2, 4, 6):
        assert talk("SWAP2BOARD", *[f"{k},{2 * k}" for k in range(count)], "DONE")[0].startswith("ERROR SWAP2BOARD")
    assert talk("SWAP2BOARD", "1,1", "1,1", "2,2", "DONE")[0].startswith("ERROR")


def test_without_time_swap2_opens_with_a_shape_that_nobody_judges(monkeypatch):
    asked = []
    monkeypatch.setattr(swap2, "judge_of", lambda player, game: asked.append(player))
    talk = started()
    for limits, judged in (((), 1), (("INFO timeout_turn 5000",), 2), (("INFO timeout_turn 0",), 2)):
        [answer] = talk(*limits, "SWAP2BOARD", "DONE")
        assert len(set(answer.split(" "))) == 3
        assert len(asked) == judged
    used = talk.engine.clock.used
    talk("SWAP2BOARD", "DONE")
    assert talk.engine.clock.used > used, "it is charged"


class Judge:
    """A player that plays the first free point and thinks white stands as it was told."""

    def __init__(self, value: float) -> None:
        self.value = value

    def new_game(self) -> None: ...

    def think(self, position, *, seconds=None, stop=None, on_progress=None):
        action = int(position.legal_moves[0])
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=self.value)


@pytest.mark.parametrize(("value", "answer"), [(0.5, "0,0"), (-0.5, "SWAP")])
@pytest.mark.parametrize("stones", [["7,7", "8,8", "9,9"], ["7,7", "8,8", "9,9", "5,5", "4,4"]])
def test_the_better_colour_is_taken(value, answer, stones):
    talk = started()
    talk.engine._player = Judge(value)
    assert talk("SWAP2BOARD", *stones, "DONE") == [answer]


def test_info_is_never_answered_and_its_limits_are_taken():
    talk = started()
    known = ["timeout_turn 1500", "timeout_match 60000", "time_left 2147483647", "max_memory 367001600", "game_type 1"]
    more = ["rule 0", "evaluate 3,4", "folder /tmp/x y", "max_node 5", "thread_num 9", "show_detail 1", "wonder 7", ""]
    assert talk.all(*[f"INFO {text}" for text in known + more], "INFO", "info TIME_LEFT -500") == []
    clock = talk.engine.clock
    assert (clock.per_move, clock.per_game, clock.remaining) == (1.5, 60, -0.5)
    talk("INFO time_left 2147483647", "INFO timeout_match 0", "INFO timeout_turn 0")
    assert (clock.per_move, clock.per_game, clock.remaining) == (0, None, None)


def test_complaints_about_info_wait_for_the_next_move():
    talk = started()
    bad = ["INFO timeout_turn soon", "INFO rule x", "INFO time_left " + "9" * 5000, "INFO max_memory 1e9"]
    assert talk.all(*bad) == []
    said = talk.all("BEGIN")
    assert [line.startswith("MESSAGE INFO") for line in said[:4]] == [True] * 4
    assert is_move(said[-1])


@pytest.mark.parametrize(("rule", "word"), [(2, "continuous"), (3, ""), (5, ""), (6, ""), (12, ""), (-1, ""), (77, "")])
def test_rules_that_are_not_played_are_an_error_at_the_next_move(rule, word):
    talk = Talk()
    assert talk(f"INFO rule {rule}", "START 15") == ["OK"]
    for commands in (["BEGIN"], ["TURN 7,7"], ["BOARD", "7,7,2", "DONE"], ["SWAP2BOARD", "DONE"]):
        [answer] = talk(*commands)
        assert answer.startswith(f"ERROR rule {rule}")
        assert word in answer
        assert "0 (freestyle), 1 (standard)" in answer
    assert is_move(talk("INFO rule 1", "BEGIN")[0])


@pytest.mark.parametrize(("rule", "name"), [(4, "renju"), (8, "caro"), (9, "caro-exact")])
@pytest.mark.parametrize("player", ["alphabeta:depth=2", "mcts:playouts=50"])
def test_renju_and_caro_are_played(rule, name, player):
    talk = Talk(player)
    assert talk(f"INFO rule {rule}", "START 9", "BEGIN")[0] == "OK"
    assert talk.engine.game.text == f"gomoku:size=9,win=5,rule={name}"
    random = np.random.default_rng(rule)
    while not talk.position.is_over:
        point = write_point(int(random.choice(talk.position.legal_moves)), talk.engine.game)
        [answer] = talk(f"TURN {point}")
        if talk.position.ply % 2 == 0:  # the random move was the last: it won, or left black no point that is allowed
            assert talk.position.is_over
            assert "the game is over" in answer
        else:
            assert is_move(answer, 9)  # and `Engine.play` refuses what is forbidden


def test_forbidden_points_are_shown_and_refused_under_renju():
    talk = Talk()
    cross = ["7,6,1", "0,0,2", "7,8,1", "0,14,2", "6,7,1", "14,0,2", "8,7,1", "14,14,2"]
    assert talk("INFO rule 4", "START 15", "YXBOARD", *cross, "DONE") == ["OK"]
    assert talk("YXSHOWFORBID") == ["FORBID 0707."]
    [answer] = talk("PLAY 7,7")
    assert answer.startswith("ERROR")
    assert "double three" in answer
    [answer] = talk("BOARD", *cross, "7,7,3", "DONE")  # managers mark forbidden points so
    assert is_move(answer)
    assert answer != "7,7"
    assert talk("INFO rule 0", "YXSHOWFORBID") == ["FORBID ."]


def test_the_rule_may_change_after_start_and_in_a_game():
    talk = started()
    talk("TURN 7,7")
    stones = talk.position.stones.copy()
    assert talk("INFO rule 1") == []
    assert talk.engine.game.text == "gomoku:size=15,win=5,rule=standard"
    assert (talk.position.stones == stones).all()
    assert talk("START 20") == ["OK"]
    assert talk.engine.game.text == "gomoku:size=20,win=5,rule=standard"


@pytest.mark.parametrize("swept", [["RESTART"], []])
def test_a_rule_that_the_stones_of_a_finished_game_do_not_allow_holds_for_the_next(swept):
    talk = started()
    own = [f"{k},0,1" for k in (0, 1, 2, 4, 5, 3)]
    other = [f"{k},9,2" for k in (0, 2, 4, 6, 8, 10)]
    talk("YXBOARD", *own, *other, "DONE", "INFO rule 4")
    assert talk(*swept) == ["OK"] * len(swept)
    cross = ["7,6,1", "0,0,2", "7,8,1", "0,14,2", "6,7,1", "14,0,2", "8,7,1", "14,14,2"]
    assert talk("YXBOARD", *cross, "DONE", "YXSHOWFORBID")[-1] == "FORBID 0707."
    assert talk.engine.game.text.endswith("rule=renju")


def test_a_finished_game_is_an_error_and_no_crash():
    talk = started()
    talk("YXBOARD", *[f"{k},0,2" for k in range(4)], *[f"{2 * k},9,1" for k in range(4)], "DONE")
    for command in ("PLAY 14,14", "TURN 4,0"):
        talk(command)
    assert talk.position.is_over
    for command in (["TURN 9,9"], ["PLAY 9,9"], ["YXNBEST 2"]):
        assert "the game is over" in talk(*command)[0]
    assert talk("RESTART") == ["OK"]


def test_a_full_board():
    talk = started(size=5)
    talk("YXBOARD", "DONE")
    for _ in range(12):
        move = int(talk.position.legal_moves[0])
        answer = talk(f"TURN {write_point(move, talk.engine.game)}")[0]
        if talk.position.is_over:
            break
    assert talk.position.is_over or is_move(answer, 5)


def test_about_unknown_and_end():
    talk = Talk()
    [answer] = talk("about")
    for key in ("name", "version", "author", "country"):
        assert f'{key}="' in answer
    assert talk("FLY", "OK", "7,7", "DONE") == ["UNKNOWN FLY", "UNKNOWN OK", "UNKNOWN 7,7", "UNKNOWN DONE"]
    assert len(talk("X" * 5000)[0]) < 100
    assert not talk.gomocup.handle("END")


def test_the_extensions_of_analysis_programs():
    talk = started("mcts:playouts=50")
    assert talk.all("YXSTOP") == []
    assert talk.all("YXBOARD", "7,7,2", "8,8,1", "-1,-1,2", "DONE") == []
    assert talk("YXSHOWFORBID") == ["FORBID ."]
    said = talk.all("YXNBEST 3")
    assert [line[: len("MESSAGE (1)")] for line in said[-4:-1]] == ["MESSAGE (1)", "MESSAGE (2)", "MESSAGE (3)"]
    assert is_move(said[-1])
    assert len(talk.position.moves) == 2, "it is not played"
    for odd in ("YXNBEST", "YXNBEST x", "YXNBEST -4", "YXNBEST 999999999999"):
        assert is_move(talk(odd)[-1])


def test_a_stop_ends_the_thinking():
    talk = started("mcts:playouts=100000000")
    stop = threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    said = talk.all("BEGIN", stop=stop)
    timer.join()
    assert is_move(said[-1])


def test_a_player_that_fails_is_an_error_and_not_the_end():
    talk = started()
    talk.engine._player = object()
    assert talk("BEGIN")[0].startswith("ERROR AttributeError")
    assert talk("ABOUT") == [ABOUT]


def test_the_default_player_is_alphabeta_by_time_where_no_network_is_shipped():
    from eightfold.protocols.default_player import engine_player

    assert engine_player(None, make_game("gomoku:size=13,win=4")) == "alphabeta:seconds=5"
    assert engine_player("mcts", make_game("gomoku:size=13")) == "mcts:memory=96"
    assert engine_player("mcts:memory=7", make_game("gomoku:size=13")) == "mcts:memory=7"
    assert (
        engine_player("mcts:exploration=2", make_game("gomoku:size=13"), memory=350) == "mcts:exploration=2,memory=130"
    )
    assert engine_player("greedy", make_game("gomoku:size=13")) == "greedy"


def test_the_table_of_rules_goes_both_ways():
    for rule, name in ((0, "freestyle"), (1, "standard"), (4, "renju"), (8, "caro"), (9, "caro-exact")):
        assert game_text(15, rule) == f"gomoku:size=15,win=5,rule={name}"
        assert rule_number(make_game(game_text(15, rule))) == rule
    assert "the gomocup protocol does not know" in refusal(lambda: rule_number(make_game("gomoku:size=8,win=4")))
    assert "rule 2 (a continuous game) is not supported" in refusal(lambda: game_text(15, 2))


BLOCKS = ("BOARD", "YXBOARD", "SWAP2BOARD", "DONE", "DONE", "7,7,1")
MOVES = ("BEGIN", "TURN", "PLAY", "TAKEBACK", "YXNBEST")
COMMANDS = st.sampled_from(
    ("START", "RESTART", "RECTSTART", "INFO", "ABOUT", "YXSTOP", "YXSHOWFORBID", *MOVES, *BLOCKS)
)
WORDS = st.one_of(
    st.text(max_size=12),
    st.integers(-3, 30).map(str),
    st.tuples(st.integers(-1, 9), st.integers(-1, 9)).map(lambda pair: f"{pair[0]},{pair[1]}"),
    st.sampled_from(["rule 1", "rule 4", "rule 0", "timeout_turn 0", "time_left -5", "max_memory 1", "1,2,1", "3,4,2"]),
)
LINES = st.one_of(st.tuples(COMMANDS, WORDS).map(" ".join), COMMANDS, WORDS, st.text(max_size=60))


@settings(max_examples=150)
@given(st.lists(LINES, max_size=25))
def test_no_lines_whatever_crash_it(lines):
    talk = started(size=7)
    for line in lines:
        if line.strip().partition(" ")[0].upper() == "END":
            continue
        assert talk.gomocup.handle(line)
        assert all("\n" not in said for said in talk.said)
    # Whatever came before, a new game can be played.
    assert talk("INFO rule 0", "INFO timeout_turn 0", "DONE", "START 7")[-1] == "OK"
    assert is_move(talk("BEGIN")[-1], 7)
