"""`eightfold gtp` as controllers meet it: a process behind pipes. No time is measured here; LONG only ends a hang."""

from __future__ import annotations

import os
import random
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from controllers import ENGINE, Controller, relay
from gnugo import PROGRAM, action, needs_gnugo
from launching import eightfold
from managers import LONG

DOCS = Path(__file__).parents[2] / "docs" / "protocols.md"
GNUGO = [
    PROGRAM or "gnugo",
    "--mode",
    "gtp",
    "--level",
    "1",
    "--chinese-rules",
    "--positional-superko",
    "--never-resign",
]
ENDLESS = "mcts:playouts=1000000000"
INFO = re.compile(
    r"info move ([A-Z]\d+|pass) visits (\d+) winrate (\d\.\d{6}) lcb \d\.\d{6} order \d+ pv( [A-Z]\d+| pass)+( |$)"
)


def visits(line: str) -> int:
    """Of all moves of a line of analysis, which must be one."""
    found = list(INFO.finditer(line))
    assert found
    assert line.startswith("info move ")
    assert len(found) == line.count("info move")
    return sum(int(info[2]) for info in found)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_conversation(newline):
    with Controller("--player", "random", newline=newline) as engine:
        engine.send("1 protocol_version", "", "# a comment", "2\tname # another", "3 nonsense", "ver\x07sion\t")
        assert engine.reply() == ("=", "1", ["2"])
        assert engine.reply() == ("=", "2", ["Eightfold"])
        assert engine.reply() == ("?", "3", ["unknown command 'nonsense'"])
        assert engine.reply()[0] == "="
        assert engine.gtp("boardsize 9") == ""
        assert engine.gtp("clear_board") == ""
        assert engine.gtp("play black E5") == ""
        assert engine.refused("play white E5").startswith("illegal move")
        assert re.fullmatch(r"[A-HJ]\d|pass", engine.gtp("genmove white"))
        assert engine.gtp("showboard").count("\n") == 11
        assert engine.quit() == 0
        assert engine.rest() == []
        assert engine.errors() == ""


@pytest.mark.slow
def test_analysis_streams_until_any_line_comes():
    with Controller("--player", ENDLESS, "--game", "go:size=7") as engine:
        for ending in ("7 name", ""):
            engine.send("5 kata-analyze b 1")
            assert engine.line() == "=5"
            counts = [visits(engine.line()) for _ in range(4)]
            assert counts == sorted(counts)
            assert counts[0] < counts[-1], "it goes on"
            engine.send(ending)
            while line := engine.line():
                counts.append(visits(line))
            if ending:
                assert engine.reply() == ("=", "7", ["Eightfold"])
            else:
                assert engine.is_silent(0.6), "an empty line stops it and has no answer"
        assert engine.gtp("gogui-rules_side_to_move") == "black", "and nothing was played"
        assert engine.quit() == 0


@pytest.mark.slow
def test_analysis_says_something_even_if_the_next_line_is_there_already():
    with Controller("--player", "mcts", "--game", "go:size=7") as engine:
        engine.send("lz-analyze w 10", "lz-analyze", "kata-analyze b 10 ownership true", "analyze", "name")
        for _ in range(4):
            sign, _, lines = engine.reply()
            assert sign == "="
            assert lines
            assert all(line.startswith("info move ") for line in lines)
        assert engine.reply() == ("=", "", ["Eightfold"])
        engine.send("lz-analyze 20")
        assert engine.line() == "="
        assert engine.line().startswith("info move")
        assert engine.process.stdin is not None
        engine.process.stdin.close()
        assert engine.process.wait(LONG) == 0, "the end of the input is the end of an analysis too"


def test_players_that_do_not_search_are_analysed_as_well():
    with Controller("--player", "greedy", "--game", "go:size=7") as engine:
        engine.send("kata-analyze b 10")
        assert engine.line() == "="
        visits(engine.line())
        assert engine.is_silent(0.6), "it has no more to say, but the analysis goes on"
        engine.send("stop")
        assert engine.line() == ""
        assert engine.reply() == ("=", "", [])


def test_a_stop_ends_genmove_and_another_line_does_not():
    with Controller("--player", ENDLESS, "--game", "go:size=7") as engine:
        engine.send("1 genmove b", "2 stop", "3 name")
        sign, number, [vertex] = engine.reply()
        assert (sign, number) == ("=", "1")
        assert re.fullmatch(r"[A-G]\d|pass", vertex)
        assert engine.reply() == ("=", "2", [])
        assert engine.reply() == ("=", "3", ["Eightfold"])
    with Controller("--player", "mcts:playouts=20000", "--game", "go:size=7") as engine:
        engine.send("kata-genmove_analyze b 10", "name", "", "quit")
        _, _, lines = engine.reply()
        assert lines[-1].startswith("play ")
        assert visits(lines[-2]) >= 19_999, "all its playouts"
        assert engine.reply() == ("=", "", ["Eightfold"])
        assert engine.reply() == ("=", "", [])
        assert engine.process.wait(LONG) == 0


