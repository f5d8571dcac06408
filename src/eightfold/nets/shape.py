"""What a network is built for. Apart from the networks, because what only runs one must not need PyTorch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a network is built for: planes in, a board, and how many actions besides its points (a pass)."""

    planes: int
    size: int
    passes: int = 0

    @property
    def actions(self) -> int:
        return self.size * self.size + self.passes
