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


VIEW = "@kernel\ndef tail(state):\n    return state[HEADER:]\n\n\n"
FORBIDDEN = [  # a helper, a line of `play`, and a word of the reason
    ("allocates", "", "counts = np.zeros(4, np.int64)", "zeros"),  # the compiler's error names its own files alone
    ("gives_views", VIEW, "tail(state)[0] += 0", "returning of array"),
    ("takes_roots", "", "root = np.sqrt(move)", "sqrt"),
    ("raises", "", "raise ValueError(move)", ""),
]


@pytest.mark.parametrize(("name", "helper", "line", "reason"), FORBIDDEN)
def test_what_a_kernel_may_not_do_is_told_by_its_line(name, helper, line, reason, gpu_code, tmp_path, monkeypatch):
    from eightfold.learning.actors.gpu import _compile_trouble

    before, at, play = (EXAMPLES / "drop_four.py").read_text().partition("@kernel\ndef play(")
    first, rest = play.split("\n", 1)
    (tmp_path / f"{name}.py").write_text(f"import numpy as np\n{before}{helper}{at}{first}\n    {line}\n{rest}")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the compiler raises
        gpu_code(f"python:{name}")
    said = str(_compile_trouble(caught.value, make_game(f"python:{name}", trusted=True)))
    lines = (tmp_path / f"{name}.py").read_text().splitlines()
    assert f"{name}.py, line {lines.index(f'    {line}') + 1}): " in said
    assert reason in said.partition("): ")[2]


def test_roots_of_another_rule_are_walked_by_a_kernel_of_their_own(gpu_code):
    walks = gpu_code(GAMES[0], HALVING)["walk_tree"], gpu_code(GAMES[0])["walk_tree_by_puct"]
    assert len(walks[1]) < len(walks[0])


def test_rules_for_one_board_leave_out_what_it_does_not_need(gpu_code):
    code, of_any = gpu_code("gomoku:size=8"), gpu_code("gomoku:size=8", one_board=False)
    for name in ("settle_leaf", "ask_leaf", "look_around"):
        assert 2 * len(code[name].splitlines()) < len(of_any[name].splitlines()), name
