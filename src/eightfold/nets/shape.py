"""What a network is built for. Apart from the networks, because what only runs one must not need PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.symmetry.group import ALL


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a network is built for: planes in, a board, how many actions besides its points (a pass), whether the
    game is decided by points that somebody owns at the end, and which of the eight symmetries it has."""

    planes: int
    size: int
    passes: int = 0
    ownership: bool = False
    symmetries: tuple[int, ...] = ALL

    @property
    def actions(self) -> int:
        return self.size * self.size + self.passes
