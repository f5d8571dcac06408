"""What a game offers to the searches: a handful of kernels, here with their meaning and no body.

A game is a module with these functions, compiled by `eightfold.core.jit.kernel`. The searches import them
from here; `eightfold.core.specialise` puts the game's own in their place, so a search is written once and
still compiles into one piece with the rules. The functions of the second group may be left out:
`eightfold.games.defaults` has them in terms of the first.

A state is a row of integers (`eightfold.games.state`). Actions are row * size + column; a pass, in games
that have one, is size * size. `docs/new-game.md` writes a whole game step by step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eightfold.core.jit import Ints
from eightfold.core.rng import Random
from eightfold.core.specs import NoOptions
from eightfold.games.proof import ThreatSearch
from eightfold.games.spec import GameSpec
from eightfold.games.state import HEADER

# ---- required ---------------------------------------------------------------------------------------


# What the game says of itself.
GAME = GameSpec(name="contract", summary="", options=NoOptions, state_length=lambda size: HEADER, encoders={})


def reset(state: Ints, size: int, options: Ints) -> None:
    """Make `state` the start of a game; `options` are the three numbers of the game's own."""


def legal(state: Ints, moves: Ints) -> int:  # type: ignore[empty-body]
    """Write the legal actions in ascending order to the front of `moves` [A] and return how many."""


def play(state: Ints, move: int) -> None:
    """Play a legal move: turn, last move, hashes and result are brought up to date."""


def stones(state: Ints, board: NDArray[np.int8]) -> None:
    """Write what lies on every point to `board` [N, N]: 0, BLACK or WHITE."""


def encode(state: Ints, encoder: int, planes: NDArray[np.float32]) -> None:
    """Write the network input for the side to move to `planes` [C, N, N], all of it."""


# ---- with a default ---------------------------------------------------------------------------------


def rollout(state: Ints, random: Random, scratch: Ints) -> int:  # type: ignore[empty-body]
    """Play random moves to the end and return the result; the state and `scratch` [A] are used up."""


def find_win(state: Ints, nodes: int, scratch: Ints) -> int:  # type: ignore[empty-body]
    """A move that wins by force, or NO_MOVE. Wins on the spot are always found, longer ones only if proven.

    `nodes` limits how much may be looked at for longer wins, 0: nothing; `scratch` [S] is used up: it has room for all
    actions and behind them for a state, or for what the game asks for (`GameSpec.scratch`).
    """


def find_threats(state: Ints, nodes: int, room: Ints) -> int:  # type: ignore[empty-body]
    """A move that wins by force, or NO_MOVE: further than `find_win` looks, by moves that leave a choice of replies.

    What is found must be proven. The side to move may have been changed in the header, as if the other had passed.
    `nodes` limits how much may be looked at; `room` is used up, and has as many numbers as the game asks for
    (`GameSpec.threat_room`). Afterwards `room[0]` is how many nodes were used. By default nothing is found.
    """


def encode_together(state: Ints, encoder: int, planes: NDArray[np.float32], lanes: int) -> None:
    """`encode`, called by all lanes of a GPU's warp at once (`eightfold.core.lanes`)."""


def legal_together(state: Ints, moves: Ints, lanes: int) -> int:  # type: ignore[empty-body]
    """The same for `legal`; all lanes are told how many."""


def find_win_together(state: Ints, nodes: int, scratch: Ints, lanes: int) -> int:  # type: ignore[empty-body]
    """The same for `find_win`: state and scratch are shared by the lanes."""


def find_win_in_parts(  # type: ignore[empty-body]
    state: Ints, nodes: int, part: int, begun: bool, scratch: Ints, lanes: int
) -> int:
    """`find_win_together` for those who cannot wait: PAUSED if a `part` of the nodes was looked at and some are left.

    Then the state is in disorder. The search goes on with `begun`, the position as it was, and the same scratch.
    """


def play_together(state: Ints, move: int, lanes: int) -> None:
    """The same for `play`: all lanes come with the same move, and see the new state afterwards."""


def threat_proof(room: Ints) -> ThreatSearch:  # type: ignore[empty-body]
    """What the last `find_threats` in that room came to, with its proof; no kernel, and it has no default."""


def is_dead(state: Ints) -> bool:  # type: ignore[empty-body]
    """Whether the game, not yet over, is drawn whatever is played."""


def is_dead_together(state: Ints, lanes: int) -> bool:  # type: ignore[empty-body]
    """The same, asked and answered by all lanes of a warp."""


def encode_batch(states: Ints, encoder: int, planes: NDArray[np.float32]) -> None:
    """`encode` for states [B, L] into planes [B, C, N, N]."""


def position_key(state: Ints) -> int:  # type: ignore[empty-body]
    """A number that a position shares with what the game's symmetries turn it into, and with nothing else."""


def move_effects(state: Ints, move: int) -> int:  # type: ignore[empty-body]
    """What a legal move does at once to the groups beside it: bits of `eightfold.games.effects`, by default none."""


def replay(state: Ints, move: int, changed: Ints) -> int:  # type: ignore[empty-body]
    """Play a move of a record; write what it changes on the board to the front of `changed` [A] and return how much.

    An entry is 4 * point + what lies there now. -1 if the move, any number, is not legal; a pass changes nothing. What
    only searches need, hashes and earlier boards, may be left behind: such a state is good for `replay`, `forbidden`,
    `stones` and `move_effects` alone, and no repetition is seen but a ko that is retaken at once.
    """


