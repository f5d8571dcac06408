"""Parts of a study that are measured together: in turns, so that they share the machine's moods, or side by side.

Such a part is a generator: it works for a while, yields what it has cost so far, and returns its result. `in_turns`
always goes on with the one that has cost least; `side_by_side` gives each a process of its own. Either hands on a
result as soon as there is one. What a part must not lose when it is stopped, it keeps in its folder.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.studies.frame import Part

Turns = Generator[float, None, Any]
Pending = Sequence[tuple[Part, Mapping[str, Any]]]
Results = Iterator[tuple[int, Any]]  # the number of a part, and what it returned

SHARE, RESULT, TROUBLE = "share", "result", "trouble"
PATIENCE = 60.0  # seconds for a process that is asked to end, to save what it has


def whole(turns: Turns) -> Any:
    """All turns of one part, and its result."""
    try:
        while True:
            next(turns)
    except StopIteration as end:
        return end.value


def one_by_one(measure: Callable[..., Turns], pending: Pending) -> Results:
    for number, (part, facts) in enumerate(pending):
        yield number, whole(measure(part, **facts))


def in_turns(measure: Callable[..., Turns], pending: Pending, *, by: str) -> Results:
    """Parts that agree in the fact `by` take turns, the one that has cost least first."""
    groups: dict[Any, list[int]] = {}
    for number, (_, facts) in enumerate(pending):
        groups.setdefault(facts[by], []).append(number)
    for numbers in groups.values():
        going = {number: measure(pending[number][0], **pending[number][1]) for number in numbers}
        cost = dict.fromkeys(numbers, -1.0)  # nobody has begun
        try:
            while going:
                number = min(going, key=lambda each: cost[each])
                try:
                    cost[number] = next(going[number])
                except StopIteration as end:
                    del going[number]
                    yield number, end.value
        finally:
            for turns in going.values():
                turns.close()


def side_by_side(measure: Callable[..., Turns], pending: Pending, *, at_once: int) -> Results:
    """So many parts at a time, each in a process of its own; `measure` is a function that other processes can import.

    When one fails the others are asked to end too; they go on with what they keep in their folders.
    """
    context = multiprocessing.get_context("spawn")
    waiting = list(range(len(pending)))
    running: dict[Connection, tuple[int, SpawnProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                number = waiting.pop(0)
                part, facts = pending[number]
                ours, theirs = context.Pipe()
                process = context.Process(
                    target=_measure_here, args=(theirs, measure, part.output, part.place, dict(facts)), daemon=True
                )
                process.start()
                theirs.close()
                running[ours] = number, process
            for connection in wait(list(running)):
                assert isinstance(connection, Connection)
                number, process = running[connection]
                try:
                    kind, told = connection.recv()
                except (EOFError, ConnectionResetError):
                    process.join()
                    raise EightfoldError(
                        f"the process that measured {pending[number][0].place} ended with exit code"
                        f" {process.exitcode}; the same command goes on with what it kept"
                    ) from None
                if kind == SHARE:
                    pending[number][0].progress(told)
                elif kind == TROUBLE:
                    raise EightfoldError(told)
                else:
                    del running[connection]
                    process.join()
                    yield number, told
    finally:
        for _, process in running.values():
            process.terminate()
        for _, process in running.values():
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()


def _measure_here(
    connection: Connection, measure: Callable[..., Turns], output: Path, place: str, facts: Mapping[str, Any]
) -> None:
    """What a process does: all turns of one part. It ends after a turn when it is told to, or when nobody listens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it is told, and ends it
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: ending.append(number))  # between two turns it can save

    def progress(share: float) -> None:
        try:
            connection.send((SHARE, share))
        except OSError:
            ending.append(0)
        if ending:
            sys.exit(1)

    try:
        found = whole(measure(Part(output=output, place=place, progress=progress), **facts))
    except EightfoldError as error:
        connection.send((TROUBLE, str(error)))
    else:
        connection.send((RESULT, found))
