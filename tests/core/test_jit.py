"""The cache of compiled kernels: it survives processes, and it notices changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eightfold.core import jit

CALLEE = "from eightfold.core.jit import kernel\n\n@kernel\ndef step(x):\n    return x + {amount}\n"
CALLER = """\
from eightfold.core.jit import kernel
from callee import step

@kernel
def twice(x):
    return step(step(x))
"""
ASK = "import caller; value = caller.twice(0); s = caller.twice.stats; print(value, sum(s.cache_hits.values()))"


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    (tmp_path / "callee.py").write_text(CALLEE.format(amount=1))
    (tmp_path / "caller.py").write_text(CALLER)
    return tmp_path


def test_a_second_process_finds_the_kernel_in_the_cache(modules, run_python):
    cache = str(modules / "cache")
    assert run_python(ASK, cwd=modules, EIGHTFOLD_CACHE=cache).split() == ["2", "0"]
    assert run_python(ASK, cwd=modules, EIGHTFOLD_CACHE=cache).split() == ["2", "1"]


def test_a_change_in_a_callee_of_another_file_is_noticed(modules, run_python):
    cache = str(modules / "cache")
    assert run_python(ASK, cwd=modules, EIGHTFOLD_CACHE=cache).split() == ["2", "0"]
    # The caller's own file keeps its time and size: Numba alone would serve the old machine code.
    (modules / "callee.py").write_text(CALLEE.format(amount=5))
    assert run_python(ASK, cwd=modules, EIGHTFOLD_CACHE=cache).split() == ["10", "0"]
    (modules / "callee.py").write_text(CALLEE.format(amount=1))
    assert run_python(ASK, cwd=modules, EIGHTFOLD_CACHE=cache).split() == ["2", "1"], "the first version is still there"


@pytest.mark.parametrize("name", ["mygames.callee", "elsewhere"])
def test_a_change_is_noticed_in_a_package_and_elsewhere_on_the_path(tmp_path, run_python, name):
    """Absolute imports: of a sibling in the same package, and of a module in another folder of the path."""
    package, other = tmp_path / "mygames", tmp_path / "other"
    package.mkdir()
    other.mkdir()
    (package / "__init__.py").write_text("")
    callee = package / "callee.py" if name == "mygames.callee" else other / "elsewhere.py"
    (package / "caller.py").write_text(CALLER.replace("callee", name))
    ask = f"import sys; sys.path.insert(0, {str(other)!r})\n" + ASK.replace(
        "import caller", "from mygames import caller"
    )
    for amount, answer in ((1, "2"), (5, "10")):
        callee.write_text(CALLEE.format(amount=amount))
        assert run_python(ask, cwd=tmp_path, EIGHTFOLD_CACHE=str(tmp_path / "cache")).split()[0] == answer


def test_constants_and_numbers_share_one_version():
    @jit.kernel
    def shifted(x, by):
        return x + by

    @jit.kernel
    def caller(x):
        return shifted(x, 0) + shifted(x, 1) + shifted(x, by=x)

    assert caller(5) == 5 + 6 + 10
    assert len(shifted.signatures) == 1


def test_only_old_folders_of_ours_are_cleaned_away(tmp_path, run_python):
    ours, fresh, theirs = (tmp_path / "eightfold-kernels" / name for name in ("0" * 20, "1" * 20, "my-work"))
    for folder in (ours, fresh, theirs):
        folder.mkdir(parents=True)
    for folder in (ours, theirs):
        os.utime(folder, (0, 0))
    run_python("import eightfold.core.rng", EIGHTFOLD_CACHE=str(tmp_path))
    assert not ours.exists()
    assert fresh.exists()
    assert theirs.exists()


@pytest.mark.slow
def test_threads_may_specialise_the_same_search_at_once(tmp_path, run_python):
    code = """
import threading
from eightfold.arena import make_player
from eightfold.games import make_game
game, answers = make_game("gomoku:size=5,win=4"), []
def ask():
    answers.append(make_player("mcts:playouts=50", game, seed=1).think(game.start()).action)
threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(answers), len(set(answers)))
"""
    assert run_python(code, EIGHTFOLD_CACHE=str(tmp_path)).split() == ["4", "1"]


def test_a_kernel_typed_in_at_a_prompt_works_without_a_cache(run_python):
    code = "from eightfold.core.jit import kernel\n@kernel\ndef f(x):\n    return x + 1\nprint(f(1))"
    assert run_python(code).strip() == "2"


def test_the_digest_follows_every_way_to_import(tmp_path: Path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    for name in ("plain", "named", "listed", "deep"):
        (tmp_path / "package" / f"{name}.py").write_text("x = 1\n")
    main = tmp_path / "package" / "main.py"
    main.write_text("import os\nfrom . import (\n    listed,\n    named as other,\n)\nfrom .plain import x\n")
    (tmp_path / "package" / "plain.py").write_text("from .deep import x\n")
    files = jit._imported_files(main.resolve())
    assert {file.stem for file in files} == {"main", "listed", "named", "plain", "deep"}


def test_a_file_that_changes_and_another_path_are_looked_at_again(tmp_path: Path, monkeypatch):
    main, other = tmp_path / "main.py", tmp_path / "elsewhere" / "other.py"
    other.parent.mkdir()
    other.write_text("x = 1\n")
    main.write_text("import other\n")
    assert jit._imported_files(main) == {main}
    monkeypatch.syspath_prepend(str(other.parent))
    assert jit._imported_files(main) == {main, other}
    main.write_text("import os\n")
    os.utime(main, (0, 0))
    assert jit._imported_files(main) == {main}


def test_kernels_of_the_package_watch_what_they_bake_in():
    from eightfold.games.gomoku import rules as gomoku

    watched = {file.name for file in jit._imported_files(Path(gomoku.__file__).resolve())}
    assert {"rules.py", "state.py", "orbit.py", "group.py", "rng.py", "jit.py"} <= watched
    assert "main.py" not in watched, "a change of the command line must not compile the rules again"


def test_a_read_only_home_falls_back_to_a_temporary_folder(tmp_path: Path, run_python):
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    code = "from eightfold.core.jit import cache_root; print(cache_root())"
    place = run_python(
        code, EIGHTFOLD_CACHE=str(blocked / "x"), XDG_CACHE_HOME=str(blocked / "y"), TMPDIR=str(tmp_path)
    ).strip()
    assert Path(place).parent == tmp_path
    assert os.access(place, os.W_OK)


def test_other_packages_keep_their_own_cache_folder(run_python):
    code = "import numba.core.config as c; b = c.CACHE_DIR; import eightfold.core.rng; print(b == c.CACHE_DIR)"
    assert run_python(code).strip() == "True"


def test_everything_runs_without_compilation_for_debugging(run_python):
    code = """
from eightfold.games import make_game
from eightfold.arena import make_player
for game in (make_game("gomoku:size=4,win=4"), make_game("go:size=4,suicide=allowed")):
    for text in ("random", "greedy", "mcts:playouts=10", "alphabeta:depth=1"):
        print(make_player(text, game, seed=1).think(game.after(["c3", "b2"])).action)
    for encoder in game.spec.encoders:
        print(game.after(["c3", "b2"]).encode(encoder).sum())
"""
    assert run_python(code, NUMBA_DISABLE_JIT="1") == run_python(code)


SEARCH = """
import sys, numpy as np
sys.path.insert(0, {examples!r})
from eightfold.games import make_game
from eightfold.search.uct import MctsOptions, Uct
for text in ("gomoku:size=5,win=4", "python:squares,size=5"):
    game = make_game(text, trusted=True)
    player = Uct(game, MctsOptions(playouts=200), seed=3)
    visits = player.think(game.start()).visits
    stats = player._kernels.run_playouts.stats
    print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), *visits)
"""


@pytest.mark.slow
def test_two_games_share_a_search_and_both_are_served_from_the_cache(tmp_path: Path, run_python, examples):
    code = SEARCH.format(examples=str(examples))
    first = run_python(code, EIGHTFOLD_CACHE=str(tmp_path)).splitlines()
    second = run_python(code, EIGHTFOLD_CACHE=str(tmp_path)).splitlines()
    assert [line.split()[:2] for line in first] == [["0", "1"], ["0", "1"]]
    assert [line.split()[:2] for line in second] == [["1", "0"], ["1", "0"]]
    assert [line.split()[2:] for line in first] == [line.split()[2:] for line in second]
    assert first[0].split()[2:] != first[1].split()[2:], "the two games must not run the same machine code"
