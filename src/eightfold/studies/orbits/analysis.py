"""From a stream of requests to what caches of all sizes would have answered, by position and by orbit.

A cache lives for a round, after which the network has new weights, or for as long as the stream, as if the network
stayed what it is. `memory` compares sizes at equal hits: the smallest cache with position keys that answers so many
requests, and the smallest with orbit keys that answers as many. A cache of orbits answers all that one of positions of
its size answers: the entries between two requests are never more, and the last one is never longer ago.

Shapes: T requests.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from eightfold.core.jit import Ints
from eightfold.studies.frame import Part
from eightfold.studies.orbits.stack import stack_distances
from eightfold.studies.orbits.streams import ORBIT, POSITION, SEEN, Stream, read_stream

ROUND, STREAM = "a round", "the stream"  # how long a cache lives
SHARES = (0.25, 0.5, 0.75, 0.9, 1.0)  # of all hits that position keys can have
KEYS = (POSITION, ORBIT)


def analyse_stream(part: Part, *, file: Path) -> list[dict[str, Any]]:
    """A part: what caches of either kind and either life answer of a stream."""
    stream = read_stream(file)
    found = []
    for number, kind in enumerate(SEEN):
        for life in (ROUND, STREAM):
            found.append({"kind": kind, "life": life, **answers(stream, kind, life)})
            part.progress((2 * number + (life == STREAM) + 1) / (2 * len(SEEN)))
    return found


def answers(stream: Stream, kind: str, life: str) -> dict[str, Any]:
    """What caches of all sizes answer, by size and by stones on the board."""
    names = {key: stream.keys[kind, key] for key in KEYS}
    if life == ROUND:  # an entry of an earlier round is another entry
        rounds = int(stream.rounds.max()) + 1
        names = {key: numbers * rounds + stream.rounds for key, numbers in names.items()}
    distances = {key: stack_distances(numbers) for key, numbers in names.items()}  # [T]
    within = {key: np.sort(each[each > 0]) for key, each in distances.items()}
    return {
        "requests": len(stream),
        "entries": {key: int((each == 0).sum()) for key, each in distances.items()},
        "hits": {key: len(each) / len(stream) for key, each in within.items()},
        "curve": [
            {"capacity": size, **{key: hits_with(within[key], size) / len(stream) for key in KEYS}}
            for size in capacities(stream)
        ],
        "memory": [
            {"share": share, **memory_for(within, share)} for share in SHARES if len(within[POSITION]) >= len(SHARES)
        ],
        "plies": _by_ply(stream.plies, distances),
    }


def capacities(stream: Stream) -> list[int]:
    """Up to more than there can be entries, each eight times the one before: what orbits are said to save."""
    sizes = [2]
    while sizes[-1] < len(stream):
        sizes.append(8 * sizes[-1])
    return sizes


def hits_with(within: Ints, capacity: int) -> int:
    """How many requests a cache of this size answers, by their distances in ascending order."""
    return int(np.searchsorted(within, capacity, side="right"))


def memory_for(within: dict[str, Ints], share: float) -> dict[str, Any]:
    """The entries that either key needs for this share of the hits that position keys can have."""
    wanted = max(1, round(share * len(within[POSITION])))
    needed = {key: int(within[key][wanted - 1]) for key in KEYS}
    return {**needed, "factor": needed[POSITION] / needed[ORBIT]}


def _by_ply(plies: Ints, distances: dict[str, Ints]) -> list[dict[str, Any]]:
    """Requests, and entries that they make with unlimited memory, by the number of stones on the board."""
    rows = []
    for ply in np.unique(plies).tolist():
        here = plies == ply
        entries = {f"{key}_entries": int((distances[key][here] == 0).sum()) for key in KEYS}
        rows.append({"ply": ply, "requests": int(here.sum()), **entries})
    return rows
