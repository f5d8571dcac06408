"""Losing without being beaten."""

from __future__ import annotations

from eightfold.core.errors import EightfoldError


class Forfeit(EightfoldError):
    """A player cannot go on or broke the rules; the message says why. It loses the game, and the match goes on."""


class Resignation(Forfeit):
    """A player gives the game up, as the rules allow."""


def how_lost(error: EightfoldError) -> str:
    """What a player does who loses by this.

    >>> how_lost(Forfeit("it hangs")), how_lost(Resignation("it resigned"))
    ('forfeits: it hangs', 'resigns')
    """
    return "resigns" if isinstance(error, Resignation) else f"forfeits: {error}"
