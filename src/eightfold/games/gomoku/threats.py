"""Wins by threes and fours: proof-number search over the attacker's threats and all replies that can matter.

A four has one reply. A three, a move that threatens a win by fours, has several: those in the zone of what it
threatens, and the defender's own fours (`threat_moves.py`, which also says why no other reply need be looked at). The
attacker wins if one of his threats wins; a threat wins if every reply to it loses. What is found is proven. Where
nothing is found there may still be a win: by a quiet move, or beyond the limit.

The tree is searched by proof numbers (Allis et al. 1994): how many positions must at least be decided to prove a
position, or to disprove it. Each step goes down to the position that most helps to decide the root, looks at its
moves, and brings the numbers on its way back up to date. Replies that lose to a chain of fours never enter the tree.
Positions that are reached by several orders of moves are one entry: the keys are two hashes of 64 bits.

All of it lies in one array, `room`, which the caller gives; the longer it is, the more fits. Nothing here allocates or
recurses, and the board's size is a value, as in all kernels. `threat_proof.py` reads a proof out of it.

Renju: threats that are forbidden to black are left out, and every legal reply is tried, so less is found for the same
number of nodes. Caro: chains are those of `forced_wins.py`, which finds not all.
"""

from __future__ import annotations

from eightfold.core.bits import lowest_bit
from eightfold.core.jit import Int, Ints, kernel
from eightfold.games.gomoku.forced_wins import COLUMN, ROOM, ROW, SEVERAL, find_win, winning_point
from eightfold.games.gomoku.lines import EMPTIES, FREESTYLE, RENJU, RULE, WIN, first_line, state_length, toggle_stone
from eightfold.games.gomoku.renju import may_play
from eightfold.games.gomoku.threat_moves import (
    SET,
    add_attacks,
    add_completions,
    add_empty_points,
    add_fours_of,
    add_zone,
    clear,
)
from eightfold.games.state import BLACK, HASHES, NO_MOVE, ONGOING, RESULT, SIDE, SIZE, WHITE, copy_state
from eightfold.symmetry.orbit import mark_hash

# What a search by fours may look at: before the first threat, for every reply, and after a threat and a pass.
FIRST_CHAIN, REPLY_CHAIN, THREE_CHAIN = 2000, 100, 30
# The proof number that a four begins with, so that threes are tried first: fours in every order are many,
# and rarely are what was missing. With 1 a third fewer wins were found for the same nodes.
FOUR_PROOF = 4

# The room: what became of the search, room for chains of fours, three sets of points, the way down, a state; then
# the entries of the tree; then a table of their keys.
SPENT, USED, VERDICT, SIZE_OF_TABLE, FIRST_ENTRY, FIRST_KEY = 0, 1, 2, 3, 4, 5
BY_FOURS, BY_THREATS, NOTHING, LIMIT = 1, 2, 3, 4  # verdicts
FOURS_ROOM = 6
CANDIDATES = FOURS_ROOM + ROOM
OWN_FOURS = CANDIDATES + SET
ZONE = OWN_FOURS + SET
PATH = ZONE + SET
LONGEST = 160  # moves deep
WORK = PATH + LONGEST

# An entry is a move and the position after it: its replies, its numbers, the entry that holds them (itself, unless
# the position was there before), and its key.
MOVE, FIRST, COUNT, PROOF, DISPROOF, SAME, KEY, CHECK, ENTRY = 0, 1, 2, 3, 4, 5, 6, 7, 8
UNEXPANDED = -1
INFINITE = 1 << 40


def threat_room(size: int, nodes: int) -> int:
    """Numbers that `find_threats` needs for so many nodes on a board."""
    entries = 2 * nodes + 2 * size * size + 2
    return WORK + state_length(size) + 4 * ENTRY * entries // 3 + 1  # the table takes up to a quarter


