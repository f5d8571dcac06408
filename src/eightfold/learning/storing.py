"""Finished games on their way to the disk: samples into the buffers, lines into games.jsonl, counts into the progress.

`GameStore.add` keeps games at once, several of them in one transaction. Where games end by the hundred in a second,
`StoringThread` gathers those of a tenth of a second: the players need not wait for the disk, and a kill loses the games
of that moment alone.

Read before: `data/record.py` (the samples of a game). Read next: `loop.py`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from eightfold.core.jit import Ints
from eightfold.games.game import Game
from eightfold.learning.checkpointing import SelfPlayProgress, StoredGames
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.record import PlayedGame, batch_of
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.runs.folder import RunFolder
from eightfold.learning.varying import games_of_selfplay

GATHERED_SECONDS = 0.1  # of games that are stored together
WAITING_GAMES = 10_000  # not yet stored; then players wait after all


class GameStore:
    """Keeps the games of one run. `lock` is held while counts and files are not of one moment."""

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        progress: SelfPlayProgress,
        folder: RunFolder,
        monitor: SelfPlayMonitor,
        *,
        buffer: DataBuffer,
        validation: DataBuffer,
    ) -> None:
        self._game, self._config, self._progress = game, config, progress
        self._games = {each.text: each for each in games_of_selfplay(game, config.selfplay.games)}
        self._folder, self._monitor = folder, monitor
        self._buffer, self._validation = buffer, validation
        self.lock = threading.Lock()

    def add(self, games: Sequence[PlayedGame]) -> None:
        """Keep finished games: as samples for training or validation, and in games.jsonl for people."""
        replayed = [played.replay_states(self._games.get(played.game, self._game)) for played in games]
        with self.lock:
            every, first = self._config.training.validation_every, self._progress.games + 1
            held_out = [every > 0 and (first + k) % every == 0 for k in range(len(games))]
            for buffer, kept in ((self._buffer, False), (self._validation, True)):
                chosen = [k for k, held in enumerate(held_out) if held == kept]
                if chosen:
                    self._keep([games[k] for k in chosen], [replayed[k] for k in chosen], buffer)
        self._monitor.add_states(games, replayed)

    def _keep(self, games: Sequence[PlayedGame], replayed: Sequence[Ints], buffer: DataBuffer) -> None:
        """Games that go to one buffer.

        The samples come first, and the games' lines with them in the same transaction: after a kill in between the
        next launch writes them (`checkpointing.recount`), so that every game of games.jsonl has its samples.
        """
        progress, samples = self._progress, sum(len(played.plies) for played in games)
        lines = [self._line(played) for played in games]
        count = progress.games + len(games)
        trained_on = progress.samples + (samples if buffer is self._buffer else 0)
        if samples:
            batch = batch_of(
                games,
                replayed,
                self._game,
                encoder=self._config.encoder,
                value_mix=self._config.selfplay.value_mix,
                auxiliary=buffer.auxiliary,
                next_moves=buffer.next_moves,
            )
            buffer.add_batch(batch, note=StoredGames.of(count, trained_on, lines).text)
        self._folder.log_games(lines)
        progress.games, progress.samples = count, trained_on

    def _line(self, played: PlayedGame) -> dict[str, Any]:
        """A game as games.jsonl has it; which game it is of, where it is not the run's own."""
        line: dict[str, Any] = {"moves": played.moves, "opening": played.opening, "result": played.result}
        return line if played.game in ("", self._game.text) else {**line, "game": played.game}


class StoringThread:
    """Stores games in a thread of its own, those of a moment together."""

    def __init__(self, store: Callable[[Sequence[PlayedGame]], None]) -> None:
        self._store = store
        self._waiting: queue.Queue[PlayedGame | None] = queue.Queue(WAITING_GAMES)
        self.trouble: BaseException | None = None
        self.seconds = 0.0  # that storing took
        self._finishing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="storing")
        self._thread.start()

    def add(self, played: PlayedGame) -> None:
        """A finished game; it is stored soon."""
        self._waiting.put(played)

    def finish(self) -> None:
        """Wait until all games are stored; what went wrong is raised here."""
        self._finishing.set()
        self._waiting.put(None)
        self._thread.join()
        if self.trouble is not None:
            raise self.trouble

    def _run(self) -> None:
        going_on = True
        while going_on:
            games = [self._waiting.get()]
            if games[0] is not None:
                self._finishing.wait(GATHERED_SECONDS)
            while not self._waiting.empty():
                games.append(self._waiting.get())
            going_on = None not in games
            begun = time.perf_counter()
            try:
                finished = [played for played in games if played is not None]
                if finished and self.trouble is None:
                    self._store(finished)
            except BaseException as error:  # for the thread that waits for us; until then nobody may be kept waiting
                self.trouble = error
            self.seconds += time.perf_counter() - begun
