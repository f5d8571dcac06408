"""Thinking in the opponent's time, and the tree that is kept between moves, however a protocol tells of them."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controllers import Controller
from eightfold.games import make_game
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.protocols.engine import Engine
from eightfold.protocols.gomocup.engine import Gomocup
from eightfold.protocols.gtp.engine import Gtp
from eightfold.protocols.gtp.syntax import write_vertex
from eightfold.protocols.session import LineProtocol, Session
from eightfold.search import Mcts
from managers import Manager, move_of
from patience import LONG, finished

GAME = "gomoku:size=8"
NETWORK = "net:gomoku-8,playouts=200,memory=40"


def kept(result) -> int:
    """Visits that were there before the thinking began, but for those of moves that are proven to lose."""
    return int(result.visits.sum()) - result.effort


@pytest.fixture
def results(monkeypatch):
    """What the player of an engine finds, move by move."""
    found, ask = [], Engine._ask
    monkeypatch.setattr(Engine, "_ask", lambda *arguments: found.append(ask(*arguments)) or found[-1])
    return found


def stopped_after(seconds: float) -> threading.Event:
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    return stop


# ---- players -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda game: NetPlayer(game, "gomoku-8", NetOptions(playouts=60, memory=40)), Mcts])
def test_the_answer_begins_with_what_the_opponents_time_brought(make):
    game = make_game(GAME)
    player, position = make(game), game.after(["d4", "e5"])
    position = position.play(player.think(position).action)
    stop = stopped_after(0.5)
    finished(lambda: player.ponder(position, stop))
    expected = int(player.think(position, seconds=0).action)  # the reply that the tree knows best
    answer = player.think(position.play(expected), seconds=0)
    assert kept(answer) > 60


def test_pondering_leaves_room_in_the_tree_and_ends_by_itself_when_it_has_filled_the_rest():
    game = make_game(GAME)
    player = NetPlayer(game, "gomoku-8", NetOptions(seconds=1.0, memory=1))
    position = game.after(["d4", "e5"])
    finished(lambda: player.ponder(position, threading.Event()))
    forest = player._search.forest
    nodes = forest.first.shape[1]
    assert 0.6 * nodes < forest.used[0, 0] < 0.75 * nodes
    assert forest.left[0] == 0, "nothing is left to do"
    assert player.think(position.play("d5"), seconds=0.05).effort > 0


@pytest.mark.parametrize("known", [False, True])
def test_contempt_is_our_own_in_the_opponents_time_too(known):
    game = make_game(GAME)
    player, position = NetPlayer(game, "gomoku-8", NetOptions(playouts=20, contempt=0.5)), game.after(["d4", "e5"])
    player._make_room(player._most, 1)
    if known:
        player.think(position)
    stop = threading.Event()
    stop.set()
    player.ponder(position.play("d5"), stop)  # black moved, white is to
    assert player._search.forest.draw[0] == -0.5, "what a draw is worth to black"


# ---- engines -----------------------------------------------------------------------------------------


def test_a_tree_is_kept_however_a_manager_tells_of_moves(results):
    said: list[str] = []
    gomocup = Gomocup(Engine(NETWORK), said.append)

    def move(*lines: str) -> str:
        for line in lines:
            assert gomocup.handle(line)
        return said[-1]

    def reply() -> str:
        """What the engine expects as an answer to its move."""
        return "{1},{0}".format(*divmod(results[-1].principal_variation[1], 8))

    move("START 8")
    first = move("BEGIN")
    turn = reply()
    second = move(f"TURN {turn}")
    assert kept(results[-1]) > 5
    third = reply()
    stones = [f"{first},1", f"{turn},2", f"{second},1", f"{third},2"]
    move("BOARD", *stones, "DONE")
    assert kept(results[-1]) > 5
    fourth, fifth = said[-1], reply()
    shuffled = [f"{fifth},2", stones[3], stones[2], f"{fourth},1", stones[1], stones[0]]
    move("BOARD", *shuffled, "DONE")
    assert kept(results[-1]) > 5, "in whatever order"
    move(f"TAKEBACK {said[-1]}")
    move("BOARD", *stones, "DONE")
    assert kept(results[-1]) <= 0, "and not where moves were taken back"


def test_a_board_that_does_not_follow_from_the_last_is_set_up_as_ever(results):
    game = make_game(GAME)
    engine = Engine("greedy")
    engine.start(GAME)
    engine.set_up([(27, True), (28, False)])
    assert engine.position.moves == (27, 28)
    engine.set_up([(28, False), (36, False), (27, True), (35, True)])
    assert engine.position.moves == (27, 28, 35, 36), "black moved, then white"
    engine.set_up([(27, False), (28, True)])
    assert engine.position.stones.tolist() == game.after([28, 27]).stones.tolist(), "the colours are changed"
    engine.set_up([(27, False), (28, True), (1, False)])
    assert engine.position.to_move == 2
    assert engine.position.stones.sum() == game.after([1, 28, 27]).stones.sum()


def test_a_tree_is_kept_and_forgotten_as_gtp_plays_and_takes_back(results):
    said: list[str] = []
    gtp = Gtp(Engine(NETWORK), make_game(GAME), said.append)

    def ask(line: str) -> str:
        gtp.handle(line)
        assert said[-1].startswith("=")
        return said[-1][2:].strip()

    ask("clear_board")
    ask("genmove b")
    reply = write_vertex(results[-1].principal_variation[1], make_game(GAME))
    ask(f"play w {reply}")
    ask("genmove b")
    assert kept(results[-1]) > 5
    for other, is_kept in ((reply, True), ("A1" if reply != "A1" else "A2", False)):
        ask("undo")
        ask("undo")
        ask(f"play w {other}")
        ask("genmove b")
        assert (kept(results[-1]) > 5) == is_kept, "the same position again, and another"


@pytest.mark.parametrize("protocol", ["gomocup", "gtp"])
def test_engines_ponder_after_their_own_move_alone(protocol, monkeypatch):
    pondered: list[int] = []
    monkeypatch.setattr(Engine, "ponder", lambda engine, stop: pondered.append(len(engine.position.moves)))
    said: list[str] = []
    if protocol == "gomocup":
        conversation = Gomocup(Engine("greedy"), said.append)
        lines = ["START 8", "BEGIN", "INFO time_left 5000", "TURN 0,0", "BOARD", "3,3,1", "DONE", "TAKEBACK 3,3"]
        expected = [1, 1, 3]
        moves = {"DONE": "BOARD"}
    else:
        conversation = Gtp(Engine("greedy"), make_game(GAME), said.append)
        lines = [
            "clear_board",
            "genmove b",
            "time_left w 5 0",
            "play w a1",
            "reg_genmove b",
            "genmove b",
            "undo",
            "undo",
        ]
        expected = [1, 1, 3]
        moves = {}
    stop = threading.Event()
    for line in lines:
        before = len(pondered)
        conversation.handle(line)
        conversation.ponder(stop)
        if line in moves:
            del pondered[before:]  # one more move of ours, on a board that the test does not know
    assert pondered == expected
    assert not [text for text in said if text.startswith(("?", "ERROR", "UNKNOWN"))]


# ---- sessions ----------------------------------------------------------------------------------------


class Recorder:
    """A conversation that writes down what happens to it."""

    def __init__(self, say) -> None:
        self.say, self.pondering, self.events = say, threading.Event(), []

    def handle(self, line, *, since=None, stop=None):
        assert stop is None or not stop.is_set(), "what ended the pondering stops no line"
        self.events.append(line)
        self.say(line)
        return line != "quit"

    def ponder(self, stop):
        self.pondering.set()
        assert stop.wait(LONG)
        self.events.append("pondered")
        self.pondering.clear()

    def close(self):
        self.events.append("closed")


@contextlib.contextmanager
def session(begin, *, ponder: bool = False) -> Iterator[tuple[int, int]]:
    """A session in a thread: where to write its lines, and where to read its answers.

    It is over when its reader has ended too: that one knows its pipe by a number, which the next pipe may get.
    """
    (source, feed), (answers, target) = os.pipe(), os.pipe()
    lines = LineProtocol(command=lambda line: line, stop_commands=frozenset(), stop_at_end=False)
    before = set(threading.enumerate())
    threading.Thread(target=Session(begin, lines, ponder=ponder, source=source, target=target).run, daemon=True).start()
    try:
        yield feed, answers
    finally:
        os.close(feed)
        for thread in set(threading.enumerate()) - before:
            thread.join(LONG)
            assert not thread.is_alive()
        for pipe in (source, answers, target):
            os.close(pipe)


@pytest.mark.parametrize("ending", ["quit", "the end of the input"])
def test_any_line_ends_pondering_and_is_answered_at_once(ending):
    made: list[Recorder] = []
    with session(lambda say: made.append(Recorder(say)) or made[0], ponder=True) as (feed, answers):
        for line in ("one", "two"):
            os.write(feed, f"{line}\n".encode())
            assert os.read(answers, 100) == f"{line}\n".encode()
            assert made[0].pondering.wait(LONG)
        if ending == "quit":
            os.write(feed, b"quit\n")
    events = [event for event in made[0].events if event != "pondered"]
    assert events == ["one", "two", *(["quit"] if ending == "quit" else []), "closed"]
    assert made[0].events.count("pondered") >= 2


def test_without_the_option_nobody_ponders():
    made: list[Recorder] = []
    with session(lambda say: made.append(Recorder(say)) or made[0]) as (feed, answers):
        os.write(feed, b"one\n")
        assert os.read(answers, 100) == b"one\n"
        time.sleep(0.3)
        assert not made[0].pondering.is_set()
        os.write(feed, b"quit\n")


# ---- processes ---------------------------------------------------------------------------------------


def processor_seconds(process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processor time is read from /proc")


def works_while_it_waits(engine: Manager) -> bool:
    """Whether the engine takes processor time now, though it was asked nothing."""
    begun = before = processor_seconds(engine.process)
    while True:
        time.sleep(0.4)
        now = processor_seconds(engine.process)
        if now - before < 0.03:  # on the busiest machine it would get more
            return False
        if now - begun > 0.4:
            return True
        before = now


@needs_proc
@pytest.mark.parametrize("ponder", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_pbrain_eightfold_ponders_if_it_is_told_to(ponder):
    with Manager("--player", "net:gomoku-8,memory=64", *(["--ponder"] if ponder else [])) as manager:
        assert manager.ask("START 8") == "OK"
        assert manager.ask("PLAY 7,7") == "7,7"  # which waits until all is loaded
        assert manager.ask("RESTART") == "OK"
        assert not works_while_it_waits(manager), "there is no move of ours yet"
        move_of(manager.ask("INFO timeout_turn 300", "BEGIN"), 8)
        assert works_while_it_waits(manager) == ponder
        assert manager.ask("ABOUT").startswith("name="), "any command is heard meanwhile"
        assert works_while_it_waits(manager) == ponder, "and it goes on after it"
        move_of(manager.ask("TURN 0,0"), 8)
        assert manager.end() == 0


@needs_proc
@pytest.mark.slow
def test_gtp_ponders_if_it_is_told_to_and_ends_with_its_input():
    with Controller("--player", "net:gomoku-8,memory=64", "--game", GAME, "--ponder") as engine:
        engine.gtp("clear_board")
        engine.gtp("time_settings 20 0 0")
        engine.gtp("genmove b")
        assert works_while_it_waits(engine)
        engine.gtp("play w a1")
        assert not works_while_it_waits(engine), "now it is our own move, and nobody asked for it yet"
        engine.gtp("genmove b")
        assert works_while_it_waits(engine)
        engine.process.stdin.close()
        assert engine.process.wait(LONG) == 0


def test_a_player_without_a_tree_is_refused_in_one_line():
    with Manager("--player", "alphabeta", "--ponder") as manager:
        assert manager.process.wait(LONG) == 2
        errors = manager.errors()
        assert errors.startswith("pbrain-eightfold: player alphabeta keeps no tree")
        assert errors.count("\n") == 1
