"""What happens between two searches of a game on a GPU: choose, play, begin anew, prove, stir in noise.

For the trees that wait, while others go on with their steps (`gpu_forest.py`):

    tend           one warp a tree: choose a move and play it (`gpu_advance.py`), or begin a game; new playouts
    look around    as many warps as there are: settle every child of the roots, and look for a win at the roots
    ripen          one warp a tree: what was found there, and noise

`learning/selfplay.py` does the same on a CPU, by the same settings. Every game has random numbers of its own, so it
does not depend on those beside it. What is chosen and learned stays on the GPU (`Games`) until the game is over.

Shapes: G trees, N nodes and E edges a tree, A actions, L state row, S scratch, M moves of the longest game, H places
for trees that wait, each with a spare tree.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel
from eightfold.core.lanes import count_up, from_first_lane, lane_of, wait_for_lanes
from eightfold.core.rng import Random, random_below, random_normal, random_unit
from eightfold.games.contract import find_win_together, is_dead_together
from eightfold.games.state import BLACK, DRAW, NO_MOVE, ONGOING, PLY, RESULT, WHITE, copy_state
from eightfold.search.kernels.forced import prune_target
from eightfold.search.kernels.forest import ROOT_PROOF, plant
from eightfold.search.kernels.gpu_advance import advance
from eightfold.search.kernels.gpu_edges import add_children, prove
from eightfold.search.kernels.gpu_forest import BEGINS, DONE, OVER, RIPENS, WALKS, Plan, copy_row, make_child, settle
from eightfold.search.kernels.gumbel import halving_move, improved_policy
from eightfold.search.kernels.openings import opening_of_book, random_opening
from eightfold.search.kernels.roots import add_noise, find_edge, root_value, root_visits
from eightfold.search.kernels.tree import (
    FORCED,
    GUMBEL,
    LOST,
    NONE,
    PUCT,
    ROOT,
    UNKNOWN,
    WON,
    Constants,
    Forest,
    Roots,
)


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
    variant: NDArray[np.int16]  # [G] which of the starts it has


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
    book: NDArray[np.int16]  # [rows, stones] openings to take instead
    book_lengths: NDArray[np.int16]  # [rows]
    book_rows: NDArray[np.int32]  # [1] how many there are at present


class Tasks(NamedTuple):
    """What is to be looked at around the roots of the trees that wait: every child, and the root itself."""

    taken: NDArray[np.int32]  # [1] by somebody
    winner: Ints  # [G] the move that wins by force, NO_MOVE if none was found
    scratch: Ints  # [workers, S]


@kernel
def tend_tree(
    place: int,
    lanes: int,
    room: Ints,
    forest: Forest,
    roots: Roots,
    plan: Plan,
    games: Games,
    starts: Ints,  # [K, L] of the games to draw from
    constants: Constants,
    ways: Ways,
    spare: Forest,  # of H trees
    lists: NDArray[np.int32],  # [H, 2, N]
    scratch: Ints,  # [H, S]
) -> None:
    """Do for a tree what it waits for; the root is left to `look_around` and `ripen_tree`."""
    if place >= plan.waiters[0]:
        return
    tree = Int(plan.waiting[place])
    phase = Int(plan.due[tree])
    if phase == DONE:
        move = _choose(forest, roots, games, tree, constants, ways, lanes)
        advance(forest, plan, tree, move, spare, lists[place], place, lanes)
        if _judge(forest, games, tree, constants, lanes) != ONGOING:
            phase = Int(OVER)
    elif phase == BEGINS:
        _begin(forest, games, starts, tree, ways, scratch[place], lanes)
    if phase != OVER:
        if phase != RIPENS:
            copy_row(forest.states[tree], plan.states[tree, plan.place[tree, ROOT]], lanes)
            _give_playouts(forest, roots, games, tree, ways, lanes)
        phase = Int(WALKS)
        if forest.first[tree, ROOT] != NONE:
            add_children(forest, tree, int(ROOT), lanes)
            phase = Int(RIPENS)
    if lane_of(lanes) == 0:
        plan.due[tree] = phase
        plan.ended[tree] += phase == OVER


# ---- around a root -----------------------------------------------------------------------------------


@kernel
def look_around(
    worker: int,
    lanes: int,
    state: Ints,  # [L] room
    forest: Forest,
    plan: Plan,
    tasks: Tasks,
    constants: Constants,
) -> None:
    """Take task after task: settle a child of a root, or look for a win by force at the root itself.

    A proof may take long, so all that have to be found for one tree are shared among many warps.
    """
    actions = plan.moves.shape[1]
    count = Int(min(plan.waiters[0], plan.waiting.shape[0])) * (actions + 1)
    while True:
        task = Int(0)
        if lane_of(lanes) == 0:
            task = Int(count_up(tasks.taken, 0))
        task = from_first_lane(task, lanes)
        if task >= count:
            return
        # First the roots: their proofs are the longest.
        places = count // (actions + 1)
        tree = Int(plan.waiting[task % places])
        if plan.due[tree] != RIPENS:
            continue
        scratch = tasks.scratch[worker]
        if task < places:
            copy_row(forest.states[tree], state, lanes)
            winner = find_win_together(state, ROOT_PROOF * constants.proof_nodes, scratch, lanes)
            if lane_of(lanes) == 0:
                tasks.winner[tree] = winner
            wait_for_lanes(lanes)
            continue
        number = task // places - 1
        if number < forest.degree[tree, ROOT]:
            edge = forest.first[tree, ROOT] + number
            child = Int(forest.child[tree, edge])
            if child != NONE and forest.visits[tree, child] == 0:  # it was added just now
                make_child(plan, tree, Int(ROOT), Int(forest.move[tree, edge]), child, state, lanes)
                nodes = constants.proof_nodes
                settle(forest, tree, child, state, nodes, nodes, False, scratch, lanes)


@kernel
def ripen_tree(
    place: int, lanes: int, room: Ints, forest: Forest, roots: Roots, plan: Plan, games: Games, tasks: Tasks, ways: Ways
) -> None:
    """An expanded root, before it is searched: what was found around it, and noise."""
    if place >= plan.waiters[0]:
        return
    tree = Int(plan.waiting[place])
    if plan.due[tree] != RIPENS:
        return
    if lane_of(lanes) == 0 and tasks.winner[tree] != NO_MOVE:
        edge = find_edge(forest, tree, tasks.winner[tree])
        child = Int(forest.child[tree, edge])
        if child != NONE and forest.proof[tree, child] == UNKNOWN:
            forest.proof[tree, child] = LOST
            forest.value[tree, child] = -1
    wait_for_lanes(lanes)
    prove(forest, tree, int(ROOT), lanes)
    if lane_of(lanes) == 0:
        if games.noisy[tree] and ways.noise > 0 and not ways.by_halving:
            for action in range(roots.noise.shape[1]):
                roots.noise[tree, action] = _gamma(ways.noise_alpha, games.random[tree])
            add_noise(forest, tree, roots.noise[tree], ways.noise)
        plan.due[tree] = WALKS


# ---- a game begins, and moves are chosen -------------------------------------------------------------


@kernel
def _begin(forest: Forest, games: Games, starts: Ints, tree: int, ways: Ways, scratch: Ints, lanes: int) -> None:
    """A new game in the place of one that is over."""
    if lane_of(lanes) == 0:
        random = games.random[tree]
        games.searched[tree] = 0
        games.result[tree] = ONGOING
        variant = random_below(random, starts.shape[0]) if starts.shape[0] > 1 else 0
        games.variant[tree] = variant
        games.opening[tree] = _open(forest.states[tree], games.moves[tree], starts[variant], ways, random, scratch)
        side = BLACK + random_below(random, 2)
        forest.draw[tree] = ways.contempt * (1 if side == WHITE else -1)
        plant(forest, tree)
    wait_for_lanes(lanes)


@kernel
def _open(state: Ints, moves: NDArray[np.int16], start: Ints, ways: Ways, random: Random, scratch: Ints) -> int:
    """A row of the book, or else a few random moves that end nothing; how many."""
    if random_unit(random) < ways.opening_share:
        rows = Int(ways.book_rows[0])
        if rows > 0:
            row = Int(random_below(random, rows))
            return opening_of_book(state, moves, start, ways.book, Int(ways.book_lengths[row]), row)
        return random_opening(state, moves, start, 0, ways.opening_stones, ways.opening_points, random, scratch)
    copy_state(start, state)
    return 0


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
def _choose(forest: Forest, roots: Roots, games: Games, tree: int, constants: Constants, ways: Ways, lanes: int) -> int:
    """Note what the search found, and choose a move by it."""
    move = Int(0)
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
    return from_first_lane(move, lanes)


@kernel
def _judge(forest: Forest, games: Games, tree: int, constants: Constants, lanes: int) -> int:
    """How the game stands after a move."""
    state = forest.states[tree]
    result = Int(state[RESULT])
    if result == ONGOING and constants.proof_nodes > 0 and is_dead_together(state, lanes):
        result = Int(DRAW)  # what is left to play teaches nothing
    if result == ONGOING and state[PLY] == games.moves.shape[1]:
        result = Int(DRAW)  # it is longer than the game says that any can be
    if lane_of(lanes) == 0:
        games.result[tree] = result
    return result


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
