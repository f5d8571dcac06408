"""Which moves threaten a win by fours, and which replies can matter: what `threats.py` builds its tree of.

A three is a move after which the attacker would win by fours if the defender passed. That win, a chain of fours and
forced replies (`forced_wins.py`), is proven; a reply that leaves the chain as it is therefore loses. So the defender
need only be given the replies that may touch the chain: the zone. It holds

1. the points of the chain: its fours, and all points that complete a line after one of them;
2. under caro also the points at both ends of those lines, where a stone may close them;
3. the points from which a stone of the defender's helps a forced reply: after every reply, the points that the windows
   through it lack that are free of the attacker and lack two stones.

Beside the zone, all moves by which the defender makes a four at once are tried: the points of windows that lack two.

Why this is exact. Let d be a stone of the defender's outside of both sets, and let the attacker play the chain. Every
four still is one, for d lies on no point of its line and closes no end of it (1, 2), and is completed on the same
points. What else could d change? Only that the defender has a winning point at a time when he had none in the chain.
The line that it completes holds d, and lacks one stone; without d it lacked two. If it holds no forced reply, it
lacked two from the beginning, and d made a four: a contradiction. Otherwise look at the last of the forced replies
that it holds. When that was played, the line lacked two stones as well, one of them d: so d is in the zone (3), a
contradiction. So the chain goes through. That a line must not be longer than five (standard) or closed (caro) can
only take winning points from the defender; 3 asks for neither, which tries too much and never too little.

In freestyle more is true. If the attacker answers the reply d by another chain, that chain also answers every other
reply e outside of its zone that makes no four: without d the attacker has no fewer lines. A line of the defender's
that holds d and lacks one point e after a forced reply was a threat there, which the chain has met on e. So only
replies that lie in the zones of all chains found so far are left to try. Under standard, d might have made a line too
long, so this is not used there.

Renju forbids points to black, and a stone far away may change what is forbidden. There is no zone: every legal reply is
tried. Read next: `threats.py`.
"""

from __future__ import annotations

from eightfold.core.bits import bits_set, lowest_bit
from eightfold.core.jit import Ints, kernel
from eightfold.games.gomoku.forced_wins import (
    CHAIN,
    COLUMN,
    DEPTH,
    FIELDS,
    MOVE,
    REPLY,
    ROW,
    completing_points,
    windows_lacking,
)
from eightfold.games.gomoku.lines import (
    CARO,
    FREESTYLE,
    HALF,
    ONE_COLOUR,
    RULE,
    WIN,
    first_line,
    is_empty,
    line_span,
    place_on_line,
    point_of,
    toggle_stone,
)
from eightfold.games.gomoku.renju import LINES
from eightfold.games.state import BLACK, SIDE, SIZE, WHITE
from eightfold.symmetry.orbit import LARGEST_BOARD

SET = LARGEST_BOARD  # words of a set of points: a bit for every column of every row
NEAR_FOUR = 2  # stones that a window of a four lacks before it is made


@kernel
def clear(points: Ints) -> None:
    for row in range(SET):
        points[row] = 0


