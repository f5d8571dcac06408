"""Caches of all sizes at once: how far back, in entries, a cache that forgets the least recently used has to remember.

The distance of a request is the number of different keys since the last request for its own key, that one included. A
cache of C entries answers it exactly if the distance is at most C (Mattson et al. 1970). So one pass over a stream says
how often a cache of any size would have answered. The keys since a moment are counted by a Fenwick tree (Fenwick 1994)
that has a one at the last request for each key.

>>> stack_distances(np.array([7, 8, 7, 7, 9, 8]))
array([0, 0, 2, 1, 0, 3])
"""

from __future__ import annotations

import numpy as np

from eightfold.core.jit import Ints, kernel


def stack_distances(keys: Ints) -> Ints:
    """[T] keys, any numbers, to [T] distances; 0 where a key comes for the first time, which no cache answers."""
    _, names = np.unique(keys, return_inverse=True)
    distances = np.zeros(len(keys), np.int64)
    last = np.full(int(names.max(initial=0)) + 1, -1, np.int64)
    _measure(names.reshape(-1).astype(np.int64), last, np.zeros(len(keys) + 1, np.int64), distances)
    return distances


@kernel
def _measure(names: Ints, last: Ints, tree: Ints, distances: Ints) -> None:  # [T], [K], [T + 1], [T]
    different = 0  # keys so far
    for now in range(names.shape[0]):
        before = last[names[now]]
        if before >= 0:
            # All keys but those whose last request came before that of this one.
            distances[now] = different - _sum_to(tree, before)
            _add(tree, before + 1, -1)
        else:
            different += 1
        _add(tree, now + 1, 1)
        last[names[now]] = now


@kernel
def _add(tree: Ints, place: int, change: int) -> None:  # places count from 1
    while place < tree.shape[0]:
        tree[place] += change
        place += place & -place


@kernel
def _sum_to(tree: Ints, place: int) -> int:
    total = 0
    while place > 0:
        total += tree[place]
        place -= place & -place
    return total
