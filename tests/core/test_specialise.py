"""Searches bound to games: what cannot be bound is refused, and a failure leaves nothing behind."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.core.specialise import DEFAULTS, specialise
from eightfold.games import make_game
from eightfold.games.gomoku import rules as gomoku

HEAD = "from eightfold.core.jit import kernel\n"
FAILING = "from eightfold.games.contract import legal\nraise ArithmeticError(legal)\n"
NUMBERS = itertools.count()
# Only `eightfold.games.contract` imported at the top by name can be replaced; the rest would run without a body.
UNBOUND = {
    "nothing": "@kernel\ndef answer():\n    return 1\n",
    "the_module": "import eightfold.games.contract\n",
    "from_its_package": "from eightfold.games import contract\n",
    "inside": "def later():\n    from eightfold.games.contract import legal\n    return legal\n",
    "one_of_two": "from eightfold.games.contract import play\nimport eightfold.games.contract as other\n",
}


def templates(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """The name of a template with this text, which can be imported."""
    name = f"template_{next(NUMBERS)}"  # a name is bound only once in a process
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    return name


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """A cache folder of the test's own, and what is written there by `specialise`."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("eightfold.core.specialise.cache_root", lambda: folder)
    return folder / "eightfold-specialised"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", UNBOUND)
def test_a_template_that_does_not_import_the_contract_is_refused(kind, tmp_path, monkeypatch, cache):
    name = templates(tmp_path, monkeypatch, HEAD + UNBOUND[kind])
    with pytest.raises(
        EightfoldError, match=rf"cannot bind {name} to eightfold.games.gomoku.rules: .*games.contract import"
    ):
        specialise(name, gomoku)
    assert files(cache) == []


def test_comments_brackets_and_other_names_do_not_hide_the_contract(tmp_path, monkeypatch, cache):
    text = "from eightfold.games.contract import (  # some of it\n    legal,\n    play as step,\n)\nHERE = 1\n"
    module = specialise(templates(tmp_path, monkeypatch, text), gomoku)
    assert module.legal is gomoku.legal
    assert module.step is gomoku.play
    assert module.HERE == 1


def test_a_copy_that_cannot_be_imported_is_not_left_behind(tmp_path, monkeypatch, cache):
    name = templates(tmp_path, monkeypatch, FAILING)
    for _ in range(2):
        with pytest.raises(ArithmeticError):
            specialise(name, gomoku)
        assert files(cache) == []
        assert not [module for module in sys.modules if module.startswith(f"{name}_for")]


def test_a_disk_that_is_full_leaves_no_draft(tmp_path, monkeypatch, cache):
    name = templates(tmp_path, monkeypatch, "from eightfold.games.contract import legal\n")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space left"):
            specialise(name, gomoku)
    assert files(cache) == []
    assert specialise(name, gomoku).legal is gomoku.legal


def test_drafts_of_killed_processes_are_cleared_away_and_those_of_others_are_not(tmp_path, monkeypatch, cache):
    cache.mkdir(parents=True)
    old, fresh = cache / "uct_for_go.123.draft", cache / "uct_for_go.124.draft"
    for draft in (old, fresh):
        draft.write_text("half of a")
    os.utime(old, (time.time() - 1e5,) * 2)
    specialise(templates(tmp_path, monkeypatch, "from eightfold.games.contract import legal\n"), gomoku)
    assert not old.exists()
    assert fresh.exists()


def test_a_damaged_copy_is_written_again(tmp_path, run_python):
    code = (
        "from eightfold.games.gomoku import rules as gomoku\nfrom eightfold.core.specialise import specialise\n"
        "module = specialise('eightfold.search.kernels.playouts', gomoku)\nprint(module.__file__)"
    )
    path = Path(run_python(code, EIGHTFOLD_CACHE=str(tmp_path)).strip())
    whole, when = path.read_text(), path.stat().st_mtime_ns
    run_python(code, EIGHTFOLD_CACHE=str(tmp_path))
    assert path.stat().st_mtime_ns == when, "a good copy is left alone"
    path.write_text(whole[: len(whole) // 2])
    run_python(code, EIGHTFOLD_CACHE=str(tmp_path))
    assert path.read_text() == whole


AT_ONCE = """
import sys
sys.path.insert(0, {folder!r})
from eightfold.games.gomoku import rules as gomoku
from eightfold.core.specialise import specialise
for number in range(40):
    try:
        specialise("failing", gomoku)
    except ArithmeticError:
        continue
    except BaseException as other:
        print(repr(other))
"""


def test_two_processes_that_fail_at_once_do_not_trip_over_each_other(tmp_path):
    """Each takes the copy away that the other may be about to read: what is heard is why it cannot be imported."""
    (tmp_path / "failing.py").write_text(FAILING)
    cache = tmp_path / "cache"
    environment = {**os.environ, "EIGHTFOLD_CACHE": str(cache)}
    command = [sys.executable, "-c", AT_ONCE.format(folder=str(tmp_path))]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0] for process in both] == ["", ""]
    assert [process.returncode for process in both] == [0, 0]
    assert files(cache / "eightfold-specialised") == []


# ---- what a game is asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["gomoku:size=6", "go:size=5", "python:squares,size=5"])
def test_the_kernels_of_a_game_are_its_own_where_it_has_them(text, examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    game = make_game(text, trusted=True)
    defaults = specialise(DEFAULTS, game.rules)
    for name in ("rollout", "find_win", "is_dead", "judge_position", "encode_batch"):
        expected = getattr(game.rules, name, getattr(defaults, name))
        assert getattr(game.kernels, name) is expected, name


def test_a_search_that_builds_on_another_gets_the_one_of_its_game():
    games = [make_game(text) for text in ("gomoku:size=6", "go:size=5")]
    for game in games:
        search = specialise("eightfold.search.kernels.alphabeta", game.rules)
        builds_on_it = specialise("eightfold.search.kernels.minmax_leaves", game.rules)
        assert builds_on_it.search is search.search
        assert builds_on_it.play is game.rules.play
