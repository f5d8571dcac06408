"""The runs by which ways of using symmetry are compared: equal in all but that, paired by seed, kept as they learn.

A run is a part of a study with a folder of its own. It goes on from its last checkpoint, on this machine or on another
one that the study's folder was copied to; when it is done its networks stay, with small logs, and nothing else.

On a CPU the runs of a seed take turns, so that all of them meet the same moods of the machine, and what they cost is
their processor time. On a GPU runs may be trained side by side, so their own clocks tell little: there what a run costs
is counted, its simulations and steps times what one of each takes alone (`price_arms`).
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eightfold.config import load_preset, with_changes
from eightfold.core.files import replace_file
from eightfold.learning.check import check_config
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.runs.folder import CONFIG
from eightfold.learning.runs.metrics import METRICS
from eightfold.learning.runs.torch_globals import with_half_of_the_cores
from eightfold.nets.inference.device import check_device
from eightfold.studies.frame import Part, Together
from eightfold.studies.run_costs import PROCESSOR
from eightfold.studies.runs import SNAPSHOTS, TimedRun, clear, warm_up_once
from eightfold.studies.together import Turns, in_turns, one_by_one, side_by_side

KEPT, DONE = "kept.json", "done.json"
STAYS = (SNAPSHOTS, CONFIG, METRICS, DONE)
PROOF_NODES = {False: 0, True: 100}  # without proofs by threat search, as published, and with them
CPU = "cpu"
FILL = 64  # times that games are played until there is a batch to train on


def run_config(
    *,
    preset: str,
    game: str,
    network: str,
    mode: str,
    proofs: bool,
    seed: int,
    games: int,
    playouts: int,
    parallel_games: int,
    games_a_round: int,
    changes: str,
    backend: str,
    device: str,
) -> TrainConfig:
    """The preset's run with a way of using symmetry; steps for a game stay as many as the preset has."""
    usual = load_preset(TrainConfig(), preset)
    steps = usual.training.steps_a_round * games_a_round // usual.training.games_a_round
    return with_changes(
        usual,
        [
            f"game={game}",
            f"network={network}",
            f"symmetry={mode}",
            f"seed={seed}",
            f"backend={backend}",
            f"device={device}",
            "minutes=0",
            f"games={games}",
            "evaluation.every_minutes=0",
            "evaluation.every_games=0",
            f"selfplay.playouts={playouts}",
            f"selfplay.parallel_games={parallel_games}",
            f"selfplay.gpu_games={max(2, parallel_games)}",
            f"selfplay.proof_nodes={PROOF_NODES[proofs]}",
            f"training.games_a_round={games_a_round}",
            f"training.steps_a_round={steps}",
            *changes.split(),
        ],
    )


def check_runs(cases: Sequence[Mapping[str, Any]]) -> None:
    """An error in one line for runs that cannot be; whether their device is here is asked when one is trained."""
    for case in cases:
        check_config(run_config(**{**case, "device": CPU}))


def together(device: str, runs_at_once: int, *, compared: bool = True) -> Together:
    """How runs are trained: on a CPU those of a seed in turns, if their cost is compared, or so many side by side."""
    if runs_at_once > 1:
        return functools.partial(side_by_side, at_once=runs_at_once)
    return functools.partial(in_turns, by="seed") if device == CPU and compared else one_by_one


def train_run(part: Part, *, keep_every: int, **facts: Any) -> Turns:
    """A part, in turns: one run; what is known of it whenever a network was kept, from the first weights on."""
    done, noted = part.folder / DONE, part.folder / KEPT
    if done.exists():  # somebody stopped it before the study heard of it
        clear(part.folder, keep=STAYS)
        return json.loads(done.read_bytes())
    check_device(facts["device"])
    config = run_config(**facts)
    if facts["device"] == CPU:
        warm_up_once(replace(config, seed=0))
    run = TimedRun(config, part.folder, goes_on=True)
    try:
        kept: list[dict[str, Any]] = json.loads(noted.read_bytes()) if noted.exists() else []
        while True:
            at, last = run.run.progress.games, kept[-1]["games"] if kept else -1
            over = at >= config.games
            if over and last < at:
                run.wind_up()
            if last < at and (over or last < 0 or at // keep_every > last // keep_every):
                kept.append({"name": f"{at:06d}", **run.keep(f"{at:06d}")})
                replace_file(noted, json.dumps(kept).encode())
            part.progress(at / config.games)
            if over:
                break
            yield run.seconds
            run.step()
        parameters = sum(parameter.numel() for parameter in run.run.network.parameters())
        found = {"place": part.place, "machine": machine(config.device), "parameters": parameters, "kept": kept}
        replace_file(done, json.dumps(found).encode())
    except BaseException:
        run.leave()
        raise
    run.close(keep=STAYS)
    return found


def machine(device: str) -> str:
    """What its seconds are seconds of."""
    if device == CPU:
        return PROCESSOR
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    return device


# ---- what a simulation and a step take ----------------------------------------------------------------------


def price_arms(
    part: Part, *, arms: Mapping[str, Mapping[str, Any]], blocks: int, games_each: int, steps_each: int, **same: Any
) -> list[dict[str, Any]]:
    """A part: seconds of self-play and of training at fixed work, block by block, the arms taking turns in each.

    Nothing is learned between blocks that another arm would not have learned: weights are fresh, games are theirs.
    """
    check_device(same["device"])
    runs = {
        name: TimedRun(run_config(**facts, **same), part.folder / str(number))
        for number, (name, facts) in enumerate(arms.items())
    }
    rows = []
    try:
        for run in runs.values():
            _fill(run, games_each)
            _play(run, games_each)
            _train(run, 1)
        for block in range(blocks):
            for name, run in runs.items():
                rows.append({"arm": name, "block": block, **_play(run, games_each), **_train(run, steps_each)})
            part.progress((block + 1) / blocks)
    finally:
        for run in runs.values():
            run.close(keep=())
        if part.folder.exists():
            clear(part.folder, keep=())
    return rows


def _fill(run: TimedRun, games: int) -> None:
    """Games until there is a batch, so that steps can be measured."""
    training = run.run
    for _ in range(FILL):
        if len(training.buffer) >= training.config.training.batch_size:
            return
        _play(run, games)


def _clock(run: TimedRun) -> Callable[[], float]:
    return time.process_time if run.run.config.device == CPU else time.perf_counter


def _play(run: TimedRun, games: int) -> dict[str, float]:
    training, played, clock = run.run, list[PlayedGame](), _clock(run)
    training.players.load(training.trainer.playing, theta=0.0)
    with with_half_of_the_cores():
        begun, simulations = clock(), training.players.simulations
        training.players.play(games, on_game=played.append)
        simulations = training.players.simulations - simulations
        seconds = clock() - begun
    for each in played:
        training.store.add([each])
    moves = sum(len(each.moves) for each in played)
    return {"play_seconds": seconds, "simulations": simulations, "moves": moves, "games": len(played)}


def _train(run: TimedRun, steps: int) -> dict[str, float]:
    training, clock = run.run, _clock(run)
    size = training.config.training.batch_size
    if len(training.buffer) < size:
        return {"train_seconds": 0.0, "steps": 0}
    training.save()  # now, and not among the steps
    with with_half_of_the_cores():
        begun = clock()
        taken = training.train_on_stored(steps)
        training.trainer.wait()
        seconds = clock() - begun
    return {"train_seconds": seconds, "steps": taken}
