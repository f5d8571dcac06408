"""The server as a browser meets it: real connections, one after the other and many at once."""

from __future__ import annotations

import json
import random
import time

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from eightfold.games import make_game
from eightfold.search.solving import proven_line
from patience import finished
from web.serving import GREEDY, HUMAN, RANDOM, client, get

SLOW = {"player": "mcts", "level": 4}  # tens of thousands of playouts


def empty(state):
    return [action for action, stone in enumerate(state["stones"]) if stone == "0"]


# ---- a game --------------------------------------------------------------------------------------------


def test_a_person_plays_a_whole_game_against_a_player(address):
    choice = random.Random(3)
    with client(address) as page:
        state = page.new(white=GREEDY)
        moves = 0
        while not state["over"]:
            state = page.ask("play", action=choice.choice(empty(state)))
            moves += 1
            if not state["over"]:
                state = page.hear("state", lambda s: s["to_move"] == 1 or s["over"])
        assert moves >= 4
        assert state["outcome"] in ("black wins", "white wins", "draw")
        if state["winner"]:
            assert len(state["line"]) >= 5
            assert all(state["stones"][action] == str(state["winner"]) for action in state["line"])


def test_two_players_play_each_other(address):
    with client(address) as page:
        page.new(game="gomoku:size=5,win=3", black=RANDOM, white=GREEDY)
        state = page.hear("state", lambda s: s["over"])
        assert state["winner"] in (1, 2, None)


def test_undo_goes_back_to_the_persons_move(address):
    with client(address) as page:
        page.new(white=GREEDY)
        page.ask("play", action=24)
        page.hear("state", lambda s: s["to_move"] == 1)
        state = page.ask("undo")
        assert state["stones"] == "0" * 49
        assert len(state["tree"]) == 1
        assert page.refused("undo") == "there is no move to take back"


def test_a_person_with_white_cannot_take_back_what_is_not_theirs(address):
    with client(address) as page:
        page.new(black=GREEDY)
        page.hear("state", lambda s: s["to_move"] == 2)
        assert "no move to take back" in page.refused("undo")


def test_resigning_ends_the_game_and_undo_takes_it_back(address):
    with client(address) as page:
        page.new()
        page.ask("play", action=0)
        state = page.ask("resign")
        assert state["over"]
        assert state["outcome"] == "black wins: white resigns"
        assert "the game is over" in page.refused("play", action=1)
        assert not page.ask("undo")["over"]


def test_a_hint_is_a_legal_move(address):
    with client(address) as page:
        page.new(moves=[24, 0, 25, 1, 26, 2, 27])  # white must stop five in a row
        page.say("hint")
        hint = page.hear("hint")
        assert hint["action"] == 23


def test_a_hint_shows_a_proven_win(address):
    """As soon as the search for one is compiled; until then a player gives the hint."""
    game = make_game("gomoku:size=9")
    moves = [game.action(name) for name in ("e5", "a1", "f5", "i1", "d6", "a9", "d7", "i9")]  # two twos that cross
    proven_line(game.start(), nodes=1)  # so that the server need not compile it
    with client(address) as page:

        def hint_with_line():
            while True:
                page.new(game="gomoku:size=9", moves=moves)
                page.say("hint")
                hint = page.hear("hint")
                if hint["line"]:
                    return hint
                time.sleep(0.2)

        hint = finished(hint_with_line)
        assert hint["action"] == hint["line"][0]
        assert hint["value"] == 1
        assert game.after([*moves, *hint["line"]]).winner == 1


def test_who_comes_hears_that_a_player_thinks(address):
    with client(address) as page:
        state = page.new(game="gomoku:size=15", black=SLOW)
        assert state["thinking"]
    with client(address) as page:
        assert page.ask("resume", id=state["id"])["thinking"]


def test_clocks_count_the_side_to_move(address):
    with client(address) as page:
        page.new()
        state = page.ask("play", action=3)
        assert state["clocks"][0] >= 0
        assert state["clocks"][1] == 0
        assert state["clock_runs"]


# ---- connections ---------------------------------------------------------------------------------------


def test_a_lost_connection_resumes_the_game(address):
    with client(address) as page:
        identity = page.new(white=GREEDY)["id"]
        page.ask("play", action=24)
        before = page.hear("state", lambda s: s["to_move"] == 1)
    with client(address) as page:
        state = page.ask("resume", id=identity)
        assert state["stones"] == before["stones"]
        page.ask("play", action=empty(state)[0])


