"""The program `pbrain-eightfold`: the Gomocup protocol over standard input and output.

Lines are read in a thread of their own, so that YXSTOP, END and the end of the input are heard while the player
thinks. Everything else waits for its turn.
"""

from __future__ import annotations

import argparse
import os
import queue
import sys
import threading
import time

from eightfold import __version__
from eightfold.errors import EightfoldError
from eightfold.protocols.lines import read_lines

MOST_WAITING = 10_000  # lines; whoever sends more without waiting for answers is made to wait
PATIENCE = 0.5  # seconds after END in which the process leaves in good order; managers wait for one


class Session:
    """A conversation over two file descriptors."""

    def __init__(self, player: str | None, *, seed: int = 0, source: int = 0, target: int = 1) -> None:
        self._player, self._seed = player, seed
        self._source, self._target = source, target
        self._lines: queue.Queue[tuple[int, float, str] | None] = queue.Queue(MOST_WAITING)
        self._stop = threading.Event()
        self._stopped_before = 0  # lines with a smaller number are not to be thought about any longer
        self._done = threading.Event()

    def run(self) -> None:
        """Until END, or the end of the input."""
        threading.Thread(target=self._read, name="gomocup-reader", daemon=True).start()
        # Imported while the manager's first lines already wait: this takes most of a second.
        from eightfold.protocols.engine import Engine
        from eightfold.protocols.gomocup import Gomocup

        engine = Engine(self._player, seed=self._seed)
        gomocup = Gomocup(engine, self._say, seed=self._seed)
        try:
            while (item := self._lines.get()) is not None:
                number, since, line = item
                self._stop.clear()
                if number < self._stopped_before:  # a stop that came while it was still waiting counts for it too
                    self._stop.set()
                if not gomocup.handle(line, since=since, stop=self._stop):
                    break
        except BrokenPipeError:
            return  # nobody listens any more
        finally:
            engine.close()
            self._done.set()

    def _say(self, text: str) -> None:
        data = (" ".join(text.splitlines()) + "\n").encode("ascii", "replace")
        while data:
            data = data[os.write(self._target, data) :]

    def _read(self) -> None:
        """Put every line in the queue; those that end thinking do so at once."""
        for number, line in enumerate(read_lines(self._source)):
            word = line.partition(" ")[0].upper()
            if word in ("YXSTOP", "END"):
                self._stopped_before = number
                self._stop.set()
            self._lines.put((number, time.perf_counter(), line))
            if word == "END":
                self._leave()
                return
        self._stopped_before = sys.maxsize
        self._stop.set()
        self._lines.put(None)

    def _leave(self) -> None:
        """A manager waits one second after END; compiling kernels cannot be interrupted in any other way."""
        if not self._done.wait(PATIENCE) and self._source == 0:
            os._exit(0)


def serve(player: str | None = None, *, seed: int = 0) -> None:
    """Speak Gomocup on standard input and output until the manager has had enough."""
    if player is not None:
        from eightfold.arena.players import check_player

        check_player(player)
    # What anything else prints (a library, a user's player) must not get between the lines of the protocol.
    target = os.dup(1)
    sys.stdout.flush()
    try:
        os.dup2(2, 1)
    except OSError:  # a manager may have closed the error output
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        Session(player, seed=seed, target=target).run()
    except KeyboardInterrupt:
        sys.exit(130)


def main() -> None:
    """The command `pbrain-eightfold`."""
    parser = argparse.ArgumentParser(
        prog="pbrain-eightfold", description="Eightfold as an engine for Gomocup managers such as Piskvork."
    )
    parser.add_argument("--player", help="a player's text, e.g. alphabeta:near=1 (default: the best for the board)")
    parser.add_argument("--seed", type=int, default=0, help="equal seeds play equal games, as far as time allows")
    parser.add_argument("--version", action="version", version=f"pbrain-eightfold {__version__}")
    arguments = parser.parse_args()
    try:
        serve(arguments.player, seed=max(0, arguments.seed))
    except EightfoldError as error:
        print(f"pbrain-eightfold: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
