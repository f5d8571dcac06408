"""Walks through games and judges every legal point of every position by its team: the kernels, for any game.

Codes follow the stones: a stone changes the few patterns of which it is a digit, and only those are looked up again,
when the side whose view they are is next to move. What learning needs, the expected wins of every number, is summed
up for each point while its patterns stay as they are, and added to its numbers when they change. So most of the board
costs a multiplication and two additions a move, whatever the number of templates.

A pass is no candidate. The candidates are all points that the rules allow, and a position in which the move played
is a pass is no competition.

Specialised for each game (`eightfold.core.specialise`); `elo.py`, `predict.py` and `chooser.py` call it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.contract import forbidden, move_effects, replay, reset, stones
from eightfold.games.effects import ATARI, CAPTURE, EXTENSION, RESCUE, SELF_ATARI
from eightfold.games.state import BLACK, LAST, NO_MOVE, ONGOING, RESULT, SIDE, SIZE
from eightfold.patterns.features import FAR
from eightfold.patterns.teams import MEMBERS, Floats, Geometry, Numbering, Workspace

# The features, by their place in FEATURES.
DISTANCE, BEFORE, EDGE, CAPTURES, ATARIS, EXTENSIONS, SELF_ATARIS = 0, 1, 2, 3, 4, 5, 6
FEATURE_COUNT = 7

# What is noted of a game.
POSITIONS, FIRST, FIVE, LOSS, BROKEN = 0, 1, 2, 3, 4
NOTES = 5


class Judgement(NamedTuple):
    """What numbers are worth, and how a point's patterns are put together."""

    values: Floats  # [numbers]; that of 0 is 1
    unknown: Floats  # [10] by template, for posteriors: of a pattern that was never seen
    posteriors: bool  # the mean of what 4x4 patterns are worth, the 3x3 one as back-off; else all are multiplied


@kernel
def _clear(work: Workspace) -> None:
    """No stones: all patterns are empty, and none is looked up yet."""
    for view in range(2):
        for k in range(work.codes.shape[1]):
            work.codes[view, k] = 0
        for point in range(work.stale.shape[1]):
            work.shares[view, point] = 0.0
            work.stale[view, point] = 1
            work.stale_points[view, point] = point
        work.stale_counts[view] = work.stale.shape[1]
    for point in range(work.board.shape[0]):
        work.board[point] = 0


@kernel
def _change(point: int, now: int, board: Geometry, work: Workspace) -> None:
    """Let something else lie on a point, and bring the codes up to date."""
    before = work.board[point]
    if now == before:
        return
    work.board[point] = now
    # A digit is 1 for an own stone and 2 for the opponent's: black's view, and white's.
    black = now - before
    white = (3 - now if now else 0) - (3 - before if before else 0)
    for k in range(board.starts[point], board.starts[point + 1]):
        pattern, place = board.patterns[k], board.places[k]
        work.codes[0, pattern] += black * place
        work.codes[1, pattern] += white * place
        near = pattern // MEMBERS
        for view in range(2):
            if work.stale[view, near] == 0:
                work.stale[view, near] = 1
                work.stale_points[view, work.stale_counts[view]] = near
                work.stale_counts[view] += 1


@kernel
def _hand_out(work: Workspace, view: int, point: int, expected: Floats) -> None:
    """Give a point's share of expected wins to the patterns that it had."""
    share = work.shares[view, point]
    if share != 0.0:
        for member in range(MEMBERS):
            expected[work.numbers[view, point, member]] += share
        work.shares[view, point] = 0.0


@kernel
def _look_up(
    view: int, numbering: Numbering, board: Geometry, judgement: Judgement, work: Workspace, expected: Floats
) -> None:
    """Look up the patterns that have changed in one side's view."""
    for k in range(work.stale_counts[view]):
        point = work.stale_points[view, k]
        _hand_out(work, view, point, expected)
        work.stale[view, point] = 0
        for member in range(MEMBERS):
            template = board.templates[point, member]
            number = Int(0)
            if template >= 0 and numbering.offsets[template] >= 0:
                number = Int(numbering.slots[numbering.offsets[template] + work.codes[view, point * MEMBERS + member]])
            work.numbers[view, point, member] = number
        work.strengths[view, point] = _together(view, point, numbering, board, judgement, work)
    work.stale_counts[view] = 0


