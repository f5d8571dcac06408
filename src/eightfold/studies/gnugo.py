"""GNU Go as an opponent in studies: where it is, and the player `gtp:` with the options that suit our rules."""

from __future__ import annotations

import os
import shlex
import shutil

from eightfold.core.errors import EightfoldError

GNU_GO = "GNU Go, level 1"  # as reports name it


def gnugo_program() -> str | None:
    """Where it is, if it is installed (Debian: gnugo)."""
    return shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))


def gnugo_player(*, level: int = 1, seed: int = 0) -> str:
    """Chinese rules with positional superko; dead stones are captured before it passes, as they count as alive here."""
    program = gnugo_program()
    if program is None:
        raise EightfoldError("GNU Go is not installed (Debian: gnugo)")
    return (
        f"gtp:{shlex.quote(program)} --mode gtp --quiet --level {level} --seed {seed + 1} --never-resign"
        " --chinese-rules --positional-superko --forbid-suicide --capture-all-dead"
    )