# ---- for games that can play out with knowledge: the full style of the player mcts needs all four --------------------


class Knowledge(NamedTuple):
    """What the next two know, made by `know`; kernels of searches hand it on and do not look inside."""

    table: Ints


def know(  # type: ignore[empty-body]
    size: int,
    *,
    captures: bool,
    nakade: bool,
    self_atari: int,
    mercy: float,
    kinds: NDArray[np.integer],
    points: NDArray[np.integer],
    weights: NDArray[np.float32] | None,
) -> Knowledge:
    """Knowledge of a board size, from the options of the player `mcts`; no kernel.

    `kinds` [N * N] and `points` [N * N, 8]: the 3x3 shape round every point; `weights` [3, 3^8]: what shapes are worth.
    """


def playout(  # type: ignore[empty-body]
    state: Ints, random: Random, knowledge: Knowledge, first: NDArray[np.int8], scratch: Ints
) -> int:
    """As `rollout`, with knowledge. Writes to `first` [A] who was first to play a move, 0 for nobody; `scratch` [L]."""


def propose(  # type: ignore[empty-body]
    state: Ints, knowledge: Knowledge, moves: Ints, games: NDArray[np.float32], results: NDArray[np.float32]
) -> int:
    """Write the legal moves that are worth a look to the front of `moves` [A] and return how many: at least one.

    In a game with a pass, the pass is always there and the last.

    Beside each its prior: a number of games taken as played, and the sum of their results, 1 won and -1 lost.
    """


# ---- for games that forbid some empty points to one side: people see them, and patterns are not counted there ------


def forbidden(state: Ints, points: Ints) -> int:  # type: ignore[empty-body]
    """Write the empty points that the side to move may not play to the front of `points` [A]; how many they are.

    It has a default, too.
    """


def why_forbidden(state: Ints, move: int) -> str:  # type: ignore[empty-body]
    """Why it may not, in words; no kernel."""


def ko_points(state: Ints, points: Ints) -> int:  # type: ignore[empty-body]
    """The same for those forbidden points alone that a board marks as a ko."""


# ---- for games that can begin with stones on the board; no kernels --------------------------------------------


def set_up(state: Ints, size: int, options: Ints, board: NDArray[np.int8], side: int) -> bool:  # type: ignore[empty-body]
    """Make `state` the start of a game with the stones of `board` [N * N] and that side to move; False if it cannot."""


def change_side(state: Ints, side: int) -> None:
    """Let the other side be to move on the same stones; without this the header and the hashes are changed alone."""


# ---- for games in which stones are taken ------------------------------------------------------------------


def prisoners(state: Ints) -> tuple[int, int]:  # type: ignore[empty-body]
    """The stones that black took, and those that white took; no kernel."""


# ---- for games that count points ----------------------------------------------------------------------


def margin_of(state: Ints) -> float:  # type: ignore[empty-body]
    """Black's lead when the game is over; need not be a kernel."""


def ownership(state: Ints, owners: NDArray[np.int8]) -> None:
    """Write to `owners` [N * N] whose every point is as the board stands: 0, BLACK or WHITE.

    By default a point is its stone's. Points are counted by this, unless there is a `count_points`.
    """


# ---- and in which stones that lie on the board at the end may be dead


def count_points(  # type: ignore[empty-body]
    state: Ints, dead: NDArray[np.int8], owners: NDArray[np.int8]
) -> tuple[float, float, str]:
    """Black's points, white's, and a word for the way of counting, with the stones where `dead` [N * N] is 1 dead.

    Writes to `owners` [N * N] as `ownership` does. It may take further options by name; no kernel.
    """


# ---- for games that have a move heuristic: the greedy and alpha-beta players need it ----------------


def score_moves(state: Ints, scores: Ints) -> None:
    """Write to `scores` [2, A] what each empty point is worth to black and to white; 0 if not empty."""


def rescore_moves(state: Ints, move: int, scores: Ints) -> None:
    """Bring `scores` up to date after `move`, the last one played on `state`."""


def best_possible_score(state: Ints) -> int:  # type: ignore[empty-body]
    """A number that no difference of two scores, and no judgement of a position, exceeds."""


def judge_position(state: Ints, scores: Ints) -> int:  # type: ignore[empty-body]
    """What a position is worth to the side to move without looking ahead; has a default, from the `scores` [2, A]."""


def judge_moves(state: Ints, scores: Ints, moves: Ints, count: int, enough: int) -> int:  # type: ignore[empty-body]
    """The best that the side to move gets by one of the first `count` of `moves`, if `judge_position` judges after it.

    It may stop at a move that gets `enough`, which it then brings to the front. NOT_JUDGED, which is the default, where
    moves must be played one by one: always if one of them ends the game. It saves alpha-beta its last ply; the scores
    [2, A] stay as they are.
    """


def judge_reply(state: Ints, scores: Ints, move: int, reply: int) -> int:  # type: ignore[empty-body]
    """What `judge_position` says to the side to move after its `move` and the other side's `reply`.

    NOT_JUDGED, which is the default, where they must be played: always if one of them ends the game.
    """
