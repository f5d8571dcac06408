"""What a Go state remembers: hashes for tables and superko, and the last boards for networks that look back.

Superko: no move may make a position that was there before (positional), or was there with the same side to move
(situational). Every position of a game is kept as one hash in the state row, and a move is compared with all of them.
Nearly none has to be: a stone can only bring an old position back where a stone of its colour lay before and was
taken off, which one bit of a cell remembers (a group that takes itself off is the exception), and a filter of bits
tells most of the others that their hash is new.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.games.go.board import has_liberty, head_of, in_atari, next_of, point_at
from eightfold.games.go.layout import (
    BLACK_TAKEN,
    BOARDS,
    COLOUR,
    FILTER_WORDS,
    KO_RULES,
    POSITION,
    RULES,
    SEEN,
    SIMPLE_KO,
    SITUATIONAL,
    TAKEN,
    TERRITORY,
    WORD,
    WORD_SHIFT,
    boards_at,
    filter_at,
    history_at,
    words,
)
from eightfold.games.state import BLACK, HASHES, PLY, SIDE, SIZE, WHITE
from eightfold.symmetry.group import IDENTITY
from eightfold.symmetry.orbit import OTHER_SIDE, mark_hash, toggle

NEVER = -1
PRISONERS, PRISONERS_AGAIN = np.int64(0x1E3779B97F4A7C15), np.int64(0x3F58476D1CE4E5B9)  # odd, to mix their number


@kernel
def stone_hash(point: int, colour: int, size: int) -> np.int64:
    return mark_hash(colour - BLACK, point // size, point % size, size, IDENTITY)


@kernel
def flip_stone(state: Ints, point: int, colour: int) -> None:
    """Enter a stone in the hashes and in the present board, or take it out there."""
    size = state[SIZE]
    toggle(state[HASHES : HASHES + 8], colour - BLACK, point // size, point % size, size)
    state[POSITION] ^= stone_hash(point, colour, size)
    page = boards_at(size) + (2 * (state[PLY] % BOARDS) + colour - BLACK) * words(size)
    state[page + point // WORD] ^= 1 << (point % WORD)


@kernel
def take_prisoners(state: Ints, colour: int, count: int) -> None:
    """Stones of a colour went off the board. Where they are points, positions that differ in them have other hashes."""
    before = state[TAKEN + colour - BLACK]
    state[TAKEN + colour - BLACK] = before + count
    if count > 0 and state[RULES] & TERRITORY != 0:
        change = prisoners_hash(colour, before) ^ prisoners_hash(colour, before + count)
        for g in range(8):  # prisoners lie on no point: they look the same from all sides
            state[HASHES + g] ^= change


@kernel
def prisoners_hash(colour: int, count: int) -> np.int64:
    """A number for so many prisoners, however many they are; 0 for none. Every step can be undone, so all differ."""
    mixed = np.int64(2 * count + colour - BLACK if count > 0 else 0) * PRISONERS
    mixed ^= (mixed >> 29) & ((1 << 35) - 1)
    mixed *= PRISONERS_AGAIN
    return mixed ^ ((mixed >> 32) & ((1 << 32) - 1))


@kernel
def turn_page(state: Ints, size: int) -> None:
    """Copy the board of the last ply to where that of the present one is kept."""
    length = 2 * words(size)
    old = boards_at(size) + (state[PLY] - 1) % BOARDS * length
    new = boards_at(size) + state[PLY] % BOARDS * length
    for k in range(length):  # a slice would take two seconds more to compile
        state[new + k] = state[old + k]


@kernel
def page_of(state: Ints, plies: int, colour: int) -> int:
    """Where the stones of a colour are kept as they lay so many plies ago, less than BOARDS; NEVER before the start."""
    if plies > state[PLY]:
        return NEVER
    size = state[SIZE]
    return boards_at(size) + (2 * ((state[PLY] - plies) % BOARDS) + colour - BLACK) * words(size)


@kernel
def lies_on(state: Ints, page: int, point: int) -> bool:
    """Whether a stone lay on a point, by such a page."""
    return page != NEVER and (state[page + (point >> WORD_SHIFT)] >> (point & (WORD - 1))) & 1 != 0


@kernel
def remember(state: Ints) -> None:
    """Add the position that is there now."""
    size, seen = state[SIZE], _as_seen(state, state[POSITION], state[SIDE])
    place = seen & (FILTER_WORDS * WORD - 1)
    state[filter_at(size) + place // WORD] |= 1 << (place % WORD)
    state[history_at(size) + state[SEEN]] = seen
    state[SEEN] += 1


@kernel
def forget_all(state: Ints) -> None:
    """No position was there before."""
    first = filter_at(state[SIZE])
    state[first : first + FILTER_WORDS] = 0
    state[SEEN] = 0


@kernel
def _as_seen(state: Ints, position: np.int64, side: int) -> np.int64:
    """What is compared: the stones, and under situational superko the side to move."""
    situational = state[RULES] // KO_RULES == SITUATIONAL
    return position ^ (OTHER_SIDE if situational and side == WHITE else np.int64(0))


@kernel
def repeats(state: Ints, stride: int, cell: int, colour: int) -> bool:
    """Whether a stone on an empty cell, legal otherwise, makes an old position where that is forbidden."""
    return state[RULES] // KO_RULES != SIMPLE_KO and repeated(state, stride, cell, colour) != NEVER


@kernel
def repeated(state: Ints, stride: int, cell: int, colour: int) -> int:
    """The number of the position, from 0, that a stone on an empty cell makes again; NEVER if none."""
    size = state[SIZE]
    stays = has_liberty(state, stride, cell, colour)
    if stays and state[cell] & (BLACK_TAKEN * colour) == 0:
        return NEVER
    position = state[POSITION] ^ stone_hash(point_at(cell, size), colour, size)
    if not stays:
        position = state[POSITION]
    # What goes: the opponent's groups in atari, or, if the stone does not stay, all own groups beside it.
    goes = BLACK + WHITE - colour if stays else colour
    for side in range(4):
        beside = _neighbour(cell, side, stride)
        if (
            state[beside] & COLOUR == goes
            and in_atari(state, stride, head_of(state, stride, beside))
            and not _listed(state, stride, cell, side)
        ):
            position ^= _group_hash(state, stride, beside, goes, size)
    wanted = _as_seen(state, position, BLACK + WHITE - colour)
    place = wanted & (FILTER_WORDS * WORD - 1)
    if (state[filter_at(size) + place // WORD] >> (place % WORD)) & 1 == 0:
        return NEVER
    first = history_at(size)
    for number in range(state[SEEN]):
        if state[first + number] == wanted:
            return number
    return NEVER


@kernel
def _neighbour(cell: int, side: int, stride: int) -> int:
    return cell + (1 - 2 * (side & 1)) * (1 if side < 2 else stride)


@kernel
def _listed(state: Ints, stride: int, cell: int, side: int) -> bool:
    """Whether the group on this side was met on an earlier side already."""
    head = head_of(state, stride, _neighbour(cell, side, stride))
    kind = state[head] & COLOUR
    for earlier in range(side):
        beside = _neighbour(cell, earlier, stride)
        if state[beside] & COLOUR == kind and head_of(state, stride, beside) == head:
            return True
    return False


@kernel
def _group_hash(state: Ints, stride: int, start: int, colour: int, size: int) -> np.int64:
    total = np.int64(0)
    cell = start
    while True:
        total ^= stone_hash(point_at(cell, size), colour, size)
        cell = next_of(state, stride, cell)
        if cell == start:
            return total
