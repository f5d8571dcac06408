"""Names of games and players: what is accepted, and what is said about the rest."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.core.specs import read_spec, spec_values, write_spec


@dataclass(frozen=True, kw_only=True)
class Options:
    depth: int = setting(4, "", least=1, most=20, former=("plies",))
    seconds: float = setting(0.0, "", least=0)
    rule: str = setting("free", "", choices=("free", "exact"))
    weight: float | None = setting(0.5, "", least=0, absent="as it was", name="lambda")


def test_values_take_the_type_of_their_default():
    assert read_spec("depth=6, seconds=1", Options, "x") == Options(depth=6, seconds=1.0)
    assert read_spec("", Options, "x") == Options(depth=4, seconds=0.0, rule="free", weight=None)
    assert read_spec("lambda=2", Options, "x").weight == 2.0
    assert read_spec("rule=exact", Options, "x", defaults=Options(depth=7)) == Options(depth=7, rule="exact")


def test_a_former_name_is_read_from_files_and_answered_with_the_new_one_where_it_was_typed():
    assert read_spec("plies=3", Options, "x", stored=True).depth == 3
    with pytest.raises(EightfoldError, match=r"player x: option 'plies' is now called 'depth'; write depth="):
        read_spec("plies=3", Options, "player x")


def test_options_are_written_and_read_again():
    options = Options(depth=3, weight=0.25)
    text = write_spec("x", spec_values(options))
    assert text == "x:depth=3,seconds=0.0,rule=free,lambda=0.25"
    assert read_spec(text.removeprefix("x:"), Options, "x") == options


def test_a_value_with_commas_stands_in_brackets():
    @dataclass(frozen=True, kw_only=True)
    class Outer:
        inner: str = setting("x", "")
        depth: int = setting(4, "")

    for inner in ("x", "x:depth=3", "x:depth=3,rule=exact", "y:inner=[x:depth=3,rule=exact],depth=2", "[x]"):
        text = write_spec("z", spec_values(Outer(inner=inner, depth=5)))
        assert read_spec(text.removeprefix("z:"), Outer, "z") == Outer(inner=inner, depth=5)
    assert read_spec("inner = [ x:depth=3 ] ,depth=[7]", Outer, "z") == Outer(inner="x:depth=3", depth=7)
    assert read_spec("inner=a[0", Outer, "z").inner == "a[0", "a bracket opens behind an equals sign only"
    with pytest.raises(EightfoldError, match=r"^z: a bracket is not closed in 'inner=\[x:depth=3,depth=2'$"):
        read_spec("inner=[x:depth=3,depth=2", Outer, "z")
    with pytest.raises(EightfoldError, match=r"^z: inner=\[x\]y goes on behind its bracket; a comma is missing$"):
        read_spec("inner=[x]y", Outer, "z")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dept=3", "unknown option of player x 'dept' (did you mean 'depth'?); known: depth, seconds, rule, lambda"),
        ("depth=0", "player x: depth=0 is not a whole number from 1 to 20"),
        ("depth=2.5", "player x: depth='2.5' is not a whole number from 1 to 20"),
        ("seconds=nan", "player x: seconds=nan is not a number of at least 0"),
        ("seconds=inf", "player x: seconds=inf is not a number of at least 0"),
        ("rule=exat", "unknown value for 'rule' of player x 'exat' (did you mean 'exact'?); known: free, exact"),
        ("depth", "player x: 'depth' is not of the form key=value; keys: depth, seconds, rule, lambda"),
        ("depth=1,depth=2", "player x: option 'depth' is given twice in 'depth=1,depth=2'"),
    ],
)
def test_every_mistake_is_answered_with_what_would_be_right(text, said):
    with pytest.raises(EightfoldError) as caught:
        read_spec(text, Options, "player x")
    assert str(caught.value) == said
