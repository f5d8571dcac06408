"""Whether the side to move wins, by playing it out: its moves from `find_win`, against every legal reply, to the end.

`find_win` is asked for moves and not believed: only rows that the rules call won count. The stack of positions is a
loop's, as in all kernels. Read next: `eightfold.search.proofs`.
"""

from __future__ import annotations

from eightfold.core.jit import Ints, kernel
from eightfold.games.contract import find_win, legal, play
from eightfold.games.state import NO_MOVE, ONGOING, RESULT, SIDE, copy_state

ESCAPED, FULL = -1, -2  # a reply that is not beaten; no room for so long a win


@kernel
def play_out(states: Ints, replies: Ints, counts: Ints, nodes: int, scratch: Ints) -> int:
    """How many lines of play end in a win of the side to move in `states[0]`; below 0 if one does not.

    `states` [D, L], `replies` [D, A] and `counts` [D, 2] have room for D moves; even places are the winner's to move.
    """
    winner, lines, depth = states[0, SIDE], 0, 0
    while depth >= 0:
        if depth + 2 >= states.shape[0]:
            return FULL
        move = find_win(states[depth], nodes, scratch)
        if move == NO_MOVE:
            return ESCAPED
        copy_state(states[depth], states[depth + 1])
        play(states[depth + 1], move)
        depth += 1
        counts[depth, 0], counts[depth, 1] = 0, 0
        if states[depth, RESULT] == winner:
            lines += 1
        elif states[depth, RESULT] == ONGOING:
            counts[depth, 1] = legal(states[depth], replies[depth])
        else:
            return ESCAPED
        while depth > 0 and counts[depth, 0] == counts[depth, 1]:  # all replies are answered: back to the one before
            depth -= 2
        if depth < 0:
            return lines
        reply = replies[depth, counts[depth, 0]]
        counts[depth, 0] += 1
        copy_state(states[depth], states[depth + 1])
        play(states[depth + 1], reply)
        depth += 1
        if states[depth, RESULT] != ONGOING:
            return ESCAPED
    return lines
