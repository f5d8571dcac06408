"""Words for people: numbers of things in sentences, and texts of strangers that are safe to print."""

from __future__ import annotations

UNSEEN = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def number_of(number: int, thing: str) -> str:
    """
    >>> number_of(1, "game"), number_of(0, "game"), number_of(1200, "move")
    ('1 game', '0 games', '1,200 moves')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def without_controls(text: str) -> str:
    r"""A text without the characters that give a terminal orders; tabs and ends of lines stay.

    >>> without_controls("\x1b[2JHonin\x07bo\n"), without_controls("\x9b31mShūsaku")
    ('[2JHoninbo\n', '31mShūsaku')
    """
    return text.translate(UNSEEN)
