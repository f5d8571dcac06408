"""How fast this machine is, each figure beside a baseline measured in the same run: `eightfold bench`.

A benchmark is a module here with a function `run() -> Benchmark`; the plain implementations that serve as
baselines (and as oracles in the tests) are in `eightfold.benchmarks.reference`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from eightfold.benchmarks.report import Benchmark, Figure, print_benchmarks
from eightfold.core.errors import EightfoldError, unknown

NAMES = (
    "transform", "slap", "rollouts", "go", "patterns", "mcts", "alphabeta", "threats", "advise", "selfplay", "leaves",
    "backends", "runtimes", "isn", "td", "buffer", "training", "models", "startup", "gomocup", "page",
)  # fmt: skip
ON_DEVICES = (
    "backends",
    "isn",
    "models",
    "selfplay",
)  # those that can also measure a device other than the CPU, when asked to
WITH_BASELINE = ("selfplay",)  # those of them that can also measure how it is done without the device, when asked to
LONG = ("buffer-full", "cluster")  # only when asked for by name
AS_MARKDOWN = ("cluster",)  # those that can write a table of the documentation

__all__ = [
    "AS_MARKDOWN",
    "LONG",
    "NAMES",
    "ON_DEVICES",
    "WITH_BASELINE",
    "Benchmark",
    "Figure",
    "markdown_of",
    "print_benchmarks",
    "run_benchmarks",
]


def run_benchmarks(
    name: str | None = None, *, device: str = "cpu", baseline: bool = False, progress: bool = True
) -> list[Benchmark]:
    """Run one benchmark, or all but the long ones; `device` is for `ON_DEVICES`, `baseline` for `WITH_BASELINE`."""
    if name is not None and name not in NAMES + LONG:
        raise unknown("benchmark", name, NAMES + LONG)
    if device != "cpu" and name not in ON_DEVICES:
        raise EightfoldError(f"--device {device} is for one benchmark at a time, of these: {', '.join(ON_DEVICES)}")
    if baseline and (device == "cpu" or name not in WITH_BASELINE):
        raise EightfoldError(f"--baseline goes with --device and one of these: {', '.join(WITH_BASELINE)}")
    more = {"baseline": True} if baseline else {}
    chosen: Sequence[str] = NAMES if name is None else (name,)
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    shown = track(chosen, "measuring", console=console, transient=True, disable=not (progress and console.is_terminal))
    modules = (importlib.import_module(f"eightfold.benchmarks.{each.replace('-', '_')}") for each in shown)
    return [module.run() if device == "cpu" else module.run(device, **more) for module in modules]


def markdown_of(name: str | None) -> str:
    """Measure, and give the tables of the documentation that are made of it."""
    if name not in AS_MARKDOWN:
        raise EightfoldError(f"--markdown is for one of these benchmarks: {', '.join(AS_MARKDOWN)}")
    return str(importlib.import_module(f"eightfold.benchmarks.{name}").markdown())
