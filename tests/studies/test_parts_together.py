"""Parts that are measured together: whose turn it is, processes of their own, and what happens when one is stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.studies.frame import Part
from eightfold.studies.together import in_turns, one_by_one, side_by_side

HEARD: list[tuple[str, float]] = []


def work(part: Part, *, seed: int, name: str, each: float, turns: int) -> Iterator[float]:
    """Notes its turns; every one of them costs `each`."""
    try:
        for turn in range(1, turns + 1):
            HEARD.append((name, turn * each))
            part.progress(turn / turns)
            yield turn * each
    finally:
        HEARD.append((name, -1))
    return f"{name} of {seed}"


def write_down(part: Part, *, number: int) -> Iterator[float]:
    """A part that other processes can import."""
    part.folder.mkdir(parents=True, exist_ok=True)
    yield 1.0
    part.progress(0.5)
    if number < 0:
        raise EightfoldError(f"{number} is too small")
    (part.folder / "number.json").write_text(json.dumps(number))
    yield 2.0
    return number * number


def go_on_for_ever(part: Part, *, number: int) -> Iterator[float]:
    """One that never ends by itself, and one that ends as soon as the other has begun."""
    begun = part.output / "begun"
    try:
        while number == 0 or not begun.exists():
            if number == 0:
                begun.touch()
            part.progress(0.5)
            time.sleep(0.02)
            yield 0.0
    finally:
        (part.output / f"{number} ended").touch()
    return number


def pending(tmp_path: Path, cases: list[dict], heard: list[float] | None = None) -> list[tuple[Part, dict]]:
    told = [] if heard is None else heard
    return [(Part(output=tmp_path, place=str(n), progress=told.append), case) for n, case in enumerate(cases)]


def test_who_has_cost_least_goes_on(tmp_path):
    HEARD.clear()
    cases = [
        {"seed": 0, "name": "dear", "each": 3.0, "turns": 2},
        {"seed": 1, "name": "late", "each": 1.0, "turns": 1},
        {"seed": 0, "name": "cheap", "each": 1.0, "turns": 5},
    ]
    found = list(in_turns(work, pending(tmp_path, cases), by="seed"))
    assert found == [(2, "cheap of 0"), (0, "dear of 0"), (1, "late of 1")]
    turns = [(name, cost) for name, cost in HEARD if cost > 0]
    assert turns == [
        *(("dear", 3), ("cheap", 1), ("cheap", 2), ("cheap", 3)),  # at 3 both have cost the same
        *(("dear", 6), ("cheap", 4), ("cheap", 5)),
        ("late", 1),  # of another seed
    ]
    costs = {"dear": 0.0, "cheap": 0.0}
    for name, cost in turns[:-1]:
        assert costs[name] == min(costs.values())
        costs[name] = cost


def test_all_are_ended_when_one_fails_or_nobody_goes_on(tmp_path):
    HEARD.clear()
    cases = [{"seed": 0, "name": name, "each": 1.0, "turns": turns} for name, turns in (("a", 1), ("b", 9))]
    results = in_turns(work, pending(tmp_path, cases), by="seed")
    assert next(results) == (0, "a of 0")
    results.close()
    assert ("b", -1) in HEARD
    assert list(one_by_one(work, pending(tmp_path, cases))) == [(0, "a of 0"), (1, "b of 0")]


def test_processes_side_by_side_hand_on_what_they_found(tmp_path):
    heard: list[float] = []
    found = dict(side_by_side(write_down, pending(tmp_path, [{"number": n} for n in (2, 3)], heard), at_once=2))
    assert found == {0: 4, 1: 9}
    assert heard == [0.5, 0.5]
    assert [(tmp_path / str(n) / "number.json").read_text() for n in (0, 1)] == ["2", "3"]


def test_a_process_that_is_not_done_is_ended_and_saves(tmp_path):
    results = side_by_side(go_on_for_ever, pending(tmp_path, [{"number": n} for n in (0, 1)]), at_once=2)
    assert next(results) == (1, 1)
    assert not (tmp_path / "0 ended").exists()
    results.close()
    assert (tmp_path / "0 ended").exists()


def test_a_process_that_fails_is_one_line(tmp_path):
    with pytest.raises(EightfoldError, match="-1 is too small"):
        list(side_by_side(write_down, pending(tmp_path, [{"number": -1}]), at_once=1))
