"""Commands for other programs and for this machine: gomocup, gtp, bench, warmup. What is heavy is imported inside."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from eightfold.cli.app import JsonOption, SeedOption, app

PonderOption = Annotated[bool, typer.Option("--ponder", help="Think on while the opponent thinks.")]


@app.command()
def gomocup(
    player: Annotated[
        str | None,
        typer.Option(
            help="A player, e.g. alphabeta (see `eightfold players`); "
            "default: the shipped network of the nearest board, else the game's usual classical player."
        ),
    ] = None,
    seed: SeedOption = 0,
    ponder: PonderOption = False,
) -> None:
    """Run as an engine for Gomocup managers such as Piskvork. Reads commands from stdin until END."""
    from eightfold.protocols.gomocup.session import serve

    serve(player, seed=seed, ponder=ponder)


@app.command()
def gtp(
    player: Annotated[
        str | None,
        typer.Option(
            help="A player, e.g. mcts:playouts=2000 (see `eightfold players`); "
            "default: the shipped network of the nearest board, else the game's usual classical player."
        ),
    ] = None,
    game: Annotated[
        str, typer.Option("--game", help="The game, e.g. go:size=9,komi=7.5,rules=japanese; commands can change it.")
    ] = "go:size=19",
    seed: SeedOption = 0,
    ponder: PonderOption = False,
) -> None:
    """Run as an engine for programs that speak GTP, such as Sabaki or GoGui. Reads commands from stdin until quit."""
    from eightfold.protocols.gtp.session import serve

    serve(player, game=game, seed=seed, ponder=ponder)


@app.command()
def bench(
    name: Annotated[
        str | None, typer.Argument(help="Which benchmark (default: all but buffer-full and cluster).")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, or cuda (benchmarks backends, isn, models and selfplay).")] = "cpu",
    baseline: Annotated[
        bool,
        typer.Option("--baseline", help="selfplay --device cuda: also with trees on the CPU, the network on the GPU."),
    ] = False,
    as_json: JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The tables of docs/scaling.md (cluster only).")] = False,
) -> None:
    """Measure how fast this machine is, each figure beside a baseline of the same run."""
    from eightfold.benchmarks import markdown_of, print_benchmarks, run_benchmarks

    if markdown:
        print(markdown_of(name), end="")
        return
    measured = run_benchmarks(name, device=device, baseline=baseline, progress=not as_json)
    if as_json:
        figures = {benchmark.name: benchmark.as_dict() for benchmark in measured}
        print(json.dumps(figures if name is None else figures[name]))
    else:
        print_benchmarks(measured)


@app.command()
def warmup(
    game: Annotated[list[str] | None, typer.Argument(help="Games to compile for (default: all).")] = None,
    training: Annotated[bool, typer.Option("--training", help="Only what `eightfold train` needs.")] = False,
) -> None:
    """Compile all kernels now, so that nothing waits for the compiler later."""
    from eightfold.cli.warmup import warm_up

    warm_up(game or (), training=training)
