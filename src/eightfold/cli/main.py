"""The command line. Everything heavy is imported inside the command that needs it.

Bad input is one line on stderr and exit code 2; results go to stdout, progress to stderr.
"""

from __future__ import annotations

import io
import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from eightfold import __version__
from eightfold.core.compiling import say_on_stderr
from eightfold.core.errors import EightfoldError
from eightfold.core.extras import EXTRAS, missing_extra
from eightfold.studies import STUDIES

app = typer.Typer(
    name="eightfold",
    help="Train, play and study board-game AIs that know their board looks the same from eight sides.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

GameOption = Annotated[str, typer.Option("--game", help="The game, e.g. gomoku:size=8,win=5,rule=standard.")]
NetworkGameOption = Annotated[
    str | None,
    typer.Option("--game", help="Default: the game it was trained for. Name a game of your own (python:MODULE) here."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Equal seeds give equal results.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        print(f"eightfold {__version__}")
        raise typer.Exit


@app.command()
def match(
    first: Annotated[str, typer.Argument(help="A player, e.g. alphabeta:depth=4 (see `eightfold players`).")],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    game: GameOption = "gomoku:size=15",
    games: Annotated[
        int | None, typer.Option(min=1, help="Number of games; colours alternate (default: 20, or 1 with a human).")
    ] = None,
    seed: SeedOption = 0,
    opening_plies: Annotated[
        int,
        typer.Option(min=0, help="Random moves at the start. Each opening is played twice, with colours swapped."),
    ] = 0,
    parallel: Annotated[int, typer.Option(min=0, help="Games played side by side; 0 chooses.")] = 0,
    as_json: JsonOption = False,
    sgf: Annotated[Path | None, typer.Option(help="Save the games in this folder, one SGF file each.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw the final board of the last game.")] = False,
) -> None:
    """Play a match between two players and report the score with its confidence interval."""
    from eightfold.arena.folder import GameFolder
    from eightfold.arena.match import play_match
    from eightfold.arena.match_report import MatchProgress, print_match
    from eightfold.arena.players import HUMAN
    from eightfold.arena.report import draw_board
    from eightfold.arena.results import GameResult
    from eightfold.games.game import make_game

    with_human = HUMAN in (first, second)
    if with_human and as_json:
        raise EightfoldError("--json prints one object and nothing else; a human needs to see the board: leave one out")
    games = games or (1 if with_human else 20)
    the_game = make_game(game, trusted=True)
    folder = None if sgf is None else GameFolder(sgf, the_game)
    with MatchProgress(first, second, games) as progress:

        def finished(result: GameResult) -> None:
            progress.advance(result)
            if with_human:
                draw_board(result.position)
            if folder is not None:
                folder.add(result.record(event=f"{first} - {second}, seed {seed}"))

        report = play_match(
            the_game,
            first,
            second,
            games=games,
            seed=seed,
            opening_plies=opening_plies,
            parallel=parallel,
            progress=finished,
        )
    if as_json:
        print(json.dumps(report.as_dict()))
        return
    if show and not with_human:  # who saw it already
        draw_board(report.results[-1].position)
    print_match(report)


@app.command()
def play(
    player: Annotated[str, typer.Argument(help="Your opponent, e.g. alphabeta:depth=4 (see `eightfold players`).")],
    game: GameOption = "gomoku:size=15",
    colour: Annotated[str, typer.Option(help="Your colour: black (moves first) or white.")] = "black",
    seed: SeedOption = 0,
) -> None:
    """Play against a player, in this terminal."""
    from eightfold.arena.terminal import TerminalGame
    from eightfold.core.errors import unknown
    from eightfold.games.game import COLOUR_NAMES, make_game

    colours = {name: number for number, name in COLOUR_NAMES.items()}
    if colour.lower() not in colours:
        raise unknown("colour", colour, colours)
    TerminalGame(make_game(game, trusted=True), player, colour=colours[colour.lower()], seed=seed).run()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. 127.0.0.1 serves this machine only.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on. If it is taken, a free one is used.")
    ] = 8008,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    run: Annotated[
        list[Path] | None, typer.Option(help="A run to watch and whose network to play against; repeatable.")
    ] = None,
    player: Annotated[list[str] | None, typer.Option(help="A player to add to the menus; repeatable.")] = None,
    isn: Annotated[
        list[Path] | None,
        typer.Option(help="An Internal Symmetry Network to show on Go boards, a file or a run; repeatable."),
    ] = None,
) -> None:
    """Open the page: play, analyse, see a position from its eight sides, watch training."""
    from eightfold.web.serve import serve as serve_page

    serve_page(host=host, port=port, browser=not no_browser, runs=run or [], players=player or [], isns=isn or [])


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A game record, .sgf or .psq.")],
    number: Annotated[int, typer.Option("--game", min=1, help="Number of the game in the file.")] = 1,
    ply: Annotated[
        int | None, typer.Option(min=0, help="Show the position after this many moves (default: the last).")
    ] = None,
) -> None:
    """Show a recorded game: who played, how it ended, and a position."""
    from eightfold.arena.report import draw_board, print_record
    from eightfold.games.records.files import read_records

    records = read_records(file)
    if number > len(records):
        raise EightfoldError(f"{file} holds {len(records)} games; --game {number} is not one of them")
    record = records[number - 1]
    if ply is not None and ply > len(record.moves):
        raise EightfoldError(f"game {number} of {file} has {len(record.moves)} moves; --ply {ply} is beyond its end")
    print_record(record, number, len(records))
    draw_board(record.position(ply))


