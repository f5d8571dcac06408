"""The command `advise`: games by an advisor for a network to learn from. What is heavy is imported inside."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from eightfold.cli.app import GameOption, JsonOption, SeedOption, app
from eightfold.learning.advisor.teaching import Teaching, read_range, write_range

INTERRUPTED = 130
USUAL = Teaching()
LOW, HIGH = (write_range(*each) for each in USUAL.ranges)


@app.command()
def advise(
    folder: Annotated[Path, typer.Argument(help="Where the games are kept. Those that are there already are kept.")],
    game: GameOption = "gomoku:size=15",
    games: Annotated[int, typer.Option(min=1, help="How many games the folder is to hold.")] = 1500,
    player: Annotated[str, typer.Option(help="Who plays and advises (see `eightfold players`).")] = USUAL.player,
    seed: SeedOption = USUAL.seed,
    epsilon_low: Annotated[
        str, typer.Option(help="From where to where a side that explores little draws its epsilon.")
    ] = LOW,
    epsilon_high: Annotated[str, typer.Option(help="The same for a side that explores much.")] = HIGH,
    temperature: Annotated[
        float, typer.Option(help="Of the softmax of scores, from -1 to 1, that exploring moves are drawn from.")
    ] = USUAL.temperature,
    threads: Annotated[int, typer.Option(min=0, help="Threads to think on; 0: all cores.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Play games for `eightfold train --advisor FOLDER` to start from, or go on playing them. Ctrl-C stops cleanly."""
    from eightfold.core.signals import stopped_by_signals
    from eightfold.games.game import make_game
    from eightfold.learning.advisor.advising import AdviceBar, advise_into, print_summary

    low, high = read_range(epsilon_low, "--epsilon-low"), read_range(epsilon_high, "--epsilon-high")
    teaching = Teaching(
        player=player, seed=seed, low_from=low[0], low_to=low[1], high_from=high[0], high_to=high[1],
        temperature=temperature,
    )  # fmt: skip
    stop = threading.Event()
    with AdviceBar(player, games) as bar, stopped_by_signals(stop.set) as heard:
        summary = advise_into(
            folder, make_game(game, trusted=True), teaching, games=games, threads=threads, stop=stop.is_set, tell=bar
        )
    for fault in summary.faults:
        print(fault, file=sys.stderr)
    if heard:
        kept = f"{summary.games} of {games} games are kept"
        print(f"eightfold: stopped; {kept}, the same command goes on with {folder}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    if as_json:
        print(json.dumps(summary.as_dict()))
    else:
        print_summary(summary)