@kernel
def find_threats(state: Ints, nodes: int, room: Ints) -> int:
    """A move that wins by fours, or by threes and fours, as far as `nodes` of them show; NO_MOVE if none was found.

    A node is a position in which a win by fours was looked for. `room` says afterwards what was found, and how.
    """
    size, win = state[SIZE], state[WIN]
    room[USED], room[SPENT], room[VERDICT] = 0, 0, NOTHING
    if state[RESULT] != ONGOING or win < 3 or nodes <= 0:
        return NO_MOVE
    fours, work = room[FOURS_ROOM : FOURS_ROOM + ROOM], room[WORK : WORK + state.shape[0]]
    copy_state(state, work)
    room[SPENT] = 1
    move = find_win(work, FIRST_CHAIN, fours)
    if move != NO_MOVE:
        room[VERDICT] = BY_FOURS
        return move
    _lay_out(room, state.shape[0])
    entries = room[room[FIRST_ENTRY] : room[FIRST_KEY]]
    most = entries.shape[0] // ENTRY - 2 * size * size - 1  # an expansion may add so many
    _add_entry(room, entries, NO_MOVE, 0, 0, 1)
    path = room[PATH : PATH + LONGEST]
    while 0 < entries[PROOF] < INFINITE and room[SPENT] < nodes and room[USED] < most:
        depth = _descend(work, entries, path)
        entry = _home(entries, path[depth])
        if entries[entry + FIRST] == UNEXPANDED:
            if depth + 1 == LONGEST:
                _settle(entries, entry, False)
            elif depth & 1 == 0:
                _expand_attack(work, room, entries, entry)
            else:
                _expand_defence(work, room, entries, entry, int(entries[path[depth] + MOVE]))
        while True:
            _update(entries, _home(entries, path[depth]), depth & 1 == 0)
            if depth == 0:
                break
            _put(work, entries[path[depth] + MOVE], depth & 1 == 1, -1)
            depth -= 1
    if entries[PROOF] == 0:
        room[VERDICT] = BY_THREATS
        first = entries[FIRST]
        for k in range(entries[COUNT]):
            if entries[_home(entries, first + k * ENTRY) + PROOF] == 0:
                return entries[first + k * ENTRY + MOVE]
    room[VERDICT] = NOTHING if entries[PROOF] >= INFINITE else LIMIT
    return NO_MOVE


@kernel
def _lay_out(room: Ints, length: int) -> None:
    """Share what the state leaves of the room among entries and the table of keys, which begins empty."""
    first, table = WORK + length, 1
    while ENTRY * table < room.shape[0] - first:  # so it has more places than there are entries
        table *= 2
    room[FIRST_ENTRY], room[FIRST_KEY], room[SIZE_OF_TABLE] = first, room.shape[0] - table, table
    for k in range(room[FIRST_KEY], room.shape[0]):
        room[k] = -1


# ---- the tree -----------------------------------------------------------------------------------------


@kernel
def _home(entries: Ints, entry: int) -> int:
    """The entry that holds the numbers of this one's position."""
    return entries[entry + SAME]


@kernel
def _add_entry(room: Ints, entries: Ints, move: int, key: int, check: int, proof: int) -> None:
    """A new entry; with a key, that of a position of the attacker's, it is the same as an earlier one with that key."""
    entry = room[USED] * ENTRY
    room[USED] += 1
    entries[entry + MOVE], entries[entry + FIRST], entries[entry + COUNT] = move, UNEXPANDED, 0
    entries[entry + PROOF], entries[entry + DISPROOF] = proof, 1
    entries[entry + KEY], entries[entry + CHECK], entries[entry + SAME] = key, check, entry
    if key == 0:
        return
    table, mask = room[room[FIRST_KEY] :], room[SIZE_OF_TABLE] - 1
    place = key & mask
    while table[place] != -1:
        other = table[place]
        if entries[other + KEY] == key and entries[other + CHECK] == check:
            entries[entry + SAME] = other
            return
        place = (place + 1) & mask
    table[place] = entry


@kernel
def _put(work: Ints, move: int, by_attacker: bool, step: int) -> None:
    """Lay a stone (1), or take it away (-1). The side to move stays the attacker: his wins are looked for."""
    size, colour = work[SIZE], work[SIDE] if by_attacker else BLACK + WHITE - work[SIDE]
    toggle_stone(work[first_line(size) :], size, move, colour)
    row, column = move // size, move % size
    work[HASHES] ^= mark_hash(colour - BLACK, row, column, size, 0)
    work[HASHES + 1] ^= mark_hash(colour - BLACK, row, column, size, 1)
    work[EMPTIES] -= step


@kernel
def _descend(work: Ints, entries: Ints, path: Ints) -> int:
    """Walk to the entry that most helps to decide the root, laying the stones on the way; how deep it is.

    An entry that was reached in another way may be decided by now: then the walk ends there.
    """
    depth, entry = 0, 0
    path[0] = 0
    while True:
        home = _home(entries, entry)
        _update(entries, home, depth & 1 == 0)
        if entries[home + FIRST] == UNEXPANDED or entries[home + PROOF] == 0 or entries[home + DISPROOF] == 0:
            return depth
        wanted = PROOF if depth & 1 == 0 else DISPROOF
        least = Int(INFINITE + 1)
        for k in range(entries[home + COUNT]):
            child = entries[home + FIRST] + k * ENTRY
            number = entries[_home(entries, child) + wanted]
            if number < least:
                least, entry = number, child
        depth += 1
        path[depth] = entry
        _put(work, entries[entry + MOVE], depth & 1 == 1, 1)


