"""What a GPU runs is compiled for one, also where there is none: numba-cuda alone is needed.

The GPU is an H200's kind (compute capability 9.0). Whether the answers are right is for `test_game_forest.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from forest_games import EXAMPLE_GAMES, EXAMPLES, GAMES, WAYS

from eightfold.core.cuda import teach_cuda
from eightfold.core.extras import is_installed
from eightfold.core.launchers import launcher_text
from eightfold.core.specialise import import_text
from eightfold.games import make_game
from eightfold.search.game_forest import GameForest, Host
from eightfold.search.settings import SearchSettings

HOPPER = SimpleNamespace(compute_capability=(9, 0))
PUCT, HALVING = SearchSettings(proof_nodes=30), SearchSettings(root="gumbel", gumbel_moves=4)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed("numba_cuda"), reason="numba-cuda is not installed"),
]


class Recorder(Host):
    """Runs nothing: keeps which kernels are to run, and on what."""

    def __init__(self, *, one_board: bool = True) -> None:
        self.one_board = one_board
        self.calls: dict[Callable[..., None], tuple[Any, ...]] = {}

    def run(self, kernel, trees, room, *arguments):
        self.calls[kernel] = arguments


@pytest.fixture
def gpu_code(monkeypatch) -> Callable[..., dict[str, str]]:
    """Compiles all that a game's forest runs; by the name of the kernel, what a GPU would be given."""
    cuda = teach_cuda()
    from numba import int64, typeof, void

    monkeypatch.setattr("numba.cuda.dispatcher.get_current_device", lambda: HOPPER)

    def compiled(text: str, settings: SearchSettings = PUCT, **options: bool) -> dict[str, str]:
        machine = Recorder(**options)
        ways = {**WAYS, "playouts": 20, "fast_playouts": 5, "full_share": 0.5, "by_halving": settings.root == "gumbel"}
        forest = GameForest(
            make_game(text, trusted=True),
            settings,
            ways,
            encoder="last-move",
            trees=2,
            rows=1,
            seed=(1,),
            machine=machine,
        )
        forest.hand_over()
        forest.step()
        forest.tend()
        found = {}
        for kernel, arguments in machine.calls.items():
            launched = import_text(*launcher_text(kernel)).over_items.py_func
            signature = void(int64, int64, typeof(arguments))
            capability = HOPPER.compute_capability
            code, _ = cuda.compile(launched, signature, cc=capability, device=False, abi="numba", output="ptx")
            found[kernel.__name__] = code
        return found

    return compiled


KERNELS = {"hand_over", "settle_leaf", "ask_leaf", "tend_tree", "look_around", "ripen_tree"}


@pytest.mark.parametrize("text", [*GAMES, *EXAMPLE_GAMES])
def test_all_kernels_of_a_game_compile_for_a_gpu(text, gpu_code, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    code = gpu_code(text)
    assert set(code) == KERNELS | {"walk_tree_by_puct"}
    for name, each in code.items():
        assert each.count(".entry") == 1, name
        assert "sm_90" in each


ALLOCATES = "counts = np.zeros(4, np.int64)"


def test_a_kernel_that_allocates_is_told_by_its_line(gpu_code, tmp_path, monkeypatch):
    """The compiler's own error names lines of its own files alone."""
    from eightfold.learning.actors.gpu import _compile_trouble

    first = "    size, colour = state[SIZE], state[SIDE]"
    text = (EXAMPLES / "drop_four.py").read_text()
    played = text.index("def play(")
    changed = text[played:].replace(first, f"    {ALLOCATES}\n{first}\n    colour += counts[0]", 1)
    (tmp_path / "bad_four.py").write_text(f"import numpy as np\n{text[:played]}{changed}")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Exception, match="zeros") as caught:
        gpu_code("python:bad_four")
    said = str(_compile_trouble(caught.value, make_game("python:bad_four", trusted=True)))
    lines = (tmp_path / "bad_four.py").read_text().splitlines()
    number = next(number for number, line in enumerate(lines, start=1) if ALLOCATES in line)
    assert f"bad_four.py, line {number})" in said
    assert "zeros" in said.partition("): ")[2]


def test_roots_of_another_rule_are_walked_by_a_kernel_of_their_own(gpu_code):
    walks = gpu_code(GAMES[0], HALVING)["walk_tree"], gpu_code(GAMES[0])["walk_tree_by_puct"]
    assert len(walks[1]) < len(walks[0])


def test_rules_for_one_board_leave_out_what_it_does_not_need(gpu_code):
    code, of_any = gpu_code("gomoku:size=8"), gpu_code("gomoku:size=8", one_board=False)
    for name in ("settle_leaf", "ask_leaf", "look_around"):
        assert 2 * len(code[name].splitlines()) < len(of_any[name].splitlines()), name
