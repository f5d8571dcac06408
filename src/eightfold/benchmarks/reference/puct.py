"""PUCT with an evaluator in plain Python, one leaf at a time: what the forest of kernels must equal.

Positions that are over, or in which the side to move wins by force, are settled by the rules; a win is proven
through a lost child, a loss or a draw through all children. The children of the root are looked at first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from eightfold.benchmarks.reference.fours import PlainFours
from eightfold.benchmarks.reference.gomoku import BLACK, DRAW, PlainGomoku

UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3
EXACT = {WON: 1.0, LOST: -1.0}

Evaluate = Callable[[PlainGomoku], tuple[Sequence[float], float]]  # logits of all actions, value


class Node:
    def __init__(self) -> None:
        self.proof = UNKNOWN
        self.value = 0.0
        self.edges: list[Edge] | None = None


class Edge:
    def __init__(self, move: int, prior: float) -> None:
        self.move, self.prior = move, prior
        self.visits = 0
        self.total = 0.0  # for the side that chooses the edge
        self.child: Node | None = None


class PlainPuct:
    def __init__(
        self, evaluate: Evaluate, exploration: float, fpu_reduction: float, by_fours: bool = False, draw: float = 0.0
    ) -> None:
        self.evaluate, self.exploration, self.fpu_reduction = evaluate, exploration, fpu_reduction
        self.draw = draw  # what a draw is worth to black
        self.by_fours = by_fours  # wins by a chain of fours are seen, not only those at once, and dead positions

    def run(self, game: PlainGomoku, playouts: int) -> Node:
        root = Node()
        for _ in range(playouts):
            if root.proof != UNKNOWN:
                break
            self.simulate(root, game.copy())
        return root

    def simulate(self, root: Node, game: PlainGomoku) -> None:
        node, path = root, []
        start = game.copy()
        while node.edges is not None and node.proof == UNKNOWN:
            edge = self.select(node)
            game.play(edge.move)
            if edge.child is None:
                edge.child = Node()
                self.settle(edge.child, game)
            path.append((node, edge))
            node = edge.child
        if node.proof != UNKNOWN:
            value = node.value
        else:
            logits, value = self.evaluate(game)
            value += self.draw_for(game.side) * (1 - abs(value))
            node.value = value
            self.expand(node, game, logits)
            if node is root:
                self.look_around(root, start)
        for parent, edge in reversed(path):
            value = -value
            assert edge.child is not None
            if edge.child.proof != UNKNOWN and parent.proof == UNKNOWN:
                self.prove(parent)
            edge.visits += 1
            edge.total += value
            if parent.proof != UNKNOWN:
                value = parent.value

    def select(self, node: Node) -> Edge:
        assert node.edges is not None
        total = sum(edge.visits for edge in node.edges)
        weight = self.exploration * math.sqrt(max(total, 1))
        default = node.value - self.fpu_reduction if self.fpu_reduction >= 0 else 0.0
        best, best_u = node.edges[0], -math.inf
        for edge in node.edges:
            q = edge.total / edge.visits if edge.visits else default
            if edge.child is not None and edge.child.proof != UNKNOWN:
                if edge.child.proof == WON:
                    continue
                q = -edge.child.value
            u = q + weight * edge.prior / (1 + edge.visits)
            if u > best_u:
                best, best_u = edge, u
        return best

    def expand(self, node: Node, game: PlainGomoku, logits: Sequence[float]) -> None:
        moves = game.legal()
        largest = max(logits[move] for move in moves)
        weights = [math.exp(logits[move] - largest) for move in moves]
        node.edges = [Edge(move, weight / sum(weights)) for move, weight in zip(moves, weights, strict=True)]

    def look_around(self, root: Node, game: PlainGomoku) -> None:
        assert root.edges is not None
        for edge in root.edges:
            after = game.copy()
            after.play(edge.move)
            edge.child = Node()
            self.settle(edge.child, after)
        self.prove(root)
        if self.by_fours and self.wins(game):
            root.proof, root.value = WON, 1.0

    def settle(self, node: Node, game: PlainGomoku) -> None:
        if game.result:
            node.proof = DRAWN if game.result == DRAW else LOST
        elif self.wins(game):
            node.proof = WON
        elif self.by_fours and PlainFours(game.size, game.win, game.exactly).dead(game.stones):
            node.proof = DRAWN
        node.value = self.draw_for(game.side) if node.proof == DRAWN else EXACT.get(node.proof, 0.0)

    def draw_for(self, side: int) -> float:
        return self.draw if side == BLACK else -self.draw

    def wins(self, game: PlainGomoku) -> bool:
        """Whether the side to move wins by force."""
        if self.by_fours:
            return PlainFours(game.size, game.win, game.exactly).wins(game.stones, game.side)
        for move in game.legal():
            after = game.copy()
            after.play(move)
            if after.result == game.side:
                return True
        return False

    def prove(self, node: Node) -> None:
        assert node.edges is not None
        proofs = [edge.child.proof if edge.child is not None else UNKNOWN for edge in node.edges]
        if LOST in proofs:
            node.proof = WON
        elif UNKNOWN not in proofs:
            node.proof = DRAWN if DRAWN in proofs else LOST
        if node.proof == DRAWN:
            node.value = next(-edge.child.value for edge in node.edges if edge.child and edge.child.proof == DRAWN)
        else:
            node.value = EXACT.get(node.proof, node.value)
