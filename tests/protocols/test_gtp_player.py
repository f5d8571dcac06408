"""Other programs as players over GTP: GNU Go, our own engine, and small fake engines that misbehave in one way each."""

from __future__ import annotations

import gc
import re
import shlex
import subprocess
import sys
import threading

import pytest

from eightfold.arena import make_player, play_match
from eightfold.arena.forfeit import Forfeit, Resignation
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.setup import start_from, with_side
from eightfold.protocols.engine import Engine
from eightfold.protocols.gtp.engine import Gtp
from eightfold.protocols.gtp.player import GtpPlayer
from gnugo import PROGRAM, needs_gnugo
from launching import eightfold
from processes import POSIX, gone, is_running
from refusals import refusal

PYTHON = shlex.quote(sys.executable)
EIGHTFOLD = f"{PYTHON} -m eightfold gtp --player"
GNUGO = f"{PROGRAM or 'gnugo'} --mode gtp --level 1 --chinese-rules --positional-superko"

# A small engine that plays the first empty point that it has not tried yet, with a place for something odd everywhere.
HONEST = """
import sys, time, os, subprocess

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

known = {known!r}.split()
size, stones, seen, moves = 19, {{}}, [], 0

def answer(text="", sign="="):
    say(f"{{sign}}{{number}} {{text}}\\n")

def free():
    columns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size]
    points = [f"{{column}}{{row}}" for row in range(1, size + 1) for column in columns]
    return next((point for point in points if point not in stones), "pass")

{first}
while True:
    line = sys.stdin.readline()
    if not line:
        break
    seen.append(line.strip())
    number, name, *words = line.split() if line[0].isdigit() else ["", *line.split()]
    if name == "list_commands":
        {start}
        answer("\\n".join(known))
    elif name not in known:
        answer("unknown command", "?")
    elif name == "boardsize":
        size = int(words[0])
        answer()
    elif name == "clear_board":
        stones = {{}}
        {clear}
        answer()
    elif name == "play":
        {play}
        stones[words[1].upper()] = words[0]
        answer()
    elif name in ("genmove", "kgs-genmove_cleanup"):
        moves += 1
        move = free()
        {move}
        stones[move.upper()] = words[0]
        answer(move)
    elif name == "quit":
        {end}
        answer()
        break
    else:
        answer()
{last}
"""
KNOWN = "list_commands boardsize clear_board komi play genmove undo time_settings time_left fixed_handicap quit"


@pytest.fixture
def engine(tmp_path):
    """Makes a fake engine; the command that starts it."""

    def make(known: str = KNOWN, **steps: str) -> str:
        texts = dict.fromkeys(("first", "start", "clear", "play", "move", "end", "last"), "pass") | steps
        path = tmp_path / f"engine-{len(list(tmp_path.iterdir()))}.py"
        path.write_text(HONEST.format(known=known, **texts))
        return f"{PYTHON} {shlex.quote(str(path))}"

    return make


@pytest.fixture
def log(tmp_path):
    """Where a fake engine writes what it heard when it ends, and how it does so."""
    path = tmp_path / "log"
    return path, f"open({str(path)!r}, 'a').write('\\n'.join(seen) + '\\n')"


def heard(path) -> list[str]:
    """What an engine was sent, without the numbers."""
    return [re.sub(r"^[0-9]+ ", "", line) for line in path.read_text().splitlines()]


# ---- good engines -----------------------------------------------------------------------------------


def test_our_own_engine_plays_itself_and_is_the_same_player():
    game = make_game("go:size=5,komi=0.5")
    text = f"gtp:{EIGHTFOLD} mcts:playouts=50,memory=0"
    report = play_match(game, text, "mcts:playouts=50,memory=0", games=2, seed=0)
    assert report.forfeits == []
    assert all(result.position.is_over for result in report.results)


@pytest.mark.slow
def test_the_rules_reach_our_own_engine():
    for text in ("go:size=5,rules=japanese,komi=3.5", "go:size=7,rules=tromp-taylor,handicap=2,ko=simple"):
        game = make_game(text)
        report = play_match(game, f"gtp:{EIGHTFOLD} random", f"gtp:{EIGHTFOLD} greedy", games=2)
        assert report.forfeits == []
        assert all(result.position.is_over for result in report.results)


def test_gomoku_is_played_too():
    game = make_game("gomoku:size=9")
    report = play_match(game, f"gtp:{EIGHTFOLD} alphabeta:depth=2 --game gomoku:size=15", "random", games=2)
    assert report.forfeits == []
    assert report.total.wins == 2