@app.command()
def players() -> None:
    """Explain every player and its options."""
    from eightfold.arena.report import print_players

    print_players()


@app.command()
def train(
    preset: Annotated[
        str, typer.Argument(help="A preset (quick, suen-alonso, go-9), or a TOML file of your own.")
    ] = "quick",
    run: Annotated[
        Path | None, typer.Option(help="The run's folder (default: runs/PRESET). An existing run continues.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", help="The game. Name a game of your own (python:MODULE) here.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Training time, not counting evaluations; 0: no limit.")
    ] = None,
    games: Annotated[int | None, typer.Option(min=0, help="Self-play games; 0: no limit.")] = None,
    symmetry: Annotated[
        str | None, typer.Option(help="Symmetry mode: none, augment, augment-eager, slap, slap-cc, random, average.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Equal seeds start from equal weights.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a key, e.g. selfplay.playouts=64 (see `eightfold settings`)."),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option("--from", help="Start from the weights of a network: a run, a checkpoint or a shipped one."),
    ] = None,
    page: Annotated[bool, typer.Option("--page", help="Also open the page, if there is a display.")] = False,
) -> None:
    """Train a network by self-play, or continue a run. Ctrl-C stops cleanly."""
    from eightfold.learning.config import train_config

    given = {"game": game, "minutes": minutes, "games": games, "symmetry": symmetry, "seed": seed}
    changes = [*(f"{key}={value}" for key, value in given.items() if value is not None), *(set_ or [])]
    folder = run or Path("runs") / Path(preset).stem
    config = train_config(preset, changes, start_from, folder)  # refused before PyTorch is waited for
    if not page:
        from eightfold.learning.commands import train_run

        train_run(config, folder)
        return
    from eightfold.web.page_process import page_process

    with page_process(folder) as shown:  # first of all: PyTorch and the compiler keep people waiting
        from eightfold.cli.warmup import warm_up
        from eightfold.games.game import GAMES, make_game
        from eightfold.learning.commands import train_run

        family = make_game(config.game).name
        if family in GAMES:
            warm_up((family,), training=True, once=True, tell=shown.compiles if shown is not None else None)
        ended_by = train_run(config, folder)
        if shown is not None and ended_by != signal.SIGTERM:
            print("the page stays open; Ctrl-C ends it", file=sys.stderr)
            shown.wait()


