"""An engine answers before it is ready: compiling and loading go on beside, and no clock runs out meanwhile."""

from __future__ import annotations

import threading

import pytest

from eightfold.games.game import make_game
from eightfold.protocols import engine as engine_module
from eightfold.protocols.engine import Engine
from eightfold.protocols.gomocup.engine import Gomocup
from eightfold.protocols.gomocup.pending_moves import PendingMoves
from managers import Manager, move_of
from patience import LONG, finished

WAITING = """
import pathlib, time

class Waiting:
    '''Makes its first move when it is allowed to, as one does whose kernels are being compiled.'''

    def move(self, position):
        while not pathlib.Path("allowed").exists():
            time.sleep(0.01)
        return int(position.legal_moves[0])
"""

ONE_COMPILES = """
import signal, threading
from numba.core.compiler_lock import global_compiler_lock
from eightfold.games.game import make_game
from eightfold.protocols.engine import Engine
from eightfold.protocols.gtp.engine import Gtp

signal.alarm(100)  # a guard against hanging
held = threading.Event()

def compile_for_ever():
    with global_compiler_lock:
        held.set()
        threading.Event().wait()

threading.Thread(target=compile_for_ever, daemon=True).start()
held.wait()
gtp = Gtp(Engine("greedy"), make_game("gomoku:size=15"), print)
for line in ("1 protocol_version", "2 name", "3 boardsize 9", "4 list_commands"):
    gtp.handle(line)
"""


@pytest.fixture
def blocked(monkeypatch):
    """Players are made only when this is set."""
    released, make = threading.Event(), engine_module.make_player

    def made(*arguments, **options):
        assert released.wait(LONG)
        return make(*arguments, **options)

    monkeypatch.setattr(engine_module, "make_player", made)
    yield released
    released.set()


def test_start_is_answered_while_the_player_gets_ready(tmp_path, monkeypatch):
    (tmp_path / "waiting.py").write_text(WAITING)
    monkeypatch.chdir(tmp_path)
    with Manager("--player", "python:waiting:Waiting") as manager:
        assert manager.ask("START 15") == "OK"
        assert manager.ask("INFO timeout_turn 300", "TURN 7,7") == "7,6", "a quick move, since time is short"
        assert "the player still loads; this is a quick move" in manager.remarks[-1]
        (tmp_path / "allowed").touch()
        move_of(manager.ask("INFO timeout_turn 0", "INFO timeout_match 0", "TURN 3,3"), 15)
        assert manager.ask("PLAY 7,7").startswith("ERROR"), "the early stones are on the board"
        assert manager.end() == 0


def test_early_moves_are_made_up_for(blocked):
    said: list[str] = []
    engine = Engine("greedy")
    gomocup = Gomocup(engine, said.append, start_timeout=0.0)
    for line in ("START 15", "INFO timeout_turn 1", "BEGIN", "TURN 7,8", "TURN 7,8", "BEGIN"):
        finished(lambda line=line: gomocup.handle(line))
    moves = [line for line in said if not line.startswith("MESSAGE")]
    assert moves[:3] == ["OK", "7,7", "6,7"]
    assert "a stone is there" in moves[3]
    assert "BEGIN is for an empty board" in moves[4]
    blocked.set()
    for line in ("INFO timeout_turn 0", "INFO rule 0", "YXSHOWFORBID", "TURN 0,0"):
        finished(lambda line=line: gomocup.handle(line))
    game = engine.game
    assert [game.name_of(action) for action in engine.position.moves[:4]] == ["h8", "h7", "g8", "a15"]
    assert len(engine.position.moves) == 5


def test_without_a_limit_the_first_move_waits(blocked):
    said: list[str] = []
    gomocup = Gomocup(Engine("greedy"), said.append, start_timeout=0.0)
    gomocup.handle("START 15")
    waiting = threading.Thread(target=gomocup.handle, args=("BEGIN",), daemon=True)
    waiting.start()
    assert said == ["OK"]
    blocked.set()
    finished(waiting.join)
    move_of(said[-1], 15)
    assert "quick move" not in "".join(said)


def test_rules_and_memory_may_change_while_the_player_gets_ready(blocked):
    said: list[str] = []
    engine = Engine()
    gomocup = Gomocup(engine, said.append, start_timeout=0.0)
    for line in ("START 15", "INFO rule 4", "INFO max_memory 300000000", "RESTART"):
        finished(lambda line=line: gomocup.handle(line))
    assert said == ["OK", "OK"]
    blocked.set()
    finished(lambda: gomocup.handle("YXSHOWFORBID"))
    assert said[-1] == "FORBID ."
    assert engine.game.text == make_game("gomoku:size=15,rule=renju").text


def test_a_player_that_cannot_be_made_is_an_error_at_the_first_move(blocked):
    said: list[str] = []
    gomocup = Gomocup(Engine("python:no_such_module:Player"), said.append, start_timeout=0.0)
    gomocup.handle("START 15")
    assert said == ["OK"]
    blocked.set()
    for line in ("BEGIN", "BEGIN", "TURN 7,7"):
        finished(lambda line=line: gomocup.handle(line))
        assert said[-1].startswith("ERROR")
        assert "no_such_module" in said[-1]


def test_a_full_board_has_no_quick_move():
    game, stones = make_game("gomoku:size=5"), PendingMoves()
    for _ in range(game.points):
        stones.play(stones.quick_move(game), game)
    assert sorted(stones.actions) == list(range(game.points))
    with pytest.raises(ValueError, match="the board is full"):
        stones.quick_move(game)


def test_gtp_names_itself_while_something_is_compiled(run_python):
    """With the compiler's lock taken no kernel can be used for the first time."""
    answers = run_python(ONE_COMPILES)
    assert answers.startswith("=1 2\n\n=2 Eightfold\n\n=3 \n\n=4 protocol_version\n")
