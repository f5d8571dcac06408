"""What real self-play asks its network, written down in the order in which it asks.

A stream is recorded with the settings of a preset and a network that stays as it is, in the symmetry mode `slap`: orbit
keys are for networks that answer all variants of a position alike. Every request is kept as the bits that the network
was shown. Afterwards each gets four numbers, equal exactly where a cache would find its entry:

    evaluation      all that the network is shown, by position and by orbit
    transposition   the stones and whose turn it is, whatever the last move was, by position and by orbit

Shapes: T requests, B batch, C planes, N board size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eightfold.config import load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.games.game import Game, make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.selfplay import SelfPlay
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.studies.frame import Part
from eightfold.symmetry.slap import slap_frames

UNTRAINED = "untrained"
EVALUATION, TRANSPOSITION = "evaluation", "transposition"
POSITION, ORBIT = "position", "orbit"
ENCODER = "last-move"  # own stones, opponent's stones, the last move, all ones if black is to move
SEEN = {EVALUATION: (0, 1, 2, 3), TRANSPOSITION: (0, 1, 3)}  # planes that count
CHUNK = 1 << 15  # requests that are turned at a time
FILE = "stream.npz"


class Asked(Protocol):
    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...


class Recorder:
    """An evaluator that writes down what it is asked, and how many games had ended by then."""

    def __init__(self, evaluator: Asked) -> None:
        self.encoder, self._evaluator = ENCODER, evaluator
        self._shown: list[NDArray[np.uint8]] = []
        self._ended: list[int] = []
        self.games = self.requests = 0

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        self._shown.append(np.packbits(planes.reshape(len(planes), -1) != 0, axis=1))
        self._ended += [self.games] * len(planes)
        self.requests += len(planes)
        return self._evaluator.evaluate(planes)

    @property
    def shown(self) -> NDArray[np.uint8]:
        """[T, C * N * N / 8]: bits."""
        return np.concatenate(self._shown)

    @property
    def ended(self) -> Ints:
        """[T]"""
        return np.array(self._ended, np.int64)


@dataclass(frozen=True, kw_only=True)
class Stream:
    keys: dict[tuple[str, str], Ints]  # [T] by kind and key
    plies: Ints  # [T] stones on the board
    rounds: Ints  # [T] how often the weights were renewed before

    def __len__(self) -> int:
        return len(self.plies)


def record_stream(
    part: Part, *, game: str, preset: str, network: str | Path, changes: list[str], requests: int, seed: int
) -> dict[str, Any]:
    """A part: the stream of one run of self-play, in a file of its own."""
    the_game = make_game(game, trusted=True)
    config = with_changes(load_preset(TrainConfig(), preset), [f"game={game}", "symmetry=slap", *changes])
    recorder = Recorder(_evaluator(config, the_game, network, seed))
    play = SelfPlay(the_game, recorder, settings=config.selfplay, random=np.random.default_rng([seed, 1]), seed=seed)
    while recorder.requests < requests:
        recorder.games += len(play.advance_all())
        part.progress(recorder.requests / requests)
    stream = keyed(the_game, recorder.shown[:requests], recorder.ended[:requests] // config.training.games_a_round)
    part.folder.mkdir(parents=True, exist_ok=True)
    write_stream(stream, part.folder / FILE)
    return {
        "file": f"{part.place}/{FILE}",
        "requests": len(stream),
        "games": recorder.games,
        "rounds": int(stream.rounds.max()) + 1,
        "games_a_round": config.training.games_a_round,
        "parallel_games": config.selfplay.parallel_games,
        "playouts": config.selfplay.playouts,
    }


def _evaluator(config: TrainConfig, game: Game, network: str | Path, seed: int) -> NetworkEvaluator:
    """The network of a place, or with fresh weights that of the preset."""
    if network != UNTRAINED:
        return open_network(network, game, kind=PolicyValueNetwork).evaluator(symmetry="slap")
    import torch

    from eightfold.learning.evaluators import make_evaluator

    about = Description(network=config.network, game=game.text, encoder=ENCODER, symmetry="slap")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = about.make().eval()
    random = np.random.default_rng([seed, 2])
    return make_evaluator(config, module, about.shape(), game=game, random=random, threads=1)[1]


def keyed(game: Game, shown: NDArray[np.uint8], rounds: Ints) -> Stream:
    """A stream from the bits that the network was shown [T, ...]."""
    number = game.encoder(ENCODER)[1]
    parts: dict[tuple[str, str], list[NDArray[np.uint8]]] = {}
    plies = []
    for at in range(0, len(shown), CHUNK):
        bits = np.unpackbits(shown[at : at + CHUNK], axis=1, count=number * game.points)
        planes = bits.reshape(-1, number, game.size, game.size).astype(np.float32)  # [B, C, N, N]
        plies.append(planes[:, :2].sum(axis=(1, 2, 3)).astype(np.int64))
        for kind, seen in SEEN.items():
            chosen = np.ascontiguousarray(planes[:, list(seen)])
            parts.setdefault((kind, POSITION), []).append(_bits(chosen))
            parts.setdefault((kind, ORBIT), []).append(_bits(slap_frames(chosen, game.symmetries)[0]))
    keys = {name: _numbered(np.concatenate(rows)) for name, rows in parts.items()}
    return Stream(keys=keys, plies=np.concatenate(plies), rounds=rounds)


def _bits(planes: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.packbits(planes.reshape(len(planes), -1) != 0, axis=1)


def _numbered(rows: NDArray[np.uint8]) -> Ints:
    """[T, bytes] to [T]: equal numbers for equal rows, with no hash between them."""
    whole = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").reshape(-1)
    return np.unique(whole, return_inverse=True)[1].reshape(-1).astype(np.int64)


def write_stream(stream: Stream, path: Path) -> None:
    arrays = {"-".join(name): keys.astype(np.int32) for name, keys in stream.keys.items()}
    arrays |= {"plies": stream.plies.astype(np.int32), "rounds": stream.rounds.astype(np.int32)}
    np.savez_compressed(path, allow_pickle=False, **arrays)


def read_stream(path: Path) -> Stream:
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name].astype(np.int64) for name in file.files}
    except FileNotFoundError:
        raise EightfoldError(f"{path} is gone; take the folder of the study away and measure again") from None
    keys = {(kind, key): found[f"{kind}-{key}"] for kind in SEEN for key in (POSITION, ORBIT)}
    return Stream(keys=keys, plies=found["plies"], rounds=found["rounds"])
