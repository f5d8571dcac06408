"""Commands for pattern libraries: learn, combine, classes, export. What is heavy is imported inside."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from eightfold.cli.app import JsonOption, patterns_app
from eightfold.cli.pattern_prediction import FeaturesOption, IterationsOption, PriorOption, rate
from eightfold.cli.pattern_report import INTERRUPTED, SOME_SKIPPED, OutputOption, check_folder, names_in, report
from eightfold.core.errors import EightfoldError, not_written


@patterns_app.command()
def learn(
    paths: Annotated[
        list[Path], typer.Argument(help="SGF files and folders of them; plain, .gz, .xz or .zst; one game or many.")
    ],
    output: OutputOption,
    templates: Annotated[
        str, typer.Option(help="Which templates: block sizes, classes or single ones, separated by commas.")
    ] = "3x3,4x4",
    raw: Annotated[
        bool, typer.Option("--raw", help="A table for each template; do not combine symmetric shapes.")
    ] = False,
    games: Annotated[int | None, typer.Option(min=1, help="No more than so many games of the records.")] = None,
    skip: Annotated[int, typer.Option(min=0, help="Leave out the first games of the records.")] = 0,
    size: Annotated[int | None, typer.Option(help="Only games on this board, e.g. 19; default: any board.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Default: one for each core.")] = None,
    game: Annotated[str, typer.Option("--game", help="Whose records, e.g. go or gomoku:rule=renju.")] = "go",
    log: Annotated[Path | None, typer.Option(help="A file for the name of every game that is skipped.")] = None,
    elo: Annotated[bool, typer.Option("--elo", help="Then learn strengths (Elo) from the same games.")] = False,
    features: FeaturesOption = "",
    iterations: IterationsOption = 20,
    prior: PriorOption = 1.0,
    as_json: JsonOption = False,
) -> None:
    """Learn a library from game records. Ctrl-C stops cleanly; the same command goes on.

    The exit code is 0 if all games were counted, 3 if some were skipped, 2 if none could be counted.
    """
    from eightfold.core.signals import stopped_by_signals
    from eightfold.games.game import make_game
    from eightfold.patterns.features import check_features
    from eightfold.patterns.files import save_library
    from eightfold.patterns.learn import LearningStopped, learn_library
    from eightfold.patterns.partial import PartialFile
    from eightfold.patterns.progress import LearningBar

    check_folder(output)
    if elo:
        check_features(names_in(features), make_game(game, trusted=True))  # before all games are read
    elif features:
        raise EightfoldError("--features are learned with --elo")
    stop = threading.Event()
    try:
        with LearningBar() as bar, stopped_by_signals(stop.set):
            library = learn_library(
                paths,
                game=game,
                templates=names_in(templates),
                combined=not raw,
                games=games,
                skip=skip,
                size=size,
                threads=threads,
                output=output,
                log=log,
                stop=stop,
                tell=bar,
            )
    except LearningStopped as stopped:
        print(f"eightfold: {stopped}; the same command goes on from there", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    save_library(library, output)
    PartialFile.beside(output).remove()
    if elo:
        where = {"games": games, "skip": skip, "size": size, "game": game}
        library = rate(library, paths, output, names_in(features), iterations, prior, where)
    report(library, output, as_json)
    if library.about["skipped"]:
        raise typer.Exit(SOME_SKIPPED)


@patterns_app.command()
def combine(
    library: Annotated[Path, typer.Argument(help="A library that was learned with --raw.")],
    output: OutputOption,
    as_json: JsonOption = False,
) -> None:
    """Add up the counts of symmetric shapes of a raw library."""
    from eightfold.patterns.combine import combine as combined
    from eightfold.patterns.files import load_library, save_library
    from eightfold.patterns.templates import templates_of

    check_folder(output)
    raw = load_library(library)
    result = combined(raw)
    save_library(result, output)
    counts = {
        name: {
            "raw": sum(len(raw.tables[part.name].codes) for part in templates_of(name) if part.name in raw.tables),
            "combined": len(table.codes),
        }
        for name, table in result.tables.items()
    }
    if as_json:
        print(json.dumps({"library": str(output), "patterns": counts}))
        return
    for name, count in counts.items():
        print(f"{name:<14} {count['raw']:>12,} patterns, {count['combined']:>12,} combined")


@patterns_app.command()
def classes(as_json: JsonOption = False) -> None:
    """Count the patterns that differ by more than a symmetry: one by one, and by Burnside's lemma."""
    from eightfold.patterns.codes import count_by_burnside, count_by_enumeration, count_placed
    from eightfold.patterns.templates import CLASSES

    counts = {name: count_by_enumeration(name) for name in CLASSES}
    if as_json:
        print(json.dumps(counts))
        return
    print(f"{'class':<12} {'counted':>12} {'Burnside':>12} {'of patterns':>14}")
    for name, count in counts.items():
        print(f"{name:<12} {count:>12,} {count_by_burnside(name):>12,} {count_placed(name):>14,}")


@patterns_app.command()
def export(
    library: Annotated[Path, typer.Argument(help="A library.")],
    format_: Annotated[str, typer.Option("--format", help="json.")] = "json",
    order: Annotated[str, typer.Option(help="The order of a code's digits: rows, or paper (Wei et al.).")] = "rows",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Default: stdout.")] = None,
) -> None:
    """Write a library in a format for other programs; docs/patterns.md describes it."""
    from eightfold.core.errors import unknown
    from eightfold.patterns.export import ORDERS, export_json
    from eightfold.patterns.files import load_library

    if format_ != "json":
        raise unknown("format", format_, ["json"])
    if order not in ORDERS:
        raise unknown("order of codes", order, ORDERS)
    opened = load_library(library)
    if output is None:
        export_json(opened, sys.stdout, order=order)
        return
    check_folder(output)
    draft = output.with_name(f".{output.name}.draft")
    try:
        with open(draft, "w", encoding="utf-8") as file:
            export_json(opened, file, order=order)
        draft.replace(output)
    except OSError as error:
        raise not_written(output, error.strerror) from None
    finally:
        draft.unlink(missing_ok=True)
