"""What happens between two searches of a game on a GPU: prove, stir in noise, choose, play, begin anew.

One warp a tree, for the trees that wait, while others go on with their steps (`gpu_forest.py`). It is what
`learning/selfplay.py` does on a CPU, by the same settings; every game has random numbers of its own, so a game does not
depend on those beside it. What is chosen and learned stays on the GPU (`Games`) until the game is over.

Shapes: G trees, N nodes and E edges a tree, A actions, L state row, S scratch, M moves of the longest game, H spares.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import added_up, count_up, from_first_lane, lane_of, sum_before, wait_for_lanes
from eightfold.core.rng import Random, random_below, random_normal, random_unit
from eightfold.games.contract import is_dead, legal, play
from eightfold.games.state import BLACK, DRAW, ONGOING, PLY, RESULT, WHITE, copy_state
from eightfold.search.kernels.forced import prune_target
from eightfold.search.kernels.forest import plant
from eightfold.search.kernels.gpu_forest import BEGINS, DONE, NOTHING, OVER, RIPENS, WALKS, Plan, prove_around_root
from eightfold.search.kernels.gumbel import halving_move, improved_policy
from eightfold.search.kernels.roots import add_noise, find_edge, root_value, root_visits
from eightfold.search.kernels.tree import (
    FORCED,
    GUMBEL,
    NONE,
    PUCT,
    ROOT,
    WON,
    Constants,
    Forest,
    Roots,
)

TRIES = 100  # random openings, before a game begins on the empty board


class Games(NamedTuple):
    """The games under way, and all that is known of them when they are over."""

    random: Random  # [G, 1]
    moves: NDArray[np.int16]  # [G, M]
    opening: NDArray[np.int16]  # [G] random moves at the start
    searched: NDArray[np.int16]  # [G] positions that a full search was spent on
    plies: NDArray[np.int16]  # [G, M] theirs
    policies: NDArray[np.float32]  # [G, M, A]
    values: NDArray[np.float32]  # [G, M] for the side to move
    result: NDArray[np.int8]  # [G]
    noisy: NDArray[np.int8]  # [G] whether the search under way is a full one, with noise


class Ways(NamedTuple):
    """How games are played: the settings of self-play (`eightfold.learning.config`)."""

    playouts: int
    fast_playouts: int
    full_share: float
    by_halving: bool  # root = gumbel
    count_reused_visits: bool
    noise: float
    noise_alpha: float
    temperature: float
    temperature_plies: int
    final_temperature: float
    contempt: float
    opening_share: float
    opening_stones: int
    opening_points: Ints  # [points] where random stones may lie; none: any legal move


class Spares(NamedTuple):
    """Room to copy trees through, for some of them at a time."""

    taken: NDArray[np.int32]  # [1]
    origin: NDArray[np.int32]  # [H, N] where in the old tree a new node comes from


@kernel
def tend_tree(
    tree: int,
    lanes: int,
    state: Ints,  # [L] room
    forest: Forest,
    roots: Roots,
    plan: Plan,
    games: Games,
    start: Ints,  # [L]
    constants: Constants,
    ways: Ways,
    spare: Forest,  # of H trees
    spares: Spares,
    rooms: Ints,  # [G, S]
) -> None:
    """Do for a tree what it waits for, if anything."""
    phase, scratch = Int(plan.due[tree]), rooms[tree]
    if phase == NOTHING:
        return
    if phase == DONE:
        slot = Int(0)
        if lane_of(lanes) == 0:
            slot = Int(count_up(spares.taken, 0))
        slot = from_first_lane(slot, lanes)
        if slot >= spares.origin.shape[0]:
            return  # the next time
        result = _move(forest, roots, games, tree, constants, ways, spare, spares.origin, slot, lanes)
        if result != ONGOING:
            phase = Int(OVER)
    elif phase == BEGINS:
        _begin(forest, games, start, tree, ways, scratch, lanes)
    if phase != OVER:
        if phase != RIPENS:
            _give_playouts(forest, roots, games, tree, ways, lanes)
        if forest.first[tree, ROOT] != NONE:
            _ripen(forest, roots, games, tree, state, constants, ways, scratch, lanes)
        phase = Int(WALKS)
    if lane_of(lanes) == 0:
        plan.due[tree] = phase
    wait_for_lanes(lanes)


@kernel
def _begin(forest: Forest, games: Games, start: Ints, tree: int, ways: Ways, scratch: Ints, lanes: int) -> None:
    """A new game in the place of one that is over."""
    if lane_of(lanes) == 0:
        random = games.random[tree]
        games.searched[tree] = 0
        games.result[tree] = ONGOING
        games.opening[tree] = _open(forest.states[tree], games.moves[tree], start, ways, random, scratch)
        side = BLACK + random_below(random, 2)
        forest.draw[tree] = ways.contempt * (1 if side == WHITE else -1)
        plant(forest, tree)
    wait_for_lanes(lanes)


@kernel
def _open(state: Ints, moves: NDArray[np.int16], start: Ints, ways: Ways, random: Random, scratch: Ints) -> int:
    """A few random moves that end nothing; how many."""
    if random_unit(random) < ways.opening_share:
        for _ in range(TRIES):
            copy_state(start, state)
            wanted, made = random_below(random, ways.opening_stones + 1), 0
            while made < wanted and state[RESULT] == ONGOING:
                move = _random_move(state, ways.opening_points, random, scratch)
                if move == NONE:
                    break
                moves[made] = move
                play(state, Int(move))
                made += 1
            if made == wanted and state[RESULT] == ONGOING:
                return made
    copy_state(start, state)
    return 0


@kernel
def _random_move(state: Ints, points: Ints, random: Random, scratch: Ints) -> int:
    """A legal move, on one of the points if there are any given; NONE if a point that is drawn is not legal."""
    count = legal(state, scratch)
    if points.shape[0] == 0:
        return scratch[random_below(random, count)]
    point = points[random_below(random, points.shape[0])]
    for k in range(count):
        if scratch[k] == point:
            return point
    return NONE


@kernel
def _give_playouts(forest: Forest, roots: Roots, games: Games, tree: int, ways: Ways, lanes: int) -> None:
    """Give a tree its simulations for the next move."""
    if lane_of(lanes) == 0:
        random = games.random[tree]
        full = ways.full_share >= 1 or random_unit(random) < ways.full_share
        games.noisy[tree] = full
        kept = forest.visits[tree, ROOT] if ways.count_reused_visits else 0
        forest.left[tree] = max((ways.playouts if full else ways.fast_playouts) - kept, 1)
        forest.drawn[tree, 0] = 0
        forest.drawn[tree, 1] = 0
        if ways.by_halving:
            roots.rule[tree] = GUMBEL
            roots.begun[tree] = 0
            for action in range(roots.before.shape[1]):
                roots.before[tree, action] = 0
                roots.noise[tree, action] = -math.log(-math.log(random_unit(random))) if full else 0.0
        else:
            roots.rule[tree] = FORCED if full and roots.forced > 0 else PUCT
    wait_for_lanes(lanes)


@kernel
def _ripen(
    forest: Forest,
    roots: Roots,
    games: Games,
    tree: int,
    state: Ints,
    constants: Constants,
    ways: Ways,
    scratch: Ints,
    lanes: int,
) -> None:
    """An expanded root, before it is searched: what the rules say of its children, and noise."""
    prove_around_root(forest, tree, state, constants.proof_nodes, scratch, lanes)
    if lane_of(lanes) == 0 and games.noisy[tree] and ways.noise > 0 and not ways.by_halving:
        for action in range(roots.noise.shape[1]):
            roots.noise[tree, action] = _gamma(ways.noise_alpha, games.random[tree])
        add_noise(forest, tree, roots.noise[tree], ways.noise)
    wait_for_lanes(lanes)


@kernel
def _gamma(alpha: float, random: Random) -> float:
    """A gamma variate (Marsaglia & Tsang 2000); for alpha below 1 from that of alpha + 1."""
    boost = 1.0
    if alpha < 1:
        boost = random_unit(random) ** (1 / alpha)
        alpha += 1
    d = alpha - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = random_normal(random)
        v = (1 + c * x) ** 3
        if v > 0 and math.log(random_unit(random)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v


@kernel
def _move(
    forest: Forest,
    roots: Roots,
    games: Games,
    tree: int,
    constants: Constants,
    ways: Ways,
    spare: Forest,
    origin: NDArray[np.int32],
    slot: int,
    lanes: int,
) -> int:
    """Note what the search found, choose a move by it and play; the result."""
    move, result = Int(0), Int(ONGOING)
    if lane_of(lanes) == 0:
        ply, number, random = Int(forest.states[tree, PLY]), games.searched[tree], games.random[tree]
        policy = games.policies[tree, number]
        if games.noisy[tree]:
            games.plies[tree, number] = ply
            games.values[tree, number] = root_value(forest, roots, tree, policy)
            games.searched[tree] = number + 1
        _write_policy(forest, roots, tree, constants, policy)
        if not ways.by_halving:
            move = _draw(policy, ways.temperature if ply < ways.temperature_plies else ways.final_temperature, random)
        elif forest.proof[tree, ROOT] != WON:
            move = Int(halving_move(forest, roots, tree))
        else:
            move = _draw(policy, 0.0, random)
        games.moves[tree, ply] = move
    wait_for_lanes(lanes)
    advance(forest, tree, from_first_lane(move, lanes), spare, origin[slot], slot, lanes)
    if lane_of(lanes) == 0:
        state = forest.states[tree]
        result = Int(state[RESULT])
        if result == ONGOING and constants.proof_nodes > 0 and is_dead(state):
            result = Int(DRAW)  # what is left to play teaches nothing
        if result == ONGOING and state[PLY] == games.moves.shape[1]:
            result = Int(DRAW)  # it is longer than the game says that any can be
        games.result[tree] = result
    wait_for_lanes(lanes)
    return from_first_lane(result, lanes)


@kernel
def _write_policy(forest: Forest, roots: Roots, tree: int, constants: Constants, policy: NDArray[np.float32]) -> None:
    """What a network is to learn from the search, [A], adding up to 1."""
    rule = roots.rule[tree]
    if rule == GUMBEL and forest.proof[tree, ROOT] != WON:
        improved_policy(forest, roots, tree, policy)
        return
    root_visits(forest, tree, policy)
    if rule == FORCED:
        prune_target(forest, roots, tree, constants.exploration, policy)
    total = 0.0
    for action in range(policy.shape[0]):
        total += policy[action]
    for action in range(policy.shape[0]):
        policy[action] /= total


@kernel
def _draw(policy: NDArray[np.float32], temperature: float, random: Random) -> int:
    """A move: the policy sharpened by the temperature; at 0 the largest, ties by chance."""
    largest = np.float32(0)
    for action in range(policy.shape[0]):
        largest = max(largest, policy[action])
    greedy, total = temperature <= 1e-3, 0.0
    for action in range(policy.shape[0]):
        if policy[action] > 0:
            share = np.float64(policy[action]) / largest
            total += np.float64(share == 1) if greedy else share ** (1 / temperature)
    left, last = random_unit(random) * total, 0
    for action in range(policy.shape[0]):
        if policy[action] > 0:
            share = np.float64(policy[action]) / largest
            weight = np.float64(share == 1) if greedy else share ** (1 / temperature)
            if weight > 0:
                last = action
                left -= weight
                if left < 0:
                    break
    return Int(last)


# ---- the tree below a move ---------------------------------------------------------------------------


@kernel
def advance(
    forest: Forest, tree: int, move: int, spare: Forest, origin: NDArray[np.int32], slot: int, lanes: int
) -> None:
    """Play a move at the root; the tree below it is kept, copied through a spare one."""
    edge = find_edge(forest, tree, move) if forest.first[tree, ROOT] != NONE else NONE
    node = Int(forest.child[tree, edge]) if edge != NONE else Int(NONE)
    wait_for_lanes(lanes)
    kept = node != NONE
    if kept:
        kept = forest.first[tree, node] != NONE
    if lane_of(lanes) == 0:
        play(forest.states[tree], move)
        if not kept:
            plant(forest, tree)
    wait_for_lanes(lanes)
    if not kept:
        return
    _copy_tree(forest, tree, node, spare, slot, origin, lanes)
    _copy_back(spare, slot, forest, tree, lanes)


@kernel
def _copy_tree(
    old: Forest, tree: int, node: int, new: Forest, slot: int, origin: NDArray[np.int32], lanes: int
) -> None:
    """Copy what hangs below `node`, breadth first."""
    first_lane = lane_of(lanes) == 0
    if first_lane:
        plant(new, slot)
        origin[ROOT] = node
    wait_for_lanes(lanes)
    reached, nodes, edges = 0, 1, 0
    while reached < nodes:
        source = origin[reached]
        first, count = old.first[tree, source], old.degree[tree, source]
        if first_lane:
            new.visits[slot, reached] = old.visits[tree, source]
            new.value[slot, reached] = old.value[tree, source]
            new.proof[slot, reached] = old.proof[tree, source]
            new.first[slot, reached] = edges if first != NONE else NONE
            new.degree[slot, reached] = count
        if first != NONE:
            for start in range(0, count, lanes):  # all lanes come round equally often
                k = start + lane_of(lanes)
                child = Int(NONE)
                if k < count:
                    child = Int(old.child[tree, first + k])
                has = Int(child != NONE)
                number = nodes + sum_before(has, lanes)
                nodes += added_up(has, lanes)
                if k < count:
                    new.move[slot, edges + k] = old.move[tree, first + k]
                    new.prior[slot, edges + k] = old.prior[tree, first + k]
                    new.edge_visits[slot, edges + k] = old.edge_visits[tree, first + k]
                    new.edge_value[slot, edges + k] = old.edge_value[tree, first + k]
                    new.child[slot, edges + k] = number if child != NONE else NONE
                    if child != NONE:
                        origin[number] = child
            edges += count
        reached += 1
        wait_for_lanes(lanes)
    if first_lane:
        new.used[slot, 0] = nodes
        new.used[slot, 1] = edges
    wait_for_lanes(lanes)


@kernel
def _copy_back(new: Forest, slot: int, forest: Forest, tree: int, lanes: int) -> None:
    nodes, edges = new.used[slot, 0], new.used[slot, 1]
    for k in range(lane_of(lanes), nodes, lanes):
        forest.first[tree, k] = new.first[slot, k]
        forest.degree[tree, k] = new.degree[slot, k]
        forest.visits[tree, k] = new.visits[slot, k]
        forest.value[tree, k] = new.value[slot, k]
        forest.proof[tree, k] = new.proof[slot, k]
    for k in range(lane_of(lanes), edges, lanes):
        forest.move[tree, k] = new.move[slot, k]
        forest.prior[tree, k] = new.prior[slot, k]
        forest.edge_visits[tree, k] = new.edge_visits[slot, k]
        forest.edge_value[tree, k] = new.edge_value[slot, k]
        forest.child[tree, k] = new.child[slot, k]
    if lane_of(lanes) == 0:
        forest.used[tree, 0] = nodes
        forest.used[tree, 1] = edges
    wait_for_lanes(lanes)
