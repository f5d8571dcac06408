"""A report while it is being written: Markdown, and the plots and tables beside it. It measures nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eightfold.core.tables import csv_text, markdown_table
from eightfold.studies.store import RESULTS

REPORT = "README.md"


class Report:
    def __init__(self, title: str, command: str, introduction: str) -> None:
        written = f"Written by `{command}` from the numbers in [{RESULTS}]({RESULTS}); do not edit."
        self._blocks = [f"# {title}", f"{written} {introduction}"]
        self._files: dict[str, bytes] = {}

    def heading(self, text: str) -> None:
        self._blocks.append(f"## {text}")

    def text(self, text: str) -> None:
        self._blocks.append(text)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._blocks.append(markdown_table(headings, rows))

    def plot(self, name: str, svg: bytes, caption: str) -> None:
        """A plot by `plots`, as NAME.svg."""
        self._files[f"{name}.svg"] = svg
        self._blocks.append(f"![{caption}]({name}.svg)")

    def csv(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """All rows with all digits, as NAME.csv."""
        self._files[f"{name}.csv"] = csv_text(rows).encode()
        self._blocks.append(f"All numbers: [{name}.csv]({name}.csv)")

    def files(self) -> dict[str, bytes]:
        """Every file by its name, the report itself as the last."""
        return {**self._files, REPORT: ("\n\n".join(self._blocks) + "\n").encode()}
