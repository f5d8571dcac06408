"""The rows of a study of symmetry, as people write them: `MODE`, `MODE@NETWORK`, `MODE@NETWORK+FLAG`.

>>> arms = read_arms("slap none@resnet", "a1", modes=("none", "slap"))
>>> [(arm.mode, arm.network.partition(":")[0]) for arm in arms]
[('slap', 'a1'), ('none', 'resnet')]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eightfold.core.errors import EightfoldError, unknown
from eightfold.nets.networks import network_text


class WrittenArm(NamedTuple):
    text: str  # as it was written
    mode: str
    network: str  # in full
    flags: tuple[str, ...] = ()


def read_arms(
    text: str, network: str, *, modes: Sequence[str], flags: Sequence[str] = (), setting: str = "modes"
) -> list[WrittenArm]:
    """Arms with a space between; those without a network of their own have `network`. No two may be the same."""
    found = []
    for written in text.split():
        plain, *own = written.split("+")
        mode, _, other = plain.partition("@")
        if mode not in modes:
            raise unknown("symmetry mode", mode, modes)
        if strange := [flag for flag in own if flag not in flags]:
            raise unknown(f"flag in {written}", strange[0], list(flags))
        found.append(WrittenArm(written, mode, network_text(other or network), tuple(own)))
    if not found or len({arm[1:] for arm in found}) < len(found):
        raise EightfoldError(f"{setting} = {text!r} names {'a mode twice' if found else 'no mode'}")
    return found
