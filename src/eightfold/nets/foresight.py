"""Two more outputs for games that are decided by points: who will own every point, and by how much the game is won.

They are there to teach the layers below what wins a game, as in KataGo (Wu 2019, section 4.1), and for people to look
at; a search does not ask for them, so they cost nothing in play and are not exported. A network that has them offers
`foresee([B, C, N, N])` beside `forward`.

Shapes: B batch, C planes, F filters, N board size, A actions.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from eightfold.errors import EightfoldError
from eightfold.nets.shape import Shape
from eightfold.texts import Option

FORESIGHT = Option(
    name="foresight", default=0, least=0, most=1, help="1: also foresee owners and score, in games of points (go)"
)


class Foreseen(NamedTuple):
    policy: Tensor  # [B, A] logits
    values: Tensor  # [B] or [B, 2], as `forward` gives them
    owners: Tensor  # [B, N * N] from -1 (the opponent's) to 1 (the own), for the side to move
    scores: Tensor  # [B] the lead of the side to move, as a share of the board


class ForesightHeads(nn.Module):
    def __init__(self, filters: int) -> None:
        super().__init__()
        self.owners = nn.Conv2d(filters, 1, 1)
        self.score = nn.Linear(2 * filters, 1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """[B, F, N, N] to owners [B, N * N] and scores [B]."""
        owners = torch.tanh(self.owners(features).flatten(1))
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        # What the points add up to, and what only the whole board tells: komi, captures.
        return owners, owners.mean(dim=1) + self.score(pooled).squeeze(1)


def make_foresight(wanted: int, filters: int, shape: Shape, name: str) -> ForesightHeads | None:
    """The heads, if they are wanted and the game has owners to foresee."""
    if not wanted:
        return None
    if not shape.owners:
        raise EightfoldError(f"network {name}: foresight=1 is for games that are decided by points, such as go")
    return ForesightHeads(filters)


def foresees(network: nn.Module) -> bool:
    return getattr(network, "foresight", None) is not None
