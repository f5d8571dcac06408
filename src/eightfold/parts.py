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
    "mcts": "eightfold.search.mcts:Mcts",
}
PLAYERS = Registry(
    "player",
    {
        **CLASSICAL_PLAYERS,
        "pattern": "eightfold.search.pattern_player:PatternPlayer",
        "net": "eightfold.nets.player:NetPlayer",
        "isn": "eightfold.isn.player:IsnPlayer",
        "gomocup": "eightfold.protocols.gomocup.player:GomocupPlayer",
        "gtp": "eightfold.protocols.gtp.player:GtpPlayer",
        "python": "eightfold.arena.user_player:UserPlayer",
    },
)

# What a network's text names (`resnet:blocks=6`): PyTorch modules with a policy and a value, to be trained.
NETWORKS = Registry(
    "network",
    {
        "a1": "eightfold.nets.networks:A1",
        "resnet": "eightfold.nets.networks:ResNet",
        "densenet": "eightfold.nets.densenet:DenseNet",
        "equivariant": "eightfold.nets.equivariant_resnet:EquivariantResNet",
        "isn": "eightfold.isn.policy:ISNPolicy",
        "slap-net": "eightfold.nets.slap_net:SlapNet",
    },
)

# What a place may hold (`eightfold.nets.store.network.Network`), in the order in which it is asked.
NETWORK_KINDS = Registry(
    "kind of network",
    {
        "policy-value": "eightfold.nets.store.policy_value:PolicyValueNetwork",
        "isn": "eightfold.isn.go_network:GoIsn",
    },
)
