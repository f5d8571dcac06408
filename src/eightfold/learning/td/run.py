"""The folder of a TD(λ) run: settings, snapshots, metrics, and what going on needs. One process at a time.

config.toml                      resolved, with versions
snapshots/000020000.safetensors  the network after so many games, ready to play: isn:RUN/snapshots/...
network.safetensors              the newest, ready to play: isn:RUN
training.safetensors             its weights in double precision, and those of the last contest
progress.json                    how far it is
checksums.json                   of the four before, which are saved together (`sealed.py`)
metrics.jsonl                    a line every few seconds, with the machine that it was trained on
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from eightfold.config import to_toml
from eightfold.core.errors import EightfoldError
from eightfold.isn.network import ISN, isn_bytes
from eightfold.isn.place import NETWORK, SNAPSHOTS, snapshots_of
from eightfold.learning.runs.fixed import FIXED_TD, check_fixed, load_run_config
from eightfold.learning.runs.metrics import METRICS, Metrics, check_metrics, read_metrics
from eightfold.learning.runs.progress import as_json, load_progress
from eightfold.learning.runs.run import CONFIG, lock_run, run_notes
from eightfold.learning.runs.sealed import SEAL, Seal, has_other_files, open_sealed, remove_drafts, save_sealed
from eightfold.learning.td.config import TdConfig
from eightfold.nets.store.checkpoint import replace_file

TRAINING, PROGRESS = "training.safetensors", "progress.json"
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
    """Opens a run for training: makes the folder, or looks whether the one that is there can go on.

    Of a run that goes on nothing is changed until `begin`, except that what a kill interrupted is finished.
    """

    def __init__(self, path: Path, config: TdConfig) -> None:
        self.path, self._config = path, config
        self.resumed = (path / CONFIG).exists()
        if not self.resumed and path.is_dir() and has_other_files(path):
            lost = f", and its {CONFIG} is missing: put it back or" if (path / PROGRESS).exists() else ";"
            raise EightfoldError(f"{path} holds other files and no run{lost} choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the run folder {path}: {error.strerror}") from None
        self._lock = lock_run(path / "lock", path)
        self._metrics: Metrics | None = None
        self._seal = Seal(path)
        self.notices: list[str] = []
        try:
            if self.resumed:
                self._take_up()
            else:
                remove_drafts((path,))
                self._write_config()
        except BaseException:
            self._lock.close()
            raise

    def _take_up(self) -> None:
        path = self.path
        old = load_run_config(TdConfig(), path / CONFIG, f"begin another run from its network: start={path}")
        check_fixed(old, self._config, FIXED_TD, path)
        seal = open_sealed(path)
        remove_drafts((path, path / SNAPSHOTS))
        self._seal = seal or Seal(path)
        self.notices += check_metrics(path, self._seal.notes.get(METRICS) or {})
        if seal is None and (path / PROGRESS).exists():
            self.notices.append(f"{path / SEAL} is missing: the files beside it are taken as they are, unchecked")
        for name in [name for name in self._seal.files if name not in (TRAINING, PROGRESS)]:
            if fault := self._seal.fault(name):
                then = "it is written anew" if name == NETWORK else "training needs it no more"
                self.notices.append(f"{path / name} {fault}: {then}")
                del self._seal.files[name]

    def begin(self) -> None:
        """All is well: write down the settings, which may have changed, and go on."""
        if self.resumed:
            self._write_config()
        self._metrics = Metrics(self.path, self._seal.notes.get(METRICS))

    def _write_config(self) -> None:
        replace_file(self.path / CONFIG, to_toml(self._config, run_notes()).encode())

    def note(self, entry: dict[str, Any]) -> None:
        """A line for metrics.jsonl; it waits for the next save."""
        assert self._metrics is not None
        self._metrics.add(entry)

    def save(
        self, network: ISN, champion: Weights, progress: Progress, classes: str, *, snapshot: bool = False
    ) -> None:
        """The newest network, as a snapshot too if wanted, and what going on needs, all together."""
        from safetensors.torch import save

        assert self._metrics is not None
        playing = isn_bytes(_single(network), classes=classes)
        tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
        tensors |= {f"champion.{name}": tensor for name, tensor in champion.items()}
        files = {
            NETWORK: playing,
            TRAINING: save({name: t.contiguous() for name, t in tensors.items()}),
            PROGRESS: as_json(progress),
        }
        if snapshot:
            files[f"{SNAPSHOTS}/{progress.games:09d}.safetensors"] = playing
        kept = {name: entry for name, entry in self._seal.files.items() if name.startswith(SNAPSHOTS)}
        self._seal = save_sealed(self.path, files, notes={METRICS: self._metrics.mark}, also=kept)
        self._metrics.write()

    def load(self, network: ISN) -> tuple[Progress, Weights] | None:
        """Put the weights of the last save into `network`; its progress and the last contest's. None: none yet."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        faults = {name: self._seal.fault(name) for name in (PROGRESS, TRAINING)}
        if all(fault == "is missing" for fault in faults.values()) and not self._trained():
            return None
        for name, fault in faults.items():
            if fault:
                raise EightfoldError(
                    f"{self.path / name} {fault}: the run cannot go on from there; put a copy back, or begin another"
                    f" run from its network: start={self.path}"
                )
        path = self.path / TRAINING
        progress = load_progress(Progress, self.path / PROGRESS)
        try:
            tensors = load(path.read_bytes())
            newest, champion = (
                {name.partition(".")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"{who}.")}
                for who in ("network", "champion")
            )
            network.load_state_dict(newest)
            if any(not bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
                raise ValueError("it holds weights that are not numbers")
        except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
            raise EightfoldError(f"{self.path} cannot be taken up again: {' '.join(str(error).split())}") from None
        return progress, champion

    def _trained(self) -> bool:
        """Whether anything tells that there were weights."""
        snapshots = [games for games in snapshots_of(self.path) if games]
        noted = any(entry.get("games") for entry in read_metrics(self.path))
        return bool(snapshots) or noted or bool(self._seal.files)

    def close(self) -> None:
        if self._metrics is not None:
            self._metrics.close()
        self._lock.close()


def read_progress(run: Path) -> Progress | None:
    """How far a run was when it was last saved; None: it was not yet."""
    path = run / PROGRESS
    return load_progress(Progress, path) if path.exists() else None


def _single(network: ISN) -> ISN:
    """A copy in single precision, as networks are kept."""
    copied = ISN(**network.config)
    copied.load_state_dict(network.state_dict())
    return copied
