"""What the commands of pattern libraries share: where they write to, and what they say of a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of

if TYPE_CHECKING:
    from eightfold.patterns.library import Library

SOME_SKIPPED = 3  # exit code: a library was made, but not of all games
INTERRUPTED = 130
ELO = "elo"  # under which a library tells of its strengths

OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The library's file, e.g. go.patterns.")]


def names_in(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def check_folder(output: Path) -> None:
    """Before hours of work: the output can be written where it is to go."""
    if output.is_dir() or not output.parent.is_dir():
        raise EightfoldError(f"cannot write {output}: give the name of a file in a folder that is there")


def report(library: Library, output: Path, as_json: bool) -> None:
    """Say what a library holds, the games that were skipped and the strengths among it."""
    about = dict(library.about)
    patterns = {name: len(table.codes) for name, table in library.tables.items()}
    if as_json:
        features = {name: levels.tolist() for name, levels in library.features.items()}
        shown = {"library": str(output), **about, "patterns": patterns, "features": features}
        print(json.dumps(shown, ensure_ascii=False))
        return
    boards = ", ".join(f"{number:,} on {size}x{size}" for size, number in about["sizes"].items())
    print(f"{output}: {number_of(about['games'], 'game')}, {number_of(about['moves'], 'move')} ({boards})")
    for name, number in patterns.items():
        print(f"  {name:<14} {number:>12,} patterns")
    if about["variations"]:
        print(f"{number_of(about['variations'], 'game')} with variations, of which the main lines are counted")
    skipped: dict[str, int] = about["skipped"]
    if skipped:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
        print(f"{sum(skipped.values()):,} skipped: {reasons}")
        for line in about["skipped_first"]:
            print(f"  {line}")
        rest = sum(skipped.values()) - len(about["skipped_first"])
        if rest:
            print(f"  and {rest:,} more; --log FILE names all")
    if ELO in about:
        _report_elo(library, about[ELO])


def _report_elo(library: Library, told: dict[str, Any]) -> None:
    first, last = told["iterations"][0], told["iterations"][-1]
    print(
        f"strengths from {number_of(told['games'], 'game')}: log-likelihood {last['log_likelihood']:.4f} a move after"
        f" {last['number']} iterations, {first['log_likelihood']:.4f} if all were equal"
    )
    for name, levels in library.features.items():
        print(f"  {name:<16}" + " ".join(f"{gamma:.2f}" for gamma in levels[1:]))
