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
    codes, stale, stale_points, stale_counts = work.codes, work.stale, work.stale_points, work.stale_counts
    patterns, places = board.patterns, board.places
    # A digit is 1 for an own stone and 2 for the opponent's: black's view, and white's.
    black = now - before
    white = (3 - now if now else 0) - (3 - before if before else 0)
    for k in range(board.starts[point], board.starts[point + 1]):
        pattern, place = patterns[k], places[k]
        codes[0, pattern] += black * place
        codes[1, pattern] += white * place
        near = pattern // MEMBERS
        for view in range(2):
            if stale[view, near] == 0:
                stale[view, near] = 1
                stale_points[view, stale_counts[view]] = near
                stale_counts[view] += 1


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
    codes, numbers, stale, stale_points, strengths = (
        work.codes, work.numbers, work.stale, work.stale_points, work.strengths,
    )  # fmt: skip
    slots, offsets, templates, values = numbering.slots, numbering.offsets, board.templates, judgement.values
    shares = work.shares
    for k in range(work.stale_counts[view]):
        point = stale_points[view, k]
        stale[view, point] = 0
        share, product = shares[view, point], 1.0
        shares[view, point] = 0.0
        for member in range(MEMBERS):
            if share != 0.0:  # it belongs to the patterns that the point had
                expected[numbers[view, point, member]] += share
            template = templates[point, member]
            number = Int(0)
            if template >= 0 and offsets[template] >= 0:
                number = Int(slots[offsets[template] + codes[view, point * MEMBERS + member]])
            numbers[view, point, member] = number
            product *= values[number]
        strengths[view, point] = product
        if judgement.posteriors:
            strengths[view, point] = _mean_posterior(view, point, numbering, board, judgement, work)
    work.stale_counts[view] = 0


@kernel
def _mean_posterior(
    view: int, point: int, numbering: Numbering, board: Geometry, judgement: Judgement, work: Workspace
) -> float:
    """The geometric mean of what a point's 4x4 patterns are worth; of one that is unknown, the 3x3 pattern's worth."""
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
def _candidates(state: Ints, work: Workspace) -> int:
    """Write all points that may be played to `work.legal`; how many they are."""
    denied, stones_at, found = work.changed, work.board, work.legal
    refused = forbidden(state, denied)  # in ascending order
    count = place = 0
    for point in range(stones_at.shape[0]):
        if place < refused and denied[place] == point:
            place += 1
        elif stones_at[point] == 0:
            found[count] = point
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
    """Write the candidates to `work.legal`, their strengths to `work.teams`, the numbers of their features to `levels`.

    How many they are. In one piece: Numba counts references to arrays that are handed on, and that would take longer.
    """
    size, last, view, count = state[SIZE], state[LAST], state[SIDE] - BLACK, 0
    if state[RESULT] == ONGOING:
        count = _candidates(state, work)
    _look_up(view, numbering, board, judgement, work, expected)
    points, strengths, teams, levels, lines = work.legal, work.strengths, work.teams, work.levels, board.lines
    values, firsts = judgement.values, numbering.features
    for c in range(count):
        teams[c] = strengths[view, points[c]]
    for feature in range(FEATURE_COUNT):
        if firsts[feature] < 0 or feature > EDGE:
            continue
        for c in range(count):
            point = points[c]
            level = lines[point] if feature == EDGE else _distance(point, last if feature == DISTANCE else before, size)
            number = firsts[feature] + level - 1 if level > 0 else 0
            levels[c, feature] = number
            teams[c] *= values[number]
    if max(max(firsts[CAPTURES], firsts[ATARIS]), max(firsts[EXTENSIONS], firsts[SELF_ATARIS])) >= 0:
        for c in range(count):
            effects = move_effects(state, points[c])
            for feature in range(CAPTURES, FEATURE_COUNT):
                level = _effect_level(feature, effects) if effects else 0
                number = firsts[feature] + level - 1 if level > 0 and firsts[feature] >= 0 else 0
                levels[c, feature] = number
                teams[c] *= values[number]
    return count


@kernel
def _effect_level(feature: int, effects: int) -> int:
    if feature == CAPTURES:
        return 2 if effects & RESCUE else int(effects & CAPTURE != 0)
    if feature == ATARIS:
        return int(effects & ATARI != 0)
    return int(effects & (EXTENSION if feature == EXTENSIONS else SELF_ATARI) != 0)


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
    points, shares, teams, levels = work.legal, work.shares, work.teams, work.levels
    for c in range(count):
        share = teams[c] / total
        shares[view, points[c]] += share
        for feature in range(FEATURE_COUNT):
            if levels[c, feature] > 0:
                expected[levels[c, feature]] += share
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