@kernel
def add_point(points: Ints, point: int, size: int) -> None:
    points[point // size] |= 1 << (point % size)


@kernel
def add_on_line(points: Ints, line: int, bits: int, size: int) -> None:
    """Add the points that the bits of a line stand for."""
    while bits != 0:
        add_point(points, point_of(line, lowest_bit(bits), size), size)
        bits &= bits - 1


@kernel
def add_empty_points(points: Ints, state: Ints) -> None:
    size = state[SIZE]
    lines = state[first_line(size) :]
    for row in range(size):
        for column in range(size):
            if is_empty(lines, row, column):
                points[row] |= 1 << column


@kernel
def windows_lacking_three(word: int, line: int, size: int, win: int, colour: int) -> tuple[int, int]:
    """The colour's stones in a line's word, and the starts of windows without the other's that lack at most three."""
    own = (word >> (HALF * (colour - BLACK))) & ONE_COLOUR
    if bits_set(own) < win - 3:
        return own, 0
    other = (word >> (HALF * (WHITE - colour))) & ONE_COLOUR
    length, start = line_span(line, size)
    free = (((1 << length) - 1) << start) & ~other
    none, one, two, three = own, free, free, free  # as in `windows_lacking`
    for k in range(1, win):
        stones, open_points = own >> k, free >> k
        three = ((three & stones) | two) & open_points
        two = ((two & stones) | one) & open_points
        one = ((one & stones) | none) & open_points
        none &= stones
    return own, three


@kernel
def add_attacks(state: Ints, fours: Ints, others: Ints) -> None:
    """The attacker's fours, and the points that may make a three: those of windows that lack three stones."""
    attacker, size, win, rule = state[SIDE], state[SIZE], state[WIN], state[RULE]
    first = first_line(size)
    for line in range(6 * size - 2):
        own, three = windows_lacking_three(state[first + line], line, size, win, attacker)
        if three != 0:
            add_on_line(others, line, completing_points(own, three, win), size)
            _, _, two = windows_lacking(state[first + line], line, size, win, rule, attacker)
            if two != 0:
                add_on_line(fours, line, completing_points(own, two, win), size)


@kernel
def add_fours_of(state: Ints, colour: int, points: Ints) -> None:
    """The points by which a colour makes a four, or might by another rule."""
    size, win = state[SIZE], state[WIN]
    first = first_line(size)
    for line in range(6 * size - 2):
        own, _, two = windows_lacking(state[first + line], line, size, win, FREESTYLE, colour)
        if two != 0:
            add_on_line(points, line, completing_points(own, two, win), size)


@kernel
def add_completions(state: Ints, point: int, points: Ints) -> None:
    """The points that complete a line through an attacker's stone, and those at its ends where they can be closed."""
    attacker, size, win, rule = state[SIDE], state[SIZE], state[WIN], state[RULE]
    first = first_line(size)
    for direction in range(4):
        line, _ = place_on_line(point // size, point % size, direction, size)
        own, one, _ = windows_lacking(state[first + line], line, size, win, rule, attacker)
        if one != 0:
            add_on_line(points, line, completing_points(own, one, win), size)
            if rule >= CARO:
                length, start = line_span(line, size)
                taken = (state[first + line] | state[first + line] >> HALF) & ONE_COLOUR
                ends = ((one >> 1) | (one << win)) & (((1 << length) - 1) << start) & ~taken
                add_on_line(points, line, ends, size)


@kernel
def _add_help(state: Ints, point: int, points: Ints) -> None:
    """The points that the defender's windows through a forced reply lack, if they lack two or fewer."""
    size, win, defender = state[SIZE], state[WIN], BLACK + WHITE - state[SIDE]
    first = first_line(size)
    for direction in range(4):
        line, bit = place_on_line(point // size, point % size, direction, size)
        own, _, two = windows_lacking(state[first + line], line, size, win, FREESTYLE, defender)
        through = ((1 << (bit + 1)) - 1) & ~((1 << max(bit + 1 - win, 0)) - 1)  # starts of windows that hold the point
        if two & through != 0:
            add_on_line(points, line, completing_points(own, two & through, win), size)


@kernel
def add_zone(state: Ints, room: Ints, zone: Ints) -> None:
    """The zone of the chain of fours that `find_win` has just left in its `room`. The state comes back as it was."""
    size, attacker = state[SIZE], state[SIDE]
    lines, defender, length = state[first_line(size) :], BLACK + WHITE - attacker, room[CHAIN]
    for k in range(length):
        four, reply = _chain_points(room, k, size)
        toggle_stone(lines, size, four, attacker)
        add_point(zone, four, size)
        add_completions(state, four, zone)
        if k + 1 < length:
            toggle_stone(lines, size, reply, defender)
            _add_help(state, reply, zone)
    for k in range(length):
        four, reply = _chain_points(room, k, size)
        toggle_stone(lines, size, four, attacker)
        if k + 1 < length:
            toggle_stone(lines, size, reply, defender)


@kernel
def _chain_points(room: Ints, k: int, size: int) -> tuple[int, int]:
    """A four of the chain, and its reply."""
    taken = room[LINES + min(k, DEPTH - 1) * FIELDS]
    four, reply = taken >> MOVE, taken & REPLY
    return (four >> ROW) * size + (four & COLUMN), (reply >> ROW) * size + (reply & COLUMN)
