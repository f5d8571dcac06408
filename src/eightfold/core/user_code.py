"""Importing code that a user wrote: a game or a player of theirs, named as `python:module...`."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from types import ModuleType

from eightfold.core.errors import EightfoldError

USER_CODE = "python"  # in a text: a game or a player that is a user's code, `python:MODULE`


def import_user_module(module: str, wanted_by: str) -> ModuleType:
    """A module by name, also one in the current folder; whatever it raises becomes one clear line."""
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current folder, whichever it is, as `python -m` does
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise user_code_error(error, wanted_by) from error


def user_code_error(error: BaseException, wanted_by: str) -> EightfoldError:
    """Whatever a user's code raises, in one line that says where."""
    words = " ".join(str(error).split())
    if isinstance(error, EightfoldError):  # it says what is wrong with what their code asked for
        return EightfoldError(f"{wanted_by}: {words}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f" ({os.path.basename(place.filename)} line {place.lineno})" if place.filename[:1] != "<" else ""
    return EightfoldError(f"{wanted_by}: {type(error).__name__}: {words}{where}")