@app.command("train-isn")
def train_isn(
    preset: Annotated[str, typer.Argument(help="A preset (paper, fast), or a TOML file of your own.")] = "fast",
    run: Annotated[
        Path | None, typer.Option(help="The run's folder (default: runs/isn-PRESET). An existing run continues.")
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Training time; 0: no limit.")] = None,
    games: Annotated[int | None, typer.Option(min=0, help="Self-play games; 0: no limit.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Equal seeds give equal runs.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a key, e.g. learning_rate=1e-5 (see `eightfold settings train-isn`)."),
    ] = None,
) -> None:
    """Train an Internal Symmetry Network for Go by TD(lambda) self-play, or continue a run. Ctrl-C stops cleanly."""
    from eightfold.config import load_preset, with_changes
    from eightfold.learning.commands import train_isn_run
    from eightfold.learning.td.config import TdConfig

    given = {"minutes": minutes, "games": games, "seed": seed}
    changes = [f"{key}={value}" for key, value in given.items() if value is not None]
    config = with_changes(load_preset(TdConfig(), preset, "isn"), [*changes, *(set_ or [])])
    train_isn_run(config, run or Path("runs") / f"isn-{Path(preset).stem}")


@app.command()
def settings(
    command: Annotated[str, typer.Argument(help="Whose settings: train, train-isn, or study:NAME.")] = "train",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the page docs/settings.md.")] = False,
) -> None:
    """List every key that --set takes, with its default, what it may be and what it means."""
    from eightfold.learning.listing import print_config, print_settings, settings_page

    if markdown:
        print(settings_page(), end="")
    elif command.startswith("study:"):
        from eightfold.studies.frame import load_study

        print_config(load_study(command.removeprefix("study:")).settings)
    else:
        print_settings(command)


@app.command()
def evaluate(
    run: Annotated[Path, typer.Argument(help="A run, a checkpoint, a .onnx file or a shipped network.")],
    game: NetworkGameOption = None,
    games: Annotated[int, typer.Option(min=1, help="Games against each opponent.")] = 30,
    playouts: Annotated[int, typer.Option(min=1, help="Playouts of the network for each move.")] = 400,
    seed: SeedOption = 0,
    as_paper: Annotated[
        bool,
        typer.Option(
            "--as-paper",
            help="Measure as Suen & Alonso do: their search constants, and the network always moves first.",
        ),
    ] = False,
    backend: Annotated[str, typer.Option(help="What runs the network: auto, openvino:precision=fp32, ...")] = "auto",
    as_json: JsonOption = False,
) -> None:
    """Measure a network against pure Monte Carlo search of 1000, 3000 and 5000 playouts."""
    from eightfold.games.game import make_game
    from eightfold.learning.commands import evaluate_run
    from eightfold.learning.report import print_evaluation

    evaluation = evaluate_run(
        run,
        game=None if game is None else make_game(game, trusted=True),
        games=games,
        playouts=playouts,
        seed=seed,
        as_paper=as_paper,
        backend=backend,
    )
    if as_json:
        print(json.dumps(evaluation.as_dict()))
    else:
        print_evaluation(evaluation, str(run))


@app.command()
def export(
    place: Annotated[str, typer.Argument(help="The folder of a run or a checkpoint, a network's file, or its name.")],
    onnx: Annotated[bool, typer.Option("--onnx", help="One ONNX file, for other programs.")] = False,
    output: Annotated[Path | None, typer.Option(help="The file (default: PLACE/network.onnx).")] = None,
    game: NetworkGameOption = None,
) -> None:
    """Write a network in a format that other programs read."""
    from eightfold.games.game import make_game
    from eightfold.nets.store.export import export_onnx

    if not onnx:
        raise EightfoldError("export needs a format: --onnx")
    print(export_onnx(place, output, game=None if game is None else make_game(game, trusted=True)).summary())


@app.command()
def bench(
    name: Annotated[str | None, typer.Argument(help="Which benchmark (default: all but buffer-full).")] = None,
    device: Annotated[str, typer.Option(help="cpu, or cuda (benchmark isn only).")] = "cpu",
    as_json: JsonOption = False,
) -> None:
    """Measure how fast this machine is, each figure beside a baseline of the same run."""
    from eightfold.benchmarks import print_benchmarks, run_benchmarks

    measured = run_benchmarks(name, device=device, progress=not as_json)
    if as_json:
        figures = {benchmark.name: benchmark.as_dict() for benchmark in measured}
        print(json.dumps(figures if name is None else figures[name]))
    else:
        print_benchmarks(measured)


@app.command()
def gomocup(
    player: Annotated[
        str | None,
        typer.Option(
            help="A player, e.g. alphabeta (see `eightfold players`); "
            "default: a shipped network for this board, else the game's usual classical player."
        ),
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Run as an engine for Gomocup managers such as Piskvork. Reads commands from stdin until END."""
    from eightfold.protocols.gomocup.session import serve

    serve(player, seed=seed)


@app.command(
    help="Run or continue a study and write its report. Ctrl-C stops; the same command continues.\n\n"
    + "\n\n".join(f"{name}: {question}" for name, question in STUDIES.items())
)
def study(
    name: Annotated[str, typer.Argument(help="Which one, or python:MODULE for one of your own.")],
    run: Annotated[Path | None, typer.Option(help="A run that the study is about, if it takes one.")] = None,
    output: Annotated[
        Path | None, typer.Option(help="Its folder (default: RUN/study, or studies/NAME). An existing study continues.")
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="The whole study in seconds, with tiny settings.")] = False,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a key, e.g. games=4 (see `eightfold settings study:NAME`)."),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write the report again from the numbers in the folder; measure nothing.")
    ] = False,
) -> None:
    from eightfold.studies.frame import load_study, run_study, write_report

    chosen = load_study(name)
    folder = output or chosen.folder(run, small=small)
    if report:
        print(write_report(chosen, folder))
    else:
        print(run_study(chosen, folder, run=run, small=small, changes=set_ or []))


@app.command(hidden=True, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def experiment(name: Annotated[str, typer.Argument()] = "isn") -> None:
    """The old name of `eightfold study`."""
    raise EightfoldError(f"`eightfold experiment {name}` is now `eightfold study {name}`; see `eightfold study --help`")


@app.command()
def gtp(
    player: Annotated[
        str | None,
        typer.Option(
            help="A player, e.g. mcts:playouts=2000 (see `eightfold players`); "
            "default: a shipped network for this board, else the game's usual classical player."
        ),
    ] = None,
    game: Annotated[
        str, typer.Option("--game", help="The game, e.g. go:size=9,komi=7.5,rules=japanese; commands can change it.")
    ] = "go:size=19",
    seed: SeedOption = 0,
) -> None:
    """Run as an engine for programs that speak GTP, such as Sabaki or GoGui. Reads commands from stdin until quit."""
    from eightfold.protocols.gtp.session import serve

    serve(player, game=game, seed=seed)


@app.command()
def warmup(
    game: Annotated[list[str] | None, typer.Argument(help="Games to compile for (default: all).")] = None,
    training: Annotated[bool, typer.Option("--training", help="Only what `eightfold train` needs.")] = False,
) -> None:
    """Compile all kernels now, so that nothing waits for the compiler later."""
    from eightfold.cli.warmup import warm_up

    warm_up(game or (), training=training)


def main() -> None:
    """The entry point: bad input becomes one line and exit code 2. (Ctrl-C is Typer's: exit code 130.)"""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a stone still shows the rest
    say_on_stderr()
    try:
        app()
    except EightfoldError as error:
        print(f"eightfold: {error}", file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in EXTRAS:
            raise
        print(f"eightfold: {missing_extra(error.name.split('.')[0])}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"eightfold: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
