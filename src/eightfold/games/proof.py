"""A proof that a position is won by force, for people and for whoever checks it: a tree of moves and replies.

An `Attack` is the winner's move, and what he plays after those replies that need an attack of their own. After every
other legal reply he wins by what `find_win` of the game finds (for Gomoku: at once, or by a chain of fours). An
attack without replies is the last one before that. Attacks may be shared: one that is reached by several orders of
moves is one object. Who checks a proof trusts neither: `eightfold.search.proofs` plays it out by the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, eq=False)
class Attack:
    move: int
    replies: Mapping[int, Attack] = field(default_factory=dict)  # reply -> what follows


@dataclass(frozen=True, kw_only=True)
class ThreatSearch:
    """What a search for a win by threats came to."""

    kind: str  # "fours": `find_win` has the win; "threats": the attack has it; "none"; "limit": the nodes were used up
    nodes: int
    attack: Attack | None
