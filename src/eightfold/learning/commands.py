"""The commands `train`, `train-isn` and `evaluate`, apart from reading the command line.

Training is the same command for every algorithm (`carry_out`): say what begins or goes on, train until the limits or a
signal, and say how to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from eightfold.arena.engine import PlayGames, play_games
from eightfold.core.extras import need
from eightfold.core.signals import Interrupted, stopped_by_signals
from eightfold.games.game import Game
from eightfold.learning.config import TrainConfig, advisor_change, train_config
from eightfold.learning.evaluation import Evaluation, measure_network
from eightfold.learning.report import TrainingReport, print_curve, print_evaluation
from eightfold.learning.runs.shell import Report, Run
from eightfold.learning.td.config import TdConfig
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork


def train(
    preset: str = "quick",
    *,
    run: str | Path | None = None,
    start_from: str | Path | None = None,
    advisor: str | Path | None = None,
    cluster: str | None = None,
    set: Sequence[str] = (),
    **settings: Any,
) -> Path:
    """Train a network by self-play, as `eightfold train` does, or go on with a run; its folder.

        train("quick", run="runs/mine", minutes=5, symmetry="slap", set=["selfplay.playouts=64"])

    `settings` are keys of the configuration's first level; `cluster` is where to play the games (docs/scaling.md). The
    network is `net:FOLDER` or `load_network(FOLDER)` then.
    """
    taught = [] if advisor is None else [advisor_change(advisor)]
    changes = [*(f"{key}={value}" for key, value in settings.items()), *taught, *set]
    folder = Path(run) if run is not None else Path("runs") / Path(preset).stem
    config = train_config(preset, changes, None if start_from is None else str(start_from), folder)
    train_run(config, folder, cluster=cluster)
    return folder


def train_run(config: TrainConfig, folder: Path, *, cluster: str | None = None, actors: int = 0) -> int | None:
    """`eightfold train`: self-play, and the strength at the end. The number of the signal that ended it, if one did.

    Games are played here, or by `actors` actors (0: all that fit) on the cluster at an address.
    """
    need("torch", purpose="training")
    from eightfold.learning.actors.cluster import players_on
    from eightfold.learning.gpu_loop import training_of

    console = _console()
    with players_on(cluster, actors=actors) as make_players:
        training = training_of(config, folder, make_players)

        def measure() -> None:
            games = config.evaluation.final_games
            if games:
                console.print("measuring the final network ...")
            training.evaluate(games)
            training.save()
            if games and training.evaluation is not None:
                print_evaluation(training.evaluation, str(folder))
            print_curve(folder)

        title = f"{config.network} on {config.game}, symmetry {config.symmetry}"
        match = f"net:{folder},playouts=400 mcts:style=plain,playouts=5000 --game {training.game.text}"
        return carry_out(training, TrainingReport(), console, title=title, match=match, finish=measure)


def train_isn_run(config: TdConfig, folder: Path) -> int | None:
    """`eightfold train-isn`: TD(λ) with an Internal Symmetry Network. The number of the signal that ended it."""
    need("torch", purpose="training")
    from eightfold.learning.td.loop import TdTraining
    from eightfold.learning.td.report import progress_line

    console = _console()

    def report(entry: dict[str, Any]) -> None:
        console.print(progress_line(entry), soft_wrap=True)

    title = f"an Internal Symmetry Network on {config.game}"
    match = f"isn:{folder} mcts:style=plain,playouts=100 --game {config.game}"
    return carry_out(TdTraining(config, folder), report, console, title=title, match=match)


def carry_out(
    run: Run[Any],
    report: Report,
    console: Console,
    *,
    title: str,
    match: str,
    finish: Callable[[], None] = lambda: None,
) -> int | None:
    """Train until the run is done or somebody presses Ctrl-C or sends SIGTERM; then say how to go on.

    `finish` comes after a run that was not stopped, `match` is how to let its network play.
    """
    folder = run.folder.path
    if run.folder.resumed:
        console.print(f"going on with {folder}: {run.progress.summary} so far", soft_wrap=True)
    else:
        console.print(f"training {title}, into {folder}", soft_wrap=True)
    for notice in run.folder.notices:
        console.print(notice, soft_wrap=True)

    def stop() -> None:
        run.stop()
        console.print("stopping ...")
        if run.measuring:  # what was trained is saved by then
            raise Interrupted

    try:
        with stopped_by_signals(stop) as heard:
            run.train(report)
            if not heard:
                finish()
    finally:
        run.close()
    if heard:
        console.print(f"stopped and saved; the same command goes on with {folder}", soft_wrap=True)
        return heard[0]
    console.print(f"let it play: eightfold match {match} --games 10", soft_wrap=True)
    console.print(f"see it on a page: eightfold serve --run {folder}", soft_wrap=True)
    return None


def _console() -> Console:
    return Console(stderr=True, highlight=False, emoji=False, markup=False)  # brackets are a network's or a folder's


def evaluate_run(
    folder: Path,
    *,
    games: int,
    playouts: int,
    seed: int,
    as_paper: bool,
    backend: str = "auto",
    game: Game | None = None,
    play: PlayGames | None = None,
) -> Evaluation:
    """The strength of the network in a run or a checkpoint, in its own game or in another that it plays.

    `play`: what plays the games elsewhere, with the backend that is the fastest there; None: here.
    """
    network = open_network(folder, game, backend=backend, kind=PolicyValueNetwork)
    return measure_network(
        network.runner() if play is None else folder,
        network.description,
        games=games,
        playouts=playouts,
        seed=seed,
        as_paper=as_paper,
        play=play or play_games,
    )
