"""Commands to train, measure, export and study networks. What is heavy is imported inside."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from eightfold.cli.app import (
    ActorsOption,
    ClusterOption,
    JsonOption,
    NetworkGameOption,
    SeedOption,
    app,
    check_actors,
)
from eightfold.core.errors import EightfoldError
from eightfold.core.extras import need
from eightfold.core.signals import Interrupted, stopped_by_signals
from eightfold.studies import STUDIES


@contextlib.contextmanager
def _heard_from_the_start() -> Iterator[None]:
    """Answer Ctrl-C and SIGTERM with a line even while PyTorch is imported: later, training itself hears them."""

    def stop() -> None:
        raise Interrupted

    with stopped_by_signals(stop) as heard:
        yield
    if heard:
        print("eightfold: stopped before training began; the same command begins it", file=sys.stderr)
        raise typer.Exit(128 + heard[0])


@app.command()
def train(
    preset: Annotated[
        str,
        typer.Argument(
            help="A preset (quick, gomoku-15, gomoku-15-gpu, go-9, go-9-gpu, suen-alonso, zhao-zhang), or a TOML file"
            " of your own."
        ),
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
    advisor: Annotated[
        Path | None,
        typer.Option(help="Learn from games first: a folder of `eightfold advise`, or SGF and psq records."),
    ] = None,
    cluster: ClusterOption = None,
    actors: ActorsOption = 0,
    page: Annotated[bool, typer.Option("--page", help="Also open the page, if there is a display.")] = False,
) -> None:
    """Train a network by self-play, or continue a run. Ctrl-C stops cleanly."""
    check_actors(cluster, actors)
    given = {"game": game, "minutes": minutes, "games": games, "symmetry": symmetry, "seed": seed}
    folder = run or Path("runs") / Path(preset).stem
    with _heard_from_the_start():
        from eightfold.learning.config import advisor_change, train_config

        taught = [] if advisor is None else [advisor_change(advisor)]
        changes = [*(f"{key}={value}" for key, value in given.items() if value is not None), *taught, *(set_ or [])]
        config = train_config(preset, changes, start_from, folder)  # refused before PyTorch is waited for
        if not page:
            from eightfold.learning.commands import train_run

            train_run(config, folder, cluster=cluster, actors=actors)
            return
    from eightfold.games.game import GAMES, name_in
    from eightfold.web.page_process import page_process

    family = name_in(config.game)
    own = None if family in GAMES else config.game
    with page_process(folder, own) as shown:  # first of all: PyTorch and the compiler keep people waiting
        with _heard_from_the_start():
            from eightfold.cli.warmup import warm_up
            from eightfold.learning.commands import train_run

            if own is None:
                warm_up((family,), training=True, once=True, tell=shown.compiles if shown is not None else None)
            ended_by = train_run(config, folder, cluster=cluster, actors=actors)
        if shown is not None and ended_by != signal.SIGTERM:
            print("the page stays open; Ctrl-C ends it", file=sys.stderr)
            shown.wait()


@app.command()
def pack(
    run: Annotated[Path, typer.Argument(help="The folder of a run of `eightfold train`; it may train meanwhile.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A new folder (default: RUN.pack).")] = None,
    size: Annotated[float, typer.Option(help="Megabytes in all; samples and games fill what the rest leaves.")] = 64,
    file_size: Annotated[float, typer.Option(help="Megabytes of a file at most.")] = 16,
    networks: Annotated[
        int, typer.Option(min=0, help="Networks of earlier evaluations to take along at most, spread over the run.")
    ] = 0,
) -> None:
    """Put a run into a few small files, to go on with it on another machine: see `eightfold unpack`."""
    for module in ("torch", "lmdb"):
        need(module, purpose="packing a run")
    from eightfold.learning.transfer.pack import pack_run

    for line in pack_run(run, output, size=size, file_size=file_size, networks=networks).lines():
        print(line)


@app.command()
def unpack(
    folder: Annotated[Path, typer.Argument(help="A folder that `eightfold pack` wrote.")],
    run: Annotated[Path, typer.Argument(help="The run's folder, a new one.")],
) -> None:
    """Make a run of what `eightfold pack` wrote; `eightfold train` then goes on with it."""
    need("torch", purpose="unpacking a run")
    from eightfold.learning.transfer.unpack import unpack_run

    for line in unpack_run(folder, run).lines():
        print(line)


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
    given = {"minutes": minutes, "games": games, "seed": seed}
    changes = [f"{key}={value}" for key, value in given.items() if value is not None]
    with _heard_from_the_start():
        from eightfold.config import load_preset, with_changes
        from eightfold.learning.commands import train_isn_run
        from eightfold.learning.td.config import TdConfig

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
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a network against pure Monte Carlo search of 1000, 3000 and 5000 playouts."""
    from eightfold.arena.cluster_games import games_on
    from eightfold.games.game import make_game
    from eightfold.learning.commands import evaluate_run
    from eightfold.learning.report import print_evaluation

    with games_on(cluster) as play:
        evaluation = evaluate_run(
            run,
            game=None if game is None else make_game(game, trusted=True),
            games=games,
            playouts=playouts,
            seed=seed,
            as_paper=as_paper,
            backend=backend,
            play=None if cluster is None else play,
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
def exam(
    networks: Annotated[list[str], typer.Argument(help="Runs, checkpoints, .onnx files or shipped networks.")],
    file: Annotated[
        Path, typer.Option("--exam", help="The exam: exam-HASH.npz in the folder of a study that has one.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Mark networks, without a search, by positions with known answers."""
    from eightfold.core.tables import markdown_table
    from eightfold.studies.exam import MARKS, mark_network, read_exam

    paper = read_exam(file)
    rows = [{"network": place, **mark_network(paper, place)} for place in networks]
    if as_json:
        print(json.dumps({"exam": paper.hash, "positions": len(paper), "networks": rows}))
    else:
        names = ("network", *MARKS)
        table = [[row["network"], *(f"{row[name]:.4f}" for name in MARKS)] for row in rows]
        print(f"{len(paper):,} positions of {paper.game.text}, exam {paper.hash}\n")
        print(markdown_table([name.replace("_", " ") for name in names], table))


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
    until: Annotated[
        str | None, typer.Option(help="The last stage to measure now, to go on later, or on another machine.")
    ] = None,
    cluster: ClusterOption = None,
) -> None:
    need("matplotlib", purpose="a study")
    from eightfold.arena.cluster_games import games_on
    from eightfold.studies.frame import load_study, run_study, write_report

    chosen = load_study(name)
    folder = output or chosen.folder(run, small=small)
    if report:
        print(write_report(chosen, folder))
    else:
        with games_on(cluster) as play:
            print(run_study(chosen, folder, run=run, small=small, changes=set_ or [], play=play, until=until))


app.command("experiment", hidden=True, help="Another name of `eightfold study`.")(study)
