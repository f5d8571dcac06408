"""Go: stones in turn, groups without liberties are taken off, two passes end the game, who owns more points wins.

The rules as kernels over one row of integers, on any board from 2x2 to 25x25. Options choose a ruleset and may
overrule it in part: scoring by area or territory; simple ko, positional or situational superko; suicide of more
than one stone forbidden or allowed (that of a single stone leaves the board as it was and is always forbidden).
With a handicap black's stones are there at the start and white begins. `docs/go.md` has all of it.

    >>> from eightfold.games.game import make_game
    >>> make_game("go:size=9,rules=japanese").text
    'go:size=9,komi=7.5,rules=japanese,handicap=0,ko=simple,suicide=forbidden'

Read next: `layout.py` and `board.py` (groups and liberties), `legal.py`, `memory.py` (superko), `score.py`
(counting), `replay.py` (moves of records), `playouts.py` (playouts with knowledge), `planes.py` (what networks see),
`move_scores.py` (the heuristic of the classical players), `effects.py` (what a move does to groups), `setup.py`
(handicap and other starts).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints, kernel
from eightfold.core.rng import Random, random_below
from eightfold.core.scratch import scratch_ints
from eightfold.core.settings import setting
from eightfold.core.specs import Value
from eightfold.games.go.board import (
    cell_at,
    clear_board,
    has_liberty,
    head_of,
    in_atari,
    is_eye,
    point_at,
    put_stone,
    stone_count,
    touches_own,
)
from eightfold.games.go.effects import move_effects as move_effects
from eightfold.games.go.layout import (
    CELLS,
    COLOUR,
    DOUBLE_KOMI,
    EMPTY,
    HANDICAP,
    KO,
    KO_MARK,
    KO_RULES,
    POINT_ROOM,
    RULES,
    SUICIDE,
    TERRITORY,
    longest_game,
    state_length,
)
from eightfold.games.go.legal import forbidden as forbidden
from eightfold.games.go.legal import is_legal
from eightfold.games.go.legal import ko_points as ko_points
from eightfold.games.go.legal import legal as legal  # what is imported so is offered to the searches
from eightfold.games.go.legal import legal_together as legal_together
from eightfold.games.go.legal import why_forbidden as why_forbidden
from eightfold.games.go.memory import flip_stone, forget_all, remember, take_prisoners, turn_page
from eightfold.games.go.move_scores import best_possible_score as best_possible_score
from eightfold.games.go.move_scores import judge_position as judge_position
from eightfold.games.go.move_scores import rescore_moves as rescore_moves
from eightfold.games.go.move_scores import score_moves as score_moves
from eightfold.games.go.planes import ENCODERS
from eightfold.games.go.planes import encode as encode
from eightfold.games.go.planes import encode_together as encode_together
from eightfold.games.go.playouts import Knowledge as Knowledge
from eightfold.games.go.playouts import know as know
from eightfold.games.go.playouts import playout as playout
from eightfold.games.go.playouts import winner_of_filled_board
from eightfold.games.go.proposals import propose as propose
from eightfold.games.go.replay import replay as replay
from eightfold.games.go.score import count_points as count_points
from eightfold.games.go.score import double_margin
from eightfold.games.go.score import margin_of as margin_of
from eightfold.games.go.score import ownership as ownership
from eightfold.games.go.score import prisoners as prisoners
from eightfold.games.go.setup import change_side as change_side
from eightfold.games.go.setup import check_handicap, place_handicap, put_stones
from eightfold.games.go.together import PASSED
from eightfold.games.go.together import find_win_together as find_win_together
from eightfold.games.go.together import play_together as play_together
from eightfold.games.spec import GameSpec
from eightfold.games.state import (
    BLACK,
    DRAW,
    HASHES,
    LAST,
    NO_MOVE,
    PLY,
    RESULT,
    SIDE,
    SIZE,
    WHITE,
)
from eightfold.symmetry.orbit import LARGEST_BOARD, toggle, toggle_side

KOS = ("simple", "positional", "situational")  # in the order of their numbers
SUICIDES = ("forbidden", "allowed")
# A ruleset: whether it counts territory, its ko and its suicide.
RULESETS = {
    "chinese": (False, "positional", "forbidden"),
    "japanese": (True, "simple", "forbidden"),
    "aga": (False, "situational", "forbidden"),
    "new-zealand": (False, "situational", "allowed"),
    "tromp-taylor": (False, "positional", "allowed"),
}


def _complete(values: dict[str, Value]) -> tuple[int, int, int]:
    territory, ko, suicide = RULESETS[str(values["rules"])]
    values["ko"] = ko = ko if values["ko"] == "auto" else str(values["ko"])
    values["suicide"] = suicide = suicide if values["suicide"] == "auto" else str(values["suicide"])
    values["komi"] = komi = float(values["komi"]) + 0.0  # -0 and 0 are one game
    if komi * 2 != int(komi * 2):
        raise EightfoldError(f"go: komi={komi:g} is not a multiple of 0.5")
    handicap = int(values["handicap"])
    check_handicap(int(values["size"]), handicap)
    rules = TERRITORY * territory + SUICIDE * (suicide == "allowed") + KO_RULES * KOS.index(ko)
    return int(komi * 2), rules, handicap


@dataclass(frozen=True, kw_only=True)
class GoOptions:
    size: int = setting(19, "points on a side", least=2, most=LARGEST_BOARD)
    komi: float = setting(7.5, "points that white gets, in halves", least=-1000, most=1000)
    rules: str = setting("chinese", "area or territory scoring; ko and suicide", choices=tuple(RULESETS))
    handicap: int = setting(0, "black stones at the start (0, or 2 to 9)", least=0, most=9)
    ko: str = setting(
        "auto", "superko: which repetitions are forbidden (auto: as the rules say)", choices=("auto", *KOS)
    )
    suicide: str = setting(
        "auto", "capturing several stones of one's own (auto: as the rules say)", choices=("auto", *SUICIDES)
    )


GAME = GameSpec(
    name="go",
    summary="surround stones to take them, and empty points to own them",
    options=GoOptions,
    state_length=state_length,
    complete=_complete,
    encoders=ENCODERS,
    fixed=(SIZE, DOUBLE_KOMI, RULES),
    has_pass=True,
    letters="abcdefghjklmnopqrstuvwxyz",  # Go players leave out the i
    networks_tolerate=frozenset({"komi", "rules", "handicap", "ko", "suicide"}),
    usual_player="mcts",
    sgf=1,
    longest=longest_game,
    has_go_rows=True,
)

# ---- rules ------------------------------------------------------------------------------------------


@kernel
def reset(state: Ints, size: int, options: Ints) -> None:
    state[:] = 0
    state[SIZE] = size
    state[SIDE] = BLACK
    state[LAST] = NO_MOVE
    state[DOUBLE_KOMI] = options[0]
    state[RULES] = options[1]
    state[HANDICAP] = options[2]
    clear_board(state, size)
    if options[2] > 0:
        place_handicap(state, options[2])
    remember(state)


def set_up(state: Ints, size: int, options: Ints, board: NDArray[np.int8], side: int) -> bool:  # [N * N]
    """A game that begins with these stones; those of a handicap are not added. False if a group has no liberty."""
    komi, rules, handicap = options
    reset(state, size, np.array((komi, rules, 0), np.int64))
    state[HANDICAP] = handicap
    forget_all(state)  # the empty board was never there
    return bool(put_stones(state, board, side))


@kernel
def play(state: Ints, move: int) -> None:
    size, colour, passed = state[SIZE], state[SIDE], state[SIZE] * state[SIZE]
    hashes = state[HASHES : HASHES + 8]
    ends = move == passed and state[LAST] == passed
    if (move == passed) != (state[LAST] == passed):
        for g in range(8):
            hashes[g] ^= PASSED
    toggle_side(hashes)
    state[PLY] += 1
    state[LAST] = move
    state[SIDE] = BLACK + WHITE - colour
    turn_page(state, size)
    old, ko = state[KO], 0
    if move != passed:
        ko = _put_down(state, move, colour)
    state[KO] = ko
    if old != ko:
        for cell in (old, ko):
            if cell != 0:
                point = point_at(cell, size)
                toggle(hashes, KO_MARK, point // size, point % size, size)
    remember(state)  # after a pass too: with the other side to move it is a new situation
    if ends or state[PLY] == longest_game(size):
        margin = double_margin(state)
        state[RESULT] = BLACK if margin > 0 else WHITE if margin < 0 else DRAW


@kernel
def play_moves(state: Ints, moves: Ints) -> int:
    """Play moves as long as they are legal; how many were."""
    for k in range(moves.shape[0]):
        if not is_legal(state, moves[k]):
            return k
        play(state, moves[k])
    return moves.shape[0]


@kernel
def _put_down(state: Ints, move: int, colour: int) -> int:
    """A stone and what it takes off: groups, hashes, prisoners; the cell that may not be retaken at once, or 0."""
    size, stride = state[SIZE], state[SIZE] + 1
    cell = cell_at(move, size)
    changed = scratch_ints(POINT_ROOM)  # the stone itself, then what is taken off
    changed[0] = cell
    count = put_stone(state, stride, cell, colour, changed, 1)
    gone = colour if count > 1 and state[cell] & COLOUR == EMPTY else BLACK + WHITE - colour
    for k in range(count):
        flip_stone(state, point_at(changed[k], size), gone if k > 0 else colour)
    take_prisoners(state, gone, count - 1)
    alone = count == 2 and gone != colour and stone_count(state, stride, head_of(state, stride, cell)) == 1
    return changed[1] if alone and in_atari(state, stride, cell) else 0


@kernel
def stones(state: Ints, board: NDArray[np.int8]) -> None:  # [N, N]
    size = state[SIZE]
    for row in range(size):
        for column in range(size):
            board[row, column] = state[CELLS + (row + 1) * (size + 1) + column + 1] & COLOUR


# ---- what the searches use besides ------------------------------------------------------------------


@kernel
def find_win(state: Ints, nodes: int, scratch: Ints) -> int:
    """A pass that ends the game with more points: nothing else wins on the spot."""
    return find_win_together(state, nodes, scratch, 1)


@kernel
def rollout(state: Ints, random: Random, scratch: Ints) -> int:
    """Random moves to the end, none that fills an own eye; then every stone counts as alive.

    The points to draw from lie in a shrinking and growing list. Repetition is limited by simple ko and by a number of
    moves; hashes and history are left behind.
    """
    size, colour, ko = state[SIZE], state[SIDE], state[KO]
    stride = state[SIZE] + 1
    suicide = state[RULES] & SUICIDE != 0
    count = 0
    for row in range(size):
        for column in range(size):
            cell = CELLS + (row + 1) * (size + 1) + column + 1
            scratch[count] = cell
            count += state[cell] & COLOUR == EMPTY
    passes = int(state[LAST] == size * size)
    moves = 3 * size * size
    while passes < 2 and moves > 0:
        moves -= 1
        passes += 1
        left = count  # the first `left` of the list were not yet refused
        while left > 0:
            pick = random_below(random, left)
            cell = scratch[pick]
            left -= 1
            if cell == ko or is_eye(state, stride, cell, colour) or not _has_room(state, stride, cell, colour, suicide):
                scratch[pick] = scratch[left]
                scratch[left] = cell
                continue
            scratch[pick] = scratch[left]
            count -= 1
            scratch[left] = scratch[count]
            before = count
            count = put_stone(state, stride, cell, colour, scratch, count)
            ko = 0
            if (
                count == before + 1
                and stone_count(state, stride, head_of(state, stride, cell)) == 1
                and in_atari(state, stride, cell)
            ):
                ko = scratch[before]
            passes = 0
            break
        colour = BLACK + WHITE - colour
        if passes:
            ko = 0
    return winner_of_filled_board(state)


@kernel
def _has_room(state: Ints, stride: int, cell: int, colour: int, suicide: bool) -> bool:
    return has_liberty(state, stride, cell, colour) or (suicide and touches_own(state, stride, cell, colour))
