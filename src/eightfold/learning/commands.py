"""The commands `eightfold train` and `eightfold evaluate`, apart from reading the command line."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType

from rich.console import Console

from eightfold.config import TrainConfig
from eightfold.games.game import Game
from eightfold.learning.evaluation import Strength, measure_network
from eightfold.learning.report import TrainingReport, print_curve, print_strength
from eightfold.nets.checkpoint import find_checkpoint, load_checkpoint


def train_run(config: TrainConfig, folder: Path) -> None:
    """Train until the run is done or somebody presses Ctrl-C; then measure and say how to go on."""
    from eightfold.learning.loop import Training

    console = Console(stderr=True, highlight=False, emoji=False)
    training = Training(config, folder)
    if training.run.resumed:
        at = training.progress
        console.print(
            f"going on with {folder}: {at.seconds / 60:.1f} minutes, {at.games} games, {at.steps} steps so far"
        )
    else:
        console.print(f"training {config.network} on {config.game}, symmetry {config.symmetry}, into {folder}")
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        training.stop()
        console.print("stopping after this round ...")
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a second Ctrl-C does not wait

    before = signal.signal(signal.SIGINT, stop)
    try:
        training.train(TrainingReport())
        if not stopped:
            console.print("measuring the final network ...")
            training.evaluate(config.evaluation.final_games)
            training.save()
            if training.strength is not None:
                print_strength(training.strength, str(folder))
            print_curve(folder)
    finally:
        signal.signal(signal.SIGINT, before)
        training.close()
    if stopped:
        console.print(f"stopped; the same command goes on with {folder}")
    else:
        size = training.game.text
        console.print(
            f"let it play: eightfold match net:{folder},playouts=400 mcts:playouts=5000 --game {size} --games 10"
        )


def evaluate_run(
    folder: Path,
    *,
    games: int,
    playouts: int,
    seed: int,
    as_paper: bool,
    backend: str = "auto",
    game: Game | None = None,
) -> Strength:
    """The strength of the network in a run or a checkpoint, in its own game or in another that it plays."""
    from eightfold.nets.backends import make_backend

    network, description = load_checkpoint(find_checkpoint(folder))
    if game is not None:
        description = description.fitted_to(game, who=folder, any_size=bool(network.any_size))
    runner = make_backend(backend, network, description.shape())
    return measure_network(runner, description, games=games, playouts=playouts, seed=seed, as_paper=as_paper)
