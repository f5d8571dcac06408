"""The command line. Everything heavy is imported inside the command that needs it.

Bad input is one line on stderr and exit code 2; results go to stdout, progress to stderr.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from eightfold import __version__
from eightfold.errors import EightfoldError

app = typer.Typer(
    name="eightfold",
    help="Train, play and study board-game AIs that know their board looks the same from eight sides.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

GameOption = Annotated[str, typer.Option("--game", help="The game, e.g. gomoku:size=8,win=5,rule=standard.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Equal seeds give equal results.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        print(f"eightfold {__version__}")
        raise typer.Exit


@app.command()
def match(
    first: Annotated[str, typer.Argument(help="A player, e.g. alphabeta:depth=4 (see `eightfold players`).")],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    game: GameOption = "gomoku:size=15",
    games: Annotated[int, typer.Option(min=1, help="How many; colours alternate.")] = 20,
    seed: SeedOption = 0,
    opening_plies: Annotated[
        int,
        typer.Option(min=0, help="Start from so many random moves; every opening is played twice, colours swapped."),
    ] = 0,
    as_json: JsonOption = False,
    sgf: Annotated[Path | None, typer.Option(help="A folder to keep the games in, one SGF file each.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw the final board of the last game.")] = False,
) -> None:
    """Play a match between two players and say what the result is worth."""
    from eightfold.arena.folder import GameFolder
    from eightfold.arena.match import GameResult, play_match
    from eightfold.arena.report import MatchProgress, draw_board, print_match
    from eightfold.games.game import make_game

    the_game = make_game(game)
    folder = None if sgf is None else GameFolder(sgf, the_game)
    with MatchProgress(first, second, games) as progress:

        def finished(result: GameResult) -> None:
            progress.advance(result)
            if folder is not None:
                folder.add(result.record(event=f"{first} - {second}, seed {seed}"))

        report = play_match(
            the_game, first, second, games=games, seed=seed, opening_plies=opening_plies, progress=finished
        )
    if as_json:
        print(json.dumps(report.as_dict()))
        return
    if show:
        draw_board(report.results[-1].position)
    print_match(report)


@app.command()
def players() -> None:
    """Explain every player and its options."""
    from eightfold.arena.report import print_players

    print_players()


@app.command()
def bench(
    name: Annotated[str | None, typer.Argument(help="One benchmark; all of them if left out.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast this machine is, each figure beside a baseline of the same run."""
    from eightfold.benchmarks import print_benchmarks, run_benchmarks

    measured = run_benchmarks(name, progress=not as_json)
    if as_json:
        figures = {benchmark.name: benchmark.as_dict() for benchmark in measured}
        print(json.dumps(figures if name is None else figures[name]))
    else:
        print_benchmarks(measured)


@app.command()
def warmup() -> None:
    """Compile every kernel now, so that nothing has to be waited for later."""
    from eightfold.warmup import warm_up

    warm_up()


def main() -> None:
    """The entry point: bad input becomes one line and exit code 2."""
    try:
        app()
    except EightfoldError as error:
        print(f"eightfold: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("eightfold: stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone; there is nobody left to tell
        sys.exit(141)


if __name__ == "__main__":
    main()
