"""The one kind of error that Eightfold raises for bad input.

Its message is a single line that names the offending value and says what would have been right; the
command line prints that line and exits with code 2. A bug raises something else, with a traceback.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable


class EightfoldError(ValueError):
    """Bad input: the message, always one line, says what was given and what would be right."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.splitlines()))


def shown(value: object) -> str:
    """A value as an error shows it: on one line, and not too long."""
    return textwrap.shorten(repr(value), 80, placeholder=" ...")


def not_written(path: object, reason: object) -> EightfoldError:
    """The error for a disk that is full, read-only or broken, while something is being kept on it."""
    return EightfoldError(
        f"cannot write {path}: {reason}; earlier data is intact;"
        " free some space, or make it writable, and run the same command again to continue"
    )


def unknown(what: str, given: object, known: Iterable[object]) -> EightfoldError:
    """The error for a name that is not on a list: it quotes the name, a near miss and the list.

    >>> print(unknown("player", "gredy", ["greedy", "random"]))
    unknown player 'gredy' (did you mean 'greedy'?); known: greedy, random
    """
    names = [str(name) for name in known]
    near = difflib.get_close_matches(str(given), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return EightfoldError(f"unknown {what} {str(given)!r}{hint}; known: {', '.join(names)}")
