"""The player of an engine: the one that was asked for, or the best that there is for the board.

An engine never imports torch: that would take seconds and hundreds of megabytes. So it always runs a network from its
exported file.
"""

from __future__ import annotations

from eightfold.arena.players import best_player, read_player
from eightfold.games.game import Game
from eightfold.nets.store.policy_value import find_exported

DEFAULT_SECONDS = 5  # for a move, where nobody sets a limit
DEFAULT_MEMORY = 96  # megabytes for a tree: with the rest of the process well below the 350 of tournaments
PROCESS_MEMORY = 220  # megabytes that the process takes without a tree
LEAST_MEMORY = 8


def engine_player(text: str | None, game: Game, *, memory: int = 0) -> str:
    """The text of the player that thinks for an engine; `text` None: the best one for the game.

    `memory`: megabytes for the whole process; 0: what tournaments allow.
    """
    if text is None:
        text = best_player(game)
        text += f"{',' if ':' in text else ':'}seconds={DEFAULT_SECONDS}"
    spec = read_player(text)
    if spec.name == "net":
        text = f"net:{find_exported(spec.argument)}" + (f",{spec.given}" if spec.given else "")
    if spec.kind.has_tree and "memory=" not in spec.given:
        room = max(LEAST_MEMORY, memory - PROCESS_MEMORY) if memory else DEFAULT_MEMORY
        text += f"{',' if ':' in text else ':'}memory={room}"
    return text
