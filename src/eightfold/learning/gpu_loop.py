"""Training by self-play where games come faster than steps can be taken: games and steps side by side, on a GPU.

In `loop.py` a round is a number of games and the steps that those before have earned, and whoever is done first waits.
On a GPU neither waits. A round is a span of time: one thread plays until it is told to stop, another stores the games
that have ended (`storing.py`), this one takes the steps that they earn, a few at a time and without waiting for their
losses (`device_steps.py`), on batches that are drawn on the device (`data/device_feed.py`). At its end the new weights
are handed over. Steps that could not be taken in time are owed no longer than for a round, so `replay_ratio` says how
often a sample is trained on at most.

Where a round of games has a number of steps of its own, as in the papers, rounds are those of `loop.py` on a GPU too,
and games wait for steps; only how steps are taken differs.

Batches come from the host where the window does not fit into the GPU's memory, and while a share of them is an
advisor's.

Read before: `loop.py`.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from eightfold.core.notes import tell_once
from eightfold.learning.actors.here import players_here
from eightfold.learning.actors.players import MakePlayers
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.device_feed import DeviceFeed, DeviceTurns
from eightfold.learning.data.device_ring import DeviceRing
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.data.sample import SampleShape
from eightfold.learning.loop import Training
from eightfold.learning.losses import Losses
from eightfold.learning.runs.shell import Entry, Report
from eightfold.learning.runs.torch_globals import with_short_turns
from eightfold.learning.schedule import whole_steps
from eightfold.learning.storing import StoringThread
from eightfold.learning.trainer import Trainer

ROUND_SECONDS = 2.0  # between new weights, or as long as `games_a_round` games take
STEPS_AT_ONCE = 32  # are launched before anybody looks at the clock
IDLE_SECONDS = 0.002  # while nothing is owed
RING_SHARE = 0.5  # of the GPU's free memory, for the window
VALIDATION_SECONDS = 10.0  # between two looks at the games kept from training; the three-sigma rule wants more


def training_of(config: TrainConfig, path: Path, make_players: MakePlayers = players_here) -> Training:
    """A run of self-play, in the way that suits its device."""
    return (GpuTraining if config.device.startswith("cuda") else Training)(config, path, make_players)


class GpuTraining(Training):
    """A run in which neither games nor steps wait for the other, unless a round has a number of steps of its own."""

    round_seconds = ROUND_SECONDS

    def build(self) -> None:
        super().build()
        self._feed: DeviceFeed | None = None
        self._storing: StoringThread | None = None  # of the round that goes on
        self._launched: list[Losses] = []  # of this round, as far as they are known
        self._earned = math.inf  # steps, in the last round
        self._validated = -math.inf  # when
        self._busy: dict[str, float] = {}  # shares of the last round that training and storing took
        self._by_rounds = bool(self.config.training.steps_a_round or self.config.training.epochs_a_round)

    def make_trainer(self) -> Trainer:
        return Trainer.of_run(self.network, self.config, waits=False)

    def restore(self) -> Iterable[Mapping[str, Any]]:
        missing = super().restore()
        self._feed = self._make_feed()
        return missing

    def _make_feed(self) -> DeviceFeed | None:
        """The window on the device, with what the buffer holds; None where it does not go there."""
        if not self.trainer.steps_do_not_wait:
            return None
        config, game, device = self.config, self.game, self.trainer.device
        planes = game.encoder(config.encoder)[1]
        kept = self.buffer.auxiliary, self.buffer.next_moves
        shape = SampleShape((planes, game.size, game.size), game.actions, *kept)
        slots, needed = self.slots, DeviceRing.bytes_needed(shape, self.slots)
        if device.type == "cuda" and needed > RING_SHARE * torch.cuda.mem_get_info(device)[0]:
            gib = needed / 2**30
            tell_once(f"the window takes {gib:.1f} GiB, more than the GPU has to spare: batches come from the host")
            return None
        ring = DeviceRing(shape, slots, device)
        ring.fill(self.buffer)
        self.buffer.mirror = ring
        turns = DeviceTurns(
            config.symmetry, size=game.size, actions=game.actions, symmetries=game.symmetries, device=device
        )
        size = config.training.batch_size
        return DeviceFeed(
            ring, turns, self.maker, batch_size=size, steps=STEPS_AT_ONCE, seed=config.seed, device=device
        )

    def prepare(self) -> None:
        super().prepare()
        if self._feed is not None:
            self.trainer.record(self._feed)

    def train(self, report: Report = lambda entry: None) -> None:
        with with_short_turns():
            super().train(report)

    # ---- a round --------------------------------------------------------------------------------------

    def _play_and_train(self, deadline: float) -> tuple[int, list[Losses]]:
        with self._stored_beside() as storing:
            return super()._play_and_train(deadline) if self._by_rounds else self._side_by_side(deadline, storing)

    @contextlib.contextmanager
    def _stored_beside(self) -> Iterator[StoringThread]:
        """Games are stored by a thread of its own, and all of them are when this ends."""
        storing = self._storing = StoringThread(self.store.add)
        try:
            yield storing
        finally:
            self._storing = None
            storing.finish()

    def _store(self, played: PlayedGame) -> None:
        """A game has ended, in a round or, on a cluster, behind the last."""
        if self._storing is not None:
            self._storing.add(played)
        else:
            super()._store(played)

    def _side_by_side(self, deadline: float, storing: StoringThread) -> tuple[int, list[Losses]]:
        """A round in which games and steps go on beside each other, and neither waits."""
        progress = self.progress
        progress.owed, self._earned = min(progress.owed, self._earned), 0.0
        begun, games, over = time.perf_counter(), progress.games, threading.Event()
        limit = self.config.games - games if self.config.games else 1 << 60
        played: list[int] = []
        trouble: list[BaseException] = []

        def play() -> None:
            def stop() -> bool:
                return over.is_set() or self.stopped

            try:
                played.append(self.players.play(limit, on_game=self._store, deadline=deadline, stop=stop))
            except BaseException as error:  # handed over to the thread that waits for us
                trouble.append(error)

        player = self._player = threading.Thread(target=play, name="self-play")
        player.start()
        busy = 0.0
        try:
            while player.is_alive():
                enough = progress.games - games >= self.config.training.games_a_round
                if storing.trouble or (enough and time.perf_counter() - begun >= self.round_seconds):
                    over.set()
                start = time.perf_counter()
                if self._take_some_steps(deadline):
                    busy += time.perf_counter() - start
                else:
                    time.sleep(IDLE_SECONDS)
        except BaseException:
            self.stop()  # nobody may go on playing when this thread has given up
            raise
        finally:
            player.join()
        if trouble:
            raise trouble[0]
        losses = self._settled()
        seconds = time.perf_counter() - begun
        self._busy = {"training_busy": busy / seconds, "storing_busy": storing.seconds / seconds}
        return sum(played), losses

    def _train_steps(self, deadline: float) -> list[Losses]:
        """The steps that are owed, as far as the time allows, with no games beside them."""
        while self._take_some_steps(deadline):
            pass
        return self._settled()

    def _take_some_steps(self, deadline: float) -> int:
        """Some of the steps that samples have earned by now; how many."""
        progress, feed, size = self.progress, self._feed, self.config.training.batch_size
        if self.save_is_due:
            self.save()
        self._tick()
        if not self._by_rounds:  # else steps are owed for the rounds before
            with self.store.lock:
                self._credit()
        steps = min(whole_steps(progress.owed), STEPS_AT_ONCE)
        if feed is not None:
            with self.trainer.on_stream():
                feed.ring.flush()
        buffered = len(self.buffer) if feed is None else feed.ring.count
        if steps == 0 or buffered < size or time.perf_counter() >= deadline or self.stopped:
            return 0
        self._set_up_steps()
        if feed is None or (self._tuition is not None and self._tuition.share_of(size, progress.games)):
            steps = 1
            self._launched.append(self._step(self._draw()))
        else:
            with self.trainer.on_stream():
                feed.draw(steps, recent=self._window())
            for _ in range(steps):
                self.trainer.launch(feed)
            self.trainer.pace()
            progress.from_selfplay += steps * size
        progress.owed = max(0.0, progress.owed - steps)
        progress.steps += steps
        return steps

    def _settled(self) -> list[Losses]:
        losses, self._launched = self._launched + self.trainer.settle(), []
        return losses

    def _credit(self) -> None:
        before = self.progress.owed
        super()._credit()
        self._earned += self.progress.owed - before

    def _figures(self) -> Entry:
        return {**super()._figures(), **self._busy}

    def _validate(self) -> float | None:
        now, by_rule = time.perf_counter(), self.config.training.decay == "three-sigma"
        if not by_rule and now - self._validated < VALIDATION_SECONDS:
            return None
        self._validated = now
        return super()._validate()
