"""TD(λ) self-play with an Internal Symmetry Network (Blair, section V), from top to bottom.

    play some games with the weights as they are, each move as likely as exp(±β R)
    -> walk every game back from its end: what should the outputs have said?  -> gradient, summed over everything
    -> weights ← decay^games · weights + rate · gradient                      -> again

With one game at a time this is the paper's training; more at a time use all cores and change the weights
less often. First the shortcut is trained alone, with the hidden units' weights into the outputs at zero: a linear
player that brings games to an end. Then everything.

With `climb.every` training is a hill-climb, TD being the mutation: after so many games the new weights play the old
ones, and are given up if they lose.

Read before: `play.py` (a game), `targets.py`, `gradient.py`. The run around it is `../runs/shell.py`.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from eightfold.arena.match import play_match
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.threads import run_parts, usable_cores
from eightfold.games.game import make_game
from eightfold.isn.go_network import GoIsn
from eightfold.isn.network import ISN
from eightfold.isn.player import IsnOptions, IsnPlayer
from eightfold.isn.store import SNAPSHOTS
from eightfold.isn.tables import IsnTables, playing_tables
from eightfold.learning.runs.folder import NETWORK, Layout
from eightfold.learning.runs.provenance import this_machine
from eightfold.learning.runs.shell import Entry, Run
from eightfold.learning.runs.torch_globals import seeded
from eightfold.learning.td.checkpointing import TdProgress, checkpoint_files, load_checkpoint, snapshot_name
from eightfold.learning.td.config import TdConfig, check_config
from eightfold.learning.td.gradient import Gradient, add_to, gradient_of
from eightfold.learning.td.play import CANDIDATES, ENDED, FACTS, MARGIN, MOVES, teach_games
from eightfold.nets.store.open import open_network
from eightfold.symmetry.group import ALL

LOG_SECONDS = 10.0

TD = Layout(
    command="train-isn",
    defaults=TdConfig(),
    fixed={
        "game": "weights are of one game",
        "classes": "they are what the network sees",
        "units": "weights fit one network",
        "start": "the run has begun",
    },
    remedy="begin another run from its network: start={run}",
    kept=SNAPSHOTS,
)


class Recent:
    """Figures of the games since the last line of the metrics."""

    def __init__(self) -> None:
        self.start, self.games, self.facts, self.loss = time.perf_counter(), 0, np.zeros(FACTS), 0.0
        self.black = 0

    def add(self, facts: Any, losses: Any) -> None:
        self.games += len(facts)
        self.facts += facts.sum(axis=0)
        self.black += int((facts[:, MARGIN] > 0).sum())
        self.loss += float(losses.sum())

    def figures(self) -> dict[str, float]:
        seconds, games = time.perf_counter() - self.start, max(1, self.games)
        return {
            "games_per_s": self.games / seconds,
            "moves_a_game": self.facts[MOVES] / games,
            "candidates_per_s": self.facts[CANDIDATES] / seconds,
            "loss": self.loss / games,
            "black_wins": self.black / games,
            "black_lead": self.facts[MARGIN] / 2 / games,
            "ended_by_passes": self.facts[ENDED] / games,
        }


class TdTrainer:
    """A network and the games that teach it; no files."""

    def __init__(self, config: TdConfig, *, threads: int = 0) -> None:
        check_config(config)
        self.config = config
        self.game = make_game(config.game)
        if not self.game.spec.has_go_rows or self.game.symmetries != ALL:
            raise EightfoldError(f"an Internal Symmetry Network learns go, not {self.game.text}")
        self.network = fresh_network(config)
        self.tables()  # an error now, if the network cannot play
        self.progress = TdProgress()
        self.recent = Recent()
        self.champion = copy.deepcopy(self.network.state_dict())
        self._threads = threads or usable_cores()
        self._rules = np.array([self.game.size, *self.game.numbers], np.int64)
        self._length = self.game.spec.state_length(self.game.size)
        self._longest = min(config.longest or 3 * self.game.points, 3 * self.game.points + 100)

    @property
    def linear(self) -> bool:
        """Whether the shortcut is trained alone."""
        return self.progress.games < self.config.linear_games

    def tables(self) -> IsnTables:
        """What plays."""
        config = self.config
        return playing_tables(self.network, c=config.c, s=config.s, by_count=config.classes == "count")

    def prepare(self) -> None:
        """Compile what plays and learns, so that no game is charged with it."""
        nothing = np.zeros(0)
        config, tables = self.config, self.tables()
        teach_games(
            self._rules, self._length, tables, config.beta, config.trace, config.c, config.s, self._longest, 0,
            nothing.astype(np.uint64), Gradient.zeros_for(tables), np.zeros((0, FACTS), np.int64), nothing, 0, 0,
        )  # fmt: skip

    def update(self, games: int) -> None:
        """Play so many games and change the weights once."""
        config, start = self.config, time.perf_counter()
        tables, linear = self.tables(), self.linear
        first = self.progress.games
        randoms = np.concatenate([make_random(config.seed, first + k) for k in range(games)])
        facts, losses = np.zeros((games, FACTS), np.int64), np.zeros(games)
        parts = min(self._threads, games)

        def part(number: int) -> Gradient:
            gradient = Gradient.zeros_for(tables)
            teach_games(
                self._rules, self._length, tables, config.beta, config.trace, config.c, config.s, self._longest,
                int(linear), randoms, gradient, facts, losses, games * number // parts, games * (number + 1) // parts,
            )  # fmt: skip
            return gradient

        total = Gradient(*(sum(each) for each in zip(*run_parts(part, parts), strict=True)))
        changes = gradient_of(self.network, total)
        if linear:
            changes = {name: change for name, change in changes.items() if name.startswith("shortcut")}
        add_to(self.network, changes, self.learning_rate(), config.decay**games)
        progress = self.progress
        progress.games += games
        progress.moves += int(facts[:, MOVES].sum())
        progress.candidates += int(facts[:, CANDIDATES].sum())
        self.recent.add(facts, losses)
        every = config.climb.every
        if every and progress.games // every > first // every:
            self._contest()
        progress.seconds += time.perf_counter() - start

    def learning_rate(self) -> float:
        config, done = self.config, min(1.0, self.progress.done(self.config))
        return config.learning_rate * (1 + (config.final_share - 1) * max(0.0, 2 * done - 1))

    def _contest(self) -> None:
        """New weights against those of the last contest; the losing new ones are given up."""
        climb, newcomer = self.config.climb, self.tables()
        fresh = copy.deepcopy(self.network.state_dict())
        self.network.load_state_dict(self.champion)
        players = [IsnPlayer(self.game, tables, IsnOptions(beta=climb.beta)) for tables in (newcomer, self.tables())]
        seed = self.config.seed + self.progress.games
        match = play_match(self.game, *players, games=climb.games, seed=seed, threads=self._threads)
        self.progress.contests += 1
        if match.total.score >= climb.accept:
            self.progress.accepted += 1
            self.champion = fresh
            self.network.load_state_dict(fresh)


def fresh_network(config: TdConfig) -> ISN:
    """Weights to begin with, in double precision: hidden units that nobody listens to yet."""
    units = asdict(config.units)
    if config.start:
        start = open_network(config.start, kind=GoIsn)
        found = {name: getattr(start.weights.config, name) for name in units}
        if found != units or start.by_count != (config.classes == "count"):
            classes = "count" if start.by_count else "eyes"
            raise EightfoldError(f"{config.start} is a network with classes = {classes} and units {found}; set these")
        return ISN.from_weights(start.weights).double()
    with seeded(config.seed):
        network = ISN(**units).double()
    if config.linear_games:
        with torch.no_grad():
            network.output.weight.zero_()
    return network


class TdTraining(Run[TdConfig]):
    """A run of TD(λ); its folder also has `snapshots/`, the networks after so many games."""

    layout = TD

    def __init__(self, config: TdConfig, path: Path, *, threads: int = 0) -> None:
        self._threads = threads
        super().__init__(config, path)

    def build(self) -> None:
        self.trainer = TdTrainer(self.config, threads=self._threads)
        self._logged = time.monotonic()

    @property
    def progress(self) -> TdProgress:
        return self.trainer.progress

    def restore(self) -> Iterable[Mapping[str, Any]]:
        saved = load_checkpoint(self.folder, self.trainer.network) if self.folder.resumed else None
        if saved is not None:
            self.trainer.progress, self.trainer.champion = saved
        return ()

    def prepare(self) -> None:
        self.trainer.prepare()
        self.trainer.recent, self._logged = Recent(), time.monotonic()

    def train_round(self) -> Entry | None:
        config, before = self.config, self.progress.games
        # Up to the next snapshot, the end, or the end of the preliminary phase, and not beyond.
        room = [config.games_an_update, config.snapshot_every - before % config.snapshot_every]
        room += [config.games - before] if config.games else []
        room += [config.linear_games - before] if before < config.linear_games else []
        self.trainer.update(min(room))
        now = time.monotonic()
        if now - self._logged <= LOG_SECONDS and self.done < 1:
            return None
        entry, self.trainer.recent, self._logged = self._entry(), Recent(), now
        return entry

    @property
    def save_is_due(self) -> bool:
        return super().save_is_due or self._snapshot_is_due

    @property
    def _snapshot_is_due(self) -> bool:
        """Every so many games, and at the end of the run."""
        return self.progress.games % self.config.snapshot_every == 0 or self.done >= 1

    def checkpoint(self) -> tuple[dict[str, bytes], dict[str, Any]]:
        trainer = self.trainer
        files = checkpoint_files(trainer.network, trainer.champion, trainer.progress, self.config.classes)
        snapshot = snapshot_name(trainer.progress.games)
        if self._snapshot_is_due and snapshot not in self.folder.checksums.files:
            files[snapshot] = files[NETWORK]
        return files, self.folder.marks()

    def _entry(self) -> Entry:
        progress, trainer = self.progress, self.trainer
        entry: Entry = {
            "minutes": progress.seconds / 60,
            "games": progress.games,
            "linear": trainer.linear,
            "learning_rate": trainer.learning_rate(),
            "machine": this_machine(),
            **trainer.recent.figures(),
        }
        if progress.contests:
            entry |= {"contests": progress.contests, "accepted": progress.accepted}
        return entry