@needs_gnugo
def test_gnugo_plays_a_match_and_captures_what_is_dead():
    report = play_match(make_game("go:size=7"), f"gtp:{GNUGO}", "random", games=2, seed=5)
    assert report.forfeits == []
    assert report.total.wins == 2
    for result in report.results:
        left = set(result.position.stones.ravel().tolist()) - {0}
        assert left == {BLACK if result.first_named_is_black else WHITE}, "also what lay in its territory"


@needs_gnugo
def test_gnugo_against_our_engine_both_over_pipes():
    report = play_match(make_game("go:size=5"), f"gtp:{GNUGO}", f"gtp:{EIGHTFOLD} mcts:playouts=200", games=4)
    assert report.forfeits == []
    assert len(report.results) == 4


@needs_gnugo
@pytest.mark.slow
def test_twenty_games_of_gnugo_against_our_engine():
    ours = f"gtp:{EIGHTFOLD} mcts:playouts=5000,exploration=1"
    report = play_match(make_game("go:size=9"), f"gtp:{GNUGO}", ours, games=20)
    assert report.forfeits == []
    assert report.as_first.games == report.as_second.games == 10
    assert all(result.position.is_over for result in report.results)


@needs_gnugo
def test_gnugo_takes_up_any_position():
    game = make_game("go:size=9,handicap=3")
    player = make_player(f"gtp:{GNUGO}", make_game("go:size=9"))
    usual = make_game("go:size=9")
    ends = usual.after(["c3", "g7", "c7", "g3", "e5", "pass"])
    twice = with_side(ends, WHITE)
    problem = start_from(usual, {0: BLACK, 1: BLACK, 9: WHITE, 10: WHITE}, to_move=BLACK)
    for position in (usual.start(), ends, usual.after(["c3"]), twice, problem, problem.play("c9"), ends.play("d6")):
        player.new_game() if position in (twice, problem, ends) else None
        assert position.legal_mask[player.think(position).action]
    player.close()
    handicap = make_player(f"gtp:{GNUGO}", game)
    for position in (game.start(), with_side(game.after(["e5"]), WHITE), game.start()):
        handicap.new_game()
        assert position.legal_mask[handicap.think(position).action]
    handicap.close()


# ---- the conversation -------------------------------------------------------------------------------


def test_the_conversation_is_that_of_a_controller(engine, log):
    path, write = log
    game = make_game("go:size=5,komi=6.5")
    player = make_player(f"gtp:seconds=2.5,match=90,{engine(last=write)}", game)
    player.new_game()
    position = game.start()
    position = position.play(player.think(position).action).play("e5")
    position = position.play(player.think(position).action).play("pass")
    player.think(position)
    player.think(game.after(["c3"]), seconds=1)
    player.new_game()
    player.close()
    said = heard(path)
    assert said[0] == "list_commands"
    assert said[-1] == "quit"
    board = ["boardsize 5", "clear_board", "komi 6.5"]
    rest = [line for line in said[1:-1] if not line.startswith("time")]
    assert rest == [
        *board,
        "genmove black",
        "play white E5",
        "genmove black",
        "play white pass",
        "genmove black",
        *board,
        "play black C3",
        "genmove white",
        *board,
    ]
    times = [line for line in said if line.startswith("time")]
    assert times[:2] == ["time_settings 90 3 1", "time_left black 90 0"]
    assert "time_settings 90 1 1" in times


def test_without_a_limit_no_time_is_told(engine, log):
    path, write = log
    game = make_game("go:size=5")
    player = make_player(f"gtp:{engine(last=write)}", game)
    player.think(game.start())
    player.close()
    assert [line for line in heard(path) if line.startswith("time")] == []


def test_a_player_without_time_is_not_told_that_there_is_no_limit(engine, log):
    path, write = log
    game = make_game("go:size=5")
    player = make_player(f"gtp:{engine(last=write)}", game)
    player.think(game.start(), seconds=0.0)
    player.close()
    assert [line for line in heard(path) if line.startswith("time")] == ["time_settings 0 1 1", "time_left black 1 1"]


def test_a_handicap_is_put_down_by_hand_where_the_engine_does_not_know_it(engine, log):
    path, write = log
    game = make_game("go:size=9,handicap=2")
    known = KNOWN.replace("fixed_handicap ", "")
    player = make_player(f"gtp:{engine(known, last=write)}", game)
    player.think(game.start())
    player.close()
    assert [line for line in heard(path) if line.startswith("play")] == ["play black G7", "play black C3"]


def test_a_pass_is_asked_about_once_more(engine, log):
    path, write = log
    game = make_game("go:size=5")
    command = engine(f"{KNOWN} kgs-genmove_cleanup", last=write, move="move = 'pass' if name == 'genmove' else 'C3'")
    player = make_player(f"gtp:{command}", game)
    assert player.think(game.start()).action == 12
    player.close()
    assert heard(path)[-4:-1] == ["genmove black", "undo", "kgs-genmove_cleanup black"]


