"""Training by self-play: games beget samples, samples beget weights, weights play better games.

A round: games are played with the weights of the last round while this thread trains on the samples that are
there; then the new weights are handed over. Who plays is `actors/`: a thread of this process, or a cluster. On a GPU
neither waits for the other (`gpu_loop.py`).
Every finished game is stored at once, so a run that is killed loses none, and goes on from its last checkpoint.
A run with an advisor learns from its games first (`advisor/tuition.py`).

Read before: `runs/shell.py` (the run around the rounds), `actors/players.py` (who plays), `selfplay.py` (a game),
`data/record.py` (its samples), `data/buffer.py`, `data/batches.py` (a batch), `trainer.py` (a step).
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eightfold.games.game import make_game
from eightfold.learning.actors.here import players_here
from eightfold.learning.actors.players import MakePlayers, Wanted
from eightfold.learning.advisor.tuition import Tuition
from eightfold.learning.card import card_text
from eightfold.learning.check import check_config, play_settings
from eightfold.learning.checkpointing import (
    SELF_PLAY,
    CheckpointLoader,
    SelfPlayProgress,
    recount,
    training_state,
)
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker, symmetries_after
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.data.sample import Batch
from eightfold.learning.evaluation import Evaluation, measure_network
from eightfold.learning.losses import Losses, taught
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.opponents import keep_network, network_opponents
from eightfold.learning.runs.folder import GAMES, PROGRESS, TRAINING
from eightfold.learning.runs.progress import as_json
from eightfold.learning.runs.shell import Entry, Report, Run
from eightfold.learning.runs.torch_globals import seeded, with_half_of_the_cores
from eightfold.learning.schedule import evaluation_is_due, learning_rate, steps_earned, weight_of_rollouts, whole_steps
from eightfold.learning.starting import load_start
from eightfold.learning.storing import GameStore
from eightfold.learning.trainer import Trainer
from eightfold.learning.validation import three_sigma_rule, validation_loss
from eightfold.nets.auxiliary import heads_of
from eightfold.nets.heads import NEXT, POINTS
from eightfold.nets.store.checkpoint import checkpoint_files
from eightfold.nets.store.description import Description

VALIDATION_SAMPLES = 4096
ADVISED_SECONDS = 5.0  # a round of the first stage
SELF = "self-play"


class Training(Run[TrainConfig]):
    """A run of self-play; its folder also has `buffer/`, `validation/` (held out), `evaluated/` and `advice/`."""

    layout = SELF_PLAY

    def __init__(self, config: TrainConfig, path: Path, make_players: MakePlayers = players_here) -> None:
        self._make_players = make_players
        self._path, self._has_weights = path, (path / SELF_PLAY.checkpoint).is_dir()
        super().__init__(config, path)
        if self.folder.resumed:
            self.monitor.refill(path / GAMES)

    def build(self) -> None:
        config, settings = self.config, self.config.training
        check_config(config)
        self.game = make_game(config.game)
        self.description = Description(
            network=config.network,
            game=self.game.text,
            encoder=config.encoder,
            symmetry=config.symmetry,
            playing=play_settings(config).text,
        )
        self._seeds = np.random.SeedSequence(config.seed).spawn(3)
        with seeded(config.seed):
            self.network = self.description.make()
        self._heads = heads_of(self.network)
        self._tuition: Tuition | None = None
        if config.advisor.folder:
            self._tuition = Tuition(config, self._path, self.game, auxiliary=POINTS in self._heads)
            self.config = self._tuition.config
        if config.start_from and not self._has_weights:
            load_start(self.network, config)
        self.maker = BatchMaker(
            config.symmetry,
            random=np.random.default_rng(self._seeds[0]),
            symmetries=self.game.symmetries,
            allowed=settings.symmetries,
        )
        self._symmetries = tuple(int(g) for g in self.maker.allowed)  # all that a curriculum comes to
        self.trainer = self.make_trainer()
        self.monitor = SelfPlayMonitor(self.game)
        self.evaluation: Evaluation | None = None
        self._progress = SelfPlayProgress()
        self._files = contextlib.ExitStack()
        self._player: threading.Thread | None = None  # of the round that goes on
        self._clock: float | None = None  # up to when the seconds of this round are counted

    def make_trainer(self) -> Trainer:
        return Trainer.of_run(self.network, self.config)

    @property
    def progress(self) -> SelfPlayProgress:
        return self._progress

    # ---- the state of a run ---------------------------------------------------------------------------

    def restore(self) -> Iterable[Mapping[str, Any]]:
        """The last checkpoint, and all games that were stored since; games that games.jsonl lacks."""
        config = self.config
        eager = config.symmetry == "augment-eager"
        self.buffer = self._open_buffer("buffer", lazy=not eager)
        self.validation = self._open_buffer("validation")
        if self._tuition is not None:
            self._tuition.buffer = self._open_buffer("advice", lazy=not eager)
            self.folder.notices += self._tuition.notices
        missing = self._restore_progress() if self.folder.resumed else []
        if self._tuition is not None:
            self.folder.notices += self._tuition.losses(self.progress)
        buffers = {"buffer": self.buffer, "validation": self.validation}
        self.store = GameStore(self.game, config, self.progress, self.folder, self.monitor, **buffers)
        self._seat_players()
        self.buffer.resize(self.slots)
        self.validation.resize(VALIDATION_SAMPLES)
        return missing

    @property
    def slots(self) -> int:
        """How many samples the buffer keeps."""
        settings = self.config.training
        return max(settings.window, settings.later_window) * self.buffer.variants

    def _open_buffer(self, name: str, *, lazy: bool = True) -> DataBuffer:
        config = self.config
        return self._files.enter_context(
            DataBuffer(
                self.folder.path / name,
                None,
                lazy_augmentation=lazy,
                seed=config.seed,
                encoder=config.encoder,
                symmetries=self.game.symmetries,
                auxiliary=POINTS in self._heads,
                next_moves=NEXT in self._heads,
            )
        )

    def _restore_progress(self) -> list[dict[str, Any]]:
        folder = self.folder
        self._progress = CheckpointLoader(folder).load(self.network, self.trainer)
        missing, notices = recount(self._progress, folder.games, self.buffer, self.validation)
        folder.notices += notices
        if folder.checksums.notes.get("validation") and len(self.validation) == 0:
            folder.notices.append(f"{folder.path / 'validation'} is gone: samples to validate with are gathered anew")
        self._credit()
        return missing

    def _seat_players(self) -> None:
        wanted = Wanted(
            config=self.config,
            game=self.game,
            network=self.trainer.playing,
            description=self.description,
            turns=self._seeds[1],
            games=self.progress.games,
            checkpoint=self.folder.checkpoint,
        )
        self.players = self._make_players(wanted)
        self._files.callback(self.players.close)

    def checkpoint(self) -> tuple[dict[str, bytes], dict[str, Any]]:
        self._tick()
        self.trainer.wait()
        with self.store.lock:  # the thread that stores games goes on
            progress = replace(self.progress)
            marks = {**self.folder.marks(progress.games), "validation": len(self.validation)}
        parameters = sum(parameter.numel() for parameter in self.network.parameters())
        card = card_text(self.config, self.game, self.progress, parameters, self.evaluation, self.learned_from)
        files = checkpoint_files(self.trainer.playing, self.description, card)
        return {**files, TRAINING: training_state(self.trainer), PROGRESS: as_json(progress)}, marks

    def close(self) -> None:
        if self._player is not None and self._player.is_alive():  # a second Ctrl-C did not wait for it
            self.stop()
            self._player.join()
        self._files.close()
        super().close()

    # ---- a round --------------------------------------------------------------------------------------

    @with_half_of_the_cores()
    def train(self, report: Report = lambda entry: None) -> None:
        super().train(report)
        games = self.progress.games
        self.players.finish()
        if self.progress.games > games:
            self.save()

    def prepare(self) -> None:
        self.players.prepare(self._stop.is_set)
        self.trainer.record_host_batches(self.description.shape(), self.config.training.batch_size)
        if self._tuition is not None:
            self._tuition.prepare(self.progress)

    @property
    def learned_from(self) -> dict[str, int]:
        """Samples that steps were taken on, by whose games they are of."""
        own = {SELF: self.progress.from_selfplay}
        return own if self._tuition is None else {**own, self._tuition.source: self.progress.from_advisor}

    def _advised_round(self, tuition: Tuition) -> Entry:
        """Some seconds of the first stage: steps on the advisor's samples alone."""
        progress = self.progress

        def take_steps(deadline: float) -> list[Losses]:
            losses: list[Losses] = []
            end = min(deadline, time.perf_counter() + ADVISED_SECONDS)
            self._set_up_steps()
            while not progress.advised and time.perf_counter() < end and not self.stopped:
                losses.append(self._step(tuition.next_batch(progress)))
                tuition.count_step(progress)
            return losses

        return {**self._without_games(take_steps), "advisor_epoch": tuition.epoch(progress)}

    def wind_up(self) -> Entry | None:
        """The steps that the last games have earned, where games and not minutes end the run."""
        minutes_left = self.config.minutes == 0 or self.progress.seconds < 60 * self.config.minutes
        return self._without_games(self._train_steps) if minutes_left and whole_steps(self.progress.owed) else None

    def train_on_stored(self, steps: int) -> int:
        """So many steps on what is stored, whatever games have earned; how many could be taken."""
        self._credit()
        self.progress.owed = steps
        return len(self._train_steps(math.inf))

    def _without_games(self, take_steps: Callable[[float], list[Losses]]) -> Entry:
        """Steps until a deadline with no self-play beside them; what the metrics say of them."""
        self._clock = start = time.perf_counter()
        losses = take_steps(self._deadline(start))
        self._tick()
        self._clock = None
        rate = len(losses) * self.config.training.batch_size / (time.perf_counter() - start)
        return {**self._counters(), "samples_per_s": rate, **self._mean_losses(losses)}

    def _counters(self) -> Entry:
        progress = self.progress
        return {
            "minutes": progress.seconds / 60,
            "games": progress.games,
            "samples": progress.samples,
            "steps": progress.steps,
            "samples_from": self.learned_from,
            "learning_rate": self._learning_rate(),
        }

    def train_round(self) -> Entry:
        if self._tuition is not None and not self.progress.advised:
            return self._advised_round(self._tuition)
        start, simulations = time.perf_counter(), self.players.simulations
        self._clock = start
        settings, deadline = self.config.training, self._deadline(start)
        self._hand_over_weights()
        played, losses = self._play_and_train(deadline)
        self._credit()
        self._tick()
        self._clock = None
        seconds = time.perf_counter() - start
        entry: Entry = {
            **self._counters(),
            "games_per_s": played / seconds,
            "simulations_per_s": (self.players.simulations - simulations) / seconds,
            "samples_per_s": len(losses) * settings.batch_size / seconds,
            **self.monitor.figures(),
            **self._mean_losses(losses),
            **self._figures(),
        }
        validation = self._validate()
        if validation is not None:
            entry["validation_loss"] = validation
        warnings = self.monitor.warnings()
        if warnings:
            entry["warnings"] = warnings
        return entry

    def _play_and_train(self, deadline: float) -> tuple[int, list[Losses]]:
        """A round of games, and beside it the steps that those before have earned; how many games, and the losses."""
        played: list[int] = []
        trouble: list[BaseException] = []

        def play() -> None:
            try:
                wanted, stop = self.config.training.games_a_round, self._stop.is_set
                played.append(self.players.play(wanted, on_game=self._store, deadline=deadline, stop=stop))
            except BaseException as error:  # handed over to the thread that waits for us
                trouble.append(error)

        player = self._player = threading.Thread(target=play, name="self-play")
        player.start()
        try:
            losses = self._train_steps(deadline)
        except BaseException:
            self.stop()  # nobody may go on storing games when this thread has given up
            raise
        finally:
            player.join()
        if trouble:
            raise trouble[0]
        return sum(played), losses

    def _figures(self) -> Entry:
        return self.players.figures()

    def _mean_losses(self, losses: list[Losses]) -> dict[str, float]:
        if not losses:
            return {}
        found = dict(zip(Losses._fields, np.mean(losses, axis=0).tolist(), strict=True))
        return {f"{name}_loss": found[name] for name in taught(self._heads)}

    def _train_steps(self, deadline: float) -> list[Losses]:
        """The steps that the samples of the rounds before have earned, as far as the time allows."""
        settings, progress = self.config.training, self.progress
        steps = whole_steps(progress.owed)
        if steps == 0 or len(self.buffer) < settings.batch_size:
            return []
        self._set_up_steps()
        losses: list[Losses] = []
        while len(losses) < steps and time.perf_counter() < deadline and not self.stopped:
            losses.append(self._step(self._draw()))
            progress.owed = max(0.0, progress.owed - 1)  # a whole step may be a rounding more than is owed
            progress.steps += 1
        return losses

    def _step(self, batch: Batch) -> Losses:
        if self.save_is_due:  # a round may take minutes
            self.save()
        return self.trainer.step(self.maker.make(batch))

    def _set_up_steps(self) -> None:
        """The learning rate and the symmetries of the steps to come."""
        self.trainer.set_learning_rate(self._learning_rate())
        from_game = self.config.training.symmetries_from_game
        self.maker.allowed = np.array(symmetries_after(self.progress.games, self._symmetries, from_game), np.int64)

    def _draw(self) -> Batch:
        """Samples of self-play as they are stored, and the advisor's share."""
        progress, size, tuition = self.progress, self.config.training.batch_size, self._tuition
        advised = 0 if tuition is None else tuition.share_of(size, progress.games)
        progress.from_selfplay += size - advised
        progress.from_advisor += advised
        parts = [self.buffer.sample_stored(size - advised, recent=self._window())] if advised < size else []
        if tuition is not None and advised:
            parts.append(tuition.draw(advised))
        return Batch.joined(*parts)

    def _deadline(self, start: float) -> float:
        """When the minutes of the run are over, as `time.perf_counter` counts."""
        return start + 60 * self.config.minutes - self.progress.seconds if self.config.minutes > 0 else math.inf

    def _credit(self) -> None:
        """Count the steps that games and samples have earned since the last time, each of them once."""
        progress = self.progress
        progress.owed += steps_earned(
            self.config.training,
            games=progress.games - progress.credited_games,
            samples=progress.samples - progress.credited_samples,
            buffered=min(len(self.buffer), self._window()) // self.buffer.variants,
        )
        progress.credited_games, progress.credited_samples = progress.games, progress.samples

    def _tick(self) -> None:
        """Bring the seconds of training up to now."""
        if self._clock is not None:
            now = time.perf_counter()
            self.progress.seconds += now - self._clock
            self._clock = now

    def _window(self) -> int:
        settings = self.config.training
        grown = settings.later_window and self.progress.games >= settings.later_games
        return (settings.later_window if grown else settings.window) * self.buffer.variants

    def _store(self, played: PlayedGame) -> None:
        """Keep a finished game, at once."""
        self.store.add([played])

    def _learning_rate(self) -> float:
        return learning_rate(self.config.training, done=self.done, factor=self.progress.rate_factor)

    def _validate(self) -> float | None:
        loss = partial(validation_loss, self.validation, self.trainer, self.maker)
        return three_sigma_rule(self.progress, loss, halves=self.config.training.decay == "three-sigma")

    # ---- strength -------------------------------------------------------------------------------------

    def after_round(self, report: Report) -> None:
        if self.done < 1 and evaluation_is_due(self.config.evaluation, self.progress):
            self.save()  # before something that takes long
            if (entry := self.evaluate(self.config.evaluation.games)) is not None:
                report(entry)
            self.save()  # a run that is killed now does not measure the same again

    @with_half_of_the_cores()
    def evaluate(self, games: int) -> Entry | None:
        """Measure the strength of the present network, note it, and keep the network; without games only keep it."""
        settings, progress, run = self.config.evaluation, self.progress, self.folder.path
        if games:
            self._hand_over_weights()
            self.measuring = True
            self.evaluation = measure_network(
                self.players.runner(),
                self.description,
                games=games,
                playouts=settings.playouts,
                seed=self.config.seed,
                networks=network_opponents(run, self.game, settings, games=progress.games),
                play=self.players.play_games,
            )
            self.measuring = False
        self.trainer.wait()
        keep_network(run, progress.games, self.trainer.playing, self.description, keep=settings.keep_networks)
        progress.evaluated_at, progress.evaluated_games = progress.seconds, progress.games
        if not games or self.evaluation is None:
            return None
        entry = {"minutes": progress.seconds / 60, "games": progress.games, "evaluation": self.evaluation.as_dict()}
        self.folder.log(entry)
        return entry

    def _hand_over_weights(self) -> None:
        """Who plays gets what was trained, and forgets what it knew with the weights before."""
        self.trainer.wait()
        self.players.load(self.trainer.playing, theta=weight_of_rollouts(self.config.selfplay, done=self.done))
