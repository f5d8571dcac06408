"""Networks that answer like trained ones though nobody trained them: so deep and so wide go the trees of self-play.

What a fresh network says depends on its seed. If its values lean to one side, so that whoever has just moved seems to
win, a search follows its first path down, move after move; if they are all the same, it goes nowhere. Speed measured
with such trees says little. Here the last layers of a fresh network are scaled and shifted until, over positions of
random games, its answers are spread as those of the shipped network of 8x8 Gomoku are: there priors have the
perplexity of 7 to 9 equal moves (13 to 17 on 15x15), and values a mean near 0 and a standard deviation of 0.15 in its
own games and 0.6 in random ones. What the answers mean, nobody knows; the trees have the shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from eightfold.games.game import Game

PERPLEXITY = 9.0  # of the priors
SPREAD = 0.4  # standard deviation of the values
POSITIONS = 128
HALVINGS = 30
MOST = 1000.0  # times what a fresh network says, or more than that


@torch.no_grad()
def like_trained(network: nn.Module, game: Game, encoder: str, seed: int = 1) -> nn.Module:
    """The same network, whose norms know what they see and whose heads say as much as a trained one's."""
    planes, legal = _positions(game, encoder, seed)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0  # the statistics of the next batch become its own
    network.train()(planes)
    network.eval()
    logits, _ = network(planes)
    _scale_policy(network, logits, legal)
    _scale_values(network, planes)
    return network


def perplexity(logits: Tensor, legal: Tensor) -> float:
    """Of the priors of legal moves, given both [B, A]: e to the mean entropy."""
    priors = logits.masked_fill(~legal, -math.inf).softmax(dim=1)
    return float(torch.special.entr(priors).sum(dim=1).mean().exp())


def _scale_policy(network: nn.Module, logits: Tensor, legal: Tensor) -> None:
    points, passes = _last_layer(network, "policy"), getattr(network, "policy_pass", None)
    if isinstance(passes, nn.Linear):  # a head of their own: as likely as a move at a middling point
        count = passes.out_features
        shift = logits[:, :-count].mean() - logits[:, -count:].mean(dim=0)
        passes.bias.add_(shift)
        logits = torch.cat([logits[:, :-count], logits[:, -count:] + shift], dim=1)
    factor = _found(lambda times: -perplexity(times * logits, legal), -PERPLEXITY)
    for layer in (points, passes):
        if isinstance(layer, nn.Linear | nn.Conv2d):
            _multiply(layer, factor)


def _scale_values(network: nn.Module, planes: Tensor) -> None:
    layer, seen = _last_layer(network, "value"), list[Tensor]()
    hook = layer.register_forward_hook(lambda module, given, answer: seen.append(answer))
    network(planes)
    hook.remove()
    means = seen[0].mean(dim=0)
    plain = seen[0] - means  # [B, 1], or of a win, a draw and a loss [B, 3]
    towards = torch.tensor([1.0] if plain.shape[1] == 1 else [1.0, 0.0, -1.0])

    def values(times: float, shift: float) -> Tensor:
        answers = times * plain + shift * towards
        return answers.tanh() if len(towards) == 1 else answers.softmax(dim=1) @ towards

    def balance(times: float) -> float:
        return _found(lambda shift: float(values(times, shift).mean()), 0.0, low=-MOST)

    factor = _found(lambda times: float(values(times, balance(times)).std()), SPREAD)
    layer.weight *= factor
    assert layer.bias is not None
    layer.bias.copy_((layer.bias - means) * factor + balance(factor) * towards)


def _found(grows: Callable[[float], float], wanted: float, *, low: float = 0.0) -> float:
    """The number at which something that grows with it is what is wanted."""
    high = MOST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(middle) < wanted else (low, middle)
    return high


def _multiply(layer: nn.Linear | nn.Conv2d, factor: float) -> None:
    layer.weight *= factor
    if layer.bias is not None:
        layer.bias *= factor


def _last_layer(network: nn.Module, head: str) -> nn.Linear | nn.Conv2d:
    return [each for each in network.get_submodule(head).modules() if isinstance(each, nn.Linear | nn.Conv2d)][-1]


def _positions(game: Game, encoder: str, seed: int) -> tuple[Tensor, Tensor]:
    """Planes [B, C, N, N] and legal moves [B, A] at random moments of random games, half a board long at most."""
    random = np.random.default_rng(seed)
    planes, legal = list[NDArray[np.float32]](), list[NDArray[np.bool_]]()
    while len(planes) < POSITIONS:
        position = game.start()
        for _ in range(random.integers(game.points // 2)):
            after = position.play(int(random.choice(np.flatnonzero(position.legal_mask))))
            if after.is_over:
                break
            position = after
        planes.append(position.encode(encoder))
        legal.append(position.legal_mask)
    return torch.from_numpy(np.stack(planes)), torch.from_numpy(np.stack(legal))