def test_a_player_that_was_left_alone_moves_when_somebody_comes_back(address):
    with client(address) as page:
        identity = page.new(white={"player": "mcts", "level": 1})["id"]
        page.say("play", action=24)
    with client(address) as page:
        page.say("resume", id=identity)
        page.hear("state", lambda s: s["to_move"] == 1 and s["stones"].count("2") == 1)


def test_several_viewers_see_the_same_game(address):
    with client(address) as one, client(address) as other:
        identity = one.new()["id"]
        other.ask("resume", id=identity)
        one.say("play", action=10)
        assert other.hear("state", lambda s: s["stones"][10] == "1")["viewers"] == 2


def test_an_unknown_game_cannot_be_resumed(address):
    with client(address) as page:
        page.say("resume", id="no-such-game-here")
        error = page.hear("error")
        assert error["about"] == "resume"
        assert "does not have that game" in error["text"]


def test_long_thinking_blocks_nobody(address):
    with client(address) as slow, client(address) as quick:
        slow.new(game="gomoku:size=15", black=SLOW, white=SLOW)
        quick.new()
        for action in range(8):
            quick.ask("play", action=3 * action)
        slow.say("select", node=0)  # and the slow one hears at once
        slow.hear("state", lambda s: not s["playing"])


# ---- analysis ------------------------------------------------------------------------------------------


def test_analysis_tells_policy_visits_and_a_variation(address):
    with client(address) as page:
        node = page.new(moves=[24, 25, 17], playing=False)["node"]
        page.say("analyse", on=True, by={"player": "mcts:playouts=50", "level": 0})
        assessment = page.hear("analysis")
        assert assessment["node"] == node
        assert 0 <= assessment["value"] <= 1
        assert sum(assessment["visits"]) > 0
        assert abs(sum(assessment["policy"]) - 1) < 0.02
        assert assessment["lines"][0][0] == assessment["action"]
        firsts = [line[0] for line in assessment["lines"]]
        assert len(set(firsts)) == len(firsts) > 5, "every move that was looked at has a line of its own"
        assert all(assessment["visits"][move] > 0 for move in firsts)
        assert any(len(line) > 2 for line in assessment["lines"])
        page.say("play", action=empty(page.state)[0])  # it follows where one looks
        page.hear("analysis", lambda o: o["node"] != node)
        page.say("analyse", on=False)
        assert page.hear("state", lambda s: s["analysing"] is None)["evaluations"]


def test_a_review_evaluates_every_position(address):
    with client(address) as page:
        page.new(moves=[24, 0, 25, 1, 26, 2, 27], playing=False)
        page.say("review", by={"player": "mcts:playouts=50", "level": 0})
        state = page.hear("state", lambda s: s["reviewing"] == 0 and len(s["evaluations"]) == 8)
        assert set(state["evaluations"]) == {str(node) for node in range(8)}


def test_another_engine_reviews_what_one_has_reviewed(address):
    one, other = {"player": "mcts:playouts=50", "level": 0}, {"player": "alphabeta:depth=2", "level": 0}
    with client(address) as page:
        page.new(moves=[24, 0, 25], playing=False)
        for by in (one, other):
            page.say("review", by=by)
            assert [page.hear("evaluation")["node"] for _ in range(4)] == [0, 1, 2, 3]
        page.hear("state", lambda s: s["reviewing"] == 0)
        assert page.ask("review", by=other)["reviewing"] == 0, "it would say the same again"


def test_variations_are_kept_and_removed(address):
    with client(address) as page:
        page.new(moves=[24, 25], playing=False)
        page.ask("select", node=1)
        state = page.ask("play", action=3)
        assert len(state["tree"]) == 4
        assert page.ask("select", node=2)["last"] == 25
        state = page.ask("remove", node=1)
        assert state["node"] == 0
        assert len(state["tree"]) == 1
        assert "no node 3" in page.refused("select", node=3)


def test_sgf_comes_in_with_its_variations_and_goes_out_again(address):
    sgf = "(;GM[4]SZ[9]PB[ann]PW[bob];B[ee](;W[ff];B[fe])(;W[dd]))"
    with client(address) as page:
        state = page.ask("load", sgf=sgf)
        assert state["names"] == {"black": "ann", "white": "bob"}
        assert len(state["tree"]) == 5
        assert state["stones"].count("1") == 2
        page.say("save")
        saved = page.hear("sgf")["sgf"]
        again = page.ask("load", sgf=saved)
        assert [row[1:] for row in again["tree"]] == [row[1:] for row in state["tree"]]


