"""Other programs as players: they play, they forfeit when they misbehave, and none is left behind."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.arena import make_player, play_match
from eightfold.arena.forfeit import Forfeit
from eightfold.core.commands import split_command, split_words
from eightfold.games import make_game
from eightfold.games.records.files import read_records
from eightfold.protocols.gomocup.player import GomocupPlayer
from launching import eightfold, server
from patience import finished
from processes import POSIX, gone, is_running
from refusals import refusal

EIGHTFOLD = f"{shlex.quote(sys.executable)} -m eightfold gomocup --player greedy"

# A small engine that plays the first free point, with a place for something odd at each step.
HONEST = """
import sys, time, os, subprocess

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

size, stones, seen, moves = 0, set(), [], 0

def free():
    return next((x, y) for y in range(size) for x in range(size) if (x, y) not in stones)

def answer():
    global moves
    moves += 1
    x, y = free()
    {move}
    stones.add((x, y))
    say(f"{{x}},{{y}}")

{first}
while True:
    line = sys.stdin.readline()
    if not line:
        break
    seen.append(line.strip())
    word, _, rest = line.strip().partition(" ")
    if word == "START":
        size, stones = int(rest), set()
        {start}
        say("OK")
    elif word == "RESTART":
        stones = set()
        {restart}
        say("OK")
    elif word == "BEGIN":
        answer()
    elif word == "TURN":
        stones.add(tuple(map(int, rest.split(","))))
        answer()
    elif word == "BOARD":
        stones = set()
        while (line := sys.stdin.readline().strip()) != "DONE":
            stones.add(tuple(map(int, line.split(",")[:2])))
            seen.append(line)
        answer()
    elif word == "PLAY":
        say(rest)
    elif word == "END":
        {end}
        break
    elif word != "INFO":
        say("UNKNOWN " + word)
{last}
"""


@pytest.fixture
def engine(tmp_path):
    """Makes a fake engine; the command that starts it."""

    def make(**steps: str) -> str:
        texts = dict.fromkeys(("first", "start", "restart", "move", "end", "last"), "pass") | steps
        path = tmp_path / f"engine-{len(list(tmp_path.iterdir()))}.py"
        path.write_text(HONEST.format(**texts))
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    return make


def test_our_own_engine_plays_a_match():
    report = play_match(make_game("gomoku:size=8"), f"gomocup:{EIGHTFOLD}", "random", games=4, seed=1, opening_plies=2)
    assert report.forfeits == []
    assert report.total.wins == 4


@pytest.mark.parametrize("plies", [0, 3])
def test_games_reach_the_engine_as_they_are(engine, plies):
    report = play_match(make_game("gomoku:size=7"), f"gomocup:{engine()}", "random", games=4, opening_plies=plies)
    assert report.forfeits == []
    assert len(report.results) == 4


def test_the_conversation_is_that_of_a_manager(engine, tmp_path):
    log = tmp_path / "log"
    command = engine(last=f"open({str(log)!r}, 'a').write('\\n'.join(seen))")
    game = make_game("gomoku:size=6,win=5,rule=standard")
    player = make_player(f"gomocup:seconds=2,match=90,memory=100,{command}", game)
    player.new_game()
    position = game.start()
    position = position.play(player.think(position).action)
    position = position.play("f1")
    player.think(position)
    player.think(game.after(["a1", "b1", "c1"]))
    player.new_game()
    player.think(game.start(), seconds=0.5)
    player.close()
    said = log.read_text().splitlines()
    assert said[0] == "START 6"
    assert "INFO rule 1" in said
    assert "INFO timeout_turn 2000" in said
    assert "INFO timeout_match 90000" in said
    assert "INFO max_memory 100000000" in said
    left = [int(line.split()[2]) for line in said if line.startswith("INFO time_left")]
    assert len(left) == 4
    assert 80_000 < left[2] <= left[1] <= left[0] == left[3] == 90_000
    rest = [line for line in said[1:] if not line.startswith("INFO")]
    assert rest == ["BEGIN", "TURN 5,5", "BOARD", "0,5,2", "1,5,1", "2,5,2", "RESTART", "BEGIN", "END"]
    assert said[-3] == "INFO time_left 90000"
    assert "INFO timeout_turn 500" in said


def test_remarks_are_kept_and_a_suggestion_is_taken_up(engine):
    game = make_game("gomoku:size=6")
    move = "say('MESSAGE hello'); say('DEBUG x'); say(''); say('SUGGEST 3,2'); stones.add((3, 2)); return"
    command = engine(first="say('MESSAGE loading')", move=move)
    player = make_player(f"gomocup:{command}", game)
    assert player.think(game.start()).action == 2 * 6 + 3
    assert isinstance(player, GomocupPlayer)
    assert "MESSAGE hello" in player.remarks
    player.close()


MISBEHAVIOUR = [
    ({"move": "time.sleep(600)"}, "did not answer within"),
    ({"move": "sys.exit(3)"}, "it ended with exit code 3"),
    ({"move": "raise ValueError('lost my way')"}, "ValueError: lost my way"),
    ({"move": "os.kill(os.getpid(), 9)"}, "it was ended by SIGKILL"),
    ({"move": "say('banana'); return"}, "answered 'banana', which is not a move"),
    ({"move": "say('99,99'); return"}, "answered '99,99', off the board"),
    ({"move": "say('-1,0'); return"}, "off the board"),
    ({"move": "say('OK'); return"}, "which is not a move"),
    ({"move": "say('ERROR no idea'); return"}, "'ERROR no idea'"),
    ({"move": "say('UNKNOWN command'); return"}, "'UNKNOWN command'"),
    ({"move": "x, y = next(iter(stones), (x, y))"}, " stone is there"),
    ({"move": "say('MESSAGE wait a bit'); time.sleep(600)"}, "did not answer within"),
    ({"move": "\n    while True: say('MESSAGE and another thing')"}, "did not answer within"),
    ({"move": "os.write(1, b'x' * 1000000); time.sleep(600)"}, "which is not a move"),
    ({"move": "os.close(1); sys.stdout = None; time.sleep(600)"}, "it closed its output"),
    ({"start": "time.sleep(600)"}, "did not answer within"),
    ({"start": "say('ERROR this size is not for me'); continue"}, "'ERROR this size is not for me' instead of OK"),
    ({"first": "sys.exit(1)"}, "it ended with exit code 1"),
]


@pytest.mark.parametrize(("steps", "reason"), MISBEHAVIOUR)
def test_misbehaviour_is_a_forfeit_with_its_reason(engine, steps, reason):
    text = f"gomocup:seconds=0.2,patience=1.5,start=10,{engine(**steps)}"
    if steps.get("start") == "time.sleep(600)":
        text = text.replace("start=10", "start=1")
    report = play_match(make_game("gomoku:size=6"), "random", text, games=2)
    assert [number for number, _, _ in report.forfeits] == [1, 2]
    for number, name, said in report.forfeits:
        assert name == text
        assert reason in said
        assert "\n" not in said
        result = report.results[number - 1]
        assert result.points == 1
        assert result.record().result == ("B+F" if result.first_named_is_black else "W+F")
        assert result.record().comment == said
    assert report.total.wins == 2
    data = report.as_dict()
    assert [entry["game"] for entry in data["forfeits"]] == [1, 2]


def test_who_uses_up_the_time_for_the_game_forfeits(engine):
    text = f"gomocup:seconds=30,match=1,patience=0.4,{engine(move='time.sleep(0.6)')}"
    report = play_match(make_game("gomoku:size=6"), text, "random", games=1)
    [(number, name, said)] = report.forfeits
    assert (number, name) == (1, text)
    assert "did not answer within" in said
    assert len(report.results[0].position.moves) in (2, 3, 4), "it had time for a move or two"


def test_after_a_forfeit_the_next_game_is_a_new_chance(engine, tmp_path):
    flag = tmp_path / "crashed"
    command = engine(move=f"\n    if not os.path.exists({str(flag)!r}): open({str(flag)!r}, 'w'); sys.exit(1)")
    report = play_match(make_game("gomoku:size=6"), "random", f"gomocup:{command}", games=3)
    assert [number for number, _, _ in report.forfeits] == [1]


def test_an_engine_without_restart_is_started_anew(engine):
    command = engine(restart="say('UNKNOWN restart'); continue")
    report = play_match(make_game("gomoku:size=6"), "random", f"gomocup:{command}", games=3)
    assert report.forfeits == []


def test_a_stop_is_passed_on_and_an_engine_that_does_not_know_it_is_left_in_peace(engine):
    game = make_game("gomoku:size=6")
    player = make_player(f"gomocup:{engine(move='time.sleep(0.5)')}", game)
    stop = threading.Event()
    stop.set()
    position = game.start()
    for _ in range(3):
        position = position.play(player.think(position, stop=stop).action)
        position = position.play(int(position.legal_moves[-1]))
    player.close()


@POSIX
def test_a_closed_engine_and_its_children_are_gone(engine, tmp_path):
    child = tmp_path / "child"
    first = f"p = subprocess.Popen(['sleep', '600']); open({str(child)!r}, 'w').write(str(p.pid))"
    for end in (
        "pass",
        "time.sleep(600)",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    ):
        game = make_game("gomoku:size=6")
        player = make_player(f"gomocup:{engine(first=first, end=end)}", game)
        player.think(game.start())
        number = player._program.number
        grandchild = int(child.read_text())
        assert is_running(number)
        finished(player.close)
        assert not is_running(number), "no zombie either"
        assert gone(grandchild)
        player.close()


@POSIX
def test_an_engine_that_is_forgotten_is_ended(engine):
    game = make_game("gomoku:size=6")
    player = make_player(f"gomocup:{engine()}", game)
    player.think(game.start())
    number = player._program.number
    del player
    gc.collect()
    assert not is_running(number)


@POSIX
@pytest.mark.parametrize("ending", ["", "raise RuntimeError('ours')", "raise KeyboardInterrupt", "sys.exit(5)"])
def test_engines_end_with_our_interpreter(engine, ending):
    code = (
        "import sys\nfrom eightfold.arena import make_player\nfrom eightfold.games import make_game\n"
        f"game = make_game('gomoku:size=6')\nplayer = make_player({'gomocup:' + engine()!r}, game)\n"
        f"player.think(game.start())\nprint(player._program.number, flush=True)\n{ending}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert gone(int(done.stdout))


@POSIX
def test_an_exception_in_a_match_ends_the_engines(engine, tmp_path, monkeypatch):
    log = tmp_path / "number"
    (tmp_path / "broken_player.py").write_text("class Broken:\n    def move(self, position):\n        return 1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    command = engine(first=f"open({str(log)!r}, 'w').write(str(os.getpid()))")
    said = refusal(
        lambda: play_match(make_game("gomoku:size=6"), f"gomocup:{command}", "python:broken_player:Broken", games=1)
    )
    assert "ZeroDivisionError" in said
    assert not is_running(int(log.read_text()))


@POSIX
def test_ctrl_c_ends_the_engines_too(engine, tmp_path):
    log = tmp_path / "number"
    command = engine(first=f"open({str(log)!r}, 'w').write(str(os.getpid()))", move="time.sleep(600)")
    match = server().launch("match", f"gomocup:seconds=300,{command}", "random", "--games", "1")
    deadline = time.perf_counter() + 60
    while not (log.exists() and log.read_text()) and time.perf_counter() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    match.signal(signal.SIGINT)
    assert match.wait() != 0
    assert gone(int(log.read_text()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gomocup:", "names no command"),
        ("gomocup:seconds=1", "names no command"),
        ("gomocup:no-such-engine --x", "there is no program 'no-such-engine'"),
        ("gomocup:second=1,no-such-engine", "unknown option of player gomocup 'second'"),
        ("gomocup:seconds=x,engine", "seconds='x' is not a number"),
        ("gomocup:'unclosed", "cannot be split: No closing quotation"),
    ],
)
def test_commands_that_cannot_be_are_refused_before_the_match(text, said):
    assert said in refusal(lambda: make_player(text, make_game("gomoku:size=8")))


def test_games_that_the_protocol_does_not_know_are_refused(engine):
    assert "does not know gomoku:size=8,win=4" in refusal(
        lambda: make_player(f"gomocup:{engine()}", make_game("gomoku:size=8,win=4"))
    )


def test_a_program_that_cannot_be_run_forfeits(tmp_path):
    program = tmp_path / "engine"
    program.write_text("this is no program")
    program.chmod(0o755)
    with pytest.raises(Forfeit, match="cannot be started"):
        make_player(f"gomocup:{program}", make_game("gomoku:size=8")).new_game()


@pytest.mark.parametrize(
    ("text", "options", "command"),
    [
        ("./engine", "", "./engine"),
        ("./engine a=b,c=d", "", "./engine a=b,c=d"),
        ("seconds=1,./engine", "seconds=1", "./engine"),
        (" seconds = 1 , match=5, ./engine --x=1,y=2 ", "seconds = 1,match=5", "./engine --x=1,y=2"),
        ("seconds=1", "seconds=1", ""),
    ],
)
def test_options_come_before_the_command(text, options, command):
    assert split_command(text) == (options, command)


def test_the_match_of_the_command_line_with_the_installed_engine(tmp_path):
    """`eightfold match gomocup:pbrain-eightfold mcts:playouts=100 --game gomoku:size=8`."""
    script = tmp_path / "bin" / "pbrain-eightfold"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\nfrom eightfold.protocols.gomocup.session import main\nmain()\n"
    )  # as an installation writes it
    script.chmod(0o755)
    arguments = ["match", "gomocup:seconds=0.2,pbrain-eightfold", "mcts:playouts=100", "--game", "gomoku:size=8"]
    path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    done = eightfold(*arguments, "--games", "2", "--json", "--sgf", "games", cwd=tmp_path, PATH=path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["games"] == 2
    assert report["forfeits"] == []
    assert report["score"] >= 0.5
    assert len(list((tmp_path / "games").iterdir())) == 2


def test_the_table_shows_why_a_game_was_forfeited(engine, tmp_path):
    command = engine(move="say('banana'); return")
    arguments = ["--game", "gomoku:size=6", "--games", "2", "--sgf", "games"]
    done = eightfold("match", f"gomocup:{command}", "random", *arguments, cwd=tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "game 1 was forfeited by gomocup:" in done.stdout
    assert "answered 'banana', which is not a move" in done.stdout
    [record] = read_records(tmp_path / "games" / "game-0001.sgf")
    assert record.result == "W+F"
    assert "banana" in record.comment


@settings(max_examples=20)
@given(st.one_of(st.binary(max_size=200), st.from_regex(rb"[0-9-]{1,3}[,; ][0-9]{1,3}\r?", fullmatch=True)))
def test_whatever_an_engine_says_is_a_move_or_a_forfeit(said):
    game = make_game("gomoku:size=6")
    steps = ["import os", "os.read(0, 999)", r"os.write(1, b'OK\n')", "os.read(0, 999)"]
    steps += [f"os.write(1, {said!r})", r"os.write(1, b'\n')", "os.read(0, 999)"]
    command = shlex.join([sys.executable, "-c", "; ".join(steps)])
    player = make_player(f"gomocup:seconds=0.1,patience=0.5,{command}", game)
    with contextlib.suppress(Forfeit):
        assert 0 <= player.think(game.start()).action < 36
    player.close()


def test_a_program_among_the_games_is_found_though_the_path_leaves_them_out(tmp_path, monkeypatch):
    engine = tmp_path / "some-engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    assert "no program 'some-engine'" in refusal(lambda: split_words("some-engine --fast", "gtp"))
    monkeypatch.setattr("eightfold.core.commands.GAMES", str(tmp_path))
    assert split_words("some-engine --fast", "gtp") == [str(engine), "--fast"]
