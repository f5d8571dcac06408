"""How an advisor plays: the settings of `eightfold advise`, each declared here, once. Read next: `teacher.py`."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.settings import check_settings, setting


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """How an advisor plays."""

    player: str = setting("alphabeta:depth=4", "who plays and advises")
    seed: int = setting(0, "seed of all randomness", least=0, most=2**63 - 1)
    low_from: float = setting(0.02, "the least epsilon of a side that explores little", least=0, most=1)
    low_to: float = setting(0.1, "the largest epsilon of a side that explores little", least=0, most=1)
    high_from: float = setting(0.1, "the least epsilon of a side that explores much", least=0, most=1)
    high_to: float = setting(0.2, "the largest epsilon of a side that explores much", least=0, most=1)
    temperature: float = setting(0.2, "of the softmax that exploring moves are drawn from", least=1e-3, most=1000)

    def __post_init__(self) -> None:
        check_settings(self)
        for low, high in self.ranges:
            if low > high:
                raise EightfoldError(f"epsilon from {low:g} to {high:g} is no range; the smaller number comes first")

    @property
    def ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        return (self.low_from, self.low_to), (self.high_from, self.high_to)


def read_range(text: str, where: str) -> tuple[float, float]:
    """Two numbers with a comma between them."""
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise EightfoldError(
            f"{where} {shown(text)} is not two numbers with a comma between them: {write_range(*Teaching().ranges[0])}"
        ) from None
    return low, high


def write_range(low: float, high: float) -> str:
    """The text that `read_range` reads.

    >>> write_range(0.02, 0.1)
    '0.02,0.1'
    """
    return f"{low:g},{high:g}"
