"""What people read of the health of a run's self-play: a table of its slices, and the findings in words."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from eightfold.core.words import number_of
from eightfold.learning.health import TOO_FEW, Health, Slice
from eightfold.learning.monitors import ENOUGH

COLUMNS = {  # heading -> figure
    "one side": "one_sided",
    "draws": "draws",
    "distinct": "distinct_games",
    "same game": "repeated_games",
}


def print_health(health: Health) -> None:
    console = Console(emoji=False, highlight=False)
    looked_at = sum(part.looked_at for part in health.slices)
    some = "" if looked_at == health.games else f", {looked_at:,} of them looked at"
    table = Table(
        title=f"{health.name}, {health.game.text}, {number_of(health.games, 'game')}{some}", title_justify="left"
    )
    table.add_column("games", justify="right", no_wrap=True)
    table.add_column("length", justify="right")
    for heading in COLUMNS:
        table.add_column(heading, justify="right")
    table.add_column("self-play is")
    for part in health.slices:
        shares = [f"{part.figures[key]:.0%}" if part.figures else "" for key in COLUMNS.values()]
        length = f"{part.figures['game_length']:.1f}" if part.figures else ""
        style = "yellow" if part.findings else "green" if part.is_healthy else ""
        table.add_row(
            f"{part.first}–{part.last}", length, *shares, f"[{style}]{part.state}[/]" if style else part.state
        )
    console.print(table)
    if health.unreadable:
        console.print(f"left out, since they cannot be read: {number_of(health.unreadable, 'game')}", soft_wrap=True)
    for line in health_words(health):
        console.print(line, soft_wrap=True, markup=False)


def health_words(health: Health) -> Iterator[str]:
    """What there is to say of a run, a line each: stretches with the same finding, and how many slices are healthy."""
    slices = health.slices
    if all(part.state == TOO_FEW for part in slices):
        yield f"{number_of(sum(part.looked_at for part in slices), 'game')}: too few to say; {ENOUGH} are enough"
        return
    for kind in dict.fromkeys(finding.kind for part in slices for finding in part.findings):
        for stretch in _stretches(slices, kind):
            last = next(finding for finding in stretch[-1].findings if finding.kind == kind)
            yield f"games {stretch[0].first}–{stretch[-1].last}: {last.text}"
    healthy = sum(part.is_healthy for part in slices)
    if healthy == len(slices):
        yield "self-play is healthy from the first game to the last: neither collapsed nor redundant"
    else:
        yield f"{healthy} of {len(slices)} slices are healthy"


def _stretches(slices: tuple[Slice, ...], kind: str) -> Iterator[list[Slice]]:
    """Slices in a row that have a finding of a kind."""
    stretch: list[Slice] = []
    for part in slices:
        if any(finding.kind == kind for finding in part.findings):
            stretch.append(part)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch
