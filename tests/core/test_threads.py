"""Parts of a job on several threads. A test that could hang runs in a process of its own, with a limit as a guard."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from eightfold.core.threads import run_parts
from patience import LONG, finished

NESTED = """
from eightfold.core import threads
threads.usable_cores = lambda: {cores}

def part(depth, number):
    if depth == 0:
        return [number]
    return [number, *threads.run_parts(lambda inner: part(depth - 1, inner), 3)]

print(threads.run_parts(lambda number: part({depth}, number), 3) == [part({depth}, number) for number in range(3)])
"""


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize("depth", [1, 3])
def test_parts_may_have_parts_of_their_own(cores, depth):
    code = NESTED.format(cores=cores, depth=depth)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=True)
    assert done.stdout.split() == ["True"]


def test_answers_come_in_the_order_of_the_parts():
    assert run_parts(lambda part: part * part, 50) == [part * part for part in range(50)]
    assert run_parts(lambda part: part, 1) == [0]


def test_a_part_that_fails_is_heard_when_the_others_have_ended():
    begun, ended = threading.Barrier(2), []

    def job(part: int) -> None:
        begun.wait()  # both are under way, on threads of their own
        if part == 0:
            raise ArithmeticError("the first")
        ended.append(part)

    def call() -> None:
        with pytest.raises(ArithmeticError, match="the first"):
            run_parts(job, 2)
        assert ended == [1]

    finished(call)