@pytest.mark.parametrize(
    ("sgf", "said"),
    [
        ("nothing", "holds no SGF game"),
        ("(;GM[7]SZ[19];B[pd])", "Go is GM[1]"),
        ("(;GM[4]" + "(;B[hh]" * 15_000, "parentheses are open"),
        ("(;GM[4]SZ[15]" + ";B[hh]" * 20_000 + ")", "more than 3000 positions"),
        ("(;GM[4]SZ[15]" + "(;B[hh])" * 20_000 + ")", "more than 3000 positions"),
        ("(;GM[4]SZ[9999])", "9999"),
        ("(;GM[4]EIGHTFOLD[python:os])", "if you trust it, name it yourself"),
        ("x" * 200_001, "at most 200000"),
    ],
)
def test_sgf_bombs_are_refused_quickly(address, sgf, said):
    with client(address) as page:
        page.new()
        assert said in finished(lambda: page.refused("load", sgf=sgf))
        page.ask("play", action=0)  # and the game goes on


# ---- what is refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("", "not a message"),
        ("{", "not a message"),
        ("[]", "not a message"),
        ('{"type": "fly"}', "not a message"),
        ('{"type": "play"}', "play.action"),
        ('{"type": "play", "action": "h8"}', "play.action"),
        ('{"type": "play", "action": 1e99}', "play.action"),
        ('{"type": "play", "action": true}', "play.action"),
        ('{"type": "play", "action": -1}', "play.action"),
        ('{"type": "play", "action": 3, "more": 1}', "play.more"),
        ('{"type": "play", "action": 600}', "600 is not an action"),
        ("[" * 50_000, "not a message"),
        ("x" * 300_000, "too long"),
        ('{"type": "undo"}', "no move to take back"),
        ('{"type": "eightfold", "network": "greedy"}', "has no network"),
        ('{"type": "analyse", "on": true, "by": {"player": "human"}}', "a human cannot analyse"),
        ('{"type": "review", "by": {"player": "gtp:rm -rf /"}}', "unknown player 'gtp:rm -rf /'"),
    ],
)
def test_nonsense_is_answered_with_one_line_and_the_game_goes_on(address, message, said):
    with client(address) as page, client(address) as other:
        page.new()
        other.new()
        page.socket.send(message)
        text = page.hear("error")["text"]
        assert said in text
        assert "\n" not in text
        assert len(text) < 400
        assert page.ask("play", action=0)["stones"][0] == "1"
        assert other.ask("play", action=1)["stones"][1] == "1"


def test_bytes_are_not_a_message(address):
    with client(address) as page:
        page.socket.send(b"\x00\xff")
        assert page.hear("error")["text"] == "a message is text, not bytes"


def test_before_a_game_there_is_nothing_to_play(address):
    with client(address) as page:
        assert "there is no game yet" in page.refused("play", action=0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "python:os"}, "unknown game 'python:os'"),
        ({"game": "gomoku:size=99"}, "is not a whole number from 3 to 25"),
        ({"white": {"player": "net:/etc", "level": 0}}, "unknown player 'net:/etc'"),
        ({"white": {"player": "python:os:system", "level": 0}}, "unknown player"),
        ({"white": {"player": "mcts:playouts=9", "level": 0}}, "unknown player"),
        ({"white": {"player": "greedy", "level": 5}}, "levels 0 to 0"),
        ({"moves": [3, 3]}, "already has the stone"),
    ],
)
def test_only_what_is_on_the_menu_can_be_named(address, more, said):
    with client(address) as page:
        assert said in page.refused("new", **{"game": "gomoku:size=7", "black": HUMAN, "white": HUMAN, **more})


def test_a_flood_of_messages_closes_the_connection_and_no_other(address):
    from websockets.exceptions import ConnectionClosed

    with client(address) as other:
        other.new()
        with client(address) as page, pytest.raises(ConnectionClosed):  # noqa: PT012 - which of them is cut is chance
            for _ in range(2000):
                page.say("ping")
            while True:
                page.socket.recv(timeout=30)
        other.ask("play", action=0)


