"""Names of games and players: what is accepted, and what is said about the rest."""

from __future__ import annotations

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.core.specs import Option, read_options

OPTIONS = (
    Option(name="depth", default=4, least=1, most=20, help=""),
    Option(name="seconds", default=0.0, least=0, help=""),
    Option(name="rule", default="free", choices=("free", "exact"), help=""),
)


def test_values_take_the_type_of_their_default():
    assert read_options("depth=6, seconds=1", OPTIONS, "x") == {"depth": 6, "seconds": 1.0, "rule": "free"}
    assert read_options("", OPTIONS, "x") == {"depth": 4, "seconds": 0.0, "rule": "free"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dept=3", "unknown option of player x 'dept' (did you mean 'depth'?); known: depth, seconds, rule"),
        ("depth=0", "player x: depth=0 is not a whole number from 1 to 20"),
        ("depth=2.5", "player x: depth='2.5' is not a whole number from 1 to 20"),
        ("seconds=nan", "player x: seconds=nan is not a number of at least 0"),
        ("seconds=inf", "player x: seconds=inf is not a number of at least 0"),
        ("rule=exat", "unknown value for 'rule' of player x 'exat' (did you mean 'exact'?); known: free, exact"),
        ("depth", "player x: 'depth' is not of the form key=value; keys: depth, seconds, rule"),
        ("depth=1,depth=2", "player x: option 'depth' is given twice in 'depth=1,depth=2'"),
    ],
)
def test_every_mistake_is_answered_with_what_would_be_right(text, said):
    with pytest.raises(EightfoldError) as caught:
        read_options(text, OPTIONS, "player x")
    assert str(caught.value) == said
