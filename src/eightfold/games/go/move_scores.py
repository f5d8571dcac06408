"""The heuristic of the players `greedy` and `alphabeta` for Go: scores of moves, and of positions without reading.

A move scores for the stones that it takes, saves or puts in atari, and a little for lines and contact. A move that
puts itself in atari, and a pass, score next to nothing; filling an eye scores 0. A position scores its area as far as
it can be seen without reading: a point belongs to whose stones are nearer.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.board import cell_at, count_liberties, head_of, in_atari, is_eye, stone_count
from eightfold.games.go.layout import CELLS, COLOUR, DOUBLE_KOMI, EMPTY, WALL, cells_end
from eightfold.games.go.legal import may_play
from eightfold.games.state import BLACK, SIDE, SIZE, WHITE

TAKE, SAVE, THREATEN, LIBERTY, CONTACT = 100, 100, 20, 4, 3
PASS, BAD, USUAL = 1, 2, 3
LINES: Ints = np.array([0, 2, 6, 5, 4], np.int64)  # the first line from the edge, the second, ...
POINT = 100  # of area, in a judgement
NEAR = 4  # steps within which a stone makes a point its own


@kernel
def score_moves(state: Ints, scores: Ints) -> None:  # [2, A]
    size = state[SIZE]
    stride = state[SIZE] + 1
    seen = np.zeros(cells_end(size), np.int64)
    stamp = 0
    for point in range(size * size):
        cell = cell_at(point, size)
        for colour in (BLACK, WHITE):
            score = 0
            empty = state[cell] & COLOUR == EMPTY
            if empty and not is_eye(state, stride, cell, colour) and may_play(state, stride, cell, colour):
                stamp += 6
                score = _move_score(state, stride, cell, colour, seen, stamp)
                edge = min(min(point // size, size - 1 - point // size), min(point % size, size - 1 - point % size))
                score += LINES[min(edge, 4)] if score > BAD else 0
            scores[colour - BLACK, point] = score
    scores[0, size * size] = scores[1, size * size] = PASS


@kernel
def rescore_moves(state: Ints, move: int, scores: Ints) -> None:  # [2, A]
    score_moves(state, scores)  # a capture changes liberties all over the board


@kernel
def best_possible_score(state: Ints) -> int:
    return (TAKE + SAVE + THREATEN + POINT) * (state[SIZE] ** 2 + 1)


@kernel
def _move_score(state: Ints, stride: int, cell: int, colour: int, seen: Ints, stamp: int) -> int:
    """What a stone does: six stamps of `seen` may be used, from `stamp` down."""
    taken = saved = threatened = contact = 0
    for side in range(4):
        beside = cell + (1 - 2 * (side & 1)) * (1 if side < 2 else stride)
        kind = state[beside] & COLOUR
        if kind in (EMPTY, WALL):
            continue
        head = head_of(state, stride, beside)
        contact += 1
        if seen[head] == stamp:
            continue  # met on another side; heads are stones, so no stamp of a liberty is lost
        seen[head] = stamp
        if kind == colour:
            saved += stone_count(state, stride, head) * in_atari(state, stride, head)
        elif in_atari(state, stride, head):
            taken += stone_count(state, stride, head)
        elif count_liberties(state, stride, head, 3, seen, stamp - 1 - side) == 2:
            threatened += stone_count(state, stride, head)
    room = _liberties_after(state, stride, cell, colour, seen, stamp - 5)
    if room == 1 and taken < 2:
        return BAD + taken  # the stone can be taken at once
    if room == 1:
        saved = 0
    score = USUAL + TAKE * taken + SAVE * saved + THREATEN * threatened + CONTACT * contact
    return score + LIBERTY * room if contact else score


@kernel
def _liberties_after(state: Ints, stride: int, cell: int, colour: int, seen: Ints, stamp: int) -> int:
    """The liberties of the group that a stone makes, up to 3; what it takes leaves liberties beside it."""
    found = 0
    seen[cell] = stamp
    for step in (-stride, -1, 1, stride):
        beside = cell + step
        kind = state[beside] & COLOUR
        if kind == EMPTY or (
            kind == BLACK + WHITE - colour and in_atari(state, stride, head_of(state, stride, beside))
        ):
            if seen[beside] != stamp:
                seen[beside] = stamp
                found += 1
        elif kind == colour:
            found += count_liberties(state, stride, beside, 3, seen, stamp)
        if found >= 3:
            return 3
    return found


@kernel
def judge_position(state: Ints, scores: Ints) -> int:
    """The score of the position for the side to move: points by the nearest stones, groups in atari, komi."""
    size, side = state[SIZE], state[SIDE]
    stride = state[SIZE] + 1
    near_black = _distances(state, stride, BLACK, side)
    near_white = _distances(state, stride, WHITE, side)
    lead = 0
    for point in range(size * size):
        cell = cell_at(point, size)
        if near_black[cell] != near_white[cell]:
            lead += POINT if near_black[cell] < near_white[cell] else -POINT
        kind = state[cell] & COLOUR
        if kind == side and in_atari(state, stride, head_of(state, stride, cell)):
            lead += (POINT // 2) * (1 if side == WHITE else -1)  # it may be saved, or not
    lead -= POINT * state[DOUBLE_KOMI] // 2
    most = best_possible_score(state)
    lead = max(-most, min(most, lead))
    return lead if side == BLACK else -lead


@kernel
def _distances(state: Ints, stride: int, colour: int, side: int) -> Ints:
    """Steps from the stones of a colour over empty cells, NEAR + 1 where it is further.

    Groups in atari of the side that is not to move are as good as taken: they count for nobody.
    """
    steps = np.full(cells_end(stride - 1), NEAR + 1, np.int64)
    queue = np.empty(cells_end(stride - 1), np.int64)
    filled = done = 0
    for cell in range(CELLS, cells_end(stride - 1)):
        if state[cell] & COLOUR == colour and not (
            colour != side and in_atari(state, stride, head_of(state, stride, cell))
        ):
            steps[cell] = 0
            queue[filled] = cell
            filled += 1
    while done < filled:
        cell = queue[done]
        done += 1
        if steps[cell] == NEAR:
            break
        for step in (-stride, -1, 1, stride):
            beside = cell + step
            if state[beside] & COLOUR == EMPTY and steps[beside] > steps[cell] + 1:
                steps[beside] = steps[cell] + 1
                queue[filled] = beside
                filled += 1
    return steps
