"""GTP: what every command is answered with."""

from __future__ import annotations

import json
import re
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.arena import make_player
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.game import Position
from eightfold.games.records.files import read_records
from eightfold.protocols.clock import Clock
from eightfold.protocols.engine import Engine
from eightfold.protocols.gtp.engine import Gtp
from eightfold.protocols.gtp.syntax import COLUMNS, STREAMS, decode_line, read_line, read_vertex, write_vertex

LISTED = """
protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove undo
time_settings time_left kgs-time_settings fixed_handicap place_free_handicap set_free_handicap final_score
final_status_list loadsgf printsgf showboard reg_genmove lz-analyze lz-genmove_analyze kata-analyze
kata-genmove_analyze analyze genmove_analyze stop clear_cache gogui-analyze_commands gogui-rules_game_id
gogui-rules_board gogui-rules_board_size gogui-rules_legal_moves gogui-rules_side_to_move gogui-rules_final_result
"""
COMMANDS = LISTED.split()


class Talk:
    """A conversation without pipes: `talk(line)` is the answer, sign and all."""

    def __init__(self, player: str = "random", game: str = "go:size=9", **options: object) -> None:
        self.said: list[str] = []
        self.engine = Engine(player, **options)  # type: ignore[arg-type]
        self.gtp = Gtp(self.engine, make_game(game), self.said.append)

    def __call__(self, line: str) -> str:
        self.said.clear()
        stop = threading.Event()
        if read_line(line).name in STREAMS:
            stop.set()
        self.gtp.handle(line, stop=stop)
        text = "".join(f"{said}\n" for said in self.said)
        assert not text or text.endswith("\n\n"), "an empty line ends an answer"
        assert "\n\n" not in text[:-2], "and none is in it"
        return text[:-2]

    def good(self, line: str) -> str:
        answer = self(line)
        assert answer.startswith("="), (line, answer)
        return answer[1:].strip()

    def bad(self, line: str) -> str:
        before = self.state()
        answer = self(line)
        assert answer.startswith("? "), (line, answer)
        assert "\n" not in answer
        assert "Error:" not in answer, "not an error of ours"
        assert self.state() == before, "nothing has changed"
        return answer[2:]

    @property
    def position(self) -> Position:
        return self.gtp._board.position

    @property
    def clocks(self) -> dict[int, Clock]:
        return self.gtp._board.clocks

    def state(self) -> tuple[object, ...]:
        position, history = self.position, self.gtp._board.history
        return (
            position.game.text,
            position.moves,
            position.to_move,
            position.stones.tobytes(),
            len(history),
            repr(self.clocks),
        )


def test_every_command_of_the_list_is_known():
    talk = Talk()
    listed = talk.good("list_commands").splitlines()
    assert set(COMMANDS) <= set(listed)
    assert len(set(listed)) == len(listed)
    for name in listed:
        assert talk.good(f"known_command {name}") == "true"
    assert talk.good("known_command fly") == "false"
    assert talk.good("known_command") == "false"


