"""The search room: the players that think with rules alone, and search with an evaluator (`forest.py`).

All of it sees kernels and positions, no networks: an evaluator is anything that turns planes into logits and values.
"""

from eightfold.search.alphabeta import AlphaBeta
from eightfold.search.greedy import Greedy
from eightfold.search.mcts import Mcts
from eightfold.search.random_mover import RandomMover
from eightfold.search.result import Player, SearchResult

__all__ = ["AlphaBeta", "Greedy", "Mcts", "Player", "RandomMover", "SearchResult"]
