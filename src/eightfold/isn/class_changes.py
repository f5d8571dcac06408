"""Which points get another class when a stone is played: its own, captured ones, and groups around that change theirs.

Groups and their sums over liberties are those of the board before (`classes.find_groups`), sums are of whole
numbers, and so what is added to them and taken away gives exactly the class that the board after would give.
Read next: `eightfold.isn.incremental`.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.isn.classes import BLACK, EMPTY, EMPTY_POINT, FIRST_BLACK, WALL, WHITE, group_class


@kernel
def find_changes(
    cell: int,
    colour: int,
    pitch: int,
    points: Ints,
    groups: Ints,
    members: Ints,
    about: Ints,
    names: Ints,
    liberty: Ints,
    by_count: int,
    changes: Ints,
    gains: Ints,
    touched: Ints,
    marks: Ints,
    stamp: int,
) -> tuple[int, int]:
    """The cells whose class a stone on `cell` changes, into `changes`: how many, and how many stones it captures.

    Captures of -1: the move is suicide, and nothing is found out about it.
    """
    around = (cell - pitch, cell - 1, cell + 1, cell + pitch)
    own = 0  # groups of the mover that the stone joins, marked in gains[:, 3] by -stamp
    one = 0  # the last of them
    captured, room = 0, 0
    for near in around:
        there, group = points[near], groups[near]
        if there == EMPTY:
            room += 1
        elif there == colour:
            if gains[group, 3] != -stamp:
                gains[group, 3] = -stamp
                own += 1
                one = group
            if about[group, 4] > 1:
                room += 1
        elif there != WALL and about[group, 4] == 1:
            room += 1
    if room == 0:
        return 0, -1

    row, other = 2 * (colour - BLACK), 2 * (WHITE - colour)
    changed = 1  # the stone itself is first; its class is known last
    territory, eyes, liberties = 0, 0, 0
    for k in range(4):
        near = around[k]
        there, group = points[near], groups[near]
        if there in (WALL, EMPTY, colour):
            continue
        again = False
        for j in range(k):
            again = again or groups[around[j]] == group
        if again:
            continue
        if about[group, 4] > 1:  # a group of the other side loses a liberty
            fresh = group_class(
                about[group, 3] - liberty[other + 1, cell], about[group, 2] - liberty[other, cell],
                about[group, 4] - 1, by_count,
            )  # fmt: skip
            fresh += FIRST_BLACK if colour == WHITE else 0
            if fresh != names[group]:
                changed = _add_members(group, fresh, members, about, changes, changed)
            continue
        captured += about[group, 1] - about[group, 0]
        changed = _add_members(group, EMPTY_POINT, members, about, changes, changed)

    # Points that captured stones leave are liberties of the groups around them, of which all are the mover's.
    beside_captures = 0
    if captured:
        for k in range(1, changed):
            if changes[k, 1] != EMPTY_POINT:
                continue
            gone = changes[k, 0]
            joined = False
            beside = (gone - pitch, gone - 1, gone + 1, gone + pitch)
            for j in range(4):
                near, group = beside[j], groups[beside[j]]
                if near == cell or (points[near] == colour and gains[group, 3] == -stamp):
                    joined = True
                elif points[near] == colour:
                    again = False
                    for i in range(j):
                        again = again or groups[beside[i]] == group
                    if not again:
                        if gains[group, 3] != stamp:
                            gains[group, 0], gains[group, 1], gains[group, 2] = 0, 0, 0
                            gains[group, 3] = stamp
                            touched[beside_captures] = group
                            beside_captures += 1
                        gains[group, 0] += liberty[row, gone]
                        gains[group, 1] += liberty[row + 1, gone]
                        gains[group, 2] += 1
            if joined:
                territory += liberty[row, gone]
                eyes += liberty[row + 1, gone]
                liberties += 1
    for k in range(beside_captures):
        group = touched[k]
        fresh = group_class(
            about[group, 3] + gains[group, 1], about[group, 2] + gains[group, 0],
            about[group, 4] + gains[group, 2], by_count,
        )  # fmt: skip
        fresh += FIRST_BLACK if colour == BLACK else 0
        if fresh != names[group]:
            changed = _add_members(group, fresh, members, about, changes, changed)

    # The mover's own group: the stone and all that it joins.
    if own == 1:
        territory += about[one, 2] - liberty[row, cell]
        eyes += about[one, 3] - liberty[row + 1, cell]
        liberties += about[one, 4] - 1
    for near in around:
        if points[near] == EMPTY:
            known = False
            if own == 1:
                for beside_it in (near - pitch, near - 1, near + 1, near + pitch):
                    known = known or (groups[beside_it] == one)
            marks[near] = stamp
            if not known:
                territory += liberty[row, near]
                eyes += liberty[row + 1, near]
                liberties += 1
    if own > 1:
        marks[cell] = stamp
        for k in range(4):
            group = groups[around[k]]
            again = points[around[k]] != colour
            for j in range(k):
                again = again or groups[around[j]] == group
            if not again:
                for member in range(about[group, 0], about[group, 1]):
                    stone = members[member]
                    for near in (stone - pitch, stone - 1, stone + 1, stone + pitch):
                        if points[near] == EMPTY and marks[near] != stamp:
                            marks[near] = stamp
                            territory += liberty[row, near]
                            eyes += liberty[row + 1, near]
                            liberties += 1
    fresh = group_class(eyes, territory, liberties, by_count)
    fresh += FIRST_BLACK if colour == BLACK else 0
    changes[0, 0], changes[0, 1] = cell, fresh
    for k in range(4):
        group = groups[around[k]]
        again = points[around[k]] != colour or names[group] == fresh
        for j in range(k):
            again = again or groups[around[j]] == group
        if not again:
            changed = _add_members(group, fresh, members, about, changes, changed)
    return changed, captured


@kernel
def _add_members(group: int, fresh: int, members: Ints, about: Ints, changes: Ints, changed: int) -> int:
    """All stones of a group get the class `fresh`."""
    for k in range(about[group, 0], about[group, 1]):
        changes[changed, 0], changes[changed, 1] = members[k], fresh
        changed += 1
    return changed