def test_remarks_and_answers_without_numbers_are_understood(engine):
    game = make_game("go:size=5")
    command = engine(first="say(''); say('Hi')")
    player = make_player(f"gtp:{command}", game)
    assert player.think(game.start()).action == 20
    assert isinstance(player, GtpPlayer)
    assert list(player.remarks) == ["Hi"]
    player.close()
    command = engine(move="os.write(1, bytes([233, 32, 72, 105, 10, 10]))")  # not an error that begins with '?'
    player = make_player(f"gtp:{command}", game)
    assert player.think(game.start()).action == 20
    player.close()
    command = engine(move="say('= C3'); say(''); continue")
    player = make_player(f"gtp:{command}", game)
    assert player.think(game.start()).action == 12
    player.close()


# ---- bad engines ------------------------------------------------------------------------------------

MISBEHAVIOUR = [
    ({"move": "time.sleep(600)"}, "it did not answer genmove within"),
    ({"move": "sys.exit(3)"}, "it ended with exit code 3"),
    ({"move": "raise ValueError('lost my way')"}, "ValueError: lost my way"),
    ({"move": "os.kill(os.getpid(), 9)"}, "it was ended by SIGKILL"),
    ({"move": "answer('banana'); continue"}, "answered 'banana', which is not a move"),
    ({"move": "answer(''); continue"}, "answered '', which is not a move"),
    ({"move": "answer('Z99'); continue"}, "answered 'Z99', off the board"),
    ({"move": "answer('I1'); continue"}, "off the board"),
    ({"move": "answer('no idea', '?'); continue"}, "it refused 'genmove white': no idea"),
    ({"move": "answer('', '?'); continue"}, "it refused 'genmove white': without a reason"),
    ({"move": "move = next(iter(stones), move)"}, " stone is there"),
    ({"move": "say('wait a bit'); time.sleep(600)"}, "it did not answer genmove within"),
    ({"move": "\n        while True: say('and another thing')"}, "it did not answer genmove within"),
    ({"move": "\n        say('=' + number)\n        while True: say('more')"}, "it did not answer genmove within"),
    ({"move": "say('=' + number + ' C3'); time.sleep(600)"}, "it did not answer genmove within"),
    ({"move": "say('=99999 C3'); say(''); time.sleep(600)"}, "it did not answer genmove within"),
    ({"move": "os.write(1, b'x' * 1000000); time.sleep(600)"}, "it did not answer genmove within"),
    ({"move": "os.close(1); sys.stdout = None; time.sleep(600)"}, "it closed its output"),
    ({"play": "answer('illegal move', '?'); continue"}, "it refused 'play black"),
    ({"clear": "answer('never', '?'); continue"}, "it refused 'clear_board': never"),
    ({"start": "time.sleep(600)"}, "it did not answer list_commands within"),
    ({"start": "known = ['play']"}, "it does not know boardsize"),
    ({"first": "sys.exit(1)"}, "it ended with exit code 1"),
]


@pytest.mark.parametrize(("steps", "reason"), MISBEHAVIOUR)
def test_misbehaviour_is_a_forfeit_with_its_reason(engine, steps, reason):
    start = 1 if steps.get("start") == "time.sleep(600)" else 60
    patience = 0.5 if "did not answer genmove" in reason else 60  # a slow machine must not be what is found out
    text = f"gtp:seconds=1,patience={patience},start={start},{engine(**steps)}"
    report = play_match(make_game("go:size=5"), "greedy", text, games=1)
    [(number, name, said)] = report.forfeits
    assert (number, name) == (1, text)
    assert reason in said
    assert "\n" not in said
    assert report.results[0].record().result == "B+F"
    assert report.results[0].record().comment == said


def test_a_resignation_is_no_forfeit(engine, log):
    path, write = log
    command = engine(last=write, move="move = 'resign' if moves % 3 == 0 else move")
    report = play_match(make_game("go:size=5"), "random", f"gtp:{command}", games=2)
    assert report.forfeits == []
    assert report.total.wins == 2
    assert [result.record().result for result in report.results] == ["B+R", "W+R"]
    assert heard(path).count("list_commands") == 1, "the same process plays the next game"


def test_a_resignation_says_so(engine):
    game = make_game("go:size=5")
    command = engine(move="move = 'RESIGN'")
    player = make_player(f"gtp:{command}", game)
    with pytest.raises(Resignation, match="it resigned"):
        player.think(game.start())
    player.close()


