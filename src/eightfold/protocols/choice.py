"""Which player sits in an engine: the one that was asked for, or the best that there is for the board.

An engine never imports torch: it would take seconds to start and hundreds of megabytes. So a network is always
run from its exported file, whatever place it was named by.
"""

from __future__ import annotations

from eightfold.arena.players import read_player
from eightfold.games.game import Game
from eightfold.nets.store.exported import best_shipped, find_exported

USUAL_SECONDS = 5  # for a move, where nobody sets a limit
USUAL_MEMORY = 96  # megabytes for a tree: with the rest of the process well below the 350 of tournaments
PROCESS = 220  # megabytes that the process takes without a tree
LEAST_MEMORY = 8


def player_text(text: str | None, game: Game, *, memory: int = 0) -> str:
    """The player of a text, or the best one without it, in at most `memory` megabytes in all (0: as tournaments)."""
    if text is None:
        network = best_shipped(game)
        text = f"net:{network}" if network is not None else game.usual_player
        text += f"{',' if ':' in text else ':'}seconds={USUAL_SECONDS}"
    spec = read_player(text)
    if spec.name == "net":
        text = f"net:{find_exported(spec.argument)}" + (f",{spec.given}" if spec.given else "")
    if spec.kind.has_tree and not spec.options.memory:
        room = max(LEAST_MEMORY, memory - PROCESS) if memory else USUAL_MEMORY
        text += f"{',' if ':' in text else ':'}memory={room}"
    return text
