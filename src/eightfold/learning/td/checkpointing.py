"""What a TD(λ) run saves to go on, and how that is restored.

snapshots/000020000.safetensors  the network after so many games, ready to play: isn:RUN/snapshots/...
network.safetensors              the newest, ready to play: isn:RUN
training.safetensors             its weights in double precision, and those of the last contest
progress.json                    how far it is

They lie in the run's folder itself and are saved together (`runs/atomic_save.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from eightfold.core.errors import EightfoldError
from eightfold.isn.network import ISN
from eightfold.isn.store import SNAPSHOTS, isn_bytes, snapshots_of
from eightfold.learning.runs.folder import NETWORK, PROGRESS, TRAINING, RunFolder
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.runs.progress import Progress, as_json, load_progress

Weights = dict[str, torch.Tensor]


@dataclass
class TdProgress(Progress):
    """Where a TD(λ) run stands."""

    moves: int = 0
    candidates: int = 0
    contests: int = 0
    accepted: int = 0  # contests that the new weights did not lose


def checkpoint_files(network: ISN, champion: Weights, progress: TdProgress, classes: str) -> dict[str, bytes]:
    """The newest network and what going on needs."""
    from safetensors.torch import save

    tensors = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    tensors |= {f"champion.{name}": tensor for name, tensor in champion.items()}
    return {
        NETWORK: isn_bytes(_single(network), classes=classes),
        TRAINING: save({name: tensor.contiguous() for name, tensor in tensors.items()}),
        PROGRESS: as_json(progress),
    }


def snapshot_name(games: int) -> str:
    return f"{SNAPSHOTS}/{games:09d}.safetensors"


def load_checkpoint(folder: RunFolder, network: ISN) -> tuple[TdProgress, Weights] | None:
    """Put the weights of the last save into `network`; its progress and the last contest's. None: none yet."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    _forget_damaged(folder)
    path, faults = folder.path, {name: folder.checksums.fault(name) for name in (PROGRESS, TRAINING)}
    if all(fault == "is missing" for fault in faults.values()) and not _was_trained(folder):
        return None
    for name, fault in faults.items():
        if fault:
            raise EightfoldError(
                f"{path / name} {fault}: the run cannot go on from there; put a copy back, or begin another"
                f" run from its network: start={path}"
            )
    progress = load_progress(TdProgress, path / PROGRESS)
    try:
        tensors = load((path / TRAINING).read_bytes())
        newest, champion = (
            {name.partition(".")[2]: tensor for name, tensor in tensors.items() if name.startswith(f"{who}.")}
            for who in ("network", "champion")
        )
        network.load_state_dict(newest)
        if any(not bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
            raise ValueError("it holds weights that are not numbers")
    except (OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise EightfoldError(f"{path} cannot be restored: {' '.join(str(error).split())}") from None
    return progress, champion


def _forget_damaged(folder: RunFolder) -> None:
    """Networks that training needs no more may be damaged or gone: that is said, and they are vouched for no more."""
    files = folder.checksums.files
    for name in [name for name in files if name not in (TRAINING, PROGRESS)]:
        if fault := folder.checksums.fault(name):
            then = "it is written anew" if name == NETWORK else "training needs it no more"
            folder.notices.append(f"{folder.path / name} {fault}: {then}")
            del files[name]


def _was_trained(folder: RunFolder) -> bool:
    """Whether anything tells that there were weights."""
    snapshots = [games for games in snapshots_of(folder.path) if games]
    noted = any(entry.get("games") for entry in read_metrics(folder.path))
    return bool(snapshots) or noted or bool(folder.checksums.files)


def read_progress(run: Path) -> TdProgress | None:
    """How far a run was when it was last saved; None: it was not yet."""
    path = run / PROGRESS
    return load_progress(TdProgress, path) if path.exists() else None


def _single(network: ISN) -> ISN:
    """A copy in single precision, as networks are kept."""
    copied = ISN(**network.config.as_dict())
    copied.load_state_dict(network.state_dict())
    return copied
