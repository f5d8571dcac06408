"""Where games begin and end in a piece of text, and the moves of those that are plain, straight from the bytes.

A plain game is what nearly all records are: black and white in turn from the empty board, a point or a pass each. Of
a game with variations the main line is read, which goes down the first branch everywhere: it ends at the first ')'.
What is not plain is marked, and `careful.py` reads it by the rules of SGF.

A game that stops in the middle must not swallow the next one. So a line that begins like a game, `(;` and
a property that only a root has, begins one, wherever it stands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Int, Ints, kernel

Bytes = NDArray[np.uint8]

# What lies between two places in a text; flags.
GAME, JUNK, CUT_OFF, HIGH_BYTES, VARIATIONS = 0, 1, 2, 4, 8
AHEAD = 64  # bytes that are looked at behind the end of a line

# What a game is.
PLAIN, UNUSUAL, OTHER_GAME, SETUP = 0, 1, 2, 3

OPEN, CLOSE, VALUE, VALUE_END, NODE = ord("("), ord(")"), ord("["), ord("]"), ord(";")
ESCAPE, NEWLINE, FIRST_LETTER = ord("\\"), ord("\n"), ord("a")
BYTE_ORDER_MARK = (0xEF, 0xBB, 0xBF)


def _number(name: str) -> int:
    """The name of a property as `_name` reads it."""
    return int.from_bytes(name.encode(), "big")


# Of a game as a whole: no node below a root has one of these first on its line.
ROOT_PROPERTIES = np.array(
    [
        _number(name)
        for name in (
            "AN", "AP", "BR", "BT", "CA", "CP", "DT", "EV", "FF", "GC", "GM", "GN", "HA", "KM", "ON",
            "OT", "PB", "PC", "PW", "RE", "RO", "RU", "SO", "ST", "SZ", "TM", "US", "WR", "WT",
        )
    ],
    np.int64,
)  # fmt: skip
B, W, AB, AW, AE, GM, SZ, HA = (_number(name) for name in ("B", "W", "AB", "AW", "AE", "GM", "SZ", "HA"))


@kernel
def _is_blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13 or byte in BYTE_ORDER_MARK


@kernel
def _is_capital(byte: int) -> bool:
    return 65 <= byte <= 90


@kernel
def _past_blanks(data: Bytes, k: int, stop: int) -> int:
    while k < stop and _is_blank(data[k]):
        k += 1
    return k


@kernel
def _opens(data: Bytes, k: int, stop: int) -> bool:
    """Whether '(' and ';' stand here, with nothing but blanks between them."""
    if data[k] != OPEN:
        return False
    k = _past_blanks(data, k + 1, stop)
    return k < stop and data[k] == NODE


@kernel
def _begins_root(data: Bytes, k: int, stop: int) -> bool:
    """Whether a root stands here: '(;' and a property that only roots have."""
    if k >= stop or not _opens(data, k, stop):
        return False
    k = _past_blanks(data, _past_blanks(data, k + 1, stop) + 1, stop)
    if k + 3 > stop or not _is_capital(data[k]) or not _is_capital(data[k + 1]) or data[k + 2] != VALUE:
        return False
    name = Int(data[k]) * 256 + Int(data[k + 1])
    found = False
    for known in ROOT_PROPERTIES:
        found |= name == known
    return found


@kernel
def find_games(
    data: Bytes, stop: int, final: bool, starts: Ints, ends: Ints, lines: Ints, kinds: Ints
) -> tuple[int, int, int]:
    """Write where games, and stretches of other text between them, begin and end in data[:stop], on which line after
    the first, and what they are; how many, how far the text is used up, and how many lines that is.

    `final`: nothing follows, so what is not closed is cut off.
    """
    k, line, count = 0, 0, 0
    used, used_lines = 0, 0
    while count < starts.shape[0]:
        while k < stop and _is_blank(data[k]):
            line += data[k] == NEWLINE
            k += 1
        used, used_lines = k, line
        if k == stop:
            break
        starts[count], lines[count] = k, line
        if _opens(data, k, stop):
            end, kind = _end_of_game(data, k, stop, final)
        else:
            end, kind = k + 1, JUNK
            while end < stop and not _opens(data, end, stop):
                end += 1
            if end == stop and not final:
                end = -1
        if end < 0:
            break
        for j in range(k, end):
            line += data[j] == NEWLINE
        ends[count], kinds[count] = end, kind
        count += 1
        k = end
        used, used_lines = k, line
    return count, used, used_lines


@kernel
def _end_of_game(data: Bytes, k: int, stop: int, final: bool) -> tuple[int, int]:
    """Behind the last ')' of a game, or where the next one begins; and what it is. -1: not in this piece of text."""
    kind, depth = GAME, 0
    inside, closed = False, False  # a value; whether the last mark was a ')'
    while k < stop:
        byte = data[k]
        if byte >= 128:
            kind |= HIGH_BYTES
        elif byte == NEWLINE:
            if not final and k + AHEAD > stop:
                return -1, kind
            if _begins_root(data, k + 1, stop):
                return k + 1, kind | CUT_OFF
        elif inside:
            if byte == ESCAPE:
                k += 1
            inside = byte != VALUE_END
        elif byte == VALUE:
            inside = True
        elif byte == OPEN:
            if closed:
                kind |= VARIATIONS
            depth += 1
            closed = False
        elif byte == CLOSE:
            depth -= 1
            closed = True
            if depth == 0:
                return k + 1, kind
        k += 1
    return (stop, kind | CUT_OFF) if final else (-1, kind)


@kernel
def read_games(
    data: Bytes,
    starts: Ints,
    ends: Ints,
    number: int,
    usual_size: int,
    has_pass: bool,
    moves: Ints,
    first: Ints,
    last: Ints,
    sizes: Ints,
    found: Ints,
) -> None:
    """The moves of game g go to moves[first[g]:last[g]], its board to sizes[g], and what it is to found[g]."""
    used = 0
    for game in range(starts.shape[0]):
        first[game] = used
        used, sizes[game], found[game] = _read_game(
            data, starts[game], ends[game], number, usual_size, has_pass, moves, used
        )
        last[game] = used
        if found[game] != PLAIN:
            used = first[game]


@kernel
def _read_game(
    data: Bytes, k: int, stop: int, number: int, size: int, has_pass: bool, moves: Ints, first: int
) -> tuple[int, int, int]:
    """The end of its moves, its board and what it is."""
    used, passes = first, 0
    while k < stop:
        byte = data[k]
        if byte == CLOSE:  # the end of the first branch
            return used, size, PLAIN
        if byte in (NODE, OPEN) or _is_blank(byte):
            k += 1
            continue
        name = Int(0)
        while k < stop and _is_capital(data[k]):
            name = (name * 256 + Int(data[k])) & 0xFFFFFFFF
            k += 1
        k = _past_blanks(data, k, stop)
        if name == 0 or k >= stop or data[k] != VALUE:
            return used, size, UNUSUAL
        values = 0
        while k < stop and data[k] == VALUE:
            begin = k + 1
            k = begin
            while k < stop and data[k] != VALUE_END:
                k += 2 if data[k] == ESCAPE else 1
            length = k - begin
            values += 1
            if name in (B, W):
                move = _point(data, begin, length, size)
                is_pass = move == size * size
                turn = B if (used - first) % 2 == 0 else W
                if values > 1 or name != turn or move < 0 or (is_pass and not has_pass) or (passes > 1 and not is_pass):
                    return used, size, UNUSUAL
                passes = passes + 1 if is_pass else 0
                moves[used] = move
                used += 1
            elif name in (AB, AW, AE) and length > 0:
                return used, size, SETUP
            elif name in (GM, SZ, HA):
                told = _whole_number(data, begin, length)
                if told < 0 or (name == SZ and (used > first or values > 1)):
                    return used, size, UNUSUAL
                if name == GM and told != number:
                    return used, size, OTHER_GAME
                if name == HA and told > 1:
                    return used, size, SETUP
                if name == SZ:
                    size = told
            k = _past_blanks(data, k + 1, stop)
    return used, size, UNUSUAL


@kernel
def _point(data: Bytes, begin: int, length: int, size: int) -> int:
    """A point, or size * size for a pass; -1 if it is written in another way or is not on the board."""
    if length == 0:
        return size * size
    if length != 2:
        return -1
    column, row = Int(data[begin]) - FIRST_LETTER, Int(data[begin + 1]) - FIRST_LETTER
    if 0 <= row < size and 0 <= column < size:
        return row * size + column
    return size * size if row == 19 and column == 19 and size <= 19 else -1  # tt


@kernel
def _whole_number(data: Bytes, begin: int, length: int) -> int:
    """Up to three digits; -1 for anything else."""
    if length < 1 or length > 3:
        return -1
    value = 0
    for k in range(begin, begin + length):
        if not 48 <= data[k] <= 57:
            return -1
        value = 10 * value + Int(data[k]) - 48
    return value
