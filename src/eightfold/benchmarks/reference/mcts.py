"""Pure Monte Carlo tree search in plain Python, as Suen & Alonso describe their evaluator.

It draws its random numbers from a plain xorshift64* in the same order as the kernels do, so on equal seeds
the visit counts must be equal, not just alike.
"""

from __future__ import annotations

import math

from eightfold.benchmarks.reference.gomoku import DRAW, PlainGomoku

WORD = (1 << 64) - 1


class PlainRandom:
    def __init__(self, state: int) -> None:
        self.state = state

    def below(self, bound: int) -> int:
        word = self.state
        word ^= word >> 12
        word ^= (word << 25) & WORD
        word ^= word >> 27
        self.state = word
        return ((((word * 0x2545F4914F6CDD1D) & WORD) >> 32) * bound) >> 32


class Node:
    def __init__(self, move: int = -1) -> None:
        self.move = move
        self.visits = 0
        self.value = 0.0  # for the player who moved here
        self.untried: list[int] | None = None
        self.children: list[Node] = []


class PlainMcts:
    def __init__(self, exploration: float, random: PlainRandom) -> None:
        self.exploration, self.random = exploration, random

    def run(self, game: PlainGomoku, playouts: int) -> Node:
        root = Node()
        for _ in range(playouts):
            self.playout(root, game.copy())
        return root

    def playout(self, root: Node, game: PlainGomoku) -> None:
        path = [root]
        while not game.result and path[-1].visits > 0:
            path.append(self.select(path[-1], game))
            game.play(path[-1].move)
        waiting = 3 - game.side
        result = game.result or self.rollout(game)
        value = 0 if result == DRAW else (1 if result == waiting else -1)
        for node in reversed(path):
            node.visits += 1
            node.value += value
            value = -value

    def select(self, node: Node, game: PlainGomoku) -> Node:
        if node.untried is None:
            node.untried = game.legal()
        moves = len(node.untried) + len(node.children)
        weight = self.exploration * math.sqrt(node.visits - 1) / moves
        best = max(node.children, key=lambda child: self.urgency(child, weight), default=None)
        if best is None or (node.untried and self.urgency(best, weight) <= weight):
            pick = self.random.below(len(node.untried))
            best = Node(node.untried[pick])
            node.untried[pick] = node.untried[0]
            node.untried.pop(0)
            node.children.append(best)
        return best

    def urgency(self, child: Node, weight: float) -> float:
        return child.value / child.visits + weight / (1 + child.visits)

    def rollout(self, game: PlainGomoku) -> int:
        moves = game.legal()
        while not game.result:
            pick = self.random.below(len(moves))
            move = moves[pick]
            moves[pick] = moves[-1]
            moves.pop()
            game.play(move)
        return game.result