@kernel
def _together(
    view: int, point: int, numbering: Numbering, board: Geometry, judgement: Judgement, work: Workspace
) -> float:
    """What the patterns of a point come to."""
    if not judgement.posteriors:
        product = 1.0
        for member in range(MEMBERS):
            product *= judgement.values[work.numbers[view, point, member]]
        return product
    coarse = 0.0  # the posterior of the 3x3 pattern
    total = 0.0
    count = 0
    for member in range(MEMBERS):
        template = board.templates[point, member]
        if template < 0 or numbering.offsets[template] < 0:
            continue
        number = work.numbers[view, point, member]
        value = judgement.values[number]
        if number == 0:
            value = judgement.unknown[template] if coarse == 0.0 else coarse
        if member == 0:
            coarse = value
        else:
            total += math.log(value)
            count += 1
    if count == 0:
        return coarse if coarse > 0.0 else 1.0
    return math.exp(total / count)


@kernel
def _distance(one: int, other: int, size: int) -> int:
    """A level: 0 if there is no such move on the board, else Coulom's distance, up to FAR."""
    if other < 0 or other >= size * size:
        return 0
    rows, columns = abs(one // size - other // size), abs(one % size - other % size)
    return min(FAR, max(1, rows + columns + max(rows, columns)))


@kernel
def _find_levels(state: Ints, point: int, before: int, numbering: Numbering, board: Geometry, levels: Ints) -> None:
    """Write the numbers of a candidate's features to `levels` [7]; 0 where one does not apply."""
    size, firsts = state[SIZE], numbering.features
    for feature in range(FEATURE_COUNT):
        levels[feature] = 0
    if firsts[DISTANCE] >= 0:
        levels[DISTANCE] = _distance(point, state[LAST], size)
    if firsts[BEFORE] >= 0:
        levels[BEFORE] = _distance(point, before, size)
    if firsts[EDGE] >= 0:
        levels[EDGE] = board.lines[point]
    if max(max(firsts[CAPTURES], firsts[ATARIS]), max(firsts[EXTENSIONS], firsts[SELF_ATARIS])) >= 0:
        effects = move_effects(state, point)
        if effects:
            levels[CAPTURES] = 2 if effects & RESCUE else int(effects & CAPTURE != 0)
            levels[ATARIS] = int(effects & ATARI != 0)
            levels[EXTENSIONS] = int(effects & EXTENSION != 0)
            levels[SELF_ATARIS] = int(effects & SELF_ATARI != 0)
    for feature in range(FEATURE_COUNT):
        if levels[feature] > 0:
            levels[feature] = 0 if firsts[feature] < 0 else firsts[feature] + levels[feature] - 1


@kernel
def _candidates(state: Ints, work: Workspace) -> int:
    """Write all points that may be played to `work.legal`; how many they are."""
    refused = forbidden(state, work.changed)  # in ascending order
    count = place = 0
    for point in range(work.board.shape[0]):
        if place < refused and work.changed[place] == point:
            place += 1
        elif work.board[point] == 0:
            work.legal[count] = point
            count += 1
    return count


@kernel
def _judge(
    state: Ints,
    before: int,
    numbering: Numbering,
    board: Geometry,
    judgement: Judgement,
    work: Workspace,
    expected: Floats,
) -> int:
    """Write the candidates to `work.legal` and their strengths to `work.teams`; how many they are."""
    view, count = state[SIDE] - BLACK, 0
    if state[RESULT] == ONGOING:
        count = _candidates(state, work)
    _look_up(view, numbering, board, judgement, work, expected)
    anything = False
    for feature in range(FEATURE_COUNT):
        anything |= numbering.features[feature] >= 0
    for k in range(count):
        point = work.legal[k]
        strength = work.strengths[view, point]
        if anything:
            levels = work.levels[k]
            _find_levels(state, point, before, numbering, board, levels)
            for feature in range(FEATURE_COUNT):
                strength *= judgement.values[levels[feature]]
        work.teams[k] = strength
    return count


@kernel
def walk(
    size: int,
    options: Ints,
    state: Ints,
    moves: Ints,
    first: Ints,
    last: Ints,
    numbering: Numbering,
    board: Geometry,
    judgement: Judgement,
    work: Workspace,
    expected: Floats,
    wins: Floats,
    notes: Floats,
    learns: bool,
) -> None:
    """Go through games on one board: game g is moves[first[g] : last[g]] from the start.

    Adds to `expected` and `wins` [numbers] if it `learns`, and writes to `notes` [games, 5]: positions, in how many of
    them the move played was the most likely one or among five (ties in parts), the sum of -log of its probability, and
    whether an illegal move ended the game early.
    """
    for game in range(first.shape[0]):
        reset(state, size, options)
        _clear(work)
        _set_up(state, board, work)
        before = Int(NO_MOVE)
        for k in range(first[game], last[game]):
            move, latest = moves[k], state[LAST]
            if move < size * size:  # a pass is no competition
                count = _judge(state, before, numbering, board, judgement, work, expected)
                total, chosen = 0.0, -1
                for c in range(count):
                    total += work.teams[c]
                    if work.legal[c] == move:
                        chosen = c
                if chosen >= 0:
                    _note(work.teams, count, chosen, total, notes[game])
                    if learns:
                        _share_out(state[SIDE] - BLACK, count, chosen, total, work, expected, wins)
            changes = replay(state, move, work.changed)
            if changes < 0:
                notes[game, BROKEN] = 1.0
                break
            for c in range(changes):
                _change(work.changed[c] // 4, work.changed[c] % 4, board, work)
            before = latest
        if learns:
            for view in range(2):
                for point in range(size * size):
                    _hand_out(work, view, point, expected)


@kernel
def _set_up(state: Ints, board: Geometry, work: Workspace) -> None:
    """Let the stones of a position lie on an empty board."""
    size = state[SIZE]
    stones(state, work.stones)
    for point in range(size * size):
        _change(point, Int(work.stones[point // size, point % size]), board, work)


@kernel
def _note(teams: Floats, count: int, chosen: int, total: float, notes: Floats) -> None:
    own = teams[chosen]
    better = equal = 0
    for c in range(count):
        better += teams[c] > own
        equal += teams[c] == own
    notes[POSITIONS] += 1.0
    notes[FIRST] += max(0.0, min(1.0, (1.0 - better) / equal))
    notes[FIVE] += max(0.0, min(1.0, (5.0 - better) / equal))
    notes[LOSS] -= math.log(own / total)


@kernel
def _share_out(
    view: int, count: int, chosen: int, total: float, work: Workspace, expected: Floats, wins: Floats
) -> None:
    for c in range(count):
        share = work.teams[c] / total
        work.shares[view, work.legal[c]] += share
        for feature in range(FEATURE_COUNT):
            if work.levels[c, feature] > 0:
                expected[work.levels[c, feature]] += share
    for member in range(MEMBERS):
        wins[work.numbers[view, work.legal[chosen], member]] += 1.0
    for feature in range(FEATURE_COUNT):
        wins[work.levels[chosen, feature]] += 1.0


@kernel
def judge_position(
    state: Ints,
    before: int,
    numbering: Numbering,
    board: Geometry,
    judgement: Judgement,
    work: Workspace,
    nothing: Floats,
    strengths: Floats,
    effects: Ints,
) -> int:
    """For one position: strengths [P] of the legal points, 0 elsewhere, and what each does, as bits; how many."""
    _clear(work)
    _set_up(state, board, work)
    count = _judge(state, before, numbering, board, judgement, work, nothing)
    for point in range(strengths.shape[0]):
        strengths[point] = 0.0
        effects[point] = 0
    for c in range(count):
        strengths[work.legal[c]] = work.teams[c]
        effects[work.legal[c]] = move_effects(state, work.legal[c])
    return count
