"""Which auxiliary heads a network has, as its text says it: `auxiliary=points+soft+next`. Nothing here needs PyTorch.

    points  who will own every point, and by how much the game is won: for games that are decided by points
    soft    the policy of the search at a high temperature, for every game
    next    the move that the opponent plays next, for every game

`auxiliary=0` is none of them and `auxiliary=1` is `points`, as texts of earlier versions have it. Read next:
`auxiliary.py`, where the heads are, and `../learning/trainer.py`, which teaches them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import setting

POINTS, SOFT, NEXT = "points", "soft", "next"
HEADS = (POINTS, SOFT, NEXT)  # in the order in which they are written
SHORT = {"0": (), "1": (POINTS,)}  # the only two that there once were
OPTION = re.compile(r"[:,]auxiliary=([\w+]+)")


@dataclass(frozen=True, kw_only=True)
class AuxiliaryOption:
    auxiliary: str = setting(
        "0",
        "heads that only teach, joined by +: points (ownership and score, in games of points; also written 1),"
        " soft (the policy at a high temperature), next (the opponent's next move); 0: none",
        former=("foresight",),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "auxiliary", heads_text(read_heads(self.auxiliary)))  # an error now if one is unknown


def read_heads(text: str) -> tuple[str, ...]:
    """The heads that a text names, in their order.

    >>> read_heads("next+soft"), read_heads("1"), read_heads("0")
    (('soft', 'next'), ('points',), ())
    """
    if text in SHORT:
        return SHORT[text]
    named = text.split("+")
    for name in named:
        if name not in HEADS:
            raise unknown("auxiliary head", name, (*SHORT, *HEADS))
    if len(set(named)) < len(named):
        raise EightfoldError(f"auxiliary={text} names a head twice")
    return tuple(name for name in HEADS if name in named)


def heads_text(heads: tuple[str, ...]) -> str:
    """The text that names these heads.

    >>> heads_text(("points",)), heads_text(("points", "next")), heads_text(())
    ('1', 'points+next', '0')
    """
    return next((text for text, short in SHORT.items() if short == heads), "+".join(heads))


def predicts_ownership(network: str) -> bool:
    """Whether the network of a text has a head for ownership.

    >>> predicts_ownership("resnet:blocks=1,auxiliary=points+soft"), predicts_ownership("resnet:auxiliary=soft")
    (True, False)
    """
    return any(POINTS in read_heads(found) for found in OPTION.findall(network))
