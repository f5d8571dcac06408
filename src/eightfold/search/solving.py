"""Solves a position: a win by force for the side to move, its main line, its proof as text, and the proof's check.

    >>> from eightfold.games.game import make_game
    >>> solution = solve(make_game("gomoku:size=9").after("e5 a1 f5 i1 d6 a9 d7 i9".split()), nodes=10_000)
    >>> solution.kind, solution.length, solution.check.lines > 1000
    ('threats', 5, True)

The win comes from a game's `find_win` and `find_threats`; what is said of it here (lines, trees, the check) is made
from moves and the rules alone. Read next: `proofs.py`, which checks; `eightfold.games.gomoku.threats`, which finds.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.games.proof import Attack
from eightfold.games.state import NO_MOVE, SIDE
from eightfold.search.proofs import NODES, Check, check_proof

MOST_SHOWN = 20_000  # attacks of a proof that is written out


@dataclass(frozen=True, kw_only=True)
class Solution:
    position: Position
    kind: str  # "fours": by `find_win`; "threats"; "none": no win of these kinds; "limit": the nodes were used up
    nodes: int
    seconds: float
    attack: Attack | None  # what the proof is made of, where it is not by fours alone
    line: tuple[int, ...]  # the main line, to its end: the replies that hold out longest
    check: Check | None  # of the proof; None where there is none, or nobody asked

    @property
    def is_won(self) -> bool:
        return self.kind in ("fours", "threats")

    @property
    def length(self) -> int:
        """Moves of the winner's in the main line."""
        return (len(self.line) + 1) // 2

    def as_dict(self) -> dict[str, Any]:
        name = self.position.game.name_of
        small = self.attack is not None and sum(1 for _ in _walk(self.attack)) <= MOST_SHOWN
        return {
            "game": self.position.game.text,
            "moves": [name(move) for move in self.position.moves],
            "side": "black" if self.position.to_move == 1 else "white",
            "verdict": self.kind,
            "won": self.is_won,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 4),
            "length": self.length if self.is_won else None,
            "line": [name(move) for move in self.line],
            "proof": _as_dict(self.attack, self.position) if self.attack is not None and small else None,
            "checked": None if self.check is None else self.check._asdict(),
        }


def solve(position: Position, *, nodes: int, check: bool = True) -> Solution:
    """Look for a win by force of the side to move, with so many nodes for wins by threats."""
    game = position.game
    if game.spec.threat_room is None:
        raise EightfoldError(f"{game.name} has no search for wins by threats; gomoku has one")
    if position.is_over:
        raise EightfoldError(f"the game is over ({position.outcome}): there is nothing to solve")
    room = game.threat_room(nodes)
    game.rules.find_threats(position.state.copy(), 1, room)  # compiles
    start = time.process_time()
    game.rules.find_threats(position.state.copy(), nodes, room)
    seconds = time.process_time() - start
    found = game.rules.threat_proof(room)
    won = found.kind in ("fours", "threats")
    return Solution(
        position=position,
        kind=found.kind,
        nodes=found.nodes,
        seconds=seconds,
        attack=found.attack,
        line=tuple(main_line(position, found.attack)) if won else (),
        check=check_proof(position, found.attack) if won and check else None,
    )


def proven_line(position: Position, *, nodes: int) -> tuple[int, ...]:
    """The main line of a win by force of the side to move; empty if none is found, or the game has no such search."""
    if position.game.spec.threat_room is None or position.is_over:
        return ()
    return solve(position, nodes=nodes, check=False).line


# ---- lines of play ------------------------------------------------------------------------------------


def main_line(position: Position, attack: Attack | None) -> list[int]:
    """The winner's moves, with the replies that hold out longest, to the end of the game."""
    line: list[int] = []
    while attack is not None:
        line.append(attack.move)
        position = position.play(attack.move)
        if attack.replies:
            reply, attack = max(attack.replies.items(), key=lambda each: (height(each[1]), -each[0]))
            line.append(reply)
            position = position.play(reply)
        else:
            return [*line, *_longest_end(position)]
    return by_fours(position)


def _longest_end(position: Position) -> list[int]:
    """A reply that loses to fours as late as any, near the last move if there are several; and the fours."""
    size = position.game.size
    row, column = divmod(position.last_move or 0, size)

    def distance(move: int) -> int:
        return max(abs(move // size - row), abs(move % size - column))

    ends = [[int(reply), *by_fours(position.play(int(reply)))] for reply in position.legal_moves]
    return max(ends, key=lambda end: (len(end), -distance(end[0])))


def by_fours(position: Position) -> list[int]:
    """What `find_win` plays for the side to move, and replies that parry as long as one can."""
    line: list[int] = []
    while not position.is_over:
        move = _win(position, NODES)
        if move == NO_MOVE:
            return line
        line.append(move)
        position = position.play(move)
        if not position.is_over:
            reply = _parry(position)
            line.append(reply)
            position = position.play(reply)
    return line


def _win(position: Position, nodes: int) -> int:
    return int(position.game.rules.find_win(position.state.copy(), nodes, np.empty(position.game.scratch, np.int64)))


def _parry(position: Position) -> int:
    """A reply after which the other side does not win at once; if there is none, one where it would have."""
    passed = position.state.copy()
    passed[SIDE] = 3 - passed[SIDE]
    first = int(position.game.rules.find_win(passed, 0, np.empty(position.game.scratch, np.int64)))
    replies = sorted(map(int, position.legal_moves), key=lambda move: move != first)
    return next((move for move in replies if _win(position.play(move), 0) == NO_MOVE), replies[0])


# ---- the proof as a tree ------------------------------------------------------------------------------


def height(attack: Attack) -> int:
    """How many attacks follow each other at most."""
    return _heights(attack)


@functools.lru_cache(maxsize=100_000)
def _heights(attack: Attack) -> int:
    return 1 + max((_heights(further) for further in attack.replies.values()), default=0)


def _walk(attack: Attack) -> Iterator[Attack]:
    """All attacks of the tree, one that is reached in several ways as often, up to more than can be shown."""
    waiting, seen = [attack], 0
    while waiting and seen <= MOST_SHOWN:
        attack = waiting.pop()
        seen += 1
        yield attack
        waiting.extend(attack.replies.values())


def _as_dict(attack: Attack, position: Position) -> dict[str, Any]:
    name = position.game.name_of
    return {
        "move": name(attack.move),
        "replies": {name(reply): _as_dict(further, position) for reply, further in attack.replies.items()},
    }


def proof_text(solution: Solution, most_lines: int) -> list[str]:
    """The proof as indented lines: a reply, and the attack that follows; no more lines than so many."""
    if solution.attack is None:
        return []
    name = solution.position.game.name_of
    lines = [f"{name(solution.attack.move)}{_end(solution.attack)}"]
    waiting = [(1, reply, further) for reply, further in reversed(list(solution.attack.replies.items()))]
    while waiting:
        if len(lines) == most_lines:
            lines.append(f"... and {sum(sum(1 for _ in _walk(attack)) for _, _, attack in waiting)} more")
            break
        level, reply, attack = waiting.pop()
        lines.append(f"{'  ' * level}{name(reply)}: {name(attack.move)}{_end(attack)}")
        waiting.extend((level + 1, reply, further) for reply, further in reversed(list(attack.replies.items())))
    return lines


def _end(attack: Attack) -> str:
    return "" if attack.replies else ", and every reply loses to fours"
