"""Numbers of things in sentences."""

from __future__ import annotations


def number_of(number: int, thing: str) -> str:
    """
    >>> number_of(1, "game"), number_of(0, "game"), number_of(1200, "move")
    ('1 game', '0 games', '1,200 moves')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
