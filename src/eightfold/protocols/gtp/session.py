"""The program `eightfold gtp`: GTP over standard input and output.

How lines are read while the player thinks is in `session.py`. `stop` ends its thinking; an analysis ends with any line.
"""

from __future__ import annotations

from collections.abc import Callable

from eightfold.protocols.gtp.words import STOP, STREAMS, command_of, plain
from eightfold.protocols.session import Conversation, Manners, serve_session

USUAL_GAME = "go:size=19"
# A file of commands is a usual way to ask an engine many things: its end does not end the thinking.
MANNERS = Manners(
    word=command_of, stops=frozenset({STOP}), streams=STREAMS, end_stops=False, plain=plain, encoding="utf-8"
)


def serve(player: str | None = None, *, game: str = USUAL_GAME, seed: int = 0) -> None:
    """Speak GTP on standard input and output until the controller has had enough."""
    from eightfold.games.game import make_game

    the_game = make_game(game, trusted=True)
    if player is not None:
        from eightfold.arena.players import read_player

        read_player(player)

    def begin(say: Callable[[str], None]) -> Conversation:
        # Imported while the controller's first lines already wait: this takes most of a second.
        from eightfold.protocols.engine import Engine
        from eightfold.protocols.gtp.engine import Gtp

        engine = Engine(player, seed=seed)
        engine.prepare(the_game)  # beside: most commands before the first move need no player
        return Gtp(engine, the_game, say, seed=seed)

    serve_session(begin, MANNERS)
