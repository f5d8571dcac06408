"""People are told while a compiler keeps them waiting, and it has no more to do than it must."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from eightfold.cli.warmup import _Undecided
from eightfold.core.compiling import Bursts, part_of
from eightfold.core.jit import cache_folder
from eightfold.games.game import make_game
from eightfold.search.forest import ForestSearch
from eightfold.search.settings import SearchSettings
from patience import LONG

GAME = ("--game", "python:squares,size=4")
# The command, but told of the first moment on: a fast machine compiles a small game before anybody would wait for it.
IMPATIENT = "from eightfold.core.compiling import BURSTS; BURSTS._moment = 0.0; import eightfold.__main__"


def test_a_command_says_on_stderr_that_it_compiles(examples, tmp_path):
    """A game of one's own and an empty cache; stdout is for the result alone."""
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, "match", "random", "random", "--games", "1", "--json", *GAME],
        cwd=examples,
        env={**os.environ, "EIGHTFOLD_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "compiling the rules of squares (once on this machine" in done.stderr
    assert len(json.loads(done.stdout)) > 0


def heard_of(bursts: Bursts) -> tuple[list[str], threading.Condition]:
    said: list[str] = []
    changed = threading.Condition()

    def listen(part: str) -> None:
        with changed:
            said.append(part)
            changed.notify()

    bursts.listen(listen)
    return said, changed


def test_a_burst_is_told_once_and_its_end_too():
    bursts = Bursts(moment=0.0, pause=0.01)
    said, changed = heard_of(bursts)
    with changed:
        bursts.begin("eightfold.games.gomoku.rules")
        bursts.begin("eightfold.games.gomoku.renju")  # for the sake of the first
        bursts.end()
        assert changed.wait_for(lambda: said == ["the rules of gomoku"], LONG)
        bursts.end()
        bursts.begin("forest_for_eightfold_games_gomoku_rules_0123456789abcdef")
        assert changed.wait_for(lambda: said[-1] == "the search for gomoku", LONG)
        assert bursts.now == "the search for gomoku"
        bursts.end()
        assert changed.wait_for(lambda: said[-1] == "", LONG)
    assert bursts.now == ""
    late, _ = heard_of(bursts)
    assert late == []


def test_what_is_over_in_a_moment_is_not_told():
    bursts = Bursts(moment=LONG, pause=0.01)
    said, changed = heard_of(bursts)
    bursts.begin("eightfold.games.go.rules")
    bursts.end()
    with changed:
        assert not changed.wait(0.1)
    assert said == []


@pytest.mark.parametrize(
    ("module", "part"),
    [
        ("eightfold.games.go.rules", "the rules of go"),
        ("eightfold.games.go.legal", "the rules of go"),
        ("eightfold.games.gomoku.rules", "the rules of gomoku"),
        ("eightfold.games.gomoku.renju", "the rules of gomoku"),
        ("uct_for_eightfold_games_go_rules_0123456789abcdef", "the search for go"),
        (
            "gpu_forest_for_eightfold_games_go_rules_with_constants_0123456789abcdef_0123456789abcdef",
            "the search for go on this board",
        ),
        ("defaults_for_squares_0123456789abcdef", "the rules of squares"),
        ("eightfold.symmetry.slap", "the board symmetries"),
        ("eightfold.isn.fused", "a network"),
        ("eightfold.patterns.codes", "the pattern libraries"),
        ("team_kernels_for_eightfold_games_go_rules_0123456789abcdef", "the patterns of go"),
        ("squares", "the rules of squares"),
    ],
)
def test_parts_have_names(module, part):
    assert part_of(module) == part


def test_a_search_with_a_network_compiles_every_kernel_once():
    """The cache has a file for each signature: a second one is a longer wait for whoever comes first."""
    game = make_game("gomoku:size=5")
    search = ForestSearch(game, _Undecided(game.actions), playouts=20, settings=SearchSettings())
    search.set_root(0, game.start().state)
    search.prepare_root(0, 20)
    while search.step():
        pass
    search.advance(0, int(search.root_move(0)))
    source = Path(search.kernels.__file__).resolve()
    counted = Counter(  # by the names of files: module.kernel-line.python.number.nbc
        code.name.removeprefix(f"{source.stem}.").partition("-")[0]
        for code in cache_folder(source).rglob(f"{source.stem}.*.nbc")
    )
    assert {"descend", "_walk", "_settle", "back_up", "absorb", "advance"} <= set(counted)
    assert {name for name, count in counted.items() if count > 1} == set()
