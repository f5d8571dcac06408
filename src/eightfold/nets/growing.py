"""A trained network made larger, with the same answers: more residual blocks, more filters, other auxiliary heads.

A small network learns its first games faster, a large one goes further (Wu 2019 trains four sizes one after another).
Here the larger network begins as the function that the smaller one is, after Net2Net (Chen, Goodfellow & Shlens 2016),
with zeros where that paper copies units:

    new filters   read what they like, and whoever read only the old ones has weights of zero for them
    new blocks    add nothing: the scale of their last norm is zero
    heads         are wider by the same rule; auxiliary heads that the smaller network lacks are fresh

Zeros have gradients, so all of it begins to learn with the first steps. Weights are matched by their names. The first
two dimensions of a weight are what it gives and what it reads, in plain and in equivariant convolutions alike.

Read next: `../learning/starting.py`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from eightfold.core.errors import EightfoldError
from eightfold.core.specs import spec_values
from eightfold.nets.auxiliary import heads_of
from eightfold.nets.heads import POINTS
from eightfold.nets.networks import PooledNetwork, read_network

POOLED = 2  # a layer that reads pooled features reads means and maxima, one behind the other


def check_growth(smaller: str, larger: str) -> None:
    """An error in one line unless a network of the one text can become one of the other."""
    kind, before = read_network(smaller)
    other, after = read_network(larger)
    if kind is not other:
        raise EightfoldError(f"{smaller} cannot become {larger}: a network grows to one of its own kind")
    growing: tuple[str, ...] = getattr(kind, "grows", ())
    if not growing:
        raise EightfoldError(f"{smaller} cannot become {larger}: networks of its kind do not grow")
    for option, was in spec_values(before).items():
        if option in growing and getattr(after, option) < was:
            raise EightfoldError(
                f"{smaller} cannot become {larger}: networks do not shrink; {option} must be {was} or more"
            )
        if option not in (*growing, "auxiliary") and getattr(after, option) != was:
            raise EightfoldError(f"{smaller} cannot become {larger}: {option} must stay {was}")
    reason = kind.why_not_grow(before, after)
    if reason:
        raise EightfoldError(f"{smaller} cannot become {larger}: {reason}")


@torch.no_grad()
def grow(smaller: nn.Module, larger: nn.Module) -> None:
    """Give a fresh network the function of a smaller one, whose text `check_growth` has allowed for its own."""
    assert isinstance(larger, PooledNetwork), "only these grow"
    before = smaller.state_dict()
    state = {name: tensor.clone() for name, tensor in larger.state_dict().items()}
    for name, fresh in state.items():
        old = before.get(name)
        if old is not None and not _is_of_other_heads(name, smaller, larger):
            if any(was > now for was, now in zip(old.shape, fresh.shape, strict=True)):
                raise EightfoldError(
                    f"a network does not shrink: {name} is {tuple(old.shape)}, not {tuple(fresh.shape)}"
                )
            state[name] = _widened(old.to(fresh), fresh)
    blocks: Any = larger.blocks
    for number in range(len(smaller.blocks), len(blocks)):  # type: ignore[arg-type]
        state[f"blocks.{number}.second.norm.weight"].zero_()
    larger.load_state_dict(state)


def _is_of_other_heads(name: str, smaller: nn.Module, larger: nn.Module) -> bool:
    """Whether a weight belongs to auxiliary policies that are not the same in both."""
    one, other = (set(heads_of(network)) - {POINTS} for network in (smaller, larger))
    return one != other and name.startswith("auxiliary.") and ".policies." in f".{name}"


def _widened(old: Tensor, fresh: Tensor) -> Tensor:
    """A weight or a statistic with more outputs, and with zeros for what it did not read before."""
    whole, outputs = fresh.clone(), old.shape[0] if old.ndim else 0
    if old.shape == fresh.shape:
        return old.clone()
    if old.ndim < 2:
        whole[:outputs] = old
        return whole
    whole[:outputs] = 0
    parts = POOLED if old.ndim == 2 else 1  # convolutions read features as they are, dense layers pooled ones
    was, now = old.shape[1] // parts, fresh.shape[1] // parts
    for part in range(parts):
        whole[:outputs, part * now : part * now + was] = old[:, part * was : (part + 1) * was]
    return whole
