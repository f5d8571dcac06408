"""Gumbel search: sequential halving at the root, visits that follow an improved policy below it.

Danihelka et al. 2022, "Policy improvement by planning with Gumbel". With Gumbel noise g, logits l (here the
logarithms of the priors) and values q on the scale 0 to 1, a loss to a win:

    sigma(q) = (c_visit + max_b N(b)) * c_scale * q                           (equation 8)
    pi' = softmax(l + sigma(completed q))                                     (equation 11)

The root spends its playouts by sequential halving on the moves with the largest g + l + sigma(q): all candidates
get equally many, then the better half of them, and so on; the best of those that are left is played. Every other
node takes the move whose share of visits lags most behind pi' (equation 14). The policy target is pi'.
A move that nobody tried counts with the mixed value of appendix D.

What is proven goes first. A move that is proven to lose is no candidate and has no share in pi' or in the mixed
value while anything else is left; other proven moves count with their exact value. When a candidate drops out in
this way, the most visited of the others takes its place. Visits that were kept from the last move count in q and
in N(b), and not in the schedule, which is for the playouts of this search alone.

Constants are passed on through `int`: for a literal Numba would compile a kernel once more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import kernel
from eightfold.core.scratch import scratch_floats
from eightfold.search.kernels.tree import MOST_ACTIONS, NONE, ROOT, UNKNOWN, WON, Forest, Roots

LEAST_PRIOR = 1e-30  # a softmax of float32 can reach 0, which has no logarithm
MOST = 1 << 32  # more visits than there can be
LOSES, UNTRIED = -np.inf, np.inf  # in place of a value


@kernel
def considered_visits(candidates: int, budget: int, done: int) -> tuple[int, bool]:
    """Where a schedule stands after `done` of `budget` simulations.

    The next one goes to a move that has had so many visits; and whether moves are dropped just before it.
    """
    if candidates <= 1:
        return done, False
    phases = 0
    while (1 << phases) < candidates:
        phases += 1
    kept, start, visits, halved = candidates, 0, 0, False
    while True:
        rounds = max(1, budget // (phases * kept))
        if done < start + rounds * kept:
            return visits + (done - start) // kept, halved and done == start
        start += rounds * kept
        visits += rounds
        halved = kept > 2
        kept = max(2, kept // 2)


@kernel
def halving_edge(forest: Forest, roots: Roots, game: int) -> int:
    """The edge at the root that the schedule calls for."""
    if roots.begun[game] == 0:
        _begin(forest, roots, game)
    wanted, _ = considered_visits(roots.begun[game], roots.budget[game], _made(forest, roots, game))
    return _best_edge(forest, roots, game, wanted)


@kernel
def _begin(forest: Forest, roots: Roots, game: int) -> None:
    """Note what a search starts from, at the first choice: only then is the root sure to be expanded."""
    first = forest.first[game, ROOT]
    left = 0
    for edge in range(first, first + forest.degree[game, ROOT]):
        roots.before[game, forest.move[game, edge]] = forest.edge_visits[game, edge]
        child = forest.child[game, edge]
        left += child == NONE or forest.proof[game, child] != WON
    roots.begun[game] = max(1, min(roots.candidates, left))
    roots.budget[game] = forest.left[game] + 1  # the simulation under way is not among those left


@kernel
def halves_next(forest: Forest, roots: Roots, game: int) -> bool:
    """Whether the next simulation is the first after a halving, which needs all answers to be in."""
    if roots.begun[game] == 0:
        return False
    _, halved = considered_visits(roots.begun[game], roots.budget[game], _made(forest, roots, game))
    return halved


@kernel
def _made(forest: Forest, roots: Roots, game: int) -> int:
    """Simulations that this search has sent through the root."""
    first = forest.first[game, ROOT]
    made = 0
    for edge in range(first, first + forest.degree[game, ROOT]):
        made += forest.edge_visits[game, edge] - roots.before[game, forest.move[game, edge]]
    return made


@kernel
def halving_move(forest: Forest, roots: Roots, game: int) -> int:
    """The move that sequential halving ends with: the best of the most visited. For a root that is not won."""
    return forest.move[game, _best_edge(forest, roots, game, int(MOST))]


@kernel
def _best_edge(forest: Forest, roots: Roots, game: int, wanted: int) -> int:
    """The largest g + l + sigma(q) among the moves with `wanted` visits, or with the next fewer there are."""
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    values = scratch_floats(MOST_ACTIONS)[:count]
    weight = _complete(forest, roots, game, int(ROOT), values)
    best, best_score, best_distance = NONE, -np.inf, 0
    for edge in range(first, first + count):
        q = values[edge - first]
        if q == LOSES:
            continue
        move = forest.move[game, edge]
        distance = wanted - int(forest.edge_visits[game, edge] - roots.before[game, move])
        if distance < 0:  # more visits than wanted: only where nothing else is left
            distance = MOST - distance
        if best != NONE and distance > best_distance:
            continue
        score = roots.noise[game, move] + math.log(max(forest.prior[game, edge], LEAST_PRIOR)) + weight * q
        if best == NONE or distance < best_distance or score > best_score:
            best, best_score, best_distance = edge, score, distance
    return best


@kernel
def following_edge(forest: Forest, roots: Roots, game: int, node: int) -> int:
    """The edge with the largest pi'(a) - N(a) / (1 + sum_b N(b)): in the end the visits are as pi'."""
    first, count = forest.first[game, node], forest.degree[game, node]
    values, policy = scratch_floats(MOST_ACTIONS)[:count], scratch_floats(MOST_ACTIONS)[:count]
    weight = _complete(forest, roots, game, node, values)
    _improve(forest, game, node, values, weight, policy)
    total = 1
    for edge in range(first, first + count):
        total += forest.edge_visits[game, edge]
    best, best_lag = first, -np.inf
    for edge in range(first, first + count):
        lag = policy[edge - first] - forest.edge_visits[game, edge] / total
        if lag > best_lag and values[edge - first] != LOSES:
            best, best_lag = edge, lag
    return best


@kernel
def improved_policy(forest: Forest, roots: Roots, game: int, target: NDArray[np.float32]) -> float:  # [A]
    """Write the root's pi' by action; the value that it expects for the side to move."""
    first, count = forest.first[game, ROOT], forest.degree[game, ROOT]
    values, policy = scratch_floats(MOST_ACTIONS)[:count], scratch_floats(MOST_ACTIONS)[:count]
    weight = _complete(forest, roots, game, int(ROOT), values)
    _improve(forest, game, int(ROOT), values, weight, policy)
    target[:] = 0
    expected = 0.0
    for k in range(count):
        target[forest.move[game, first + k]] = policy[k]
        if values[k] != LOSES:
            expected += policy[k] * values[k]
    return expected


@kernel
def _improve(
    forest: Forest,
    game: int,
    node: int,
    values: NDArray[np.float64],  # [degree] completed
    weight: float,
    policy: NDArray[np.float64],  # [degree]
) -> None:
    """Write pi' over a node's edges."""
    first = forest.first[game, node]
    largest = -np.inf
    for k in range(len(values)):
        largest = max(largest, values[k])
    # The moves that nobody tried are many and have one value: its exponential is taken once.
    known, known_power = largest, 1.0
    total = 0.0
    for k in range(len(values)):
        policy[k] = 0
        if values[k] != LOSES:
            if values[k] != known:
                known, known_power = values[k], math.exp(weight * (values[k] - largest))
            policy[k] = max(forest.prior[game, first + k], LEAST_PRIOR) * known_power
            total += policy[k]
    for k in range(len(policy)):
        policy[k] /= total


@kernel
def _complete(forest: Forest, roots: Roots, game: int, node: int, values: NDArray[np.float64]) -> float:
    """Write the values of a node's edges, [degree], for its side to move; what sigma multiplies them with.

    Exact if proven, else the mean, else the mixed value of appendix D; LOSES while anything else is left.
    Values here go from -1 to 1: to the scale of sigma they are halved, and moved by what cancels everywhere.
    """
    first, count = forest.first[game, node], forest.degree[game, node]
    visits, most, left = 0, 0, 0
    mass, weighted = 0.0, 0.0
    for k in range(count):
        child, tries = forest.child[game, first + k], forest.edge_visits[game, first + k]
        proof = forest.proof[game, child] if child != NONE else UNKNOWN
        if proof == WON:
            values[k] = LOSES
            continue
        left += 1
        if proof != UNKNOWN:
            values[k] = -forest.value[game, child]
        elif tries > 0:
            values[k] = forest.edge_value[game, first + k] / tries
        else:
            values[k] = UNTRIED
        if tries > 0:
            prior = max(forest.prior[game, first + k], LEAST_PRIOR)
            visits += tries
            most = max(most, tries)
            mass += prior
            weighted += prior * values[k]
    mixed = float(forest.value[game, node])
    if visits > 0:
        mixed = (mixed + visits * weighted / mass) / (visits + 1)
    for k in range(count):
        if left == 0:
            values[k] = -1.0
        elif values[k] == UNTRIED:
            values[k] = mixed
    return 0.5 * roots.value_constant * (roots.visit_constant + most)
