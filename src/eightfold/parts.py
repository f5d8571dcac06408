"""What belongs to Eightfold and by which name: the one page on which rooms that do not know each other meet.

Nothing listed here is imported before it is asked for, so rooms find by name what later rooms offer. A new
player or network is a class in its room and one line here; a new game of the package is a line in
`eightfold/games/game.py`.
"""

from __future__ import annotations

from eightfold.core.registry import Registry

CLASSICAL_PLAYERS = {  # they think with the rules alone
    "random": "eightfold.search.random_mover:RandomMover",
    "greedy": "eightfold.search.greedy:Greedy",
    "alphabeta": "eightfold.search.alphabeta:AlphaBeta",
    "mcts": "eightfold.search.uct:Mcts",
}
PLAYERS = Registry(
    "player",
    {
        **CLASSICAL_PLAYERS,
        "net": "eightfold.nets.player:NetPlayer",
        "isn": "eightfold.isn.player:IsnPlayer",
        "gomocup": "eightfold.protocols.gomocup.player:GomocupPlayer",
        "gtp": "eightfold.protocols.gtp.player:GtpPlayer",
        "python": "eightfold.arena.user_player:UserPlayer",
    },
)
