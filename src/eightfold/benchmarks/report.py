"""What a benchmark gives, and the table it becomes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured number; `least` or `most` is the bar it should reach."""

    key: str
    value: float | None  # None if it could not be measured here; `note` says why
    unit: str = ""
    least: float | None = None
    most: float | None = None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None where there is no bar or no value."""
        if self.value is None or (self.least is None and self.most is None):
            return None
        return (self.least is None or self.value >= self.least) and (self.most is None or self.value <= self.most)


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    name: str
    title: str
    figures: tuple[Figure, ...]

    def as_dict(self) -> dict[str, float | None]:
        return {figure.key: figure.value for figure in self.figures}


def interleaved(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median seconds of each job, the jobs taking turns so that a busy moment hits all of them."""
    for job in jobs.values():
        job()
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}


def print_benchmarks(measured: list[Benchmark]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(title="Eightfold on this machine", title_justify="left")
    table.add_column("benchmark", no_wrap=True)
    table.add_column("figure")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("bar", justify="right", no_wrap=True)
    for benchmark in measured:
        table.add_section()
        table.add_row(f"[bold]{benchmark.name}[/bold]", f"[bold]{benchmark.title}[/bold]", "", "")
        for figure in benchmark.figures:
            table.add_row("", figure.key.replace("_", " "), value_text(figure), _bar(figure))
            if figure.note:
                table.add_row("", f"  [dim]{figure.note}[/dim]", "", "")
    console.print(table)


def value_text(figure: Figure) -> str:
    """A value with its unit, as tables show it."""
    if figure.value is None:
        return "-"
    if 0 < abs(figure.value) < 0.0005:
        return f"{figure.value:.1e} {figure.unit}".rstrip()
    digits = 0 if abs(figure.value) >= 1000 else 3 if abs(figure.value) < 10 else 1
    return f"{figure.value:,.{digits}f} {figure.unit}".rstrip()


def bar_text(figure: Figure) -> str:
    """The bar, and whether it is reached."""
    bars = (("at least", figure.least), ("at most", figure.most))
    words = [f"{how} {bar:g}" for how, bar in bars if bar is not None]
    return " ".join([*words, *([] if figure.reached is None else ["ok" if figure.reached else "missed"])])


def _bar(figure: Figure) -> str:
    """The same in colours."""
    return bar_text(figure).replace("ok", "[green]ok[/green]").replace("missed", "[red]missed[/red]")
