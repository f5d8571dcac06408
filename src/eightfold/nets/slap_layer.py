"""SLAP as a layer: turn what comes in to its canonical variant, run any module on it, turn the answer back.

Suen & Alonso leave this as future work, and a differentiable form of it. Whatever the module is, a turned input gets
the turned answer:

    Slap      runs the module once, on the canonical variant. The order is SLAP's (`eightfold.symmetry.slap`) or, with
              a score, that of the scores. Gradients reach the module and, through the turn, the input; the choice
              itself has none.
    SoftSlap  runs it on every variant. The answer is the mean, weighted by softmax(score / temperature). Everything has
              a gradient: module, input, score and temperature. As the temperature falls to 0 this tends to `Slap` with
              the same score; as it grows, to the plain mean over the group.

An input that is its own mirror image reaches the canonical variant by several symmetries; `Slap` takes the mean over
all of them. Sums over symmetries are made in a type of twice the width, where their order does not matter: symmetric
features stay symmetric to the last bit, so that the next such layer sees that they are. Turns are flips and
transpositions, so one layer takes any board size, also in an exported graph. Read next: `slap_net.py`.

Shapes: B batch, C channels, N board size, K symmetries, A actions (N * N, and more for passes).
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError, unknown
from eightfold.nets.inference.device_symmetry import is_traced, largest
from eightfold.symmetry.group import ALL, inverse, read_symmetries, sources

# How an answer of the module turns: a map [B, F, N, N] and points [B, A] with the board, the same [B, ...] not at all.
MAP, POINTS, SAME = "map", "points", "same"
KINDS = (MAP, POINTS, SAME)
DEGREES = 4  # powers of the coordinates in a score: 0 to 3
LEAST_TEMPERATURE, MOST_TEMPERATURE = 1e-6, 1e6
WIDER = {torch.float32: torch.float64, torch.float16: torch.float32, torch.bfloat16: torch.float32}

Kinds = str | Sequence[str]


def _moves() -> tuple[tuple[bool, tuple[int, ...]], ...]:
    """For each symmetry whether rows become columns, and which axes are reversed then; read off a 3x3 board."""
    board, found = np.arange(9).reshape(3, 3), {}
    for swaps, axes in itertools.product((False, True), ((), (-2,), (-1,), (-2, -1))):
        found[tuple(np.flip(board.T if swaps else board, axes).flat)] = swaps, axes
    return tuple(found[tuple(row)] for row in sources(3))


MOVES = _moves()


def turned(maps: Tensor, symmetry: int) -> Tensor:
    """Maps [..., N, N] after a symmetry."""
    swaps, axes = MOVES[symmetry]
    maps = maps.transpose(-1, -2) if swaps else maps
    return maps.flip(axes) if axes else maps


class MomentScore(nn.Module):
    """A linear score of features: [..., C, N, N] to [...], by which variants are told apart.

    The weight of a point is a polynomial of its row and its column, from 1 at the top and at the left to -1, with
    coefficients `weight` [C, 4, 4] for every channel: so it is the same on any board size. Fresh ones are SLAP's in
    spirit: first channels count more than later ones, and rows more than columns.
    """

    def __init__(self, channels: int, *, learned: bool = True) -> None:
        super().__init__()
        powers = torch.arange(DEGREES)
        weight = 0.5 ** (powers[:, None] + 2 * powers[None, :])  # [4, 4]
        weight[0, 0] = 0  # what no turn changes
        weight = weight / torch.arange(1, channels + 1)[:, None, None]
        if learned:
            self.weight = nn.Parameter(weight)
        else:
            self.register_buffer("weight", weight)

    def forward(self, features: Tensor) -> Tensor:
        size, kind = features.shape[-1], torch.promote_types(features.dtype, torch.float32)
        line = 1 - (2 * torch.arange(size, device=features.device, dtype=kind) + 1) / size
        powers = torch.stack([line**k for k in range(DEGREES)], dim=1)  # [N, 4]
        # A matrix of two dimensions on the right makes one large product of all the small ones.
        moments = (features.to(kind) @ powers).transpose(-1, -2) @ powers  # [..., C, 4, 4], the column's power first
        return (moments.transpose(-1, -2) * self.weight.to(kind)).flatten(-3).sum(dim=-1)


class TurningLayer(nn.Module, ABC):
    """What `Slap` and `SoftSlap` share: a module, how its answers turn, and the symmetries to choose from.

    `answers` is the kind of the one tensor that the module gives, or one kind for each if it gives several.
    """

    def __init__(self, module: nn.Module, answers: Kinds = MAP, *, symmetries: Sequence[int] = ALL) -> None:
        super().__init__()
        for kind in [answers] if isinstance(answers, str) else answers:
            if kind not in KINDS:
                raise unknown("kind of answer", kind, KINDS)
        self.module, self.answers, self.symmetries = module, answers, read_symmetries(symmetries)
        self._back = [inverse(g) for g in self.symmetries]

    def forward(self, features: Tensor) -> Any:
        """[B, C, N, N] to what the module answers, in the frame of the input."""
        return self.run(self.module, features, self.answers)

    @abstractmethod
    def run(self, module: Callable[[Tensor], Any], features: Tensor, answers: Kinds) -> Any:
        """The same with something else in the place of the module, such as another method of it."""

    def _variants(self, features: Tensor) -> Tensor:
        """[B, C, N, N] to [B, K, C, N, N]."""
        if not is_traced() and (features.ndim != 4 or features.shape[-1] != features.shape[-2]):
            raise EightfoldError(f"features of shape {list(features.shape)} do not turn: [B, C, N, N] is needed")
        return torch.stack([turned(features, g) for g in self.symmetries], dim=1)

    def _mean(self, given: Any, answers: Kinds, weights: Tensor, size: int, each: bool) -> Any:
        """The weighted mean of what the module gave, turned back; `each`: it gave an answer for every variant.

        `weights` are [B, K]; an answer for every variant is [B * K, ...].
        """
        if isinstance(answers, str):
            return self._mean_of_one(given, answers, weights, size, each)
        if len(given) != len(answers):
            raise EightfoldError(f"the module gives {len(given)} answers, and {len(answers)} kinds are said")
        return tuple(
            self._mean_of_one(part, kind, weights, size, each) for part, kind in zip(given, answers, strict=True)
        )

    def _mean_of_one(self, given: Tensor, kind: str, weights: Tensor, size: int, each: bool) -> Tensor:
        if not is_traced():
            _check_answer(given, kind, size)
        if kind == SAME and not each:
            return given
        count, wide = len(self.symmetries), _wider(given.dtype)
        all_given = given.reshape(-1, count, *given.shape[1:]) if each else given  # [B, K, ...] or [B, ...]
        weights = weights.to(wide).reshape(-1, count, *[1] * (given.ndim - 1))
        total = None
        for k, back in enumerate(self._back):
            part = _turned_answer(all_given[:, k] if each else all_given, kind, back, size)
            term = part.to(wide) * weights[:, k]
            total = term if total is None else total + term
        assert total is not None, "there is always the identity"
        return total.to(given.dtype)


class Slap(TurningLayer):
    """The module on the canonical variant, by SLAP's order or by a score [B, K, C, N, N] to [B, K].

    Of variants with equal scores the larger in SLAP's order is taken. Only equal variants are averaged.
    """

    def __init__(
        self,
        module: nn.Module,
        answers: Kinds = MAP,
        *,
        score: nn.Module | None = None,
        symmetries: Sequence[int] = ALL,
    ) -> None:
        super().__init__(module, answers, symmetries=symmetries)
        self.score = score

    def run(self, module: Callable[[Tensor], Any], features: Tensor, answers: Kinds) -> Any:
        variants, count = self._variants(features), len(self.symmetries)
        lists = variants.flatten(2)  # [B, K, C * N * N]
        if self.score is None:
            canonical, members = largest(lists, count)
        else:
            keys = torch.cat([self.score(variants)[:, :, None].to(lists.dtype), lists], dim=2)
            canonical = largest(keys, count)[0][:, 1:]
            # Asked of the variants: scores of equal ones may be rounded differently.
            members = (lists == canonical[:, None]).all(dim=2)
        weights = members / members.sum(dim=1, keepdim=True)  # [B, K]
        given = module(canonical.reshape(features.shape))
        return self._mean(given, answers, weights, features.shape[-1], each=False)


class SoftSlap(TurningLayer):
    """The mean over all variants, weighted by softmax(score / temperature); `learned`: the temperature is a parameter.

    A schedule calls `set_temperature`. Weights files hold the temperature as well.
    """

    def __init__(
        self,
        module: nn.Module,
        answers: Kinds = MAP,
        *,
        score: nn.Module,
        temperature: float = 1.0,
        learned: bool = False,
        symmetries: Sequence[int] = ALL,
    ) -> None:
        super().__init__(module, answers, symmetries=symmetries)
        self.score = score
        if learned:
            self.log_temperature = nn.Parameter(torch.zeros(()))
        else:
            self.register_buffer("log_temperature", torch.zeros(()))
        self.register_parameter("coldness", None)
        self.set_temperature(temperature)

    @property
    def temperature(self) -> Tensor:
        return self.log_temperature.exp()

    def fold(self) -> None:
        """Keep one over the temperature, for inference, as a weight that runtimes can replace; do this to a copy."""
        self.coldness = nn.Parameter((-self.log_temperature).exp().detach())
        del self.log_temperature

    @torch.no_grad()
    def set_temperature(self, temperature: float) -> None:
        if not LEAST_TEMPERATURE <= temperature <= MOST_TEMPERATURE:
            raise EightfoldError(
                f"a temperature of {temperature:g} is not from {LEAST_TEMPERATURE:g} to {MOST_TEMPERATURE:g}"
            )
        self.log_temperature.fill_(math.log(temperature))

    def run(self, module: Callable[[Tensor], Any], features: Tensor, answers: Kinds) -> Any:
        variants = self._variants(features)
        scores = self.score(variants)
        coldness = (-self.log_temperature).exp() if self.coldness is None else self.coldness
        weights = (scores * coldness.to(scores.dtype)).softmax(dim=1)  # [B, K]
        return self._mean(module(variants.flatten(0, 1)), answers, weights, features.shape[-1], each=True)


def _turned_answer(answer: Tensor, kind: str, symmetry: int, size: int) -> Tensor:
    """One answer [B, ...] after a symmetry."""
    if kind == SAME:
        return answer
    if kind == MAP:
        return turned(answer, symmetry)
    points = size * size
    board = turned(answer[:, :points].reshape(-1, size, size), symmetry)
    return torch.cat([board.flatten(1), answer[:, points:]], dim=1)  # a pass stays where it is


def _check_answer(given: Tensor, kind: str, size: int) -> None:
    shape = list(given.shape)
    if kind == MAP and (given.ndim != 4 or shape[-1] != shape[-2]):
        raise EightfoldError(f"an answer of shape {shape} is no map: [B, F, N, N] is needed")
    if kind == POINTS and (given.ndim != 2 or shape[1] < size * size):
        raise EightfoldError(
            f"an answer of shape {shape} has no entry for each of {size * size} points: [B, A] is needed"
        )


def _wider(kind: torch.dtype) -> torch.dtype:
    """A type in which a few numbers of another one are added without an error that would show in that."""
    return WIDER.get(kind, kind)
