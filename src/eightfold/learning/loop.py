"""Training from top to bottom: games beget samples, samples beget weights, weights play better games.

A round: a thread plays games with the weights of the last round while this one trains on the samples that are
there; then the new weights are handed over. Neither waits for the other's cores: each has its half of them.
Every finished game is stored at once, so a run that is killed loses none, and goes on from its last checkpoint.

Read before: `selfplay.py` (a game), `buffer.py` (samples), `batches.py` (a batch), `trainer.py` (a step).
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eightfold.config import TrainConfig
from eightfold.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.games.state import LAST
from eightfold.learning.batches import BatchMaker, turns_after
from eightfold.learning.buffer import DataBuffer, targets_of
from eightfold.learning.card import card_text
from eightfold.learning.check import check_config, playing_settings, search_settings
from eightfold.learning.evaluation import Strength, measure_network
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.progress import Progress
from eightfold.learning.run import RunFolder
from eightfold.learning.schedule import evaluation_is_due, steps_earned
from eightfold.learning.selfplay import PlayedGame, SelfPlay, SelfPlaySettings
from eightfold.learning.torch_state import half_of_the_cores, seeded, with_half_of_the_cores
from eightfold.learning.trainer import Losses, Trainer
from eightfold.learning.validation import EVERY_GAMES, Loss, validation_loss
from eightfold.nets.backends import make_backend
from eightfold.nets.cache import CachedEvaluator
from eightfold.nets.checkpoint import Description, load_weights, save_checkpoint
from eightfold.nets.evaluator import NetworkEvaluator
from eightfold.nets.foresight import foresees
from eightfold.search.playing import playing_text

SAVE_SECONDS = 20.0
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
            playing=playing_text(playing_settings(config)),
        )
        seeds = np.random.SeedSequence(config.seed).spawn(3)
        self._random = np.random.default_rng(seeds[0])
        threads = half_of_the_cores()

        with seeded(config.seed):
            self.network = self.description.make()
        self.maker = BatchMaker(config.symmetry, random=self._random, allowed=config.training.turns)
        self.run = RunFolder(folder, config)
        settings = config.training
        eager = config.symmetry == "augment-eager"
        stored = max(settings.window, settings.later_window) * (8 if eager else 1)
        kept: dict[str, Any] = {
            "seed": config.seed,
            "encoder": config.encoder,
            "foresight": foresees(self.network),  # only games that are decided by points have it
        }
        self.buffer = DataBuffer(folder / "buffer", stored, lazy_augmentation=not eager, **kept)
        self.validation = DataBuffer(folder / "validation", VALIDATION_SAMPLES, **kept)
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
            owners_weight=settings.owners_weight,
            score_weight=settings.score_weight,
        )
        self.progress = Progress()
        if self.run.resumed:
            self._load()
        self.backend = make_backend(
            config.backend, self.network, self.description.shape(), device=config.device, threads=threads
        )
        self.evaluator = NetworkEvaluator(
            self.backend, encoder=config.encoder, symmetry=config.symmetry, random=np.random.default_rng(seeds[1])
        )
        self.cache: CachedEvaluator | None = None
        if config.selfplay.cache:
            self.cache = CachedEvaluator(self.evaluator, capacity=config.selfplay.cache, key=config.selfplay.cache_key)
        self.monitor = SelfPlayMonitor(self.game)
        if self.run.resumed:
            self.monitor.refill(folder / "games.jsonl")
        self.selfplay = self._make_selfplay(np.random.default_rng([config.seed, self.progress.games, 1]), threads)
        self.strength: Strength | None = None
        self._stop = threading.Event()

    def _make_selfplay(self, random: np.random.Generator, threads: int) -> SelfPlay:
        config = self.config.selfplay
        return SelfPlay(
            self.game,
            self.evaluator if self.cache is None else self.cache,
            settings=SelfPlaySettings(
                games=config.games_at_once,
                playouts=config.playouts,
                fast_playouts=config.fast_playouts,
                full_share=config.full_share,
                temperature=config.temperature,
                final_temperature=config.final_temperature,
                temperature_plies=config.temperature_plies,
                opening_share=config.opening_share,
                opening_stones=config.opening_stones,
                opening_everywhere=config.opening_everywhere,
                value_mix=config.value_mix,
            ),
            search=search_settings(config),
            random=random,
            threads=threads,
        )

    # ---- the loop -------------------------------------------------------------------------------------

    @with_half_of_the_cores()
    def train(self, report: Callable[[dict[str, Any]], None] = lambda entry: None) -> None:
        """Rounds until the time or the games are used up, or `stop` is called."""
        saved = time.monotonic()
        while not self._stop.is_set() and self.done < 1:
            entry = self._round()
            self.run.note(entry)
            report(entry)
            if time.monotonic() - saved > SAVE_SECONDS:
                self.save()
                saved = time.monotonic()
            if self.done < 1 and evaluation_is_due(self.config.evaluation, self.progress):
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
        """Ask the loop to end after this round."""
        self._stop.set()

    def _round(self) -> dict[str, Any]:
        start, simulations = time.perf_counter(), self.selfplay.search.simulations
        progress, settings = self.progress, self.config.training
        deadline = start + 60 * self.config.minutes - progress.seconds if self.config.minutes > 0 else math.inf
        self._hand_over_weights()
        played: list[PlayedGame] = []
        trouble: list[BaseException] = []

        def play() -> None:
            try:
                played.extend(self.selfplay.play(settings.games_a_round, on_game=self._store, deadline=deadline))
            except BaseException as error:  # handed over to the thread that waits for us
                trouble.append(error)

        player = threading.Thread(target=play, name="self-play")
        before = progress.samples
        player.start()
        losses = self._train_steps(deadline)
        player.join()
        if trouble:
            raise trouble[0]
        progress.owed += steps_earned(
            settings, games=len(played), samples=progress.samples - before, buffered=len(self.buffer)
        )
        seconds = time.perf_counter() - start
        progress.seconds += seconds
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
        turns = turns_after(progress.games, settings.turns, settings.turns_from_game)
        self.maker.allowed = np.array(turns, np.int64)
        recent = self._window()
        losses: list[Losses] = []
        while len(losses) < steps and time.perf_counter() < deadline:
            stored = self.buffer.sample_stored(settings.batch_size, recent=recent)
            losses.append(self.trainer.step(self.maker.make(*targets_of(stored))))
        progress.owed -= len(losses)
        progress.steps += len(losses)
        return losses

    def _window(self) -> int:
        settings = self.config.training
        grown = settings.later_window and self.progress.games >= settings.later_games
        return (settings.later_window if grown else settings.window) * (1 if self.buffer.lazy_augmentation else 8)

    def _store(self, played: PlayedGame) -> None:
        """Keep a finished game, at once: on disk for people, and as samples for training or validation."""
        progress, every = self.progress, self.config.training.validation_every
        self.run.keep_game(played.moves, played.opening, played.result)
        self.monitor.see(played)
        progress.games += 1
        if len(played.values) == 0:
            return
        number, planes = self.game.encoder(self.config.encoder)
        size = self.game.size
        states = np.empty((len(played.values), planes, size, size), np.float32)
        self.game.kernels.encode_batch(played.states, number, states)
        examples: list[tuple[Any, ...]] = [
            (states[k], played.policies[k], float(played.values[k]), self._last_move(played, k))
            for k in range(len(states))
        ]
        if foresees(self.network):
            points = self.game.points
            examples = [(*example, None, None, played.foresight(k, points)) for k, example in enumerate(examples)]
        if every and progress.games % every == 0:
            self.validation.add_data(examples)
        else:
            self.buffer.add_data(examples)
            progress.samples += len(examples)

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

    # ---- strength, saving, loading --------------------------------------------------------------------

    @with_half_of_the_cores()
    def evaluate(self, games: int) -> dict[str, Any]:
        """Measure the strength of the present network and note it."""
        settings = self.config.evaluation
        self._hand_over_weights()
        self.strength = measure_network(
            self.backend, self.description, games=games, playouts=settings.playouts, seed=self.config.seed
        )
        self.progress.evaluated_at, self.progress.evaluated_games = self.progress.seconds, self.progress.games
        entry = {
            "minutes": self.progress.seconds / 60,
            "games": self.progress.games,
            "strength": self.strength.as_dict(),
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
        """A checkpoint: the network for playing, and what going on needs. `progress.json` comes last and seals it."""
        from safetensors.torch import save

        state = self.trainer.optimiser.state_dict()["state"]
        tensors = {
            f"{number}.{name}": value.contiguous() if value.ndim else value.reshape(1)
            for number, entry in state.items()
            for name, value in entry.items()
            if isinstance(value, torch.Tensor)
        }
        beside = {
            "training.safetensors": save({name: t.detach().cpu() for name, t in tensors.items()}),
            "progress.json": json.dumps(asdict(self.progress)).encode(),
        }
        save_checkpoint(self.run.checkpoint, self.network, self.description, self._card(), beside=beside)

    def _load(self) -> None:
        """Take up the last checkpoint; a run that has none yet starts over with the games it has."""
        folder = self.run.checkpoint
        self.progress.samples = len(self.buffer)
        self.progress.games = self.run.games_kept()
        if not (folder / "progress.json").exists():
            return
        load_weights(self.network, folder / "network.safetensors")
        try:
            stored = Progress(**json.loads((folder / "progress.json").read_text()))
        except (ValueError, TypeError) as error:
            raise EightfoldError(f"{folder / 'progress.json'} cannot be read: {error}") from None
        self._load_optimiser(folder / "training.safetensors")
        # Games that ended after the checkpoint are in the buffer and count.
        games, samples = max(stored.games, self.progress.games), max(stored.samples, self.progress.samples)
        earned = steps_earned(
            self.config.training,
            games=games - stored.games,
            samples=samples - stored.samples,
            buffered=len(self.buffer),
        )
        self.progress = replace(stored, games=games, samples=samples, owed=stored.owed + earned)
        self.trainer.steps = stored.steps

    def _load_optimiser(self, path: Path) -> None:
        from safetensors.torch import load

        if not path.exists():
            return
        whole = self.trainer.optimiser.state_dict()
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in load(path.read_bytes()).items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor.reshape(()) if key == "step" else tensor
        if state:
            self.trainer.optimiser.load_state_dict({**whole, "state": state})

    def _card(self) -> str:
        parameters = sum(parameter.numel() for parameter in self.network.parameters())
        return card_text(self.config, self.game, self.progress, parameters, self.strength)

    def close(self) -> None:
        self.buffer.close()
        self.validation.close()
        self.run.close()
