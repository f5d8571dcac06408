"""The program `eightfold gtp`: GTP over standard input and output.

`protocols/session.py` reads lines while the player thinks. `stop` ends its thinking; any line ends an analysis.
"""

from __future__ import annotations

from eightfold.protocols.gtp.syntax import STOP, STREAMS, command_of, decode_line
from eightfold.protocols.session import Conversation, LineProtocol, Say, serve_lines

DEFAULT_GAME = "go:size=19"
# People feed engines files of commands: the end of such a file does not end the thinking.
PROTOCOL = LineProtocol(
    command=command_of,
    stop_commands=frozenset({STOP}),
    streaming_commands=STREAMS,
    stop_at_end=False,
    decode=decode_line,
    encoding="utf-8",
)


def serve(player: str | None = None, *, game: str = DEFAULT_GAME, seed: int = 0, ponder: bool = False) -> None:
    """Speak GTP until the controller quits or its input ends; with `ponder`, think in the opponent's time."""
    from eightfold.games.game import make_game

    the_game = make_game(game, trusted=True)

    def begin(say: Say) -> Conversation:
        # Imported while the controller's first lines already wait: this takes most of a second.
        from eightfold.protocols.engine import Engine
        from eightfold.protocols.gtp.engine import Gtp

        engine = Engine(player, seed=seed)
        engine.prepare(the_game)  # in the background: most commands before the first move need no player
        return Gtp(engine, the_game, say, seed=seed)

    serve_lines(begin, PROTOCOL, player, ponder=ponder)