def test_a_file_of_commands_is_answered_to_the_last(tmp_path):
    commands = [
        "boardsize 7",
        "clear_board",
        "play b D4",
        "7 lz-genmove_analyze w 5000",
        "reg_genmove b",
        "final_score",
    ]
    done = subprocess.run(
        [*ENGINE, "--player", "mcts:playouts=20000"],
        input="\n".join(commands),  # not even the last line has an end
        capture_output=True,
        text=True,
        timeout=LONG,
        check=True,
    )
    answers = done.stdout.split("\n\n")
    assert len(answers) == len(commands) + 1
    total = sum(int(count) for count in re.findall(r"visits (\d+)", answers[3].splitlines()[-2]))
    assert total >= 19_999, "the end of the file does not cut its thinking short"
    assert re.fullmatch(r"= [A-G]\d|= pass", answers[4])


def test_a_controller_that_goes_away_is_no_reason_to_stay():
    engine = subprocess.Popen([*ENGINE, "--player", "random"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None
    assert engine.stdout is not None
    with engine.stdin, engine.stdout:
        engine.stdin.write(b"name\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == b"= Eightfold\n"
        engine.stdout.close()
        engine.stdin.write(b"name\nname\nname\n")
        engine.stdin.flush()
        assert engine.wait(LONG) == 0


@pytest.mark.skipif(not hasattr(select, "poll"), reason="nothing tells that a reader is gone")
def test_nobody_is_thought_for_who_went_away_meanwhile():
    engine = subprocess.Popen([*ENGINE, "--player", ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None
    assert engine.stdout is not None
    with engine.stdin, engine.stdout:
        engine.stdin.write(b"boardsize 7\ngenmove b\ngenmove w\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == b"= \n"
    assert engine.wait(LONG) == 0


WELL_FORMED = (
    b"boardsize 7",
    b"clear_board",
    b"komi 5.5",
    b"play b D4",
    b"play w D4",
    b"play b pass",
    b"genmove b",
    b"genmove w",
    b"undo",
    b"showboard",
    b"final_score",
    b"final_status_list dead",
    b"fixed_handicap 2",
    b"time_left b 3 1",
    b"kata-analyze b 1 ownership true",
    b"lz-genmove_analyze w 1",
    b"printsgf",
    b"kata-set-rules aga",
    b"loadsgf /no/such",
    b"list_commands",
    b"stop",
)


@pytest.mark.parametrize("seed", range(3))
def test_garbage_of_any_kind_is_answered_line_by_line(seed):
    chance = random.Random(seed)
    with Controller("--player", "random", "--game", "go:size=7") as engine:
        lines = []
        for _ in range(400):
            kind = chance.randrange(6)
            if kind == 0:
                line = chance.randbytes(chance.randrange(60))
            elif kind == 1:
                line = bytes([chance.randrange(256)]) * chance.choice((10, 5000, 100_000))
            elif kind == 2:
                line = chance.choice(WELL_FORMED) + chance.randbytes(5)
            elif kind == 3:
                line = chance.choice(WELL_FORMED)[: chance.randrange(12)]
            else:
                line = chance.choice(WELL_FORMED)
            lines.append(line.replace(b"\n", b" ").replace(b"quit", b"exit"))
        # Every line has a number of its own, so every line has an answer, whatever follows the number.
        data = b"".join(
            str(number).encode() + b" " + line + chance.choice((b"\n", b"\r\n", b"\n\n"))
            for number, line in enumerate(lines)
        )
        engine.send_bytes(data)
        signs = {"=": 0, "?": 0}
        for number in range(len(lines)):
            sign, answered, said = engine.reply()
            assert answered == str(number)
            signs[sign] += 1
            if sign == "?":
                assert len(said) == 1
                assert "Error:" not in said[0]
        assert sum(signs.values()) == 400
        assert min(signs.values()) > 50
        assert engine.gtp("boardsize 9") == ""
        assert re.fullmatch(r"[A-HJ]\d|pass", engine.gtp("genmove b"))
        assert engine.quit() == 0
        assert engine.errors() == "", "and no traceback anywhere"


def test_what_others_print_does_not_get_between_the_lines(tmp_path):
    (tmp_path / "loud.py").write_text(
        "class Loud:\n    def move(self, position):\n        print('thinking...')\n"
        "        return position.legal_moves[0]\n"
    )
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with Controller("--player", "python:loud:Loud", PYTHONPATH=path) as engine:
        assert engine.gtp("boardsize 9") == ""
        assert engine.gtp("genmove b") == "A9"
        assert engine.quit() == 0
        assert "thinking..." in engine.errors()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--player", "gredy"], "unknown player 'gredy'"),
        (["--player", "mcts:x=1"], "unknown option of player mcts 'x'"),
        (["--game", "chess"], "unknown game 'chess'"),
        (["--game", "go:size=99"], "size=99 is not a whole number from 2 to 25"),
    ],
)
def test_bad_options_are_one_line_and_exit_code_2(arguments, said):
    done = eightfold("gtp", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("eightfold: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


# ---- GNU Go -----------------------------------------------------------------------------------------


def stones_of(engine: Controller, size: int) -> list[int]:
    """The board as GNU Go lists it."""
    board = [0] * (size * size)
    for number, colour in enumerate(("black", "white"), start=1):
        for vertex in engine.gtp(f"list_stones {colour}").split():
            board[action(vertex, size)] = number
    return board


def games_with_gnugo(games: int, size: int, player: str) -> int:
    """Games in which the two hear of each other's moves over pipes; how many moves were played."""
    played = 0
    with Controller("--player", player) as ours, Controller(command=GNUGO) as theirs:
        for number in range(games):
            black, white = (ours, theirs) if number % 2 == 0 else (theirs, ours)
            moves, resigned = relay(black, white, size, komi=7.5, most=3 * size * size)
            assert resigned == ""
            assert moves[-2:] == ["pass", "pass"]
            board = ["." if not stone else ".XO"[stone] for stone in stones_of(theirs, size)]
            assert ours.gtp("gogui-rules_board").split() == board
            for engine in (ours, theirs):
                assert re.fullmatch(r"[BW]\+\d+(\.\d)?|0", engine.gtp("final_score"))
            played += len(moves)
        assert ours.quit() == 0
        assert ours.errors() == ""
    return played


@needs_gnugo
def test_games_with_gnugo_over_pipes_without_a_protocol_error():
    assert games_with_gnugo(4, 5, "mcts:playouts=300") > 40


@needs_gnugo
@pytest.mark.slow
def test_twenty_games_with_gnugo_both_ways_around():
    assert games_with_gnugo(20, 9, "mcts:playouts=5000") > 800


# ---- the documentation ------------------------------------------------------------------------------


def transcripts(title: str) -> list[tuple[list[str], list[tuple[str, list[str]]]]]:
    """The conversations of a chapter of the documentation: how the engine was started, and what was asked and said."""
    chapter = DOCS.read_text().split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    found = []
    for block in re.findall(r"```\n\$ eightfold gtp(.*?)```", chapter, re.S):
        first, _, rest = block.partition("\n")
        exchanges = []
        for part in rest.strip("\n").split("\n\n"):
            command, *said = part.splitlines()
            exchanges.append((command, said))
        found.append((first.split(), exchanges))
    return found


def test_the_conversation_of_the_documentation_is_what_happens():
    (arguments, exchanges), *_ = transcripts("Eightfold as a Go engine")
    assert len(exchanges) >= 5
    with Controller(*arguments) as engine:
        for command, said in exchanges:
            engine.send(command)
            answered = []
            while line := engine.line():
                answered.append(line.rstrip())
            assert answered == said, command


@pytest.mark.slow
def test_the_analysis_of_the_documentation_looks_as_it_does():
    [_, (arguments, [(command, said), (stop, ended)])] = transcripts("Eightfold as a Go engine")
    assert said[0] == "="
    assert len(said) >= 3
    counts = [visits(line) for line in said[1:]]
    assert counts == sorted(counts)
    with Controller(*arguments) as engine:
        engine.send(command)
        assert engine.line() == "="
        lines = [engine.line() for _ in said[1:]]
        for line, shown in zip(lines, said[1:], strict=True):
            visits(line)
            assert line.count("info move") == shown.count("info move")
            assert ("rootInfo" in line) == ("rootInfo" in shown)
        engine.send(stop)
        while engine.line():
            pass
        assert engine.reply() == ("=", "", [])
        assert ended == ["="]


def test_the_engine_starts_without_torch():
    code = (
        "import sys\nfrom eightfold.protocols.engine import Engine\nfrom eightfold.protocols.gtp.engine import Gtp\n"
        "from eightfold.games import make_game\nsaid = []\n"
        "gtp = Gtp(Engine('mcts:playouts=10'), make_game('go:size=5'), said.append)\n"
        "gtp.handle('genmove b')\nprint('torch' in sys.modules, said)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False ['= ")
