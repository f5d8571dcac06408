"""`pbrain-eightfold` as managers meet it: a process behind pipes."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time

import pytest

from eightfold.benchmarks.reference.gomoku import BLACK
from managers import ENGINE, Manager, move_of, play_game, point
from patience import LONG


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("style", ["START", "RESTART", "BOARD"])
def test_whole_games_in_the_three_styles(style, newline):
    with Manager("--player", "alphabeta:depth=2", newline=newline) as manager:
        assert manager.ask("START 15") == "OK"
        won = 0
        for seed in range(4):
            black = seed % 2 == 0
            game = play_game(manager, 15, style=style, engine_is_black=black, seed=seed)
            won += (game.result == BLACK) == black
        assert won == 4, "random moves lose"
        assert manager.end() == 0


def test_a_game_under_the_standard_rule_at_20x20_with_info_after_start():
    with Manager() as manager:
        assert manager.ask("START 20") == "OK"
        manager.send("INFO timeout_match 0", "INFO timeout_turn 0", "INFO max_memory 367001600", "INFO rule 1")
        game = play_game(manager, 20, style="RESTART", engine_is_black=False, seed=1, exactly=True)
        assert game.result != BLACK
        assert manager.end() == 0


STONES = ("7,7,2", "8,8,1", "6,8,2")


@pytest.mark.parametrize("player", ["alphabeta", "mcts", None])
def test_any_time_is_answered_with_a_move(player):
    """However little is allowed; `eightfold bench gomocup` measures how well the limits are kept."""
    with Manager(*(["--player", player] if player else [])) as manager:
        assert manager.ask("START 15") == "OK"
        for limits in (
            ("timeout_turn 400",), ("timeout_turn 0",), ("timeout_turn -5",), ("time_left -1",), ("time_left 0",),
            ("timeout_turn 5000", "timeout_match 3000", "time_left 20"), ("timeout_turn 1", "time_left 2147483647"),
        ):  # fmt: skip
            manager.send(*(f"INFO {limit}" for limit in limits))
            move_of(manager.ask("BOARD", *STONES, "DONE"), 15)
        assert manager.end() == 0


@pytest.mark.slow
@pytest.mark.parametrize("player", [pytest.param("alphabeta", marks=pytest.mark.slow), "mcts"])
def test_more_time_is_more_thinking(player):
    def looked_at(milliseconds: int) -> int:
        move_of(manager.ask(f"INFO timeout_turn {milliseconds}", "BOARD", *STONES, "DONE"), 15)
        [nodes] = re.findall(r"nodes (\d+)", manager.remarks[-1])
        return int(nodes)

    with Manager("--player", player) as manager:
        assert manager.ask("START 15") == "OK"
        looked_at(0)  # START is on the bill of the first one
        little, much = looked_at(0), looked_at(2000)
        assert much > little > 0
        assert manager.end() == 0


def test_a_whole_game_with_one_time_for_all_its_moves():
    with Manager() as manager:
        assert manager.ask("START 15") == "OK"
        manager.send("INFO timeout_turn 5000", "INFO timeout_match 2000")
        game = play_game(manager, 15, style="RESTART", engine_is_black=True, seed=3)
        assert game.result == BLACK
        assert manager.end() == 0


def test_yxstop_and_end_interrupt_thinking():
    taken: set[int] = set()

    def turn() -> str:
        move = next(move for move in range(225) if move not in taken)
        taken.add(move)
        return f"TURN {point(move, 15)}"

    with Manager("--player", "mcts") as manager:
        assert manager.ask("START 15") == "OK"
        assert manager.ask("PLAY 7,7") == "7,7"  # which waits for the search: who has none makes quick moves
        assert manager.ask("RESTART") == "OK"
        manager.send("INFO timeout_turn 600000", "BEGIN")
        time.sleep(0.5)
        taken.add(move_of(manager.ask("YXSTOP"), 15))  # ten minutes were allowed; `ask` waits for two
        taken.add(move_of(manager.ask(turn(), "YXSTOP"), 15))  # the stop may come before the thinking begins
        manager.send("YXSTOP", "INFO timeout_turn 500")  # and one with nothing to stop stops nothing later
        taken.add(move_of(manager.ask(turn()), 15))
        [nodes] = re.findall(r"nodes (\d+)", manager.remarks[-1])
        assert int(nodes) > 1, "a search that is stopped before it begins looks at one position"
        manager.send("INFO timeout_turn 600000", turn())
        time.sleep(0.3)
        assert manager.end() == 0


def test_the_end_of_the_input_is_the_end():
    with Manager("--player", "mcts") as manager:
        manager.send("START 15", "INFO timeout_turn 600000", "BEGIN")
        assert manager.process.stdin is not None
        manager.process.stdin.close()
        assert manager.answer() == "OK"
        move_of(manager.answer(), 15)
        assert manager.process.wait(LONG) == 0


def test_end_is_heard_while_kernels_are_compiled(tmp_path):
    with Manager(EIGHTFOLD_CACHE=str(tmp_path)) as manager:  # an empty cache: a move takes many seconds
        assert manager.ask("START 15") == "OK"
        manager.send("BEGIN")
        time.sleep(0.5)
        assert manager.end() == 0
        assert all("this is a quick move" in line or line == "7,7" for line in manager.rest()), (
            "no thought was waited for"
        )


def test_a_manager_that_goes_away_is_no_reason_to_stay():
    engine = subprocess.Popen([*ENGINE, "--player", "greedy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert engine.stdin is not None
    assert engine.stdout is not None
    with engine.stdin, engine.stdout:
        engine.stdin.write(b"START 15\n")
        engine.stdin.flush()
        assert engine.stdout.readline() == b"OK\n"
        engine.stdout.close()
        engine.stdin.write(b"ABOUT\nABOUT\nABOUT\n")
        engine.stdin.flush()
        assert engine.wait(LONG) == 0


@pytest.mark.parametrize("seed", range(3))
def test_garbage_of_any_kind(seed):
    chance = random.Random(seed)
    commands = [b"START 15", b"BEGIN", b"TURN 7,7", b"BOARD", b"DONE", b"INFO rule 4", b"ABOUT", b"RESTART", b"7,7,1"]
    with Manager("--player", "greedy") as manager:
        manager.send("INFO timeout_turn 0", "START 15")
        data = []
        for _ in range(400):
            kind = chance.randrange(5)
            if kind == 0:
                line = chance.randbytes(chance.randrange(60))
            elif kind == 1:
                line = bytes([chance.randrange(256)]) * chance.choice((10, 5000, 100_000))
            elif kind == 2:
                line = chance.choice(commands) + chance.randbytes(5)
            else:
                line = chance.choice(commands)
            data.append(line.replace(b"\n", b" ") + chance.choice((b"\n", b"\r\n", b"\n\n")))
        # An END by chance would be right to end it.
        manager.send_bytes(b"".join(line for line in data if not line.strip().upper().startswith(b"END")))
        manager.send("DONE", "INFO rule 0", "START 20", "FINISHED")
        while manager.answer() != "UNKNOWN FINISHED":
            pass
        move_of(manager.ask("BEGIN"), 20)
        assert manager.end() == 0
        assert "Traceback" not in manager.errors()


def test_what_others_print_does_not_get_between_the_lines(tmp_path):
    (tmp_path / "loud.py").write_text(
        "class Loud:\n    def move(self, position):\n        print('thinking...')\n"
        "        return position.legal_moves[0]\n"
    )
    with Manager(
        "--player", "python:loud:Loud", PYTHONPATH=f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ) as manager:
        assert manager.ask("START 15") == "OK"
        assert manager.ask("BEGIN") == "0,0"
        assert manager.end() == 0
        assert "thinking..." in manager.errors()


def test_bad_options_are_one_line_and_exit_code_2():
    for command, name in (([], "pbrain-eightfold"), ([sys.executable, "-m", "eightfold", "gomocup"], "eightfold")):
        for player, said in (
            ("gredy", "unknown player 'gredy'"),
            ("mcts:x=1", "unknown option of player mcts 'x'"),
            ("net:nowhere", "nowhere holds no network"),
        ):
            with Manager("--player", player, command=command or None) as manager:
                assert manager.process.wait(LONG) == 2
                errors = manager.errors()
                assert errors.startswith(f"{name}: ")
                assert said in errors
                assert errors.count("\n") == 1


def test_an_option_that_there_is_not_is_one_line():
    with Manager("--nope") as manager:
        assert manager.process.wait(LONG) == 2
        errors = manager.errors()
    assert errors == "pbrain-eightfold: unrecognized arguments: --nope; see pbrain-eightfold --help\n"


def test_the_command_of_the_command_line_is_the_same_engine():
    with Manager("--player", "greedy", command=[sys.executable, "-m", "eightfold", "gomocup"]) as manager:
        assert manager.ask("START 15") == "OK"
        move_of(manager.ask("BEGIN"), 15)
        assert manager.end() == 0


def test_torch_is_never_imported():
    for player in ("alphabeta", "mcts:playouts=10"):
        with Manager(player, command=[sys.executable, "-c", SPY]) as manager:
            assert manager.ask("START 15") == "OK"
            move_of(manager.ask("INFO timeout_turn 0", "TURN 7,7"), 15)
            assert manager.end() == 0
            assert "torch: False" in manager.errors(), manager.errors()


SPY = """
import sys
from eightfold.protocols.gomocup.session import serve
serve(sys.argv[1])
print("torch:", "torch" in sys.modules, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
@pytest.mark.parametrize("player", [None, pytest.param("mcts", marks=pytest.mark.slow)])
def test_memory_stays_below_that_of_tournaments_at_20x20(player):
    with Manager(*(["--player", player] if player else [])) as manager:
        assert manager.ask("START 20") == "OK"
        manager.send("INFO max_memory 367001600", "INFO timeout_turn 2500")
        for stones in (("9,9,2",), ("9,9,2", "8,8,1", "5,5,2")):
            move_of(manager.ask("BOARD", *stones, "DONE"), 20)
        assert manager.high_water() < 350
        assert manager.end() == 0


def test_a_manager_that_closed_the_error_output_gets_nothing_but_the_protocol(tmp_path):
    (tmp_path / "noisy.py").write_text(
        "class Noisy:\n    def move(self, position):\n"
        "        print('noise', flush=True)\n        return int(position.legal_moves[0])\n"
    )
    code = "import os; os.close(2)\nfrom eightfold.protocols.gomocup.session import serve\nserve('python:noisy:Noisy')"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        text=True,
    ) as engine:
        said = []
        for line in ("START 8", "BEGIN"):
            engine.stdin.write(f"{line}\n")
            engine.stdin.flush()
            while True:
                said.append(engine.stdout.readline().strip())
                if said[-1] == "" or not said[-1].startswith(("MESSAGE", "DEBUG", "noise", "compil")):
                    break
        engine.stdin.write("END\n")
        engine.stdin.flush()
        said += engine.stdout.read().split("\n")
    assert "OK" in said
    assert not [line for line in said if line.startswith(("noise", "compil"))], said
