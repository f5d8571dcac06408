"""Rows as a table in Markdown and as CSV, and numbers as reports write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """
    >>> print(markdown_table(("player", "score"), [("random", percent(0.125))]))
    | player | score |
    | --- | --- |
    | random | 12.5% |
    """
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with all their digits; the columns are those of any row, in the order in which they come up.

    >>> csv_text([{"seed": 0, "score": 0.1}, {"seed": 1, "score": None, "note": "a, b"}])
    'seed,score,note\\n0,0.1,\\n1,,"a, b"\\n'
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def percent(share: float) -> str:
    return f"{share:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares, which are never below 0 or above 1; nothing where there is none.

    >>> interval(0.25, 1.5), interval(None, None)
    ('25.0% to 100.0%', '')
    """
    return "" if low is None or high is None else f"{max(0.0, low):.1%} to {min(1.0, high):.1%}"
