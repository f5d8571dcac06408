"""Auxiliary heads for games that are decided by points: who will own every point, and by how much the game is won.

They are there to teach the layers below what wins a game, as in KataGo (Wu 2019, section 4.1), and for people to see;
a search does not ask for them, so they cost nothing in play and are not exported. A network that has them offers
`with_auxiliary([B, C, N, N])` beside `forward`.

Shapes: B batch, C planes, F filters, N board size, A actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import Position
from eightfold.nets.shape import Shape
from eightfold.symmetry.slap_cc import slap_cc
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states

if TYPE_CHECKING:
    from eightfold.nets.store.description import Description


@dataclass(frozen=True, kw_only=True)
class AuxiliaryOption:
    auxiliary: int = setting(
        0, "1: also predict ownership and score, in games of points (go)", least=0, most=1, former=("foresight",)
    )


class AuxiliaryAnswer(NamedTuple):
    policy: Tensor  # [B, A] logits
    values: Tensor  # [B] or [B, 2], as `forward` gives them
    ownership: Tensor  # [B, N * N] from -1 (the opponent's) to 1 (the own), for the side to move
    scores: Tensor  # [B] the lead of the side to move, as a share of the board


class AuxiliaryHeads(nn.Module):
    def __init__(self, filters: int) -> None:
        super().__init__()
        self.ownership = nn.Conv2d(filters, 1, 1)
        self.score = nn.Linear(2 * filters, 1)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """[B, F, N, N] to ownership [B, N * N] and scores [B]."""
        ownership = torch.tanh(self.ownership(features).flatten(1))
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        # What the points add up to, and what only the whole board tells: komi, captures.
        return ownership, ownership.mean(dim=1) + self.score(pooled).squeeze(1)


def make_auxiliary(wanted: int, filters: int, shape: Shape, name: str) -> AuxiliaryHeads | None:
    """The heads, if they are wanted and the game has points that somebody owns."""
    if not wanted:
        return None
    if not shape.ownership:
        raise EightfoldError(f"network {name}: auxiliary=1 is for games that are decided by points, such as go")
    return AuxiliaryHeads(filters)


def has_auxiliary(network: nn.Module) -> bool:
    return getattr(network, "auxiliary", None) is not None


def predict_ownership(
    network: nn.Module, description: Description, position: Position
) -> tuple[NDArray[np.float32], float]:
    """Ownership [N * N] and lead for the side to move, in the mean over the game's symmetries."""
    if not has_auxiliary(network):
        raise EightfoldError(f"{description.network} was trained without auxiliary=1 and cannot predict ownership")
    ids = np.array(position.game.symmetries)
    planes = transform_states(np.tile(position.encode(description.encoder), (len(ids), 1, 1, 1)), ids)
    if description.symmetry == "slap-cc":
        planes = slap_cc(planes)
    with torch.inference_mode():
        answer = network.with_auxiliary(torch.from_numpy(np.ascontiguousarray(planes, np.float32)))  # type: ignore[operator]
    back = transform_policies(answer.ownership.numpy(), position.game.size, inverse_ids(ids))
    return back.mean(axis=0).astype(np.float32), float(answer.scores.mean())
