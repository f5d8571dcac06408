"""What can be changed of the study `slap-synthetic` with --set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.learning.model_batch import FORMS, INITIALISATIONS
from eightfold.nets.inference.device import check_device
from eightfold.studies.arms import read_arms
from eightfold.studies.slap_synthetic.states import FIVE, lines
from eightfold.studies.slap_synthetic.views import ASKED, MODES

MANY = 1_000_000
GRID_BLOCKS = (0, 5, 10, 20)  # figure 7


class Arm(NamedTuple):
    """One row of the study: a way to use symmetry, with a network."""

    mode: str
    network: str  # in full

    @property
    def trained(self) -> str:
        """The mode in which its models are trained."""
        return "augment" if self.mode in ASKED else self.mode


@dataclass(frozen=True, kw_only=True)
class SyntheticSettings:
    modes: str = setting(
        "none augment slap slap-unaveraged slap-cc random average",
        "symmetry modes with a space between; MODE@NETWORK is one with another network than the others",
    )
    network: str = setting("a1", "the network (Suen & Alonso: a1)")
    initialisation: str = setting(
        "torch", "first weights of that network: PyTorch's defaults, as published, or its own", choices=INITIALISATIONS
    )
    l2_powers: tuple[int, ...] = setting((3, 4, 5), "values of weight decay: 4 is 1e-4", least=0, most=20)
    repeats: int = setting(4, "repeats of every model, each with its own seed", least=1, most=1000)
    repeats_at_once: int = setting(4, "repeats whose models are trained as one batch on a GPU", least=1, most=1000)
    iterations: int = setting(10_000, "steps of the optimiser for a model", least=1, most=MANY)
    record: int = setting(10, "iterations from one measured loss to the next", least=1, most=MANY)
    batch: int = setting(512, "positions of a step, drawn with replacement", least=1, most=65_536)
    learning_rate: float = setting(1e-3, "of Adam", least=0, most=1)
    halve_after: int = setting(
        0, "halve the rate after so many iterations without progress; 0: never", least=0, most=MANY
    )
    stop_after: int = setting(0, "end a model after so many iterations without progress; 0: never", least=0, most=MANY)
    sets: int = setting(8, "sets of positions", least=1, most=1000)
    random_states: int = setting(
        1000, "positions at random in a set, beside the 480 about to be won", least=1, most=MANY
    )
    held_back: float = setting(0.15, "share of positions to validate with", least=0.001, most=0.9)
    sample_sizes: tuple[int, ...] = setting(
        (5032, 2516, 1258), "positions in the test of sample sizes, besides all", least=1, most=MANY
    )
    sample_l2: float = setting(1e-4, "weight decay in the tests of sample sizes and of other draws", least=0, most=1)
    sample_repeats: int = setting(4, "repeats in the test of sample sizes; 0: no such test", least=0, most=1000)
    sample_iterations: int = setting(10_000, "steps of the optimiser in the test of sample sizes", least=1, most=MANY)
    draws: int = setting(3, "other draws of positions, one repeat of SLAP and augmentation each", least=0, most=1000)
    draw_iterations: int = setting(1000, "steps of the optimiser for these", least=1, most=MANY)
    grid_points: int = setting(12, "of the 2,400 points of figure 7, drawn at random; 0: none", least=0, most=2400)
    grid_blocks: tuple[int, ...] = setting(
        (0,), "residual blocks in the grid (figure 7: 0, 5, 10, 20)", least=0, most=100
    )
    grid_filters: int = setting(256, "filters of the residual blocks in the grid", least=1, most=4096)
    grid_iterations: int = setting(1000, "steps of the optimiser for a point of the grid", least=1, most=MANY)
    device: str = setting("cpu", "where models are trained: cpu or cuda")
    precision: str = setting("auto", "bf16 where the device has it", choices=("auto", "fp32", "bf16"))
    form: str = setting(
        "auto",
        "how models are run together, see learning/model_batch.py",
        choices=FORMS,
    )
    seed: int = setting(0, "of the first repeat; the next has the next number", least=0, most=MANY)
    data_seed: int = setting(0, "of the positions", least=0, most=MANY)


def check(settings: SyntheticSettings) -> None:
    arms_of(settings.modes, settings.network)
    decays_of(settings.l2_powers)
    check_device(settings.device)
    used = {
        "iterations": 1,
        "sample_iterations": settings.sample_repeats,
        "draw_iterations": settings.draws,
        "grid_iterations": settings.grid_points,
    }
    for name in (name for name, count in used.items() if count):
        if getattr(settings, name) % settings.record:
            raise EightfoldError(f"{name} = {getattr(settings, name)} is no multiple of record = {settings.record}")
    positions = settings.sets * (len(lines()) * FIVE + settings.random_states)
    training = positions - round(settings.held_back * positions)
    beyond = [size for size in settings.sample_sizes if size >= training]
    if beyond and settings.sample_repeats:
        raise EightfoldError(f"sample_sizes: {beyond[0]} is not less than all {training} training positions")


def arms_of(modes: str, network: str) -> list[Arm]:
    """
    >>> [arm.mode for arm in arms_of("none slap", "a1")]
    ['none', 'slap']
    """
    return [Arm(arm.mode, arm.network) for arm in read_arms(modes, network, modes=MODES)]


def decays_of(powers: Sequence[int]) -> list[float]:
    """
    >>> decays_of((3, 4))
    [0.001, 0.0001]
    """
    if len(set(powers)) < len(powers):
        raise EightfoldError(f"l2_powers = {list(powers)} names a power twice")
    return [float(f"1e-{power}") for power in powers]
