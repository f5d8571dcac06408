"""Gumbel search in plain Python, one leaf at a time: what `search/kernels/gumbel.py` must equal.

The schedule is a table made beforehand; the policies are written as the paper's equations, with logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from eightfold.benchmarks.reference.gomoku import PlainGomoku
from eightfold.benchmarks.reference.puct import UNKNOWN, WON, Edge, Evaluate, Node, PlainPuct


def schedule(candidates: int, budget: int) -> list[int]:
    """For each simulation the visits that the move it goes to has had."""
    if candidates <= 1:
        return list(range(budget))
    table: list[int] = []
    visits, kept = [0] * candidates, candidates
    while len(table) < budget:
        for _ in range(max(1, budget // (math.ceil(math.log2(candidates)) * kept))):
            table += visits[:kept]
            visits = [count + 1 for count in visits]
        kept = max(2, kept // 2)
    return table[:budget]


def loses(edge: Edge) -> bool:
    return edge.child is not None and edge.child.proof == WON


class PlainGumbel(PlainPuct):
    def __init__(self, evaluate: Evaluate, noise: Sequence[float], candidates: int, constants: tuple[float, float]):
        super().__init__(evaluate, 0.0, 0.0)
        self.noise, self.candidates = noise, candidates
        self.visit_constant, self.value_constant = constants
        self.root = Node()
        self.before: dict[int, int] = {}
        self.wanted = 0

    def run(self, game: PlainGomoku, playouts: int) -> Node:
        return self.go_on(Node(), game, playouts)

    def go_on(self, root: Node, game: PlainGomoku, playouts: int) -> Node:
        """Search from a root that may have a tree already."""
        self.root = root
        if root.edges is None:
            self.simulate(root, game.copy())
            playouts -= 1
        else:
            self.look_around(root, game)
        assert root.edges is not None
        self.before = {edge.move: edge.visits for edge in root.edges}
        left = sum(not loses(edge) for edge in root.edges)
        for wanted in schedule(min(self.candidates, left), playouts):
            if root.proof != UNKNOWN:
                break
            self.wanted = wanted
            self.simulate(root, game.copy())
        return root

    def look_around(self, root: Node, game: PlainGomoku) -> None:
        assert root.edges is not None
        for edge in root.edges:
            if edge.child is None:
                after = game.copy()
                after.play(edge.move)
                edge.child = Node()
                self.settle(edge.child, after)
        self.prove(root)

    def select(self, node: Node) -> Edge:
        assert node.edges is not None
        if node is self.root:
            return self.best(node, [edge for edge in node.edges if not loses(edge)], self.wanted)
        policy, total = self.policy(node), sum(edge.visits for edge in node.edges)
        open_edges = [edge for edge in node.edges if not loses(edge)]
        return max(open_edges, key=lambda edge: policy[edge.move] - edge.visits / (1 + total))

    def best(self, root: Node, edges: list[Edge], wanted: int) -> Edge:
        """The best score among those with the wanted visits, with the next fewer, or failing that the next more."""
        made = {edge.move: edge.visits - self.before[edge.move] for edge in edges}
        reached = [count for count in made.values() if count <= wanted]
        count = max(reached) if reached else min(made.values())
        return max(
            (edge for edge in edges if made[edge.move] == count),
            key=lambda edge: self.noise[edge.move] + math.log(edge.prior) + self.sigma(root, edge),
        )

    def move(self, root: Node) -> int:
        """What is played in the end, at a root that is not won."""
        assert root.edges is not None
        edges = [edge for edge in root.edges if not loses(edge)] or root.edges
        return self.best(root, edges, max(edge.visits - self.before[edge.move] for edge in edges)).move

    def policy(self, node: Node) -> dict[int, float]:
        """pi' by move."""
        assert node.edges is not None
        edges = [edge for edge in node.edges if not loses(edge)] or node.edges
        scores = {edge.move: math.log(edge.prior) + self.sigma(node, edge) for edge in edges}
        largest = max(scores.values())
        total = sum(math.exp(score - largest) for score in scores.values())
        return {move: math.exp(score - largest) / total for move, score in scores.items()}

    def sigma(self, node: Node, edge: Edge) -> float:
        assert node.edges is not None
        visited = [other for other in node.edges if other.visits and not loses(other)]
        most = max((other.visits for other in visited), default=0)
        return (self.visit_constant + most) * self.value_constant * (self.completed(node, edge) + 1) / 2

    def completed(self, node: Node, edge: Edge) -> float:
        """A move's value, from -1 to 1; appendix D's mixed value if nobody tried it."""
        assert node.edges is not None
        if edge.child is not None and edge.child.proof != UNKNOWN:
            return -edge.child.value
        if edge.visits:
            return edge.total / edge.visits
        visited = [other for other in node.edges if other.visits and not loses(other)]
        if not visited:
            return node.value
        visits, mass = sum(other.visits for other in visited), sum(other.prior for other in visited)
        weighted = sum(other.prior * self.completed(node, other) for other in visited) / mass
        return (node.value + visits * weighted) / (1 + visits)
