"""Games played on a GPU: trees, rules and network there, thousands of games at once, recorded as one CUDA graph.

The games are in groups, and the network is busy with one group while the trees of another are walked. The host launches
a period of steps, and takes over the games that have ended (`eightfold.search.game_forest`). A run's settings mean what
they mean on a CPU; what is not offered here (`why_not`) is played on the CPU instead.

A game depends on the seed, on its number and on the weights it was played with; which games end before new weights
come depends on time, as everywhere.
"""

from __future__ import annotations

import contextlib
import gc
import math
import re
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from eightfold.arena.engine import PlayGames, play_games
from eightfold.core.constants import copied_from
from eightfold.core.cuda import why_no_cuda
from eightfold.core.cuda_machine import CudaMachine
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game
from eightfold.learning.actors.players import Wanted
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.record import PlayedGame, settings_digest
from eightfold.learning.opening_book import ROWS, OpeningBook, wants_book
from eightfold.learning.varying import games_of_selfplay
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.inference.backends.choice import torch_options
from eightfold.nets.inference.backends.interface import Backend, Runner
from eightfold.nets.inference.device_evaluator import DeviceEvaluator
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.search.game_forest import PERIOD, FinishedGame, GameForest, Machine, bytes_a_tree
from eightfold.search.openings import free_points

GAMES_A_ROW = 2  # so that the batch is full though some games wait for a move, and others have a leaf that is settled
# by the rules, as up to half of them have where proofs are many
FEW_ROWS = 1024  # a network takes no less time for fewer, so few games have a row each
MEMORY_SHARE = 0.7  # of what is free, for trees; the network and the trainer need some
ROWS_A_GROUP = 4096  # from so many on a network is at its best
GROUPS = 2, 4  # of games, at least and at most: the network is busy with one while the trees of another are walked
WARM_UPS = 3  # periods before the recording, in which the libraries choose kernels and take their memory
_NUMBA = {"numba", "numba_cuda"}  # whose own files nobody is to look at

Look = tuple[Callable[[], NDArray[np.int32]], Callable[[], NDArray[np.float32]]]


def why_not(config: TrainConfig) -> str:
    """Why a run's games cannot be played on its GPU, in words; empty if they can."""
    if config.selfplay.rollouts_wanted:
        return f"leaves={config.selfplay.leaves} plays games from leaves, which only the CPU does"
    if config.selfplay.threat_nodes or config.selfplay.leaf_threat_nodes:
        return "wins by threats (selfplay.threat_nodes, selfplay.leaf_threat_nodes) are looked for on the CPU alone"
    if config.selfplay.cache:
        return "a cache of evaluations (selfplay.cache) is kept on the CPU alone"
    if not config.backend.startswith(("auto", "torch")):
        return f"backend={config.backend} runs on the CPU alone"
    return why_no_cuda()


