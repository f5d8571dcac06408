"""Rules for one board: the numbers of the board stand in the text, in every module, and the answers are the same."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import pytest

from eightfold.core.constants import copied_from, with_constants
from eightfold.games import make_game

MODULE = '''"""A docstring
of two lines."""

from __future__ import annotations

from .beside import SIZE, twice
from . import apart


def area(state):
    state[KO] = state[SIZE]
    return state[SIZE] * twice(state) + state[KO] + apart.NOTHING


KO = 1
'''
BESIDE = """SIZE = 0


def twice(state):
    from {package}.rules import KO
    other = state
    return 2 * state[SIZE] + 0 * other[SIZE] + 0 * state[KO]"""


@pytest.fixture
def package(tmp_path, monkeypatch) -> str:
    """Rules of somebody else in a package: relative imports, and two modules that import each other."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    files = {"__init__": "", "rules": MODULE, "beside": BESIDE.format(package=name), "apart": "NOTHING = 0\n"}
    (tmp_path / name).mkdir()
    for file, text in files.items():
        (tmp_path / name / f"{file}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("eightfold.core.specialise.cache_root", lambda: tmp_path / "cache")
    return name


def text_of(name: str) -> str:
    return Path(str(sys.modules[name].__file__)).read_text()


def test_fields_are_read_as_numbers_in_all_modules_and_written_as_before(package):
    rules = importlib.import_module(f"{package}.rules")
    copy = with_constants(rules, {0: 7})
    assert copy.area([7, 0]) == rules.area([7, 0]) == 7 * 14 + 7
    assert copy.area([3, 0]) == copy.area([7, 0])  # the state is no longer asked
    text = Path(str(copy.__file__)).read_text()
    assert "state[KO] = (7)\n    return (7) * twice(state) + state[KO]" in text
    beside = text_of(copy.twice.__module__)
    assert "2 * (7) + 0 * other[SIZE] + 0 * state[KO]" in beside
    assert f"from {package} import apart" in text
    assert with_constants(rules, {0: 7, 1: 3}) is not copy
    assert with_constants(rules, {0: 7}) is copy


def test_what_is_said_of_a_line_of_a_copy_is_true_of_that_line_of_the_original(package):
    rules = importlib.import_module(f"{package}.rules")
    copy = with_constants(rules, {0: -7, 1: 3})
    before, after = (Path(str(each.__file__)).read_text().splitlines() for each in (rules, copy))
    changed = [number for number, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert [before[number].split()[0] for number in changed] == ["from", "from", "state[KO]", "return"]
    assert copied_from(str(copy.__file__)) == str(rules.__file__)
    assert copied_from(os.path.relpath(str(copy.__file__))) == str(rules.__file__)  # compilers say it in this way
    assert copied_from("elsewhere.py") == "elsewhere.py"
    assert copy.area([0, 0]) == -7 * (2 * -7) + 3


@pytest.mark.parametrize(
    "text",
    [
        "from pathlib import Path\n(Path(__file__).parent / 'apart.py').read_text()\n",  # of what lies beside it
        "SIZE = 0\nfrom . apart import NOTHING\n",
    ],
)
def test_rules_that_cannot_be_copied_are_left_as_they_are(package, text):
    rules = importlib.import_module(f"{package}.rules")
    Path(str(rules.__file__)).write_text(text)
    rules = importlib.reload(rules)
    assert with_constants(rules, {0: 7}) is rules


LOOKALIKES = """
SIZE, i = 0, 0


def total(state):
    found = 0
    for i in range(len(state)):
        found += state[i]
    return found


def absolute(state):
    from  math import fabs
    return fabs(state[SIZE])if state[SIZE]else 0
"""


def test_names_that_are_not_in_capitals_are_no_constants(package):
    rules = importlib.import_module(f"{package}.apart")
    Path(str(rules.__file__)).write_text(LOOKALIKES)
    rules = importlib.reload(rules)
    copy = with_constants(rules, {0: -7})
    assert copy is not rules
    assert copy.total([1, 2, 3]) == 6
    assert copy.absolute([0]) == 7


@pytest.mark.parametrize("text", ["gomoku:size=7,rule=renju", "go:size=5"])
def test_no_module_of_a_game_asks_the_state_for_what_is_known(text):
    game = make_game(text)
    start = game.start().state
    copy = with_constants(game.rules, {place: int(start[place]) for place in game.spec.fixed})
    made, waiting = set[str](), [copy.__name__]
    while waiting:
        name = waiting.pop()
        made.add(name)
        words = text_of(name).replace("(", " ").split()
        waiting += [word for word in words if "_with_constants_" in word and word not in made]
    names = {key for key, value in vars(copy).items() if key in ("SIZE", "WIN", "RULE", "RULES", "DOUBLE_KOMI")}
    assert len(made) > 3
    for name in made:
        for field in names:
            assert f"state[{field}]" not in text_of(name).replace(f"state[{field}] =", ""), (name, field)
