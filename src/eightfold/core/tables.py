"""Rows as a table in Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """
    >>> print(markdown_table(("player", "score"), [("random", "12.5%")]))
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
