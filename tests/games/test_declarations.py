"""A game of one's own that declares what cannot be is refused in one line, before a kernel meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold.games.game import make_game
from refusals import refusal

EXAMPLE = (Path(__file__).parents[2] / "docs" / "examples" / "squares.py").read_text()


def declared(change: str) -> str:
    """The example with another declaration."""
    return f"{EXAMPLE}\nimport dataclasses\nGAME = dataclasses.replace(GAME, {change})\n"


WRONG = {
    "no_kernel": (EXAMPLE.replace("def reset(", "def restart("), "has no reset"),
    "no_size": (declared("options=dict"), "setting size"),
    "short": (declared("state_length=lambda size: 8"), "state_length is 8"),
    "raises": (declared("complete=lambda values: 1 // 0"), "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, said = WRONG[name]
    module = f"declares_{name}"
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    line = refusal(lambda: make_game(f"python:{module}", trusted=True).start())
    assert said in line
    assert module in line
    assert "\n" not in line
