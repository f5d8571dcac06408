"""What a training run saves to go on, when, and how it takes that up again.

`checkpoint/` holds the network for playing (`network.safetensors`, `network.json`, `card.md`), the optimiser's state
(`training.safetensors`) and `progress.json`, saved together (`sealed.py`). Taking up never puts fresh weights in the
place of trained ones, and never goes on with less than there was without saying so: what cannot be made up for is
refused, in a line that tells which file to remove in order to do without it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from eightfold.core.errors import EightfoldError
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.runs.progress import Progress, load_progress
from eightfold.learning.runs.sealed import SEAL, Seal
from eightfold.learning.trainer import Trainer
from eightfold.nets.store.checkpoint import load_weights
from eightfold.nets.store.description import CARD, DESCRIPTION, WEIGHTS

SAVE_SECONDS = 15.0  # of training may pass until weights are on the disk; a step and the saving come on top
FIRST_SECONDS = 0.5
TRAINING, PROGRESS = "training.safetensors", "progress.json"
CLIP = "clip.norms"


class Schedule:
    """When to save: soon after a launch, then after twice the time, up to `SAVE_SECONDS`.

    So a run that is killed every few seconds keeps most of its training, and a long one writes no more than it must.
    """

    def __init__(self) -> None:
        self._began = self._saved = time.monotonic()

    def begin(self) -> None:
        self._began = self._saved = time.monotonic()

    def saved(self) -> None:
        self._saved = time.monotonic()

    @property
    def due(self) -> bool:
        wait = min(SAVE_SECONDS, max(FIRST_SECONDS, self._saved - self._began))
        return time.monotonic() - self._saved >= wait


def training_state(trainer: Trainer) -> bytes:
    """The optimiser's state and the history of gradient norms, as safetensors."""
    from safetensors.torch import save

    tensors = {
        f"{number}.{name}": value.detach().cpu().contiguous() if value.ndim else value.detach().cpu().reshape(1)
        for number, entry in trainer.optimiser.state_dict()["state"].items()
        for name, value in entry.items()
        if isinstance(value, torch.Tensor)
    }
    return save({**tensors, CLIP: torch.tensor(trainer.clip_history, dtype=torch.float64)})


