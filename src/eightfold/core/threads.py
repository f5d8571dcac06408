"""Cores, and a second thread for kernels: they run without the GIL, so part of a large batch can go beside the rest."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Answer = TypeVar("Answer")

WORTH_A_THREAD = 1 << 20  # bytes: waking the other thread costs about as much as moving half of this
HELPERS_SHARE = 0.4  # less than half, because the helper starts later


def usable_cores() -> int:
    """Cores that this process may use, which in a container or under `taskset` are fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_on_two_threads(job: Callable[[int, int], None], count: int, size_in_bytes: int) -> None:
    """Call `job(first, stop)` for all of 0 to `count`: at once, or in two parts side by side.

    More and smaller parts would even out better, but each costs a hand-over of the GIL, and that costs more.
    """
    if size_in_bytes < WORTH_A_THREAD or count < 2 or usable_cores() < 2:
        job(0, count)
        return
    split = count - int(count * HELPERS_SHARE)
    beside = _helper().submit(job, split, count)
    job(0, split)
    if beside.cancel():  # the other core is busy and the helper has not even begun
        job(split, count)
    else:
        beside.result()


def run_parts(job: Callable[[int], Answer], parts: int) -> list[Answer]:
    """Call `job` with 0 to `parts` - 1, side by side as far as threads are free; their answers in that order.

    A part that no other thread has begun is done by the caller. So parts may call this themselves: nobody
    ever waits for work that has yet to find a thread, only for work that is under way.
    """
    beside = [_pool().submit(job, part) for part in range(1, parts)]
    own: dict[int, Answer] = {}
    try:
        own[0] = job(0)
        for part in range(parts - 1, 0, -1):  # the pool begins at the other end
            if beside[part - 1].cancel():
                own[part] = job(part)
    finally:
        # What is under way works on the same arrays. What is not, if a part failed, is not begun any more; a cancelled
        # future is not waited for, because that would be until a thread of the pool has come past it.
        wait([future for future in beside if not future.cancel()])
    return [own[part] if part in own else beside[part - 1].result() for part in range(parts)]


@functools.cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="eightfold")


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(1, usable_cores() - 1), thread_name_prefix="eightfold")


def _forget_threads() -> None:
    _helper.cache_clear()
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)  # a forked child has no threads but its own
