"""Commands that judge moves by patterns: `patterns elo` learns strengths, `patterns predict` measures a library."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eightfold.cli.app import JsonOption, patterns_app
from eightfold.cli.pattern_report import INTERRUPTED, SOME_SKIPPED, OutputOption, check_folder, names_in, report
from eightfold.core.words import number_of

if TYPE_CHECKING:
    from eightfold.patterns.library import Library
    from eightfold.patterns.records.skipped import SkippedGames

LibraryArgument = Annotated[Path, typer.Argument(help="A library, as `patterns learn` makes it.")]
PathsArgument = Annotated[list[Path], typer.Argument(help="SGF files and folders of them, as for `patterns learn`.")]
GamesOption = Annotated[int | None, typer.Option(min=1, help="No more than so many games of the records.")]
SkipOption = Annotated[int, typer.Option(min=0, help="Leave out the first games of the records.")]
SizeOption = Annotated[int | None, typer.Option(help="Only games on this board, e.g. 19; default: any board.")]
RecordsOption = Annotated[str, typer.Option("--game", help="Whose records; default: the library's game.")]
FeaturesOption = Annotated[
    str, typer.Option(help="Features beside patterns, separated by commas (distance, capture, ...), or all.")
]
IterationsOption = Annotated[int, typer.Option(min=1, help="Iterations; the games are read once for each.")]
PriorOption = Annotated[float, typer.Option(min=0, help="Games won and lost against strength 1, for rare patterns.")]


@patterns_app.command()
def elo(
    library: LibraryArgument,
    paths: PathsArgument,
    output: OutputOption,
    features: FeaturesOption = "",
    iterations: IterationsOption = 20,
    prior: PriorOption = 1.0,
    games: GamesOption = None,
    skip: SkipOption = 0,
    size: SizeOption = None,
    game: RecordsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Learn strengths (Elo) of a library's patterns from records. Ctrl-C stops cleanly; the same command goes on."""
    from eightfold.patterns.files import load_library
    from eightfold.patterns.records.skipped import SkippedGames

    check_folder(output)
    skipped = SkippedGames()
    where = {"games": games, "skip": skip, "size": size, "game": game, "skipped": skipped}
    report(rate(load_library(library), paths, output, names_in(features), iterations, prior, where), output, as_json)
    if skipped.total:
        name_skipped(skipped)
        raise typer.Exit(SOME_SKIPPED)


def name_skipped(skipped: SkippedGames) -> None:
    """How many games were left out, and the first of them, on stderr."""
    print(f"{number_of(skipped.total, 'game')} skipped in these records:", file=sys.stderr)
    for game in skipped.first:
        print(f"  {game}", file=sys.stderr)


def rate(
    library: Library,
    paths: list[Path],
    output: Path,
    features: list[str],
    iterations: int,
    prior: float,
    where: dict[str, Any],
) -> Library:
    """Learn strengths, with progress on stderr, and store the library with them."""
    from eightfold.core.signals import stopped_by_signals
    from eightfold.patterns.files import save_library
    from eightfold.patterns.learn import LearningStopped
    from eightfold.patterns.rating import rate_library, rating_beside
    from eightfold.patterns.rating_progress import RatingLines

    stop, lines = threading.Event(), RatingLines(iterations)
    try:
        with stopped_by_signals(stop.set):
            rated = rate_library(
                library,
                paths,
                features=features,
                iterations=iterations,
                prior=prior,
                output=output,
                stop=stop,
                on_iteration=lines.on_iteration,
                on_games=lines.on_games,
                **where,
            )
    except LearningStopped as stopped:
        print(f"eightfold: {stopped}; the same command goes on from there", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        lines.stop()
    save_library(rated.library, output)
    rating_beside(output).remove()
    return rated.library


@patterns_app.command()
def predict(
    library: LibraryArgument,
    paths: PathsArgument,
    method: Annotated[str, typer.Option(help="bayes or elo; default: elo if the library has strengths.")] = "",
    templates: Annotated[str, typer.Option(help="Block sizes of patterns to judge by.")] = "3x3,4x4",
    games: GamesOption = None,
    skip: SkipOption = 0,
    size: SizeOption = None,
    game: RecordsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Predict the moves of games that a library was not learned from: how often is it right, how surprised is it?"""
    from eightfold.patterns.files import load_library
    from eightfold.patterns.library import check_game, records_of
    from eightfold.patterns.predict import predict as predict_moves
    from eightfold.patterns.records.game import RecordedGames
    from eightfold.patterns.records.skipped import SkippedGames
    from eightfold.patterns.templates import read_names
    from eightfold.patterns.walking import games_in_files

    opened, skipped = load_library(library), SkippedGames()
    sides = tuple(sorted({template.side for template in read_names(names_in(templates))}))
    records = game or records_of(opened)
    check_game(opened, RecordedGames(records, size=size, trusted=bool(game)).name)  # the library's word names no code
    source = games_in_files(paths, records, skip=skip, games=games, size=size, skipped=skipped)
    found = predict_moves(opened, source, method=method, sides=sides)
    if as_json:
        figures = {name: None if value != value else value for name, value in found.as_json().items()}  # no nan in JSON
        print(json.dumps({**figures, "skipped": dict(skipped.reasons)}))
    else:
        blocks = " and ".join(f"{side}x{side}" for side in found.sides)
        seen = f"{number_of(found.positions, 'move')} of {number_of(found.games, 'game')}"
        print(f"{seen}, by {found.method} with {blocks} patterns")
        several = found.games > 1  # one game alone has no standard error
        print(f"top 1     {found.top1:7.2%}" + (f" ± {found.top1_error:.2%}" if several else ""))
        print(f"top 5     {found.top5:7.2%}" + (f" ± {found.top5_error:.2%}" if several else ""))
        print(f"log-loss  {found.log_loss:7.4f}" + (f" ± {found.log_loss_error:.4f}" if several else "") + " nats")
    if skipped.total:
        name_skipped(skipped)
        raise typer.Exit(SOME_SKIPPED)
