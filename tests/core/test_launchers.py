"""What is launched on a GPU is a module of its own, whose machine code later processes find on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold.core.jit import PACKAGE, _imported_files, kernel
from eightfold.core.launchers import launcher_text
from eightfold.core.specialise import specialise
from eightfold.games.gomoku import rules as gomoku


def test_the_machine_code_depends_on_all_that_it_is_made_from(tmp_path):
    """On the rules, on helpers, and on what helpers are to a GPU: numba-cuda itself looks at one file."""
    search = specialise("eightfold.search.kernels.gpu_forest", gomoku)
    name, text = launcher_text(search.hand_over)
    source = tmp_path / f"{name}.py"
    source.write_text(text)
    beside = tmp_path / f"{search.__name__}.py"  # all such modules are in one folder
    beside.write_text(Path(str(search.__file__)).read_text())
    found = _imported_files(source)
    needed = ("core/cuda.py", "core/lanes.py", "core/scratch.py", "games/gomoku/rules.py", "games/gomoku/lines.py")
    assert {beside, *(PACKAGE / path for path in needed)} <= found


def test_another_game_and_other_options_are_another_module():
    from eightfold.games.go import rules as go

    kernels = [specialise("eightfold.search.kernels.gpu_forest", rules).hand_over for rules in (gomoku, go)]
    made = [launcher_text(kernels[0]), launcher_text(kernels[1]), launcher_text(kernels[0], max_registers=64)]
    assert len({name for name, _ in made}) == 3
    assert "@cuda.jit(max_registers=64)" in made[2][1]
    assert launcher_text(kernels[0]) == made[0]


def test_a_kernel_that_no_module_has_by_its_name_is_refused():
    @kernel
    def hidden() -> None:
        pass

    with pytest.raises(AssertionError, match="not to be found"):
        launcher_text(hidden)


MARKING = """
from eightfold.core.jit import kernel
from eightfold.core.lanes import lane_of

@kernel
def mark(item, lanes, room, marks):
    room[lane_of(lanes)] = item + lane_of(lanes)
    marks[item, lane_of(lanes)] = room[lane_of(lanes)]
"""
LAUNCHED = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from marking import mark
from eightfold.core.cuda_machine import CudaMachine
machine = CudaMachine()
marks = machine.zeros((5, 32), np.int64)
machine.run(mark, 5, 32, marks)
assert (machine.read(marks) == np.add.outer(np.arange(5), np.arange(32))).all()
print(sum(machine._launchers[mark].stats.cache_hits.values()))
"""


@pytest.mark.gpu(kernels=True)
def test_a_later_process_takes_the_machine_code_from_the_disk(run_python, tmp_path):
    (tmp_path / "marking.py").write_text(MARKING)
    code = LAUNCHED.format(folder=str(tmp_path))
    assert [run_python(code, EIGHTFOLD_CACHE=str(tmp_path / "cache")).strip() for _ in range(2)] == ["0", "1"]
