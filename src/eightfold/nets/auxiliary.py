"""Auxiliary heads: what a network also learns to predict, to teach the layers below what a game is about.

After KataGo (Wu 2019, section 4.1, and what its author published since): in games that are decided by points, who will
own every point and by how much the game is won; in every game, the policy of the search at a high temperature, which
tells good moves from bad ones also where one move has nearly all visits, and the move that the opponent plays next.
A search asks for none of them, so they cost nothing in play and are not exported. People see ownership. A network that
has some offers `with_auxiliary([B, C, N, N])` beside `forward`. `heads.py` says how they are named.

Shapes: B batch, C planes, F filters, N board size, A actions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.nets.heads import NEXT, POINTS, SOFT, heads_text, read_heads
from eightfold.nets.shape import Shape
from eightfold.symmetry.slap_cc import slap_cc
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states

if TYPE_CHECKING:
    from eightfold.nets.store.description import Description

POLICIES = (SOFT, NEXT)  # the heads that answer for every action


class Predicted(NamedTuple):
    """What the heads say; None where there is no such head."""

    ownership: Tensor | None = None  # [B, N * N] from -1 (the opponent's) to 1 (the own), for the side to move
    scores: Tensor | None = None  # [B] the lead of the side to move, as a share of the board
    soft_policy: Tensor | None = None  # [B, A] logits
    next_move: Tensor | None = None  # [B, A] logits


class AuxiliaryAnswer(NamedTuple):
    policy: Tensor  # [B, A] logits
    values: Tensor  # [B] or [B, 2], as `forward` gives them
    ownership: Tensor | None  # and what `Predicted` says
    scores: Tensor | None
    soft_policy: Tensor | None
    next_move: Tensor | None


class AuxiliaryHeads(nn.Module):
    def __init__(self, filters: int, heads: tuple[str, ...], passes: int) -> None:
        super().__init__()
        self.heads = heads
        if POINTS in heads:
            self.ownership = nn.Conv2d(filters, 1, 1)
            self.score = nn.Linear(2 * filters, 1)
        self._policies = tuple(head for head in POLICIES if head in heads)
        if self._policies:
            self.policies = PolicyPredictors(filters, len(self._policies), passes)

    def forward(self, features: Tensor) -> Predicted:
        """What the features [B, F, N, N] tell."""
        pooled = _pool(features)
        ownership = scores = None
        if POINTS in self.heads:
            ownership = torch.tanh(self.ownership(features).flatten(1))
            # What the points add up to, and what only the whole board tells: komi, captures.
            scores = ownership.mean(dim=1) + self.score(pooled).squeeze(1)
        logits: dict[str, Tensor] = {}
        if self._policies:
            logits = dict(zip(self._policies, self.policies(features, pooled).unbind(1), strict=True))
        return Predicted(ownership, scores, logits.get(SOFT), logits.get(NEXT))

    def last_layers(self) -> list[nn.Conv2d | nn.Linear]:
        """Those that should start small, so that fresh heads are undecided."""
        last: list[nn.Conv2d | nn.Linear] = [self.score] if POINTS in self.heads else []
        return [*last, *self.policies.last_layers()] if self._policies else last


class PolicyPredictors(nn.Module):
    """Several policies at once, from features to logits: points by themselves and by what is going on elsewhere."""

    def __init__(self, filters: int, count: int, passes: int) -> None:
        super().__init__()
        width = max(1, filters // 2)
        self.local = nn.Conv2d(filters, width, 1)
        self.pool = nn.Linear(2 * filters, width)
        self.points = nn.Conv2d(width, count, 1)
        self.passes = nn.Linear(2 * filters, count * passes) if passes else None

    def forward(self, features: Tensor, pooled: Tensor) -> Tensor:
        """[B, F, N, N] and their pooled form [B, 2F] to [B, K, A]."""
        local = functional.relu(self.local(features) + self.pool(pooled)[:, :, None, None])
        logits = self.points(local).flatten(2)
        if self.passes is None:
            return logits
        return torch.cat([logits, self.passes(pooled).unflatten(1, (logits.shape[1], -1))], dim=2)

    def last_layers(self) -> list[nn.Conv2d | nn.Linear]:
        return [self.points, *([self.passes] if self.passes is not None else [])]


def _pool(features: Tensor) -> Tensor:
    """[B, F, N, N] to [B, 2F]: the mean and the largest of every plane."""
    return torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)


def make_auxiliary(wanted: str, filters: int, shape: Shape, name: str) -> AuxiliaryHeads | None:
    """The heads that an option names, if it names any and the game has what they predict."""
    heads = read_heads(wanted)
    if not heads:
        return None
    if POINTS in heads and not shape.ownership:
        raise EightfoldError(
            f"network {name}: auxiliary={heads_text(heads)} is for games that are decided by points, such as go;"
            f" others have {SOFT} and {NEXT}"
        )
    return AuxiliaryHeads(filters, heads, shape.passes)


def heads_of(network: nn.Module) -> tuple[str, ...]:
    """The auxiliary heads that a network has."""
    return next((module.heads for module in network.modules() if isinstance(module, AuxiliaryHeads)), ())


def has_auxiliary(network: nn.Module) -> bool:
    return getattr(network, "auxiliary", None) is not None


def predict_ownership(
    network: nn.Module, description: Description, position: Position
) -> tuple[NDArray[np.float32], float]:
    """Ownership [N * N] and lead for the side to move, in the mean over the game's symmetries."""
    if POINTS not in heads_of(network):
        raise EightfoldError(f"{description.network} was trained without auxiliary=1 and cannot predict ownership")
    ids = np.array(position.game.symmetries)
    planes = transform_states(np.tile(position.encode(description.encoder), (len(ids), 1, 1, 1)), ids)
    if description.symmetry == "slap-cc":
        planes = slap_cc(planes)
    with torch.inference_mode():
        answer = network.with_auxiliary(torch.from_numpy(np.ascontiguousarray(planes, np.float32)))  # type: ignore[operator]
    back = transform_policies(answer.ownership.numpy(), position.game.size, inverse_ids(ids))
    return back.mean(axis=0).astype(np.float32), float(answer.scores.mean())
