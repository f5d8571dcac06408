"""The program `pbrain-eightfold`: the Gomocup protocol over standard input and output.

`protocols/session.py` reads lines while the player thinks. YXSTOP, END and the end of the input end its thinking.
"""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from eightfold import __version__
from eightfold.core.compiling import say_on_stderr
from eightfold.core.errors import EightfoldError
from eightfold.protocols.session import Conversation, LineProtocol, Say, serve_lines

START_TIMEOUT = 1.0  # seconds: managers wait a few for the answer to START, and compiling may take a minute
PROTOCOL = LineProtocol(
    command=lambda line: line.partition(" ")[0].upper(),
    stop_commands=frozenset({"YXSTOP", "END"}),
    quit_command="END",
)


def serve(player: str | None = None, *, seed: int = 0, ponder: bool = False) -> None:
    """Speak Gomocup until the manager sends END or its input ends; with `ponder`, think in the opponent's time."""

    def begin(say: Say) -> Conversation:
        # Imported while the manager's first lines already wait: this takes most of a second.
        from eightfold.protocols.engine import Engine
        from eightfold.protocols.gomocup.engine import Gomocup

        engine = Engine(player, seed=seed)
        return Gomocup(engine, lambda text: say(" ".join(text.splitlines())), seed=seed, start_timeout=START_TIMEOUT)

    serve_lines(begin, PROTOCOL, player, ponder=ponder)


class OneLineParser(argparse.ArgumentParser):
    """Wrong options are one line, as everywhere."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main() -> None:
    """The command `pbrain-eightfold`."""
    parser = OneLineParser(
        prog="pbrain-eightfold", description="Eightfold as an engine for Gomocup managers such as Piskvork."
    )
    parser.add_argument("--player", help="a player's text, e.g. alphabeta:near=1 (default: the best for the board)")
    parser.add_argument("--seed", type=int, default=0, help="equal seeds play equal games, as far as time allows")
    parser.add_argument("--ponder", action="store_true", help="think on while the opponent thinks (default: rest)")
    parser.add_argument("--version", action="version", version=f"pbrain-eightfold {__version__}")
    arguments = parser.parse_args()
    say_on_stderr()
    try:
        serve(arguments.player, seed=max(0, arguments.seed), ponder=arguments.ponder)
    except EightfoldError as error:
        print(f"pbrain-eightfold: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
