"""A report in docs/studies against the numbers beside it."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

from eightfold.studies.frame import Study, write_report


def check_report(study: Study, published: Path, scratch: Path, *, besides: Collection[str] = ()) -> None:
    """Written again from its results.json, it is what is published, file by file, besides those that it links to."""
    shutil.copyfile(published / "results.json", scratch / "results.json")
    write_report(study, scratch)
    written = [path for path in published.iterdir() if path.name not in besides]
    assert {path.name for path in scratch.iterdir()} == {path.name for path in written}
    for path in written:
        if path.suffix != ".svg":  # which another matplotlib may draw a little differently
            assert (scratch / path.name).read_bytes() == path.read_bytes(), path.name
