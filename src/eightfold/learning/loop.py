"""Training from top to bottom: games beget samples, samples beget weights, weights play better games.

A round: a thread plays games with the weights of the last round while this one trains on the samples that are
there; then the new weights are handed over. Neither waits for the other's cores: each has its half of them.
Every finished game is stored at once, so a run that is killed loses none, and goes on from its last checkpoint.

Read before: `selfplay.py` (a game), `buffer.py` (samples), `batches.py` (a batch), `trainer.py` (a step).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eightfold.games.game import make_game
from eightfold.games.state import LAST
from eightfold.learning.check import check_config, play_settings
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker, turns_after
from eightfold.learning.data.buffer import DataBuffer, targets_of
from eightfold.learning.evaluation import Evaluation, measure_network
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.opponents import keep_network, network_opponents
from eightfold.learning.runs.card import card_text
from eightfold.learning.runs.checkpointing import PROGRESS, TRAINING, Schedule, Stored, recount, training_state
from eightfold.learning.runs.progress import Progress, as_json
from eightfold.learning.runs.run import RunFolder
from eightfold.learning.runs.torch_state import half_of_the_cores, seeded, with_half_of_the_cores
from eightfold.learning.schedule import evaluation_is_due, steps_earned
from eightfold.learning.selfplay import PlayedGame, SelfPlay
from eightfold.learning.trainer import Losses, Trainer
from eightfold.learning.validation import EVERY_GAMES, Loss, validation_loss
from eightfold.nets.foresight import foresees
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.store.checkpoint import Description, checkpoint_files

VALIDATION_SAMPLES = 4096


class Training:
    """One run: everything that `train` needs, put together."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        check_config(config)  # before a folder is made
        self.config = config
        self.game = make_game(config.game)
        self.description = Description(
            network=config.network,
            game=self.game.text,
            encoder=config.encoder,
            symmetry=config.symmetry,
            playing=play_settings(config).text,
        )
        seeds = np.random.SeedSequence(config.seed).spawn(3)
        self._random = np.random.default_rng(seeds[0])
        threads = half_of_the_cores()

        with seeded(config.seed):
            self.network = self.description.make()
        self.measuring = False  # the network's strength, which takes long and changes nothing
        self._stop = threading.Event()
        self._player: threading.Thread | None = None  # of the round that goes on
        self._storing = threading.Lock()  # between the thread that stores games and the one that saves
        self._schedule = Schedule()
        self._clock: float | None = None  # up to when the seconds of this round are counted
        self.maker = BatchMaker(
            config.symmetry,
            random=self._random,
            symmetries=self.game.symmetries,
            allowed=config.training.symmetries,
        )
        self._turns = tuple(int(g) for g in self.maker.allowed)  # all that a curriculum comes to
        self.run = RunFolder(folder, config)
        try:
            self._open(folder, seeds[1], threads)
        except BaseException:
            self.close()
            raise

    def _open(self, folder: Path, seed: np.random.SeedSequence, threads: int) -> None:
        """Buffers, trainer, backend; of a run that goes on nothing is changed until all of it is known to fit."""
        config, settings = self.config, self.config.training
        eager = config.symmetry == "augment-eager"
        kept: dict[str, Any] = {
            "seed": config.seed,
            "encoder": config.encoder,
            "symmetries": self.game.symmetries,
            "foresight": foresees(self.network),  # only games that are decided by points have it
        }
        self.buffer = DataBuffer(folder / "buffer", None, lazy_augmentation=not eager, **kept)
        self.validation = DataBuffer(folder / "validation", None, **kept)
        self.trainer = Trainer(
            self.network,
            settings.learning_rate,
            config.device,
            optimiser=settings.optimiser,
            l2=settings.l2,
            clip_quantile=settings.clip_quantile,
            precision=settings.precision,
            symmetry=config.symmetry,
            seed=config.seed,
            ownership_weight=settings.ownership_weight,
            score_weight=settings.score_weight,
        )
        self.progress = Progress()
        missing = self._take_up() if self.run.resumed else []
        self.backend = make_backend(
            config.backend, self.network, self.description.shape(), device=config.device, threads=threads
        )
        self.evaluator = NetworkEvaluator(
            self.backend,
            encoder=config.encoder,
            symmetry=config.symmetry,
            symmetries=self.game.symmetries,
            random=np.random.default_rng(seed),
        )
        self.cache: CachedEvaluator | None = None
        if config.selfplay.cache:
            self.cache = CachedEvaluator(self.evaluator, capacity=config.selfplay.cache, key=config.selfplay.cache_key)
        self.monitor = SelfPlayMonitor(self.game)
        self.selfplay = self._make_selfplay(np.random.default_rng([config.seed, self.progress.games, 1]), threads)
        self.evaluation: Evaluation | None = None
        self.buffer.resize(max(settings.window, settings.later_window) * self.buffer.variants)
        self.validation.resize(VALIDATION_SAMPLES)
        self.run.begin(missing)
        if self.run.resumed:
            self.monitor.refill(folder / "games.jsonl")

    def _make_selfplay(self, random: np.random.Generator, threads: int) -> SelfPlay:
        return SelfPlay(
            self.game,
            self.evaluator if self.cache is None else self.cache,
            settings=self.config.selfplay,
            random=random,
            threads=threads,
        )

    # ---- the loop -------------------------------------------------------------------------------------

    @with_half_of_the_cores()
    def train(self, report: Callable[[dict[str, Any]], None] = lambda entry: None) -> None:
        """Rounds until the time or the games are used up, or `stop` is called."""
        if self.run.notices or not self.run.resumed:
            self.save()  # from here on there is a checkpoint, and what was mended stays so
        self._schedule.begin()
        while not self._stop.is_set() and self.done < 1:
            entry = self._round()
            self.run.note(entry)
            report(entry)
            if self._schedule.due:
                self.save()
            if self.done < 1 and evaluation_is_due(self.config.evaluation, self.progress):
                self.save()  # before something that takes long
                report(self.evaluate(self.config.evaluation.games))
                self.save()  # a run that is killed now does not measure the same again
        self.save()

    @property
    def done(self) -> float:
        """How much of the run's time or games is used up, 0 to 1."""
        by_time = self.progress.seconds / (60 * self.config.minutes) if self.config.minutes > 0 else 0.0
        by_games = self.progress.games / self.config.games if self.config.games > 0 else 0.0
        return max(by_time, by_games)

    def stop(self) -> None:
        """Ask the loop to end: it finishes no more games and takes no more steps than it is at, and saves."""
        self._stop.set()

    def _round(self) -> dict[str, Any]:
        start, simulations = time.perf_counter(), self.selfplay.search.simulations
        self._clock = start
        progress, settings = self.progress, self.config.training
        deadline = start + 60 * self.config.minutes - progress.seconds if self.config.minutes > 0 else math.inf
        self._hand_over_weights()
        played: list[PlayedGame] = []
        trouble: list[BaseException] = []

        def play() -> None:
            try:
                wanted = settings.games_a_round
                played.extend(
                    self.selfplay.play(wanted, on_game=self._store, deadline=deadline, stop=self._stop.is_set)
                )
            except BaseException as error:  # handed over to the thread that waits for us
                trouble.append(error)

        player = self._player = threading.Thread(target=play, name="self-play")
        player.start()
        try:
            losses = self._train_steps(deadline)
        except BaseException:
            self._stop.set()  # nobody may go on storing games when this thread has given up
            raise
        finally:
            player.join()
        if trouble:
            raise trouble[0]
        self._credit()
        self._tick()
        self._clock = None
        seconds = time.perf_counter() - start
        entry: dict[str, Any] = {
            "minutes": progress.seconds / 60,
            "games": progress.games,
            "samples": progress.samples,
            "steps": progress.steps,
            "learning_rate": self._learning_rate(),
            "games_per_s": len(played) / seconds,
            "simulations_per_s": (self.selfplay.search.simulations - simulations) / seconds,
            "samples_per_s": len(losses) * settings.batch_size / seconds,
            **self.monitor.figures(),
        }
        if self.cache is not None:
            entry["cache_hits"] = self.cache.hit_rate
        if losses:
            policy, value, owners, score = np.mean(losses, axis=0)
            entry |= {"policy_loss": float(policy), "value_loss": float(value)}
            if foresees(self.network):
                entry |= {"owners_loss": float(owners), "score_loss": float(score)}
        validation = self._validate()
        if validation is not None:
            entry["validation_loss"] = validation
        warnings = self.monitor.warnings()
        if warnings:
            entry["warnings"] = warnings
        return entry

    def _train_steps(self, deadline: float) -> list[Losses]:
        """The steps that the samples of the rounds before have earned, as far as the time allows."""
        settings, progress = self.config.training, self.progress
        steps = int(progress.owed)
        if steps == 0 or len(self.buffer) < settings.batch_size:
            return []
        self.trainer.set_learning_rate(self._learning_rate())
        turns = turns_after(progress.games, self._turns, settings.symmetries_from_game)
        self.maker.allowed = np.array(turns, np.int64)
        recent = self._window()
        losses: list[Losses] = []
        while len(losses) < steps and time.perf_counter() < deadline and not self._stop.is_set():
            stored = self.buffer.sample_stored(settings.batch_size, recent=recent)
            losses.append(self.trainer.step(self.maker.make(*targets_of(stored))))
            progress.owed -= 1
            progress.steps += 1
            if self._schedule.due:  # a round may take minutes
                self.save()
        return losses

    def _credit(self) -> None:
        """Count the steps that games and samples have earned since the last time, each of them once."""
        progress = self.progress
        progress.owed += steps_earned(
            self.config.training,
            games=progress.games - progress.credited_games,
            samples=progress.samples - progress.credited_samples,
            buffered=len(self.buffer),
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
        return (settings.later_window if grown else settings.window) * (1 if self.buffer.lazy_augmentation else 8)

    def _store(self, played: PlayedGame) -> None:
        """Keep a finished game, at once: as samples for training or validation, and in games.jsonl for people.

        The samples come first, and the game's line with them in the same transaction: after a kill in between the
        next launch writes it (`checkpointing.recount`), so that every game of games.jsonl has its samples.
        """
        progress, every = self.progress, self.config.training.validation_every
        examples = self._examples(played)
        game = {"moves": played.moves, "opening": played.opening, "result": played.result}
        with self._storing:
            games = progress.games + 1
            held_out = every > 0 and games % every == 0
            samples = progress.samples + (0 if held_out else len(examples))
            if examples:
                buffer = self.validation if held_out else self.buffer
                buffer.add_data(examples, note=Stored(games, samples, game).text)
            self.run.keep_game(game)
            progress.games, progress.samples = games, samples
        self.monitor.see(played)

    def _examples(self, played: PlayedGame) -> list[tuple[Any, ...]]:
        if len(played.values) == 0:
            return []
        number, planes = self.game.encoder(self.config.encoder)
        size = self.game.size
        states = np.empty((len(played.values), planes, size, size), np.float32)
        self.game.kernels.encode_batch(played.states, number, states)
        examples: list[tuple[Any, ...]] = [
            (states[k], played.policies[k], float(played.values[k]), self._last_move(played, k))
            for k in range(len(states))
        ]
        if not foresees(self.network):
            return examples
        points = self.game.points
        return [(*example, None, None, played.foresight(k, points)) for k, example in enumerate(examples)]

    def _last_move(self, played: PlayedGame, k: int) -> tuple[int, int] | None:
        last = int(played.states[k, LAST])
        return divmod(last, self.game.size) if 0 <= last < self.game.points else None  # a pass is on no point

    # ---- learning rate and validation -----------------------------------------------------------------

    def _learning_rate(self) -> float:
        settings = self.config.training
        if settings.decay == "none":
            return settings.learning_rate
        if settings.decay == "three-sigma":
            return settings.learning_rate * self.progress.rate_factor
        # Constant for the first half, then down to a twentieth.
        return settings.learning_rate * (1.0 if self.done < 0.5 else max(0.05, 1 - 0.95 * (self.done - 0.5) / 0.5))

    def _validate(self) -> float | None:
        """The loss on games kept from training, every hundred games; it drives the three-sigma rule."""
        progress = self.progress
        if progress.games - progress.validated_at < EVERY_GAMES:
            return None
        loss = validation_loss(self.validation, self.trainer, self.maker)
        if loss is None:
            return None
        before = Loss(progress.validation_mean, progress.validation_error)
        if progress.validated_at and loss.is_above(before):
            progress.rate_factor /= 2
        progress.validated_at, progress.validation_mean, progress.validation_error = progress.games, *loss
        return loss.mean

    # ---- evaluating, saving, loading ------------------------------------------------------------------

    @with_half_of_the_cores()
    def evaluate(self, games: int) -> dict[str, Any]:
        """Measure the strength of the present network, note it, and keep the network."""
        settings, progress, seed = self.config.evaluation, self.progress, self.config.seed
        self._hand_over_weights()
        self.measuring = True
        self.evaluation = measure_network(
            self.backend,
            self.description,
            games=games,
            playouts=settings.playouts,
            seed=seed,
            networks=network_opponents(self.run.path, self.game, settings, games=progress.games, seed=seed),
        )
        self.measuring = False
        keep_network(self.run.path, progress.games, self.network, self.description, keep=settings.keep_networks)
        progress.evaluated_at, progress.evaluated_games = progress.seconds, progress.games
        entry = {
            "minutes": progress.seconds / 60,
            "games": progress.games,
            "evaluation": self.evaluation.as_dict(),
        }
        self.run.note(entry)
        return entry

    def _hand_over_weights(self) -> None:
        """What plays gets what was trained, and forgets what it knew with the weights before."""
        self.backend.load(self._on_cpu())
        if self.cache is not None:
            self.cache.clear()

    def _on_cpu(self) -> torch.nn.Module:
        if self.trainer.device.type == "cpu":
            return self.network
        import copy

        return copy.deepcopy(self.network).to("cpu")

    def save(self) -> None:
        """A checkpoint: the network for playing, and what going on needs, all of one moment."""
        self._tick()
        with self._storing:
            progress = replace(self.progress)
            marks = {**self.run.marks(progress.games), "validation": len(self.validation)}
        files = checkpoint_files(self.network, self.description, self._card())
        self.run.save({**files, TRAINING: training_state(self.trainer), PROGRESS: as_json(progress)}, marks)
        self._schedule.saved()

    def _take_up(self) -> list[dict[str, Any]]:
        """Go on from the last checkpoint, with all games that were stored since; games that games.jsonl lacks."""
        run, found = self.run, self.run.found
        if found.exists:
            self.progress = found.load(self.network, self.trainer)
        missing, notices = recount(self.progress, run.games, self.buffer, self.validation)
        run.notices += notices
        if run.noted.get("validation") and len(self.validation) == 0:
            run.notices.append(f"{run.path / 'validation'} is gone: samples to validate with are gathered anew")
        self._credit()
        return missing

    def _card(self) -> str:
        parameters = sum(parameter.numel() for parameter in self.network.parameters())
        return card_text(self.config, self.game, self.progress, parameters, self.evaluation)

    def close(self) -> None:
        if self._player is not None and self._player.is_alive():  # a second Ctrl-C did not wait for it
            self._stop.set()
            self._player.join()
        for opened in ("buffer", "validation"):
            if hasattr(self, opened):  # not if the run was refused before
                getattr(self, opened).close()
        self.run.close()
