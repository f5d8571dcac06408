"""How each symmetry mode sees the synthetic positions, in training and in validation.

    none              as they are
    augment           every position in all eight turns, as Suen & Alonso's baseline
    slap              the canonical variant; targets, and answers brought back, averaged over the stabiliser
    slap-unaveraged   the same by one symmetry alone, as published
    slap-cc           augmented; then the centred planes beside the others
    random, average   trained as `augment`; asked in a turn drawn at random, or in the mean over all eight

Losses are always on the board's own frame and on the same targets, so that modes can be compared. The loss of `random`
is its expectation: the mean over the eight turns.

Shapes: T training positions (eight times as many when augmented), V validation positions, K variants, A actions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from eightfold.learning.model_batch import sum_of_losses
from eightfold.studies.slap_synthetic.states import PLANES, SIZE, Positions, Split, make_split
from eightfold.symmetry.group import ALL, COUNT
from eightfold.symmetry.slap import frame_members, into_frames, slap_frames
from eightfold.symmetry.slap_cc import EXTRA_PLANES, slap_cc
from eightfold.symmetry.transform import inverse_ids, policy_sources, transform_policies, transform_states

TRAINED = ("none", "augment", "slap", "slap-unaveraged", "slap-cc")
ASKED = ("random", "average")  # other ways to ask networks that were trained with `augment`
MODES = (*TRAINED, *ASKED)


@dataclass(frozen=True)
class Training:
    states: NDArray[np.float32]  # [T, C, N, N]; augmented: all positions in turn 0, then all in turn 1, ...
    policies: NDArray[np.float32]  # [T, A]
    values: NDArray[np.float32]  # [T]
    turns: int  # 1 or 8


@dataclass(frozen=True)
class Questions:
    """Validation positions as a network is asked, and how an answer's policy comes back to the board."""

    states: NDArray[np.float32]  # [K, V, C, N, N]
    back: NDArray[np.int64]  # [K, V, A]: which action of the answer belongs to each of the board
    policies: NDArray[np.float32]  # [V, A], on the board
    values: NDArray[np.float32]  # [V]


def planes_of(mode: str) -> int:
    return PLANES + EXTRA_PLANES if mode == "slap-cc" else PLANES


@functools.lru_cache(maxsize=2)
def split_of(sets: int, random_states: int, held_back: float, seed: int) -> Split:
    return make_split(sets=sets, random_states=random_states, held_back=held_back, seed=seed)


def symmetric(positions: Positions) -> int:
    """How many positions are their own image under some symmetry."""
    return int(np.count_nonzero(np.bitwise_count(slap_frames(positions.states).frames) > 1))


# ---- training -----------------------------------------------------------------------------------------------


def training_view(mode: str, positions: Positions) -> Training:
    states, policies, values = positions.states, positions.policies, positions.values
    if mode == "none":
        return Training(states, policies, values, 1)
    if mode in ("slap", "slap-unaveraged"):
        canonical, ids, frames = slap_frames(states)
        targets = into_frames(policies, frames) if mode == "slap" else transform_policies(policies, SIZE, ids)
        return Training(canonical, targets, values, 1)
    turned = [(transform_states(states, ids), transform_policies(policies, SIZE, ids)) for ids in _turns(len(states))]
    views, targets = (np.concatenate(each) for each in zip(*turned, strict=True))
    return Training(slap_cc(views) if mode == "slap-cc" else views, targets, np.tile(values, COUNT), COUNT)


def _turns(batch: int) -> list[NDArray[np.int64]]:
    return [np.full(batch, g, np.int64) for g in ALL]


# ---- validation ---------------------------------------------------------------------------------------------


def questions(mode: str, positions: Positions, *, turned: bool = False) -> Questions:
    """As a mode asks; `turned` is for `random` and `average`: in all eight turns, the first of them none."""
    states = positions.states
    if mode in ("slap", "slap-unaveraged"):
        canonical, ids, frames = slap_frames(states)
        led = [
            frame_members(int(frame)) if mode == "slap" else (int(id_),) for frame, id_ in zip(frames, ids, strict=True)
        ]
        most = max(map(len, led))  # sizes of stabilisers divide one another: repeating keeps the mean
        asked = np.array([members * (most // len(members)) for members in led], np.int64).T  # [K, V]
        views = np.broadcast_to(canonical, (most, *canonical.shape))
    else:
        asked = np.stack(_turns(len(states)) if turned else _turns(len(states))[:1])
        views = np.stack([transform_states(states, ids) for ids in asked])
        views = np.stack([slap_cc(each) for each in views]) if mode == "slap-cc" else views
    back = np.stack([policy_sources(SIZE, SIZE * SIZE)[inverse_ids(ids)] for ids in asked]).astype(np.int64)
    return Questions(views, back, positions.policies, positions.values)


Answers = Callable[[Tensor], tuple[Tensor, Tensor]]  # [V, C, N, N] to log policies [M, V, A] and values [M, V]


class Examiner:
    """Asks models the questions of a mode; the losses of each, by the way in which answers are put together."""

    def __init__(self, mode: str, asked: Questions, device: torch.device, chunk: int) -> None:
        def there(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(np.array(array)).to(device)

        self._mode, self._chunk = mode, chunk
        self._states, self._back = there(asked.states), there(asked.back)
        self._policies, self._values = there(asked.policies), there(asked.values)

    def losses(self, answers: Answers) -> dict[str, Tensor]:
        """[M] each: under the mode's own name and, where there are eight turns, `random` and `average`."""
        found = [answers(part) for part in torch.split(self._states.flatten(0, 1), self._chunk)]
        policies, values = (torch.cat(each, dim=1) for each in zip(*found, strict=True))  # [M, K * V, A], [M, K * V]
        back = self._back.flatten(0, 1).expand(len(policies), -1, -1)
        shape = (len(policies), *self._back.shape[:2])
        policies = policies.gather(2, back).view(*shape, -1).transpose(0, 1)  # [K, M, V, A]
        each = self._each(policies, values.view(shape).transpose(0, 1))
        return {name: losses.mean(dim=1) for name, losses in each.items()}

    def _each(self, policies: Tensor, values: Tensor) -> dict[str, Tensor]:
        """The same for every position by itself: [M, V]."""
        targets = self._policies, self._values
        if self._mode in ("slap", "slap-unaveraged"):  # the mean of logits, as in play
            mean = policies.mean(dim=0).log_softmax(dim=-1)
            return {self._mode: sum_of_losses(mean, values.mean(dim=0), *targets)}
        own = {self._mode: sum_of_losses(policies[0], values[0], *targets)}
        if len(policies) == 1:
            return own
        mean = policies.logsumexp(dim=0) - np.log(len(policies))  # the mean of probabilities
        return {
            **own,
            "random": sum_of_losses(policies, values, *targets).mean(dim=0),
            "average": sum_of_losses(mean, values.mean(dim=0), *targets),
        }
