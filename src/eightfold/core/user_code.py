"""Importing what a user wrote: their own game or player, named as `python:module...`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from types import ModuleType

from eightfold.core.errors import EightfoldError


def import_own(module: str, wanted_by: str) -> ModuleType:
    """A module by name, also one that lies in the current folder; any trouble becomes one clear line."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current folder, whichever it is, as `python -m` does
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise own_trouble(error, wanted_by) from error


def own_trouble(error: BaseException, wanted_by: str) -> EightfoldError:
    """Whatever a user's code raises, in one line that says where."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f" ({os.path.basename(place.filename)} line {place.lineno})" if place.filename[:1] != "<" else ""
    words = " ".join(str(error).split())
    return EightfoldError(f"{wanted_by}: {type(error).__name__}: {words}{where}")
