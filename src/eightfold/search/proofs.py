"""Proofs of won positions, played out by the rules over every legal reply.

    >>> from eightfold.games.game import make_game
    >>> position = make_game("gomoku:size=9").after("e5 a1 f5 a3 g5 c1".split())
    >>> check_proof(position, None)  # by fours alone
    Check(positions=0, lines=74)

An `Attack` says what the winner plays after some replies; after all others a game's `find_win` proposes his moves.
Nothing of what either says is believed: a line of play counts when the rules call it won by the right side, and every
legal reply at every step is played. Read next: `kernels/playing_out.py`, `eightfold.games.proof`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.specialise import specialise
from eightfold.games.game import Position
from eightfold.games.proof import Attack

LONGEST = 80  # moves of a win by what `find_win` finds
NODES = 1_000_000  # for each of its moves


class Check(NamedTuple):
    """What was played out."""

    positions: int  # in which the proof itself has a move
    lines: int  # of play, each to its end


def check_proof(position: Position, attack: Attack | None, *, most_lines: int = 10**12) -> Check | None:
    """Play a proof out, every reply at every step; an error if it is wrong, None beyond so many lines.

    Without an attack the side to move must win by what `find_win` finds.
    """
    game, winner = position.game, position.to_move
    kernels = specialise("eightfold.search.kernels.playing_out", game.rules)
    states = np.zeros((LONGEST, len(position.state)), np.int64)
    replies, counts = np.zeros((LONGEST, game.actions), np.int64), np.zeros((LONGEST, 2), np.int64)
    scratch = np.zeros(game.scratch, np.int64)
    seen: set[bytes] = set()  # positions of the proof, by their stones
    total = 0

    def by_fours(after: Position) -> int:
        states[0] = after.state
        lines = int(kernels.play_out(states, replies, counts, NODES, scratch))
        if lines < 0:
            played = " ".join(map(game.name_of, after.moves[position.ply :]))
            raise EightfoldError(f"the proof does not hold: after {played or 'no move'} there is no win by force")
        return lines

    if attack is None:
        return Check(0, by_fours(position))
    waiting = [(position, attack)]
    while waiting:
        before, attack = waiting.pop()
        if before.stones.tobytes() in seen:  # it was reached by another order of moves
            continue
        seen.add(before.stones.tobytes())
        after = before.play(attack.move)
        if after.result == winner:
            total += 1
            continue
        for reply in after.legal_moves:
            beyond = after.play(int(reply))
            further = attack.replies.get(int(reply))
            if further is not None:
                waiting.append((beyond, further))
            else:
                total += by_fours(beyond)
            if total > most_lines:
                return None
    return Check(len(seen), total)
