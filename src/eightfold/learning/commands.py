"""The commands `eightfold train` and `eightfold evaluate`, apart from reading the command line."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from eightfold.games.game import Game
from eightfold.learning.config import TrainConfig
from eightfold.learning.evaluation import Evaluation, measure_network
from eightfold.learning.report import TrainingReport, print_curve, print_evaluation
from eightfold.learning.runs.stopping import Interrupted, stopped_by_signals
from eightfold.nets.store.checkpoint import find_checkpoint, load_checkpoint


def train_run(config: TrainConfig, folder: Path) -> int | None:
    """Train until the run is done or somebody presses Ctrl-C or sends SIGTERM; then measure and say how to go on.

    The number of the signal that ended it, if one did.
    """
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
    for notice in training.run.notices:
        console.print(notice, soft_wrap=True)

    def stop() -> None:
        training.stop()
        console.print("stopping ...")
        if training.measuring:  # what was trained is saved by then
            raise Interrupted

    try:
        with stopped_by_signals(stop) as heard:
            training.train(TrainingReport())
            if not heard:
                console.print("measuring the final network ...")
                training.evaluate(config.evaluation.final_games)
                training.save()
                if training.evaluation is not None:
                    print_evaluation(training.evaluation, str(folder))
                print_curve(folder)
    finally:
        training.close()
    if heard:
        console.print(f"stopped and saved; the same command goes on with {folder}", soft_wrap=True)
    else:
        size = training.game.text
        console.print(
            f"let it play: eightfold match net:{folder},playouts=400 mcts:playouts=5000 --game {size} --games 10"
        )
    return heard[0] if heard else None


def evaluate_run(
    folder: Path,
    *,
    games: int,
    playouts: int,
    seed: int,
    as_paper: bool,
    backend: str = "auto",
    game: Game | None = None,
) -> Evaluation:
    """The strength of the network in a run or a checkpoint, in its own game or in another that it plays."""
    from eightfold.nets.inference.backends import make_backend

    network, description = load_checkpoint(find_checkpoint(folder))
    if game is not None:
        description = description.fitted_to(game, who=folder, any_size=bool(network.any_size))
    runner = make_backend(backend, network, description.shape())
    return measure_network(runner, description, games=games, playouts=playouts, seed=seed, as_paper=as_paper)
