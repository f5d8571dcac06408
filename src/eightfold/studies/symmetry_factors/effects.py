"""What an arm is worth over the base in every case, and by how much data, board and game change that.

Every number is a paired difference over seeds with its 95 % interval by Student's t: within a seed all networks of a
case have cost the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.studies.paired import paired

Row = Mapping[str, Any]
DATA, BOARD = "data", "board"


def leads(rows: Sequence[Row], base: str, arm: str, **case: str) -> dict[int, float | None]:
    """Elo of an arm less that of the base, by seed, in a case."""
    here = [row for row in rows if all(row[name] == value for name, value in case.items())]
    mine, theirs = ({row["seed"]: row["elo"] for row in here if row["arm"] == each} for each in (arm, base))
    return {seed: mine[seed] - theirs[seed] for seed in mine if seed in theirs}


def _others(rows: Sequence[Row], base: str) -> list[str]:
    return [arm for arm in dict.fromkeys(row["arm"] for row in rows) if arm != base]


def worth(rows: Sequence[Row], base: str) -> list[dict[str, Any]]:
    """Every arm but the base in every case: mean, low, high and pairs."""
    cases = dict.fromkeys((row[BOARD], row[DATA]) for row in rows)
    return [
        {"board": board, "data": data, "arm": arm, **_figures(leads(rows, base, arm, board=board, data=data))}
        for arm in _others(rows, base)
        for board, data in cases
    ]


def changed(rows: Sequence[Row], base: str) -> list[dict[str, Any]]:
    """By how much each factor changes what an arm is worth: more data on every board, and every board over the first.

    Boards are compared with much data.
    """
    boards, (few, many) = list(dict.fromkeys(row[BOARD] for row in rows)), dict.fromkeys(row[DATA] for row in rows)
    found = []
    for arm in _others(rows, base):
        pairs = [
            *((f"{many} data over {few}, {board}", (board, many), (board, few)) for board in boards),
            *((f"{board} over {boards[0]}", (board, many), (boards[0], many)) for board in boards[1:]),
        ]
        for factor, (board, data), (other, amount) in pairs:
            difference = paired(
                leads(rows, base, arm, board=board, data=data), leads(rows, base, arm, board=other, data=amount)
            )
            found.append({"arm": arm, "factor": factor, **difference._asdict()})
    return found


def _figures(lead: Mapping[int, float | None]) -> dict[str, Any]:
    return paired(lead, dict.fromkeys(lead, 0.0))._asdict()
