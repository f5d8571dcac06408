"""Two more outputs for games that are decided by points: who will own every point, and by how much the game is won.

They are there to teach the layers below what wins a game, as in KataGo (Wu 2019, section 4.1), and for people to look
at; a search does not ask for them, so they cost nothing in play and are not exported. A network that has them offers
`foresee([B, C, N, N])` beside `forward`.

Shapes: B batch, C planes, F filters, N board size, A actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import Position
from eightfold.nets.shape import Shape


@dataclass(frozen=True, kw_only=True)
class ForesightOption:
    foresight: int = setting(0, "1: also foresee owners and score, in games of points (go)", least=0, most=1)


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


def foreseen_owners(place: str, position: Position) -> tuple[NDArray[np.float32], float]:
    """Owners [N * N] and lead of the side to move, by a checkpoint's network: the mean over the game's symmetries."""
    from eightfold.nets.store.checkpoint import load_checkpoint
    from eightfold.nets.store.description import find_checkpoint
    from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states

    network, description = load_checkpoint(find_checkpoint(place))
    description.fitted_to(position.game, who=place, any_size=bool(network.any_size))
    if not foresees(network):
        raise EightfoldError(f"{place} was trained without foresight=1 and knows nothing of owners")
    ids = np.array(position.game.symmetries)
    planes = transform_states(np.tile(position.encode(description.encoder), (len(ids), 1, 1, 1)), ids)
    if description.symmetry == "slap-cc":
        from eightfold.symmetry.slap_cc import slap_cc

        planes = slap_cc(planes)
    with torch.inference_mode():
        seen = network.foresee(torch.from_numpy(np.ascontiguousarray(planes, np.float32)))  # type: ignore[operator]
    back = transform_policies(seen.owners.numpy(), position.game.size, inverse_ids(ids))
    return back.mean(axis=0).astype(np.float32), float(seen.scores.mean())
