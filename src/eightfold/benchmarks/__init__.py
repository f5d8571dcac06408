"""How fast this machine is, each figure beside a baseline measured in the same run: `eightfold bench`.

A benchmark is a module here with a function `run() -> Benchmark`; the plain implementations that serve as
baselines (and as oracles in the tests) are in `eightfold.benchmarks.reference`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from eightfold.benchmarks.report import Benchmark, Figure, print_benchmarks
from eightfold.errors import unknown

NAMES = (
    "transform", "slap", "rollouts", "mcts", "alphabeta", "selfplay", "backends", "buffer", "training", "startup",
    "gomocup", "page",
)  # fmt: skip
LONG = ("buffer-full",)  # only when asked for by name

__all__ = ["LONG", "NAMES", "Benchmark", "Figure", "print_benchmarks", "run_benchmarks"]


def run_benchmarks(name: str | None = None, *, progress: bool = True) -> list[Benchmark]:
    """Run one benchmark, or all but the long ones."""
    if name is not None and name not in NAMES + LONG:
        raise unknown("benchmark", name, NAMES + LONG)
    chosen: Sequence[str] = NAMES if name is None else (name,)
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    shown = track(chosen, "measuring", console=console, transient=True, disable=not (progress and console.is_terminal))
    return [importlib.import_module(f"eightfold.benchmarks.{each.replace('-', '_')}").run() for each in shown]
