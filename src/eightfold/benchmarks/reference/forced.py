"""Forced playouts and target pruning in plain Python: what `search/kernels/forced.py` must equal."""

from __future__ import annotations

import math

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.puct import UNKNOWN, WON, Edge, Evaluate, Node, PlainPuct


def proof(edge: Edge) -> int:
    return edge.child.proof if edge.child is not None else UNKNOWN


class PlainForced(PlainPuct):
    def __init__(self, evaluate: Evaluate, exploration: float, fpu_reduction: float, forced: float) -> None:
        super().__init__(evaluate, exploration, fpu_reduction)
        self.forced = forced
        self.root = Node()

    def run(self, game: PlainGomoku, playouts: int) -> Node:
        self.root = Node()
        for _ in range(playouts):
            if self.root.proof == UNKNOWN:
                self.simulate(self.root, game.copy())
        return self.root

    def due(self, edge: Edge) -> float:
        assert self.root.edges is not None
        return math.sqrt(self.forced * edge.prior * sum(other.visits for other in self.root.edges))

    def select(self, node: Node) -> Edge:
        assert node.edges is not None
        if node is self.root:
            for edge in node.edges:
                if 0 < edge.visits < self.due(edge) and proof(edge) == UNKNOWN:
                    return edge
        return super().select(node)

    def target(self) -> dict[int, int]:
        """The visits by move, without what was forced; for a root of which nothing is proven."""
        assert self.root.edges is not None
        weight = self.exploration * math.sqrt(sum(edge.visits for edge in self.root.edges))

        def urgency(edge: Edge, visits: int) -> float:
            q = edge.total / edge.visits if proof(edge) == UNKNOWN else 0.0
            return q + weight * edge.prior / (1 + visits)

        open_edges = [edge for edge in self.root.edges if edge.visits and proof(edge) != WON]
        best = max(open_edges, key=lambda edge: edge.visits)
        target = {best.move: best.visits}
        for edge in open_edges:
            if edge is not best:
                fewest = max(0, edge.visits - math.floor(self.due(edge)))
                fits = (n for n in range(edge.visits, fewest - 1, -1) if urgency(edge, n) < urgency(best, best.visits))
                kept = min(fits, default=edge.visits)
                target[edge.move] = kept if kept > 1 else 0
        return target
