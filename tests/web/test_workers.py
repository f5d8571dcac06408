"""Worker threads: fair turns, and work that can be stopped."""

from __future__ import annotations

import threading
import time

from eightfold.web.workers import WorkerPool
from patience import LONG


def wait_for(condition):
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "this did not happen"
        time.sleep(0.005)


def test_tables_take_turns_however_much_one_of_them_asks_for():
    pool, order = WorkerPool(1), []
    gate = threading.Event()
    pool.submit("gate", lambda stop: gate.wait(20), lambda *_: None)
    for number in range(5):
        pool.submit("greedy", lambda stop, n=number: n, lambda job, result, failure: order.append(("greedy", result)))
    for table in ("one", "two"):
        pool.submit(table, lambda stop: 0, lambda job, result, failure, t=table: order.append((t, result)))
    gate.set()
    wait_for(lambda: len(order) == 7)
    assert order[:3] == [("greedy", 0), ("one", 0), ("two", 0)]
    assert order[3:] == [("greedy", number) for number in range(1, 5)]
    pool.close()


def test_what_was_stopped_before_its_turn_is_never_done():
    pool, done = WorkerPool(1), []
    gate = threading.Event()
    pool.submit("gate", lambda stop: gate.wait(20), lambda *_: done.append("gate"))
    job = pool.submit("other", lambda stop: 1, lambda *_: done.append("other"))
    job.stop.set()
    gate.set()
    wait_for(lambda: done)
    time.sleep(0.05)
    assert done == ["gate"]
    pool.close()


def test_a_failure_is_told_and_the_worker_goes_on():
    pool, heard = WorkerPool(1), []

    def fail(stop):
        raise RuntimeError("a bug")

    pool.submit("one", fail, lambda job, result, failure: heard.append(failure))
    pool.submit("two", lambda stop: 5, lambda job, result, failure: heard.append(result))
    wait_for(lambda: len(heard) == 2)
    assert isinstance(heard[0], RuntimeError)
    assert heard[1] == 5
    pool.close()


def test_closing_stops_what_runs():
    pool = WorkerPool(2)
    begun, heard = threading.Event(), threading.Event()

    def long(stop):
        begun.set()
        if stop.wait(20):
            heard.set()

    pool.submit("one", long, lambda *_: None)
    assert begun.wait(20)
    pool.close()
    wait_for(heard.is_set)