def test_administration():
    talk = Talk()
    assert talk("protocol_version") == "= 2"
    assert talk("17 protocol_version") == "=17 2"
    assert talk("name") == "= Eightfold"
    assert talk("000 name # a comment") == "=000 Eightfold"
    assert talk("") == talk("   ") == talk("# nothing but a comment") == ""
    assert talk("12") == "?12 unknown command ''"
    assert talk("12 fly") == "?12 unknown command 'fly'"
    assert talk("NAME").startswith("? unknown command"), "commands are lower case"
    assert talk.gtp.handle("13 quit") is False
    assert talk.said[-1] == "=13 \n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("boardsize", "syntax error: boardsize takes a size"),
        ("boardsize x", "syntax error"),
        ("boardsize 9 9", "syntax error"),
        ("boardsize 1", "unacceptable size"),
        ("boardsize 26", "unacceptable size"),
        ("boardsize -5", "unacceptable size"),
        ("boardsize 99999999999999999999", "not a whole number"),
        ("boardsize ٣", "not a whole number"),
        ("komi", "syntax error"),
        ("komi high", "'high' is not a number"),
        ("komi nan", "not a number"),
        ("komi 1_0", "not a number"),
        ("komi inf", "not a number"),
        ("komi 7.3", "not a multiple of 0.5"),
        ("komi 1e9", "komi"),
        ("play", "play takes a color and a vertex"),
        ("play black", "play takes a color and a vertex"),
        ("play green D4", "invalid color 'green'"),
        ("play black D4 E5", "syntax error"),
        ("play black I5", "invalid vertex 'I5': A1 to J9 or pass"),
        ("play black K5", "invalid vertex"),
        ("play black D10", "invalid vertex"),
        ("play black D0", "invalid vertex"),
        ("play black D", "invalid vertex"),
        ("play black 44", "invalid vertex"),
        ("play black D٤", "invalid vertex"),
        ("play black resign", "invalid vertex"),
        ("play black E5", "illegal move: move e5 is not legal: a black stone is there"),
        ("play white A1", "illegal move"),
        ("genmove", "genmove takes a color"),
        ("genmove purple", "invalid color"),
        ("genmove b w", "syntax error"),
        ("reg_genmove", "syntax error"),
        ("fixed_handicap", "syntax error"),
        ("fixed_handicap 1", "invalid number of stones: 1; on this board 2 to 9"),
        ("fixed_handicap 10", "invalid number of stones"),
        ("fixed_handicap 2", "board not empty"),
        ("place_free_handicap 2", "board not empty"),
        ("place_free_handicap 0", "invalid number of stones"),
        ("set_free_handicap", "bad vertex list"),
        ("set_free_handicap A1", "bad vertex list"),
        ("set_free_handicap A1 A1", "bad vertex list"),
        ("set_free_handicap A1 pass", "bad vertex list"),
        ("set_free_handicap A1 Z9", "invalid vertex"),
        ("set_free_handicap C3 D4", "board not empty"),
        ("time_settings", "syntax error"),
        ("time_settings 1 2", "syntax error"),
        ("time_settings x 2 3", "syntax error"),
        ("time_settings -1 0 0", "syntax error"),
        ("time_settings 1 1 1.5", "syntax error"),
        ("time_settings 1e300 0 0", "syntax error"),
        ("kgs-time_settings", "unknown kind of time settings ''"),
        ("kgs-time_settings sand 3", "unknown kind of time settings 'sand'"),
        ("kgs-time_settings absolute", "absolute takes 1 numbers"),
        ("kgs-time_settings byoyomi 1 2 x", "syntax error"),
        ("time_left", "syntax error"),
        ("time_left black 5", "syntax error"),
        ("time_left blue 5 0", "invalid color"),
        ("time_left black soon 0", "syntax error"),
        ("time_left black 5 -1", "syntax error"),
        ("final_status_list", "syntax error"),
        ("final_status_list sleepy", "unknown status 'sleepy'"),
        ("loadsgf", "cannot load file"),
        ("loadsgf /no/such/file.sgf", "cannot load file: '/no/such/file.sgf' is not a file"),
        ("loadsgf /dev/zero", "cannot load file"),
        ("loadsgf /", "cannot load file"),
        ("printsgf /no/such/folder/game.sgf", "cannot be written"),
        ("printsgf game.exe", "unknown extension"),
        ("kata-set-rules", "unknown rules ''"),
        ("kata-set-rules martian", "unknown rules 'martian'"),
        ("kata-set-rules {", "is not JSON"),
        ("kata-set-rules " + '{"a":' * 2000, "is not JSON"),
        ('kata-set-rules {"ko":"SIMPLE"}', "unknown value of the rule scoring"),
        ('kata-set-rules {"ko":[],"scoring":"AREA","suicide":false}', "unknown value of the rule ko"),
        ('kata-set-rules {"gravity":1}', "unknown rule 'gravity'"),
        ('kata-set-rules {"tax":"ALL","ko":"SIMPLE","scoring":"AREA","suicide":false}', "tax='ALL' is not supported"),
        ("kgs-rules lunar", "unknown rules"),
        ("kata-analyze b 50 ownership maybe", "ownership 'maybe' is not supported"),
        ("kata-analyze b 50 movesOwnership true", "not supported"),
        ("kata-analyze b 50 colour red", "unknown key of an analysis 'colour'"),
        ("lz-analyze b 50 ownership true", "unknown key of an analysis 'ownership'"),
        ("lz-analyze b 50 avoid b D4 3", "avoid is not supported"),
        ("lz-analyze b 99999999", "an interval is from 0 to"),
        ("lz-analyze b 50 maxmoves", "syntax error"),
        ("analyze interval -4", "an interval is from 0 to"),
        ("lz-genmove_analyze green", "unknown key"),
        ("gogui-fly", "unknown command"),
        ("fly " + "x" * 4000, "unknown command 'fly'"),
        ("x" * 4000, "unknown command 'xxx"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_changes_nothing(line, said):
    talk = Talk()
    # A suicide is left for white at A1.
    for move in ("black E5", "white C3", "black A2", "white D7", "black B1"):
        talk.good(f"play {move}")
    assert said in talk.bad(line)
    assert len(talk.bad(line)) < 300


def test_undo_and_playing_on():
    talk = Talk()
    assert talk.bad("undo") == "cannot undo: no move was played"
    for move in ("b E5", "w D5", "w D4", "b pass", "w pass"):
        talk.good(f"play {move}")
    assert talk.position.is_over
    assert talk.good("genmove b") == "pass"
    assert talk.good("reg_genmove w") == "pass"
    assert talk("3 lz-genmove_analyze b 10") == "=3\nplay pass"
    assert "the game is over" in talk.bad("kata-analyze b 10")
    assert len(talk.gtp._board.history) == 7, "a pass that is generated is a move too; reg_genmove plays none"
    talk.good("undo")
    talk.good("play b pass")
    talk.good("play b F5")  # two passes are no end where both want to go on
    assert not talk.position.is_over
    assert talk.position.stones.astype(bool).sum() == 4
    for expected in (3, 3, 3, 3, 3, 2, 1, 0):
        talk.good("undo")
        assert talk.position.stones.astype(bool).sum() == expected
    talk.bad("undo")


def test_a_ko_may_not_be_retaken_and_a_suicide_is_illegal():
    talk = Talk()
    talk.good("boardsize 5")
    for move in ("b B3", "w C3", "b A2", "w D2", "b B1", "w C1", "b C2", "w B2"):
        talk.good(f"play {move}")
    assert "it retakes a ko at once" in talk.bad("play b C2")
    talk.good("play b E5")
    talk.good("play w E4")
    talk.good("play b C2")
    talk.good("play w A4")
    talk.good("play w B5")
    assert "suicide" in talk.bad("play b A5")


def test_a_colour_may_move_twice_and_the_search_does_not_mix_the_two_up():
    talk = Talk("mcts:playouts=200")
    talk.good("play b E5")
    white = talk.good("genmove w")
    talk.good("undo")
    black = talk.good("genmove b")
    assert {white, black} & set(talk.good("gogui-rules_legal_moves").split()) <= {white}
    assert talk.position.to_move == WHITE
    assert (talk.position.stones == BLACK).sum() == 2
    for colour in ("w", "w", "b", "b", "w"):
        talk.good(f"genmove {colour}")


@pytest.mark.parametrize("player", ["random", "greedy", "alphabeta:depth=1", "mcts:playouts=20"])
def test_whole_games_by_any_player(player):
    talk = Talk(player, "go:size=5")
    for number in range(175):
        colour = "bw"[number % 2]
        before = talk.position
        move = talk.good(f"genmove {colour}")
        assert before.legal_mask[read_vertex(move, before.game)] or before.is_over
    assert talk.position.is_over
    assert re.fullmatch(r"[BW]\+\d+\.5", talk.good("final_score"))


def test_komi_and_rules_change_the_game_and_keep_its_moves():
    talk = Talk()
    talk.good("play b E5")
    talk.good("play w D5")
    talk.good("komi 0.5")
    talk.good("kata-set-rules tromp-taylor")
    assert talk.position.game.text.startswith("go:size=9,komi=0.5,rules=tromp-taylor,handicap=0,ko=positional")
    assert len(talk.position.moves) == 2
    rules = json.loads(talk.good("kata-get-rules"))
    assert (rules["ko"], rules["scoring"], rules["suicide"]) == ("POSITIONAL", "AREA", True)
    talk.good("kgs-rules new_zealand")
    rules["ko"] = "SITUATIONAL"
    assert json.loads(talk.good("kata-get-rules")) == rules
    rules.update(ko="SIMPLE", scoring="TERRITORY", suicide=False)
    talk.good(f"kata-set-rules {json.dumps(rules)}")
    assert json.loads(talk.good("kata-get-rules")) == rules
    talk.good("boardsize 13")
    assert talk.position.game.text == "go:size=13,komi=0.5,rules=japanese,handicap=0,ko=simple,suicide=forbidden"
    talk.good("clear_board")
    assert talk.position.game.values["komi"] == 0.5


def test_rules_that_forbid_what_was_played_are_refused():
    talk = Talk(game="go:size=9,rules=tromp-taylor")
    for move in ("b A1", "w A3", "w B2", "w C1", "b pass", "b A2", "w pass"):
        talk.good(f"play {move}")
    talk.good("play b B1")  # the last liberty of three black stones: suicide
    assert not talk.position.stones[7:, :2].flatten().tolist().count(BLACK)
    assert "does not allow move 8" in talk.bad("kata-set-rules chinese")


def test_handicaps():
    talk = Talk()
    assert talk.good("fixed_handicap 4") == "C3 G7 C7 G3"
    assert talk.position.to_move == WHITE
    talk.bad("fixed_handicap 2")
    record = talk.good("printsgf")
    assert "HA[4]" in record
    talk.good("genmove w")
    talk.good("clear_board")
    assert talk.good("place_free_handicap 30").count(" ") == 8, "an engine may take fewer than it is offered"
    talk.good("clear_board")
    assert talk.good("set_free_handicap A1 B2 C9") == ""
    assert (talk.position.stones == BLACK).sum() == 3
    talk.bad("undo")  # they were not played
    talk.good("komi 0.5")
    assert (talk.position.stones == BLACK).sum() == 3, "and komi after it"
    talk.good("boardsize 6")
    for command in ("fixed_handicap", "place_free_handicap"):
        assert talk.bad(f"{command} 2") == "invalid number of stones: 2; on this board none"


def test_time_settings_limit_either_clock():
    talk = Talk()
    black, white = talk.clocks[BLACK], talk.clocks[WHITE]
    assert black.allowed() is None
    talk.good("time_settings 300 10 1")
    assert black.allowed().usual == white.allowed().usual > 10
    talk.good("time_left b 0 0")
    assert black.allowed().usual == pytest.approx(9.6)
    talk.good("time_left b 30 10")
    assert black.allowed().usual == pytest.approx(2.88)
    talk.good("time_settings 0 5 0")
    assert black.allowed() is None, "overtime without stones is no limit at all"
    talk.good("time_settings 0 0 0")
    assert white.allowed().usual <= 0.05
    talk.good("kgs-time_settings none")
    assert black.allowed() is None
    talk.good("kgs-time_settings absolute 60")
    assert 0 < white.allowed().usual < 10
    talk.good("kgs-time_settings canadian 0 50 10")
    assert black.allowed().usual == pytest.approx(4.8)
    talk.good("kgs-time_settings byoyomi 0 5 3")
    talk.good("time_left w 5 3")  # a period of five seconds, and three of them
    assert white.allowed().usual == pytest.approx(4.8)
    talk.good("clear_board")
    assert white.current_overtime is None


def test_reg_genmove_plays_nothing_and_uses_no_time():
    talk = Talk("mcts:playouts=30")
    talk.good("time_settings 10 0 0")
    before = talk.state()
    assert read_vertex(talk.good("reg_genmove w"), talk.position.game) in talk.position.legal_moves
    clocks = talk.clocks[WHITE]
    assert (clocks.used, clocks.moves) == (0, 0)
    assert talk.state()[:5] == before[:5]


def test_final_score_and_status():
    talk = Talk()
    # Two walls; black has a stone in white's half that is dead, and is 5 points behind with it.
    for row in range(1, 10):
        talk.good(f"play b D{row}")
        talk.good(f"play w E{row}")
    for vertex in ("A1", "B2", "A3", "B8", "A9", "C9"):
        talk.good(f"play b {vertex}")
    for vertex in ("J1", "H2", "J3", "H8", "J9", "G9"):
        talk.good(f"play w {vertex}")
    talk.good("play b G4")
    dead = "G4"
    assert talk.good("final_status_list dead") == dead
    alive = talk.good("final_status_list alive").splitlines()
    assert any("D1" in group and "D9" in group for group in alive)
    assert dead not in alive
    assert talk.good("final_status_list seki") == ""
    assert "F5" in talk.good("final_status_list white_territory").split()
    assert dead in talk.good("final_status_list white_territory").split()
    assert "A2" in talk.good("final_status_list black_territory").split()
    assert talk.good("final_score") == "W+16.5"  # 36 to 45 points and komi
    talk.good("kata-set-rules tromp-taylor")
    assert talk.good("final_status_list dead") == ""
    assert talk.good("final_score") != "W+16.5", "its stone lives, and so does what it touches"


def test_records_go_to_files_and_come_back(tmp_path):
    talk = Talk("mcts:playouts=10")
    talk.good("komi 5.5")
    talk.good("fixed_handicap 2")
    for colour in "wbwb":
        talk.good(f"genmove {colour}")
    stones = talk.position.stones.copy()
    path = tmp_path / "a game.sgf"
    assert talk.good(f"printsgf {path}") == ""
    [record] = read_records(path)
    assert (record.position().stones == stones).all()
    other = Talk(game="go:size=19")
    other.good(f"loadsgf {path}")
    assert (other.position.stones == stones).all()
    assert other.position.game.values["komi"] == 5.5
    other.good("genmove w")
    other.good(f"loadsgf {path} 3")
    assert len(other.position.moves) == 2
    other.good("undo")
    other.good("clear_board")
    assert not other.position.stones.any()
    (tmp_path / "five.sgf").write_text("(;GM[4]SZ[15];B[hh])")
    assert "cannot load file: it holds gomoku" in other.bad(f"loadsgf {tmp_path / 'five.sgf'}")
    (tmp_path / "two.sgf").write_text("(;GM[1]SZ[9];B[ee])(;GM[1]SZ[9];B[ee];W[ee])")
    assert other.good(f"loadsgf {tmp_path / 'two.sgf'}") == ""
    (tmp_path / "bad.sgf").write_text("(;GM[1]SZ[9];B[zz])")
    assert "cannot load file" in other.bad(f"loadsgf {tmp_path / 'bad.sgf'}")
    (tmp_path / "binary.sgf").write_bytes(bytes(range(256)))
    assert "cannot load file" in other.bad(f"loadsgf {tmp_path / 'binary.sgf'}")


def test_a_record_of_a_game_in_which_one_side_moved_twice():
    talk = Talk()
    for move in ("b E5", "b D5", "w pass", "b pass", "w C3"):
        talk.good(f"play {move}")
    assert talk.good("printsgf").endswith(";B[ee];W[];B[de];W[cg])"), "the passes that ended nothing are left out"


def test_the_board_for_people_and_for_gogui():
    talk = Talk(game="go:size=9")
    talk.good("boardsize 3")
    talk.good("play b A1")
    talk.good("play w C3")
    assert talk("showboard").splitlines() == [
        "=",
        "    A B C",
        "  3 . . O 3",
        "  2 . . . 2",
        "  1 X . . 1",
        "    A B C",
        "black to play, 0 black and 0 white stones taken",
    ]
    assert talk.good("gogui-rules_board") == ". . O\n. . .\nX . ."
    assert talk.good("gogui-rules_game_id") == "Go"
    assert talk.good("gogui-rules_side_to_move") == "black"
    assert talk.good("gogui-rules_legal_moves").split()[-1] == "pass"
    assert talk.good("gogui-rules_final_result") == ""
    for entry in talk.good("gogui-analyze_commands").splitlines():
        kind, title, command = entry.split("/")
        assert kind
        assert title
        assert talk(command).startswith("=")


def test_gomoku_over_gtp():
    talk = Talk("alphabeta:depth=2", "gomoku:size=15")
    assert talk.good("gogui-rules_game_id") == "Gomoku"
    talk.good("boardsize 9")
    for move in ("b C5", "w B5", "b D5", "w J9", "b E5", "w A1", "b F5"):
        talk.good(f"play {move}")
    assert talk.good("genmove w") == "G5"
    talk.good("undo")
    assert talk.good("genmove b") == "G5"
    assert talk.position.winner == BLACK
    assert talk.good("gogui-rules_final_result") == "black wins"
    for line in (
        "genmove w",
        "play w A2",
        "komi 5",
        "final_score",
        "kata-get-rules",
        "fixed_handicap 2",
        "play w pass",
    ):
        talk.bad(line)
    assert talk.good("printsgf").startswith("(;FF[4]GM[4]")
    talk.good("undo")
    assert not talk.position.is_over


INFO = re.compile(r"info move (\S+) visits (\d+) winrate (\S+) lcb (\S+) order (\d+) pv ((?:[A-Z]\d+ ?|pass ?)+)")


def infos(line: str) -> list[tuple[str, ...]]:
    found = INFO.findall(line)
    assert line.count("info move") == len(found)
    return found


def test_exact_scores_of_alpha_beta_are_shown_for_every_move():
    talk = Talk("alphabeta:depth=2,scores=exact", "gomoku:size=7,win=4")
    for move in ("b C4", "w A1", "b D4", "w G7", "b E4", "w A7"):
        talk.good(f"play {move}")
    result = make_player("alphabeta:depth=2,scores=exact", talk.position.game).think(talk.position)
    expected = np.round(5000 * (1 + result.values))
    found = infos(talk("lz-genmove_analyze b 10").splitlines()[-2])
    assert len(found) == np.isfinite(expected).sum() > 5
    for vertex, _, rate, *_ in found:
        assert int(rate) == expected[talk.position.game.action(vertex)]
    rates = [int(rate) for _, _, rate, *_ in found]
    assert rates == sorted(rates, reverse=True)
    assert rates[:2] == [10_000, 10_000]  # a four with two open ends
    assert rates[-1] < 10_000


@pytest.mark.parametrize("player", ["mcts:playouts=300", "alphabeta:depth=2", "greedy", "random"])
@pytest.mark.parametrize("command", ["lz", "kata", ""])
def test_genmove_with_analysis(player, command):
    talk = Talk(player)
    name = f"{command}-genmove_analyze" if command else "genmove_analyze"
    answer = talk(f"7 {name} b 10 maxmoves 5").splitlines()
    assert answer[0] == "=7"
    assert answer[-1].startswith("play ")
    vertex = answer[-1].split()[1]
    best, *others = infos(answer[-2])
    assert len(others) <= 4
    assert best[0] == vertex == best[5].split()[0]
    assert [int(info[4]) for info in (best, *others)] == list(range(len(others) + 1))
    for info in (best, *others):
        assert ("." in info[2]) == ("." in info[3]) == (command == "kata")
        assert 0 <= float(info[3]) <= float(info[2]) <= (1 if command == "kata" else 10_000)
    assert talk.position.stones.flat[read_vertex(vertex, talk.position.game)] == BLACK


def test_analysis_with_ownership_of_the_side_to_move():
    talk = Talk("mcts:playouts=200")
    for row in range(1, 10):
        talk.good(f"play b E{row}")
    lines = {colour: talk(f"kata-analyze {colour} 20 ownership true rootInfo true").splitlines()[-1] for colour in "bw"}
    for colour, sign in (("b", 1), ("w", -1)):
        head, _, numbers = lines[colour].partition(" ownership ")
        owners = np.array([float(number) for number in numbers.split()])
        assert len(owners) == 81
        assert (np.abs(owners) <= 1).all()
        assert sign * owners.mean() > 0.2, "there are only black stones"
        assert sign * owners.reshape(9, 9)[:, 4].mean() > 0.8
        root = re.search(r"rootInfo visits \d+ winrate \S+ scoreMean (\S+) scoreStdev (\S+) scoreLead (\S+)", head)
        assert root is not None
        assert sign * float(root[3]) > 10
        assert len(infos(head)) >= 1


def test_an_analysis_without_moves_says_nothing_that_would_end_it():
    talk = Talk("greedy")
    assert talk("4 lz-analyze b maxmoves 0") == talk("4 kata-analyze b maxmoves 0") == "=4"
    head, line = talk("kata-analyze b maxmoves 0 rootInfo true").splitlines()
    assert head == "="
    assert re.fullmatch(r"rootInfo visits \d+ winrate \S+ scoreMean \S+ scoreStdev \S+ scoreLead \S+", line)


def test_a_player_that_fails_is_an_error_and_not_the_end():
    talk = Talk()
    talk.good("clear_board")
    talk.engine._player = object()
    assert talk("genmove b").startswith("? AttributeError")
    assert talk("4 kata-analyze b") == talk("4 lz-genmove_analyze b") == "=4"
    assert talk("name") == "= Eightfold"


def test_vertices_go_both_ways_and_skip_the_i():
    for size in (2, 9, 19, 25):
        game = make_game(f"go:size={size}")
        for action in range(game.actions):
            vertex = write_vertex(action, game)
            assert "I" not in vertex
            assert read_vertex(vertex, game) == read_vertex(vertex.lower(), game) == action
    assert len(COLUMNS) == 25


@given(st.binary(max_size=100))
def test_a_line_has_no_control_characters(data):
    assert all(letter.isprintable() for letter in decode_line(data))


VERTICES = st.one_of(
    st.sampled_from(["pass", "PASS", "resign", "A0", "Z9", "i5", "", "44", "a1 b2"]),
    st.tuples(st.sampled_from("ABCDEFGHJ"), st.integers(0, 9)).map(lambda pair: f"{pair[0]}{pair[1]}"),
)
COLOUR = st.sampled_from(["b", "w", "black", "White", "x", ""])
NAMES = st.sampled_from([name for name in COMMANDS if name not in ("quit", "printsgf", "loadsgf")])
NUMBERS = st.one_of(st.integers(-5, 30).map(str), st.sampled_from(["7.5", "nan", "1e5", "9" * 30]))
WORDS = st.one_of(st.text(max_size=10), VERTICES, COLOUR, NUMBERS, st.sampled_from(["dead", "true", "ownership"]))
LINES = st.one_of(
    st.tuples(st.just("play"), COLOUR, VERTICES).map(" ".join),
    st.tuples(st.just("genmove"), COLOUR).map(" ".join),
    st.tuples(NAMES, st.lists(WORDS, max_size=4).map(" ".join)).map(" ".join),
    st.text(max_size=60),
)


@settings(max_examples=150)
@given(st.lists(LINES, max_size=25))
def test_no_lines_whatever_crash_it_and_each_has_one_answer(lines):
    talk = Talk("random", "go:size=7")
    for line in lines:
        if read_line(line).name == "quit":
            continue
        before = talk.state()
        answer = talk(line)
        assert bool(answer) == bool(read_line(line).name or read_line(line).number)
        if answer.startswith("?"):
            assert "\n" not in answer
            assert talk.state() == before
    talk.good("boardsize 7")
    talk.good("clear_board")
    assert read_vertex(talk.good("genmove b"), talk.position.game) >= 0
