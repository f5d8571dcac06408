"""Gomoku: stones in turn on a square board, a row of five wins.

The rules as kernels over one row of integers, on any board from 3x3 to 25x25 and for any winning length.
- `freestyle`: five or more in a row win;
- `standard`: exactly five;
- `renju`: black wins with exactly five and may not make an overline, a double four or a double three; white wins with
  five or more (`renju.py`; only for five in a row, from 5x5 up);
- `caro`: five or more, but not five that are closed by the other side at both ends; `caro-exact`: nor more than five
  (`caro.py`).

`lines.py` says how a state is laid out; `forced_wins.py` and `threats.py` find the wins that follow by force;
`move_scores.py` has the heuristic of the greedy and the alpha-beta player.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.lanes import lane_of, lanes_where, share_rows, wait_for_lanes
from eightfold.core.rng import Random, random_below
from eightfold.core.settings import setting
from eightfold.core.specs import Value
from eightfold.games.gomoku.caro import enter_stone_caro, rollout_caro
from eightfold.games.gomoku.forced_wins import ROOM
from eightfold.games.gomoku.forced_wins import find_win as find_win  # what is imported so is offered to the searches
from eightfold.games.gomoku.forced_wins import find_win_in_parts as find_win_in_parts
from eightfold.games.gomoku.forced_wins import find_win_together as find_win_together
from eightfold.games.gomoku.forced_wins import is_dead as is_dead
from eightfold.games.gomoku.forced_wins import is_dead_together as is_dead_together
from eightfold.games.gomoku.lines import (
    CARO,
    EMPTIES,
    EMPTY,
    FREESTYLE,
    HALF,
    RENJU,
    RULE,
    RULES,
    WALL,
    WIN,
    cell_of,
    enter_stone,
    first_line,
    holds_win,
    list_empties,
    list_empties_together,
    overline_wins,
    place_on_line,
    state_length,
)
from eightfold.games.gomoku.move_scores import best_possible_score as best_possible_score
from eightfold.games.gomoku.move_scores import counted_run
from eightfold.games.gomoku.move_scores import judge_moves as judge_moves
from eightfold.games.gomoku.move_scores import judge_reply as judge_reply
from eightfold.games.gomoku.move_scores import rescore_moves as rescore_moves
from eightfold.games.gomoku.move_scores import score_moves as score_moves
from eightfold.games.gomoku.renju import (
    EYES,
    FAULTS,
    FIVE,
    black_can_move,
    fault,
    legal_for_black,
    may_play,
    rollout_renju,
)
from eightfold.games.gomoku.renju import forbidden as forbidden
from eightfold.games.gomoku.threat_proof import threat_proof as threat_proof
from eightfold.games.gomoku.threats import find_threats as find_threats
from eightfold.games.gomoku.threats import threat_room
from eightfold.games.spec import GameSpec
from eightfold.games.state import (
    BLACK,
    DRAW,
    HASHES,
    HEADER,
    LAST,
    NO_MOVE,
    ONGOING,
    PLY,
    RESULT,
    SIDE,
    SIZE,
    WHITE,
)
from eightfold.symmetry.group import COUNT
from eightfold.symmetry.orbit import LARGEST_BOARD, OTHER_SIDE, mark_hash, toggle, toggle_side

LAST_MOVE, THREAT, HISTORY = 0, 1, 2  # encoders, in the order of GAME.encoders


def _complete(values: dict[str, Value]) -> tuple[int, int, int]:
    size = int(values["size"])
    win = int(values["win"] or min(5, size))
    values["win"] = win
    if win > size:
        raise EightfoldError(f"gomoku: win={win} does not fit on a {size}x{size} board; give win={size} or less")
    rule = list(RULES).index(str(values["rule"]))
    if rule == RENJU and win != FIVE:
        raise EightfoldError(f"gomoku: rule=renju is played to five in a row, not win={win}; give size=5 or more")
    return win, rule, 0


@dataclass(frozen=True, kw_only=True)
class GomokuOptions:
    size: int = setting(15, "points on a side", least=3, most=LARGEST_BOARD)
    win: int = setting(0, "stones in a row that win (0: five, or less on a tiny board)", least=0, most=LARGEST_BOARD)
    rule: str = setting(
        "freestyle",
        "freestyle: five or more win; standard: exactly five; renju: black is forbidden double threes, double fours "
        "and overlines; caro: five closed at both ends do not win; caro-exact: nor do more than five",
        choices=tuple(RULES),
    )


GAME = GameSpec(
    name="gomoku",
    summary="stones in turn, a row of five wins",
    options=GomokuOptions,
    state_length=state_length,
    complete=_complete,
    encoders={"last-move": 4, "threat": 5, "history": 4},
    fixed=(SIZE, WIN, RULE),
    networks_tolerate=frozenset({"rule"}),  # threes and fours are worth much the same, and a search knows the rule
    sgf=4,
    swap2=True,
    psq=True,
    longest=lambda size: size * size,
    scratch=ROOM,
    threat_room=threat_room,
)

# ---- rules ------------------------------------------------------------------------------------------


@kernel
def reset(state: Ints, size: int, options: Ints) -> None:
    state[:] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE
    state[WIN] = options[0]
    state[RULE] = options[1]
    state[EMPTIES] = size * size
    state[HEADER : first_line(size)] = WALL
    for row in range(size):
        first = cell_of(row, 0, size)
        state[first : first + size] = EMPTY


@kernel
def legal(state: Ints, moves: Ints) -> int:
    if state[RESULT] != ONGOING:
        return 0
    if state[RULE] == RENJU and state[SIDE] == BLACK:
        return legal_for_black(state, moves, 1)
    return list_empties(state, moves)


@kernel
def legal_together(state: Ints, moves: Ints, lanes: int) -> int:
    if state[RESULT] != ONGOING:
        return 0
    if state[RULE] == RENJU and state[SIDE] == BLACK:
        return legal_for_black(state, moves, lanes)
    return list_empties_together(state, moves, lanes)


@kernel
def play(state: Ints, move: int) -> None:
    size, colour, rule = state[SIZE], state[SIDE], state[RULE]
    row, column = move // size, move % size
    state[cell_of(row, column, size)] = colour
    state[EMPTIES] -= 1
    state[PLY] += 1
    state[LAST] = move
    state[SIDE] = BLACK + WHITE - colour
    hashes = state[HASHES : HASHES + 8]
    toggle(hashes, colour - BLACK, row, column, size)
    toggle_side(hashes)
    if rule < CARO:
        won = enter_stone(state, size, state[WIN], overline_wins(rule, colour), row, column, colour)
    else:
        won = enter_stone_caro(state, size, state[WIN], rule == CARO, row, column, colour)
    if won:
        state[RESULT] = colour
    elif state[EMPTIES] == 0:
        state[RESULT] = DRAW
    elif rule == RENJU and colour == WHITE and not black_can_move(state[first_line(size) :], size):
        state[RESULT] = WHITE


@kernel
def play_together(state: Ints, move: int, lanes: int) -> None:
    """The lanes share the eight hashes and the four lines. `play` is apart: by this text one lane takes longer."""
    size, colour, rule, win = state[SIZE], state[SIDE], state[RULE], state[WIN]
    row, column, lane = move // size, move % size, lane_of(lanes)
    for g in range(lane, COUNT, lanes):
        state[HASHES + g] ^= mark_hash(colour - BLACK, row, column, size, g) ^ OTHER_SIDE
    won = False
    for direction in range(lane, 4, lanes):
        line, bit = place_on_line(row, column, direction, size)
        word = state[first_line(size) + line] | 1 << (bit + HALF * (colour - BLACK))
        state[first_line(size) + line] = word
        won |= holds_win(word, win, rule, colour)
    wins = lanes_where(won, lanes) != 0
    wait_for_lanes(lanes)
    if lane == 0:
        state[cell_of(row, column, size)] = colour
        state[EMPTIES] -= 1
        state[PLY] += 1
        state[LAST] = move
        state[SIDE] = BLACK + WHITE - colour
        if wins:
            state[RESULT] = colour
        elif state[EMPTIES] == 0:
            state[RESULT] = DRAW
        elif rule == RENJU and colour == WHITE and not black_can_move(state[first_line(size) :], size):
            state[RESULT] = WHITE
    wait_for_lanes(lanes)


@kernel
def stones(state: Ints, board: NDArray[np.int8]) -> None:  # [N, N]
    size = state[SIZE]
    for row in range(size):
        for column in range(size):
            board[row, column] = state[cell_of(row, column, size)]


@kernel
def rollout(state: Ints, random: Random, scratch: Ints) -> int:
    """Random moves to the end, drawn from a shrinking list of the empty points."""
    if state[RULE] == RENJU:
        return rollout_renju(state, random, scratch)
    if state[RULE] >= CARO:
        return rollout_caro(state, random, scratch)
    size, win, freestyle, colour = state[SIZE], state[WIN], state[RULE] == FREESTYLE, state[SIDE]
    count = 0
    for row in range(size):
        first = cell_of(row, 0, size)
        for column in range(size):
            scratch[count] = row * HALF + column  # row and column apart again by shifts, not by a division
            count += state[first + column] == EMPTY
    while count > 0:
        pick = random_below(random, count)
        point = scratch[pick]
        count -= 1
        scratch[pick] = scratch[count]
        if enter_stone(state, size, win, freestyle, point // HALF, point % HALF, colour):
            return colour
        colour = BLACK + WHITE - colour
    return DRAW


def why_forbidden(state: Ints, move: int) -> str:
    """Why a point is forbidden to black, in words: "black may not make a double three"."""
    size = int(state[SIZE])
    kind = int(fault(state[first_line(size) :], size, move, np.empty((EYES, 2), np.int64)))
    return f"black may not make {FAULTS[kind]}"


# ---- network inputs ---------------------------------------------------------------------------------


@kernel
def encode(state: Ints, encoder: int, planes: NDArray[np.float32]) -> None:  # [C, N, N]
    """From the side to move: own stones, opponent's stones, then

    last-move (Suen & Alonso): the last move; all ones if black is to move;
    threat (AlphaGomoku): the same two, and for every empty point how long a run a stone there would
    make for either colour that may play it, from 0 (a lone stone) to 1 (a winning line);
    history (Zhao & Zhang): own and opponent's stones one move earlier.
    """
    encode_together(state, encoder, planes, 1)


@kernel
def encode_together(state: Ints, encoder: int, planes: NDArray[np.float32], lanes: int) -> None:
    size, own, last = state[SIZE], state[SIDE], state[LAST]
    rows, top, left = share_rows(size, lanes)
    row = top
    while row < size:
        column = left
        while column < size:
            stone = state[cell_of(row, column, size)]
            planes[0, row, column] = stone == own
            planes[1, row, column] = stone == BLACK + WHITE - own
            if encoder == HISTORY:
                planes[2, row, column], planes[3, row, column] = planes[0, row, column], planes[1, row, column]
            else:
                planes[2, row, column], planes[3, row, column] = 0, own == BLACK
            column += lanes
        row += rows
    wait_for_lanes(lanes)
    if last != NO_MOVE and lane_of(lanes) == 0:
        planes[3 if encoder == HISTORY else 2, last // size, last % size] = encoder != HISTORY
    if encoder == THREAT:
        row = top
        while row < size:
            column = left
            while column < size:
                cell, first = cell_of(row, column, size), int(BLACK)
                if state[RULE] == RENJU and state[cell] == EMPTY and not may_play(state, row * size + column):
                    first = int(WHITE)  # where black may not play, only white's runs count
                planes[4, row, column] = _threat(state, cell, first)
                column += lanes
            row += rows
    wait_for_lanes(lanes)


@kernel
def _threat(state: Ints, cell: int, first_colour: int) -> float:
    if state[cell] != EMPTY:
        return 0.0
    stride = state[SIZE] + 1
    longest = 1
    for colour in range(first_colour, WHITE + 1):
        for step in (1, stride - 1, stride, stride + 1):
            longest = max(longest, counted_run(state, cell, step, colour))
    return (longest - 1) / max(state[WIN] - 1, 1)