def test_a_frame_beyond_all_limits_costs_only_its_own_connection(address):
    from websockets.exceptions import ConnectionClosed

    with client(address) as other:
        other.new()
        with client(address) as page, pytest.raises(ConnectionClosed):  # noqa: PT012
            page.socket.send("x" * (3 << 20))
            page.socket.recv(timeout=30)
        other.ask("play", action=0)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1"])
def test_a_strange_origin_is_refused(address, origin):
    with pytest.raises(InvalidStatus) as refused, client(address, origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_there_is_one_place_for_connections(address):
    with pytest.raises(InvalidStatus) as refused, connect(f"ws://{address}/elsewhere"):
        pass
    assert refused.value.response.status_code == 403


def test_the_own_origin_is_welcome(address):
    with client(address, origin=f"http://{address}") as page:
        page.new()


def test_a_name_that_only_points_here_is_refused(address):
    assert get(address, "/", Host="evil.example")[0] == 403
    assert get(address, "/api/menu", Host=address, Origin="http://evil.example")[0] == 403
    assert get(address, "/", Host="localhost")[0] == 200


# ---- pages and lists -----------------------------------------------------------------------------------


def test_the_page_is_served_and_may_load_nothing_from_elsewhere(address):
    status, body, headers = get(address, "/")
    assert status == 200
    assert b"<title>Eightfold</title>" in body
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "http" not in policy
    for name in ("main.js", "board.js", "style.css", "icon.svg"):
        status, body, headers = get(address, f"/{name}")
        assert status == 200
        assert b"http://" not in body.replace(b"http://www.w3.org", b"")
        assert b"https://" not in body
    assert get(address, "/main.js")[2]["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("path", ["/../cli.py", "/..%2fcli.py", "/%2e%2e/%2e%2e/cli.py", "/nothing", "//etc/passwd"])
def test_no_other_file_is_served(address, path):
    assert get(address, path)[0] in (403, 404)


def test_the_menu_names_no_paths(address, run_folder):
    _, menu, _ = get(address, "/api/menu")
    keys = [player["key"] for player in menu["players"]]
    assert "net:first" in keys
    assert keys[-6:] == [
        "mcts:playouts=50",
        "alphabeta:depth=2",
        "mcts",
        "alphabeta",
        "greedy",
        "random",
    ]
    assert str(run_folder.parent) not in json.dumps(menu)
    assert [(game["name"], game["default_player"]) for game in menu["games"]] == [
        ("gomoku", "alphabeta"),
        ("go", "mcts"),
    ]


def test_a_network_of_a_run_plays(address):
    with client(address) as page:
        page.new(game="gomoku:size=7", white={"player": "net:first", "level": 0})
        page.ask("play", action=24)
        page.hear("state", lambda s: s["stones"].count("2") == 1)


def test_a_network_for_another_board_is_refused_and_forfeits_where_it_sits_down_later(address):
    network = {"player": "net:first", "level": 0}
    with client(address) as page:
        said = page.refused("new", game="gomoku:size=7,win=4", black=HUMAN, white=network)
        assert "player net:first was trained for gomoku:size=7" in said
        page.new(game="gomoku:size=7,win=4")
        page.say("seats", black=network, white=HUMAN)
        state = page.hear("state", lambda s: s["over"])
        assert "net:first forfeits" in state["outcome"]


def test_runs_are_told(address):
    _, [run], _ = get(address, "/api/runs")
    assert run["name"] == "first"
    assert run["game"] == "gomoku:size=7"
    _, curves, _ = get(address, "/api/runs/0/curves")
    assert len(curves["entries"]) == curves["next"] == 31
    assert get(address, "/api/runs/0/curves?after=30")[1]["entries"][0]["evaluation"]["mcts"]["score"] == 0.6
    _, games, _ = get(address, "/api/runs/0/games")
    assert len(games["games"]) == 24
    assert get(address, "/api/runs/7/curves")[0] == 404
    assert get(address, "/api/runs/%2e%2e/curves")[0] in (404, 422)


def test_eight_sides_of_a_position(address):
    with client(address) as page:
        page.new(moves=[24], playing=False)
        page.say("eightfold", network="net:first")
        answer = page.hear("eightfold")
        assert answer["stabiliser"] == "all eight"
        assert answer["canonical"] == list(range(8))
        assert answer["disagreement"] == 0  # a slap network answers alike from all sides
        page.say("eightfold", network="net:first", as_played=False)
        assert page.hear("eightfold")["disagreement"] > 0
