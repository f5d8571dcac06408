"""Commands that show games as pictures: draw, games. What is heavy is imported inside."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from eightfold.cli.app import JsonOption, app
from eightfold.cli.records import chosen_game
from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of

MOST_GAMES = 60  # on one sheet


@app.command()
def draw(
    records: Annotated[list[Path], typer.Argument(help="Game records, .sgf or .psq.", metavar="RECORD...")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file, .svg (default: the picture goes to stdout).")
    ] = None,
    number: Annotated[
        int | None, typer.Option("--game", min=1, help="Only this game of each file (default: all of them).")
    ] = None,
    move: Annotated[
        int | None, typer.Option("--move", min=0, help="Only the moves up to this one (default: to the end).")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=1, max=20, help="Games beside each other, where there are several.")
    ] = None,
) -> None:
    """Draw recorded games as an SVG picture, each stone with the number of its move."""
    from eightfold.core.files import replace_file
    from eightfold.games.diagram import Diagram, record_diagram
    from eightfold.games.pictures import draw_sheet
    from eightfold.games.records.files import read_records

    if output is not None and output.suffix.lower() != ".svg":
        raise EightfoldError(f"the picture is SVG: name a file that ends in .svg, not {output.name}")
    if output is not None and not output.parent.is_dir():
        raise EightfoldError(f"cannot write {output}: there is no folder {output.parent}; make it first")
    diagrams: list[Diagram] = []
    for file in records:
        games = read_records(file)
        chosen = [number] if number is not None else range(1, len(games) + 1)
        if len(diagrams) + len(chosen) > MOST_GAMES:
            raise EightfoldError(
                f"{file} holds {number_of(len(games), 'game')}, and a picture has room for {MOST_GAMES};"
                " choose one with --game"
            )
        for place in chosen:
            record = chosen_game(file, games, place, move, options=("--game", "--move"))
            diagrams.append(record_diagram(record, move))
    picture = draw_sheet(diagrams, columns=columns)
    if output is None:
        sys.stdout.write(picture)
    else:
        replace_file(output, picture.encode())
        print(output)


@app.command()
def games(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs; several are compared side by side.", metavar="RUN...")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Draw typical games and the most frequent ones as SVG into this folder."),
    ] = None,
    slices: Annotated[int, typer.Option(min=1, max=100, help="Slices of a run, at the most.")] = 10,
    game: Annotated[
        str | None,
        typer.Option("--game", help="The runs' game; only needed for a game of your own (python:MODULE)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether the self-play of a run is healthy, or collapsed or redundant, and show typical games."""
    from eightfold.core.files import replace_files
    from eightfold.games.game import make_game
    from eightfold.learning.health import run_health
    from eightfold.learning.health_pictures import pictures
    from eightfold.learning.health_report import print_health

    the_game = None if game is None else make_game(game, trusted=True)
    found = [run_health(run, slices=slices, game=the_game) for run in runs]
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the folder {output}: {error.strerror}") from None
    if as_json:
        print(json.dumps({"runs": [health.as_dict() for health in found]}))
    else:
        for health in found:
            print_health(health)
    if output is None:
        return
    files = {output / name: picture.encode() for name, picture in pictures(found).items()}
    replace_files(files)
    for file in files:
        print(file, file=sys.stderr if as_json else sys.stdout)
