"""The command of a program that a user named, `seconds=1,./engine --fast`: options, then words for a shell."""

from __future__ import annotations

import re
import shlex
import shutil

from eightfold.core.errors import EightfoldError

GAMES = "/usr/games:/usr/local/games"  # where Debian puts GNU Go, which root's PATH leaves out


def split_command(text: str) -> tuple[str, str]:
    """Options and command of `key=value,key=value,COMMAND`.

    >>> split_command("seconds=1,./engine --fast a,b=c")
    ('seconds=1', './engine --fast a,b=c')
    """
    options: list[str] = []
    while (match := re.match(r"\s*(\w+\s*=\s*[^,\s]*)\s*(?:,|$)", text)) is not None:
        options.append(match[1])
        text = text[match.end() :]
    return ",".join(options), text.strip()


def split_words(command: str, protocol: str) -> list[str]:
    """The words of a command, the first of them a program that is there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EightfoldError(f"player {protocol}: the command {command!r} cannot be split: {error}") from None
    if not words:
        raise EightfoldError(
            f"player {protocol} names no command; write {protocol}:COMMAND, or {protocol}:seconds=1,COMMAND"
        )
    if shutil.which(words[0]) is None:
        program = shutil.which(words[0], path=GAMES)
        if program is None:
            raise EightfoldError(f"player {protocol}: there is no program {words[0]!r} that could be run")
        words[0] = program
    return words
