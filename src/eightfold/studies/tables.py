"""Numbers as reports write them."""

from __future__ import annotations


def percent(share: float) -> str:
    return f"{share:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares, which are never below 0 or above 1; nothing where there is none.

    >>> interval(0.25, 1.5), interval(None, None)
    ('25.0% to 100.0%', '')
    """
    return "" if low is None or high is None else f"{max(0.0, low):.1%} to {min(1.0, high):.1%}"