class GpuPlayers:
    """`Players` on one GPU."""

    def __init__(self, wanted: Wanted, *, seeds: tuple[int, ...] = ()) -> None:
        """Compiles the kernels for the game, if that was not done before; an error names the line that cannot be.

        `seeds` tell apart those who play for the same run.
        """
        config, game = wanted.config, wanted.game
        self._config, self._game, self._network, self._shape = config, game, wanted.network, wanted.description.shape()
        self._stream, self._collecting = _stream(config.device), _stream(config.device)
        self._backend: Backend | None = None
        self._book = self._make_book((config.seed, wanted.games, *seeds)) if wants_book(config.selfplay) else None
        trees = games_that_fit(config, game)
        self.notice = "" if trees == config.selfplay.gpu_games else _fewer(config.selfplay.gpu_games, trees)
        self.groups: list[GamesOnMachine] = []
        with _memory_in_words(trees):
            self._make_groups(wanted, trees, seeds)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._seed, self._digest = config.seed, settings_digest(config.selfplay)

    def _make_groups(self, wanted: Wanted, trees: int, seeds: tuple[int, ...]) -> None:
        """Groups of games that take turns, each with an evaluator; a first step compiles all kernels of the game."""
        config, game = self._config, self._game
        rows = max(trees // GAMES_A_ROW, min(trees, FEW_ROWS))
        groups = min(rows, max(GROUPS[0], min(GROUPS[1], rows // ROWS_A_GROUP)))
        with torch.cuda.stream(self._stream):
            for number in range(groups):
                evaluator = DeviceEvaluator(
                    wanted.network,
                    self._shape,
                    encoder=config.encoder,
                    batch=rows // groups,
                    symmetry=config.symmetry,
                    symmetries=game.symmetries,
                    device=config.device,
                    options=torch_options(config.backend),
                    seed=config.seed + number,
                )
                machine, seed = CudaMachine(config.device), (config.seed, wanted.games, *seeds, number)
                group = GamesOnMachine(game, config.selfplay, machine, evaluator, trees=trees // groups, seed=seed)
                self.groups.append(group)
                if self._book is not None:
                    group.forest.open_with(self._book.openings)
                try:
                    group.forest.hand_over()
                    group.forest.step()
                    group.forest.tend()
                except torch.OutOfMemoryError:
                    raise
                except Exception as trouble:
                    raise _compile_trouble(trouble, game) from trouble

    def _make_book(self, seed: tuple[int, ...]) -> OpeningBook:
        """The evaluators of the groups are busy with leaves: the book has one of its own."""
        config, game = self._config, self._game
        evaluator = NetworkEvaluator(
            self.runner(),
            encoder=config.encoder,
            symmetry=config.symmetry,
            symmetries=game.symmetries,
            random=np.random.default_rng(seed),
        )
        return OpeningBook(game, config.selfplay, evaluator, seed=seed)

    def _open_with_book(self) -> None:
        if self._book is not None:
            with torch.cuda.stream(self._stream):
                for group in self.groups:
                    group.forest.open_with(self._book.openings)

    @property
    def simulations(self) -> int:
        with torch.cuda.stream(self._stream):
            return sum(group.forest.simulations for group in self.groups)

    def prepare(self, stop: Callable[[], bool]) -> None:
        """Record a period of all groups side by side: while one asks the network, another walks its trees."""
        with _memory_in_words(sum(group.forest.trees for group in self.groups)), torch.cuda.stream(self._stream):
            for _ in range(WARM_UPS):
                for group in self.groups:
                    group.period()
            self._stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
                streams = [_stream(self._config.device) for _ in self.groups]
                for group, stream in zip(self.groups, streams, strict=True):
                    stream.wait_stream(self._stream)
                    with torch.cuda.stream(stream):
                        group.period(beside=_stream(self._config.device))
                for stream in streams:
                    self._stream.wait_stream(stream)
        self._graph = graph

    def load(self, network: nn.Module, *, theta: float) -> None:
        self._network = network
        with torch.cuda.stream(self._stream):
            for group in self.groups:
                group.evaluator.load(network)
        self._stream.synchronize()
        if self._backend is not None:
            self._backend.load(network)
        if self._book is not None:
            self._book.renew()
            self._open_with_book()

    def play(
        self,
        games: int,
        *,
        on_game: Callable[[PlayedGame], None],
        deadline: float = math.inf,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """The games of a period are stored while the GPU plays the next one."""
        assert self._graph is not None, "prepare comes first"
        played, looks = 0, list[Look]()
        while played < games and time.perf_counter() < deadline and not stop():
            with torch.cuda.stream(self._stream):
                self._graph.replay()
                following = [group.look() for group in self.groups]
            played += self._collect(looks, on_game)
            looks = following
        return played + self._collect(looks, on_game)

    def _collect(self, looks: list[Look], on_game: Callable[[PlayedGame], None]) -> int:
        """Hand on the games that were over at some moment; how many they are."""
        played = 0
        for group, look in zip(self.groups, looks, strict=False):
            with torch.cuda.stream(self._collecting):
                finished = group.collect(look)
            for each in finished:
                on_game(played_game(each, self._seed, self._digest))
            played += len(finished)
        return played

    def finish(self) -> None:
        """All games that ended were told of."""

    def figures(self) -> dict[str, Any]:
        return {} if self._book is None else {"balanced_openings": self._book.share}

    def runner(self) -> Runner:
        if self._backend is None:
            self._backend = make_backend(self._config.backend, self._network, self._shape, device=self._config.device)
        return self._backend

    @property
    def play_games(self) -> PlayGames:
        return play_games

    def close(self) -> None:
        """The memory goes with the object."""


class GamesOnMachine:
    """A forest of games with an evaluator in the same memory, on a GPU or, in tests, on the CPU."""

    def __init__(
        self,
        game: Game,
        settings: SelfPlayConfig,
        machine: Machine,
        evaluator: DeviceEvaluator,
        *,
        trees: int,
        seed: tuple[int, ...],
    ) -> None:
        self._machine, self.evaluator = machine, evaluator
        planes, logits, values = (machine.view(each) for each in (evaluator.planes, evaluator.logits, evaluator.values))
        self._trouble = machine.view(evaluator.trouble)
        self.forest = GameForest(
            game,
            settings,
            ways_of(settings, game),
            encoder=evaluator.encoder,
            trees=trees,
            rows=len(evaluator.planes),
            seed=seed,
            machine=machine,
            variants=games_of_selfplay(game, settings.games),
            planes=planes,
            logits=logits,
            values=values,
        )

    def period(self, beside: Any = None) -> None:
        """Hand trees over; then steps, and on another stream, if there is one, what the waiting trees need."""
        self.forest.hand_over()
        if beside is not None:
            present = torch.cuda.current_stream()
            beside.wait_stream(present)
            with torch.cuda.stream(beside):
                self.forest.tend()
        for _ in range(PERIOD):
            self.forest.step()
            self.evaluator.answer()
        self.evaluator.check()
        if beside is None:
            self.forest.tend()
        else:
            present.wait_stream(beside)

    def look(self) -> Look:
        """Ask what has ended, and whether the network's answers are sound, without waiting."""
        return self.forest.look(), self._machine.fetch(self._trouble)

    def collect(self, look: Look) -> list[FinishedGame]:
        """The games that had ended then."""
        ended, trouble = look
        finished = self.forest.collect(ended())
        if not np.isfinite(trouble()).all():
            raise EightfoldError("the network answers with something that is not a number: its weights are no good")
        return finished


def ways_of(settings: SelfPlayConfig, game: Game) -> dict[str, Any]:
    """The settings of self-play as the kernels of `gpu_moves.py` take them."""
    return {
        "playouts": int(settings.playouts),
        "fast_playouts": int(settings.fast_playouts or settings.playouts),
        "full_share": float(settings.full_share),
        "by_halving": settings.root == "gumbel",
        "count_reused_visits": bool(settings.count_reused_visits),
        "noise": float(settings.noise),
        "noise_alpha": float(settings.noise_alpha),
        "temperature": float(settings.temperature),
        "temperature_plies": int(settings.temperature_plies),
        "final_temperature": float(settings.final_temperature),
        "contempt": float(settings.contempt),
        "opening_share": float(settings.opening_share),
        "opening_stones": int(settings.opening_stones),
        "opening_points": free_points(game, settings.opening_anywhere),
        "book_rows": ROWS if wants_book(settings) else 0,
    }


def played_game(finished: FinishedGame, seed: int, digest: str) -> PlayedGame:
    return PlayedGame(
        moves=tuple(finished.moves.tolist()),
        opening=finished.opening,
        result=finished.result,
        plies=finished.plies.astype(np.int64),
        policies=finished.policies,
        root_values=finished.values,
        game=finished.game.text,
        seed=seed,
        settings=digest,
    )


def games_that_fit(config: TrainConfig, game: Game) -> int:
    """How many games are played at once: as many as are asked for, or as the free memory of the GPU holds.

    What an earlier run of this process has left is free only when nobody keeps it for later.
    """
    gc.collect()
    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info(config.device)
    games = min(
        config.selfplay.gpu_games, int(MEMORY_SHARE * free / bytes_a_tree(game, ways_of(config.selfplay, game)))
    )
    if games < GAMES_A_ROW:
        raise EightfoldError(
            f"the GPU has {free / 2**30:.1f} GiB free, too little for a game of {config.selfplay.playouts} playouts"
        )
    return games


def _stream(device: str) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def _fewer(asked: int, games: int) -> str:
    return f"the GPU's free memory holds {games:,} games at once, not {asked:,}: these are played"


@contextlib.contextmanager
def _memory_in_words(games: int) -> Iterator[None]:
    """Others may take the memory that was free when the games were counted."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise EightfoldError(
            f"the GPU's memory does not hold {games:,} games, though it was free a moment ago: others use it too;"
            " lower selfplay.gpu_games"
        ) from None


def _compile_trouble(trouble: Exception, game: Game) -> EightfoldError:
    """What somebody wrote that does not compile: the file, the line, and what the compiler says of it."""
    told = [line.strip() for line in str(trouble).splitlines()]
    told = [line for line in told if line and not line.startswith("Failed in ")] or [type(trouble).__name__]
    reason = " ".join(told[: 2 if told[0].endswith(":") else 1])
    named = [(file, int(line)) for file, line in re.findall(r'File "([^"]+)", line (\d+)', str(trouble))]
    places = [*named, *reversed(list(_lines_under_way(trouble)))]  # in the text the innermost comes first
    file, line = next((place for place in places if not _NUMBA.intersection(Path(place[0]).parts)), ("", 0))
    where = f"{copied_from(file)}, line {line}" if file else game.name
    return EightfoldError(
        f"{game.name} cannot be compiled for a GPU ({where}): {reason}; docs/new-game.md says what kernels leave alone"
    )


def _lines_under_way(trouble: Exception) -> Iterator[tuple[str, int]]:
    """The lines that the compiler was at when it gave up, the innermost last; an error need not name any."""
    for frame, _ in traceback.walk_tb(trouble.__traceback__):
        line: Any = getattr(frame.f_locals.get("self"), "loc", None)
        if isinstance(getattr(line, "filename", None), str):
            yield line.filename, line.line
