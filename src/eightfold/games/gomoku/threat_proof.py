"""Reads the proof of a win by threes and fours out of the room that `threats.find_threats` has worked in."""

from __future__ import annotations

from eightfold.core.jit import Ints
from eightfold.games.gomoku.threats import (
    BY_FOURS,
    BY_THREATS,
    COUNT,
    ENTRY,
    FIRST,
    FIRST_ENTRY,
    FIRST_KEY,
    LIMIT,
    MOVE,
    NOTHING,
    PROOF,
    SAME,
    SPENT,
    VERDICT,
)
from eightfold.games.proof import Attack, ThreatSearch

KINDS = {BY_FOURS: "fours", BY_THREATS: "threats", NOTHING: "none", LIMIT: "limit"}


def threat_proof(room: Ints) -> ThreatSearch:
    """What `find_threats` has left in its room. Of several winning threats that with the smallest proof is taken."""
    kind = KINDS[int(room[VERDICT])]
    return ThreatSearch(kind=kind, nodes=int(room[SPENT]), attack=_attack(room) if kind == "threats" else None)


def _attack(room: Ints) -> Attack:
    entries = room[room[FIRST_ENTRY] : room[FIRST_KEY]]
    made: dict[int, tuple[int, Attack]] = {}  # positions of the attacker's -> how large, and the attack
    waiting = [0]
    while waiting:
        home = int(entries[waiting[-1] + SAME])
        threats = [threat for threat in _children(entries, home) if entries[threat + PROOF] == 0]
        below = {threat: [int(entries[reply + SAME]) for reply in _children(entries, threat)] for threat in threats}
        missing = [reply for replies in below.values() for reply in replies if reply not in made]
        if home in made or not missing:
            waiting.pop()
        if home not in made and not missing:
            sizes = {threat: 1 + sum(made[reply][0] for reply in replies) for threat, replies in below.items()}
            best = min(sizes, key=lambda threat: sizes[threat])
            replies = {
                int(entries[reply + MOVE]): made[int(entries[reply + SAME])][1] for reply in _children(entries, best)
            }
            made[home] = sizes[best], Attack(move=int(entries[best + MOVE]), replies=replies)
        waiting.extend(missing)
    return made[0][1]


def _children(entries: Ints, entry: int) -> range:
    first = int(entries[entry + FIRST])
    return range(first, first + int(entries[entry + COUNT]) * ENTRY, ENTRY)
