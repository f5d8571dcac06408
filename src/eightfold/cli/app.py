"""The application that all commands belong to, and the options that several of them take."""

from __future__ import annotations

from typing import Annotated

import typer

from eightfold.core.errors import EightfoldError

app = typer.Typer(
    name="eightfold",
    help="Train, play and study board-game AIs that know their board looks the same from eight sides.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

patterns_app = typer.Typer(
    help="Pattern libraries: learned from game records, symmetric shapes counted together.", no_args_is_help=True
)
app.add_typer(patterns_app, name="patterns")

GameOption = Annotated[str, typer.Option("--game", help="The game, e.g. gomoku:size=8,win=5,rule=standard.")]
NetworkGameOption = Annotated[
    str | None,
    typer.Option("--game", help="Default: the game it was trained for. Name a game of your own (python:MODULE) here."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Equal seeds give equal results.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster", help="Play the games on a Ray cluster: auto, or HOST:PORT of its head (docs/scaling.md)."
    ),
]
ActorsOption = Annotated[
    int, typer.Option("--actors", min=0, help="Actors on the cluster; 0: one for each processor or GPU.")
]


def check_actors(cluster: str | None, actors: int) -> None:
    if actors and cluster is None:
        raise EightfoldError(f"--actors {actors} is a number of actors on a cluster; name one with --cluster")
