"""Remarks that are no errors: where something works, but not in the way that one may expect."""

from __future__ import annotations

import logging

log = logging.getLogger("eightfold")
_told: set[str] = set()


def tell_once(line: str) -> None:
    """A remark where a person sees it, once: on stderr, unless whoever uses the package logs elsewhere."""
    if line not in _told:
        _told.add(line)
        log.warning("eightfold: note: %s", line)
