"""A second thread for kernels: they run without the GIL, so a large batch can be worked on from two sides.

Both threads take the next piece of the work from one list. On an idle machine each does about half; where the
other core is busy, the caller does most of it alone and loses little.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

WORTH_A_THREAD = 1 << 20  # bytes: waking the other thread costs about as much as moving half of this
PIECES = 8


def run_on_two_threads(job: Callable[[int, int], None], count: int, size_in_bytes: int) -> None:
    """Call `job(first, stop)` for all of 0 to `count`: at once, or piece by piece from two threads."""
    if size_in_bytes < WORTH_A_THREAD or count < PIECES or (os.cpu_count() or 1) < 2:
        job(0, count)
        return
    step = -(-count // PIECES)
    pieces = iter(range(0, count, step))

    def work() -> None:
        for first in pieces:  # taking the next one holds the GIL, so no piece is taken twice
            job(first, min(first + step, count))

    beside = _helper().submit(work)
    work()
    if not beside.cancel():  # it has begun: wait for its last piece
        beside.result()


@functools.cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="eightfold")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helper.cache_clear)  # a forked child has no threads but its own