def test_our_engine_resigns_where_its_player_does(engine):
    said: list[str] = []
    command = engine(move="move = 'resign' if moves > 4 else move")  # it is tried out with four moves
    gtp = Gtp(Engine(f"gtp:{command}"), make_game("go:size=5"), said.append)
    for line in ("genmove b", "reg_genmove b", "genmove_analyze b"):
        gtp.handle(line)
    gtp.close()
    assert said == ["= resign\n", "= resign\n", "=", "play resign", ""]


def test_after_a_forfeit_the_next_game_is_a_new_chance(engine, tmp_path):
    flag = tmp_path / "crashed"
    command = engine(move=f"\n        if not os.path.exists({str(flag)!r}): open({str(flag)!r}, 'w'); sys.exit(1)")
    report = play_match(make_game("go:size=5"), "random", f"gtp:{command}", games=2)
    assert [number for number, _, _ in report.forfeits] == [1]


def test_a_stop_is_passed_on_to_those_that_know_it():
    game = make_game("go:size=5")
    player = make_player(f"gtp:{EIGHTFOLD} mcts:playouts=1000000000", game)
    stop = threading.Event()
    stop.set()
    position = game.start()
    for _ in range(3):
        position = position.play(player.think(position, stop=stop).action)
        position = position.play(int(position.legal_moves[-2]))
    player.close()


def test_a_game_that_the_engine_does_not_play_is_a_forfeit(engine):
    with pytest.raises(Forfeit, match="it plays Go, not gomoku"):
        make_player(f"gtp:{engine()}", make_game("gomoku:size=9")).new_game()
    with pytest.raises(Forfeit, match="it plays Go, not gomoku"):
        make_player(f"gtp:{EIGHTFOLD} random", make_game("gomoku:size=9")).new_game()


# ---- nothing is left behind -------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize(
    "end",
    [
        "pass",
        "time.sleep(600)",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    ],
)
def test_a_closed_engine_and_its_children_are_gone(engine, tmp_path, end):
    child = tmp_path / "child"
    first = f"p = subprocess.Popen(['sleep', '600']); open({str(child)!r}, 'w').write(str(p.pid))"
    game = make_game("go:size=5")
    player = make_player(f"gtp:{engine(first=first, end=end)}", game)
    player.think(game.start())
    number = player._program.number
    assert is_running(number)
    player.close()
    assert not is_running(number), "no zombie either"
    assert gone(int(child.read_text()))
    player.close()


@POSIX
def test_an_engine_that_is_forgotten_or_hangs_is_ended(engine):
    game = make_game("go:size=5")
    player = make_player(f"gtp:{engine()}", game)
    player.think(game.start())
    number = player._program.number
    del player
    gc.collect()
    assert not is_running(number)
    hanging = make_player(f"gtp:patience=0.5,{engine(move='time.sleep(600)')}", game)
    hanging.new_game()
    number = hanging._program.number
    with pytest.raises(Forfeit):
        hanging.think(game.start())
    assert not is_running(number)


@POSIX
def test_engines_end_with_our_interpreter(engine):
    code = (
        "import sys\nfrom eightfold.arena import make_player\nfrom eightfold.games import make_game\n"
        f"game = make_game('go:size=5')\nplayer = make_player({'gtp:' + engine()!r}, game)\n"
        "player.think(game.start())\nprint(player._program.number, flush=True)\nraise RuntimeError('ours')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert gone(int(done.stdout))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gtp:", "player gtp names no command; write gtp:COMMAND"),
        ("gtp:seconds=1", "names no command"),
        ("gtp:no-such-engine --x", "player gtp: there is no program 'no-such-engine'"),
        ("gtp:second=1,no-such-engine", "unknown option of player gtp 'second'"),
        ("gtp:memory=1,no-such-engine", "unknown option of player gtp 'memory'"),
        ("gtp:seconds=x,engine", "seconds='x' is not a number"),
        ("gtp:'unclosed", "cannot be split: No closing quotation"),
        ("gpt:gnugo", "mcts, pattern, net, isn, gomocup, gtp, python, human"),
    ],
)
def test_commands_that_cannot_be_are_refused_before_the_match(text, said):
    assert said in refusal(lambda: make_player(text, make_game("go:size=9")))


@pytest.mark.slow
def test_the_command_line_plays_the_match(tmp_path):
    arguments = ["--game", "go:size=5", "--games", "2", "--sgf", "games"]
    done = eightfold("match", f"gtp:{EIGHTFOLD} greedy", "random", *arguments, cwd=tmp_path, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "forfeited" not in done.stdout
    assert len(list((tmp_path / "games").iterdir())) == 2