@kernel
def _settle(entries: Ints, entry: int, won: bool) -> None:
    entries[entry + PROOF], entries[entry + DISPROOF] = (0, INFINITE) if won else (INFINITE, 0)


@kernel
def _update(entries: Ints, entry: int, attack: bool) -> None:
    """Proof and disproof numbers from those of the moves. Who chooses needs one of them, the other side all."""
    first, count = entries[entry + FIRST], entries[entry + COUNT]
    if first == UNEXPANDED or count == 0:
        return
    least, total = Int(INFINITE), Int(0)
    chosen, summed = (PROOF, DISPROOF) if attack else (DISPROOF, PROOF)
    for k in range(count):
        child = _home(entries, first + k * ENTRY)
        least = min(least, entries[child + chosen])
        total = min(total + entries[child + summed], INFINITE)
    entries[entry + chosen], entries[entry + summed] = least, total


# ---- moves --------------------------------------------------------------------------------------------


@kernel
def _expand_attack(work: Ints, room: Ints, entries: Ints, entry: int) -> None:
    """The attacker's threats. He has no win by fours here that was found."""
    attacker, size, rule = work[SIDE], work[SIZE], work[RULE]
    chain, fours = room[FOURS_ROOM : FOURS_ROOM + ROOM], room[OWN_FOURS : OWN_FOURS + SET]
    candidates = room[CANDIDATES : CANDIDATES + SET]
    entries[entry + FIRST] = room[USED] * ENTRY
    clear(candidates)
    clear(fours)
    must = winning_point(work, BLACK + WHITE - attacker, 1)
    if must == NO_MOVE:
        add_attacks(work, fours, candidates)
    elif must != SEVERAL:
        candidates[must >> ROW] = 1 << (must & COLUMN)
    count = 0
    for row in range(size):
        bits = candidates[row]
        while bits != 0:
            column = lowest_bit(bits)
            bits &= bits - 1
            move = row * size + column
            room[SPENT] += 1
            four = fours[row] >> column & 1 != 0
            if not four:
                _put(work, move, True, 1)
                threat = find_win(work, THREE_CHAIN, chain)
                _put(work, move, True, -1)
                if threat == NO_MOVE:
                    continue
            if rule == RENJU and attacker == BLACK and not may_play(work, move):
                continue
            _add_entry(room, entries, move, 0, 0, FOUR_PROOF if four else 1)
            count += 1
    entries[entry + COUNT] = count
    if count == 0:
        _settle(entries, entry, False)


@kernel
def _expand_defence(work: Ints, room: Ints, entries: Ints, entry: int, move: int) -> None:
    """The replies to a threat that do not lose to a chain of fours."""
    attacker, size, rule = work[SIDE], work[SIZE], work[RULE]
    defender = BLACK + WHITE - attacker
    chain, zone = room[FOURS_ROOM : FOURS_ROOM + ROOM], room[ZONE : ZONE + SET]
    candidates, own_fours = room[CANDIDATES : CANDIDATES + SET], room[OWN_FOURS : OWN_FOURS + SET]
    entries[entry + FIRST] = room[USED] * ENTRY
    clear(candidates)
    clear(own_fours)
    completion = winning_point(work, attacker, 1)
    if completion != NO_MOVE:
        add_completions(work, move, candidates)
    elif rule == RENJU:
        add_empty_points(candidates, work)
    elif find_win(work, THREE_CHAIN, chain) != NO_MOVE:  # always: it was so when the threat was found
        add_zone(work, chain, candidates)
        add_fours_of(work, defender, own_fours)
    one_reply = rule < RENJU and completion != NO_MOVE and completion != SEVERAL
    count = 0
    for row in range(size):
        seen = 0
        while True:
            bits = (candidates[row] | own_fours[row]) & ~seen  # there may be fewer than a moment ago
            if bits == 0:
                break
            column = lowest_bit(bits)
            seen |= 1 << column
            reply = row * size + column
            if rule == RENJU and defender == BLACK and not may_play(work, reply):
                continue
            room[SPENT] += 1
            _put(work, reply, False, 1)
            if one_reply or find_win(work, REPLY_CHAIN, chain) == NO_MOVE:
                proof = FOUR_PROOF if one_reply else 1
                _add_entry(room, entries, reply, work[HASHES], work[HASHES + 1], proof)
                count += 1
            elif rule == FREESTYLE and completion == NO_MOVE:
                clear(zone)
                add_zone(work, chain, zone)
                for k in range(size):
                    candidates[k] &= zone[k]
            _put(work, reply, False, -1)
    entries[entry + COUNT] = count
    if count == 0:
        _settle(entries, entry, True)
