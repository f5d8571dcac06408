"""Numbers as reports write them."""

from __future__ import annotations

from collections.abc import Sequence

from eightfold.studies.grid import mean_interval


def percent(share: float) -> str:
    return f"{share:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares, which are never below 0 or above 1; nothing where there is none.

    >>> interval(0.25, 1.5), interval(None, None)
    ('25.0% to 100.0%', '')
    """
    return "" if low is None or high is None else f"{max(0.0, low):.1%} to {min(1.0, high):.1%}"


def mean_text(values: Sequence[float], digits: int = 0) -> str:
    """The mean of independent runs and its 95 % interval, if there is one.

    >>> mean_text([1.0, 2.0, 3.0], 1), mean_text([1234.5])
    ('2.0 (-0.5 to 4.5)', '1,234')
    """
    mean, low, high = mean_interval(values)
    between = "" if low is None or high is None else f" ({low:,.{digits}f} to {high:,.{digits}f})"
    return f"{mean:,.{digits}f}{between}"


def share_text(values: Sequence[float]) -> str:
    """The same of shares, which are never below 0 or above 1."""
    mean, low, high = mean_interval(values)
    between = interval(low, high)
    return f"{percent(mean)} ({between})" if between else percent(mean)