def load_training_state(trainer: Trainer, path: Path) -> None:
    """Put a saved state into the optimiser; one of another make is refused in one line."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        tensors = load(path.read_bytes())
        norms = tensors.pop(CLIP, torch.zeros(0))
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor.reshape(()) if key == "step" else tensor
        _check_fits(trainer, state)
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise EightfoldError(
            f"{path} does not fit this run ({reason}); remove it to go on with a fresh optimiser"
        ) from None
    if state:
        trainer.optimiser.load_state_dict({**trainer.optimiser.state_dict(), "state": state})
    trainer.clip_history = norms.tolist()


def _check_fits(trainer: Trainer, state: Mapping[int, Mapping[str, torch.Tensor]]) -> None:
    parameters = [parameter for group in trainer.optimiser.param_groups for parameter in group["params"]]
    wanted = {"step", "exp_avg", "exp_avg_sq"} if isinstance(trainer.optimiser, torch.optim.Adam) else set()
    if isinstance(trainer.optimiser, torch.optim.SGD):
        wanted = {"momentum_buffer"}
    for number, entry in state.items():
        if not 0 <= number < len(parameters) or set(entry) != wanted:
            raise ValueError(f"it holds {', '.join(sorted(entry))} of parameter {number}")
        for key, tensor in entry.items():
            if key != "step" and tensor.shape != parameters[number].shape:
                raise ValueError(f"{key} of parameter {number} has shape {tuple(tensor.shape)}")
            if not bool(torch.isfinite(tensor).all()):
                raise ValueError(f"{key} of parameter {number} is not a number")


class Found:
    """A checkpoint that is there to be taken up: what of it is whole, and what has to be said."""

    def __init__(self, run: Path, seal: Seal | None, metrics: list[dict[str, Any]]) -> None:
        self._folder, self._metrics = run / "checkpoint", metrics
        self._seal = seal or Seal(self._folder)
        self.notices: list[str] = []
        self._counted = [entry for entry in metrics if "steps" in entry]
        there = any((self._folder / name).exists() for name in (WEIGHTS, TRAINING, PROGRESS)) or seal is not None
        steps = max((int(entry["steps"]) for entry in self._counted), default=0)
        if not there and steps:
            raise EightfoldError(
                f"{run} was trained for {steps} steps and {self._folder}, which held the weights, is gone:"
                " put it back, or begin another run"
            )
        self.exists = there
        if there and seal is None:
            self.notices.append(
                f"{self._folder / SEAL} is missing: the files beside it are taken as they are, unchecked"
            )

    def load(self, network: torch.nn.Module, trainer: Trainer) -> Progress:
        """Weights, optimiser and progress; nothing is written."""
        folder, fault = self._folder, self._seal.fault
        if reason := fault(WEIGHTS):
            raise EightfoldError(
                f"{folder / WEIGHTS} {reason}: the trained weights cannot be taken up; put a copy back,"
                " or begin another run"
            )
        progress = self._load_progress()
        load_weights(network, folder / WEIGHTS)
        reason = fault(TRAINING)
        if reason == "is missing":
            self.notices.append(f"{folder / TRAINING} is missing: the weights are kept, the optimiser begins afresh")
        elif reason:
            raise EightfoldError(
                f"{folder / TRAINING} {reason}; the weights are whole: remove it to go on with a fresh optimiser"
            )
        else:
            load_training_state(trainer, folder / TRAINING)
        trainer.steps = progress.steps
        for name in (DESCRIPTION, CARD):
            if (reason := fault(name)) and (name in self._seal.files or name == DESCRIPTION):
                self.notices.append(f"{folder / name} {reason}: it is written anew")
        return progress

    def _load_progress(self) -> Progress:
        path = self._folder / PROGRESS
        reason = self._seal.fault(PROGRESS)
        if reason and reason != "is missing":
            raise EightfoldError(
                f"{path} {reason}; the weights are whole: remove it to go on with them, counting from metrics.jsonl"
            )
        if not reason:
            return load_progress(Progress, path)
        if not self._counted:
            raise EightfoldError(
                f"{path} is missing, and metrics.jsonl does not tell either how far the weights beside it are:"
                " put it back, or begin another run"
            )
        last = self._counted[-1]
        try:
            games, samples = int(last["games"]), int(last["samples"])
            found = Progress(
                seconds=60 * float(last["minutes"]), games=games, samples=samples, steps=int(last["steps"]),
                credited_games=games, credited_samples=samples,
                evaluated_at=max((60 * float(e["minutes"]) for e in self._metrics if "evaluation" in e), default=0.0),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            raise EightfoldError(
                f"{path} is missing, and the last line of metrics.jsonl cannot stand in for it: put it back"
            ) from None
        self.notices.append(
            f"{path} is missing: the weights are kept, and counted from metrics.jsonl on ({games} games,"
            f" {found.steps} steps)"
        )
        return found


@dataclass(frozen=True)
class Stored:
    """What goes into the buffer with the samples of a game, in the same transaction."""

    games: int  # finished by then, this one included
    samples: int
    game: dict[str, Any]  # as games.jsonl has it

    @property
    def text(self) -> str:
        return json.dumps({"games": self.games, "samples": self.samples, "game": self.game})

    @classmethod
    def newest(cls, *buffers: DataBuffer) -> Stored | None:
        """Of the game that was stored last."""
        found = [cls(**json.loads(buffer.note)) for buffer in buffers if buffer.note]
        return max(found, key=lambda stored: stored.games, default=None)


def recount(
    progress: Progress, run_games: int, buffer: DataBuffer, validation: DataBuffer
) -> tuple[list[dict[str, Any]], list[str]]:
    """Count games and samples that were stored after the checkpoint.

    The games that games.jsonl lacks, which is the one that was being stored at a kill; and what has to be said.
    """
    stored, notices = Stored.newest(buffer, validation), []
    saved = progress.samples
    progress.games = max(progress.games, run_games, stored.games if stored else 0)
    # Without a note nothing is stored, or an earlier version did it.
    held = stored.samples if stored else len(buffer) // buffer.variants
    progress.samples = max(saved, held)
    if len(buffer) == 0 and saved:
        notices.append(f"the buffer is gone: the weights are kept, training waits for samples (there were {saved})")
    elif stored is not None and held < saved:
        notices.append(f"the buffer is older than the weights: it has {held} of {saved} samples")
    if stored is None or stored.games <= run_games:
        return [], notices
    if stored.games > run_games + 1:
        notices.append(f"games.jsonl lacks {stored.games - run_games - 1} games whose samples are stored")
    return [stored.game], notices
