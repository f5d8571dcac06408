"""The folder of a TD(λ) run: settings, snapshots, metrics, and what going on needs. One process at a time.

config.toml                      resolved, with versions
snapshots/000020000.safetensors  the network after so many games, ready to play: isn:RUN/snapshots/...
network.safetensors              the newest, ready to play: isn:RUN
training.safetensors             its weights in double precision, and those of the last contest
progress.json                    how far it is; written last
metrics.jsonl                    a line every few seconds, with the machine that it was trained on
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from eightfold.config import load_config_of, to_toml
from eightfold.errors import EightfoldError
from eightfold.learning.run import LineFile, lock_run, run_notes
from eightfold.learning.td_config import TdConfig
from eightfold.nets.checkpoint import replace_file, replace_files
from eightfold.nets.isn import ISN, save_isn
from eightfold.nets.isn_place import NETWORK, SNAPSHOTS

Weights = dict[str, torch.Tensor]


@dataclass
class Progress:
    """Where a run stands; saved with every checkpoint."""

    games: int = 0
    seconds: float = 0.0
    moves: int = 0
    candidates: int = 0
    contests: int = 0
    accepted: int = 0  # contests that the new weights did not lose


class TdRun:
    """Opens a run for training: makes the folder, or takes up the one that is there."""

    def __init__(self, path: Path, config: TdConfig) -> None:
        self.path = path
        self.resumed = (path / "config.toml").exists()
        if not self.resumed and path.is_dir() and any(entry.name != "lock" for entry in path.iterdir()):
            raise EightfoldError(f"{path} holds other files and no run; choose another folder")
        try:
            (path / SNAPSHOTS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the run folder {path}: {error.strerror}") from None
        self._lock = lock_run(path / "lock", path)
        try:
            if self.resumed:
                _check_same(load_config_of(TdConfig(), path / "config.toml"), config, path)
            replace_file(path / "config.toml", to_toml(config, run_notes()).encode())
            self._metrics = LineFile(path / "metrics.jsonl")
        except BaseException:
            self._lock.close()
            raise

    def note(self, entry: dict[str, Any]) -> None:
        self._metrics.add(json.dumps(entry))

    def snapshot(self, network: ISN, games: int, classes: str) -> None:
        save_isn(_single(network), self.path / SNAPSHOTS / f"{games:09d}.safetensors", classes=classes)

    def save(self, network: ISN, champion: Weights, progress: Progress, classes: str) -> None:
        """The newest network, and what going on needs; `progress.json` comes last and seals it."""
        from safetensors.torch import save

        save_isn(_single(network), self.path / NETWORK, classes=classes)
        tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
        tensors |= {f"champion.{name}": tensor for name, tensor in champion.items()}
        replace_files(
            {
                self.path / "training.safetensors": save({name: t.contiguous() for name, t in tensors.items()}),
                self.path / "progress.json": json.dumps(asdict(progress)).encode(),
            }
        )

    def load(self, network: ISN) -> tuple[Progress, Weights] | None:
        """Put the weights of the last save into `network`; its progress and the last contest's. None: none yet."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        progress = read_progress(self.path)
        if progress is None:
            return None
        path = self.path / "training.safetensors"
        try:
            tensors = load(path.read_bytes())
            newest, champion = (
                {name.partition(".")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"{who}.")}
                for who in ("network", "champion")
            )
            network.load_state_dict(newest)
        except (OSError, SafetensorError, ValueError, RuntimeError) as error:
            raise EightfoldError(f"{self.path} cannot be taken up again: {' '.join(str(error).split())}") from None
        return progress, champion

    def close(self) -> None:
        self._metrics.close()
        self._lock.close()


def read_progress(run: Path) -> Progress | None:
    """How far a run was when it was last saved; None: it was not yet."""
    path = run / "progress.json"
    if not path.exists():
        return None
    try:
        progress = Progress(**json.loads(path.read_text(encoding="utf-8")))
        if any(type(value) not in (int, float) or value < 0 for value in asdict(progress).values()):
            raise ValueError("a number is not one")
    except (OSError, TypeError, ValueError) as error:
        raise EightfoldError(f"{path} does not tell how far the run is: {' '.join(str(error).split())}") from None
    return progress


def _single(network: ISN) -> ISN:
    """A copy in single precision, as networks are kept."""
    copied = ISN(**network.config)
    copied.load_state_dict(network.state_dict())
    return copied


def _check_same(old: TdConfig, new: TdConfig, path: Path) -> None:
    """What a network is must not change under a run."""
    for key in ("game", "classes", "units"):
        before, now = getattr(old, key), getattr(new, key)
        if before != now:
            raise EightfoldError(
                f"the run {path} was started with {key} = {before!r}, not {now!r}; choose another folder"
            )
