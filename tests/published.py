"""A report in docs/studies against the numbers beside it."""

from __future__ import annotations

import shutil
from pathlib import Path

from eightfold.studies.frame import Study, write_report


def check_report(study: Study, published: Path, scratch: Path) -> None:
    """Written again from its results.json, it is what is published, file by file."""
    shutil.copyfile(published / "results.json", scratch / "results.json")
    write_report(study, scratch)
    assert {path.name for path in scratch.iterdir()} == {path.name for path in published.iterdir()}
    for path in published.iterdir():
        if path.suffix != ".svg":  # which another matplotlib may draw a little differently
            assert (scratch / path.name).read_bytes() == path.read_bytes(), path.name
