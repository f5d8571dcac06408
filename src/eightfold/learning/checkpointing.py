"""What a self-play run saves to go on, and how that is restored.

`checkpoint/` holds the network for playing (`network.safetensors`, `network.json`, `card.md`), the optimiser's state
(`training.safetensors`) and `progress.json`, saved together (`runs/atomic_save.py`). Restoring never puts fresh weights
in the place of trained ones, and never goes on with less than there was without saying so: what cannot be made up for
is refused, in a line that tells which file to remove in order to do without it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.runs.folder import NETWORK, PROGRESS, TRAINING, Layout, RunFolder
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.runs.progress import Progress, load_progress
from eightfold.learning.trainer import Trainer
from eightfold.nets.store.checkpoint import load_weights
from eightfold.nets.store.description import CARD, DESCRIPTION, load_description

CLIP = "clip.norms"
TRAINED, AVERAGED = "trained.", "average.steps"  # weights that are not those which play; steps in their mean


@dataclass
class SelfPlayProgress(Progress):
    """Where a self-play run stands."""

    samples: int = 0  # positions for training that games gave; variants that are stored too do not count
    steps: int = 0  # that made the weights what they are
    owed: float = 0.0  # training steps that the samples so far have earned and that were not yet done
    credited_games: int = 0  # games and samples whose steps are in `owed` already
    credited_samples: int = 0
    advised_steps: int = 0  # of the first stage, which learns from an advisor
    advised: int = 0  # 1 once that stage is over
    from_advisor: int = 0  # samples that steps were taken on, by whose games they are of
    from_selfplay: int = 0
    evaluated_at: float = 0.0  # seconds, at the last evaluation
    evaluated_games: int = 0  # and the games then
    rate_factor: float = 1.0  # the learning-rate multiplier of the three-sigma rule
    validated_at: int = 0  # games, when that rule was last applied
    validation_mean: float = 0.0
    validation_error: float = 0.0

    @property
    def summary(self) -> str:
        advised = f", {self.from_advisor} samples of the advisor" if self.from_advisor else ""
        return f"{super().summary}, {self.steps} steps{advised}"


def training_state(trainer: Trainer) -> bytes:
    """The optimiser's state and the history of gradient norms, as safetensors.

    The weights are beside it. Where these are averaged ones, which play, those that are trained are in it.
    """
    from safetensors.torch import save

    tensors = {
        f"{number}.{name}": value.detach().cpu().contiguous() if value.ndim else value.detach().cpu().reshape(1)
        for number, entry in trainer.optimiser.state_dict()["state"].items()
        for name, value in entry.items()
        if isinstance(value, torch.Tensor)
    }
    if trainer.average is not None:
        state = trainer.model.state_dict().items()
        tensors |= {f"{TRAINED}{name}": tensor.detach().cpu().contiguous() for name, tensor in state}
        tensors[AVERAGED] = torch.tensor([trainer.average.steps])
    return save({**tensors, CLIP: torch.tensor(trainer.clip_history, dtype=torch.float64)})


def load_training_state(trainer: Trainer, path: Path) -> None:
    """Put a saved state into the optimiser; one of another make is refused in one line."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        tensors = load(path.read_bytes())
        norms = tensors.pop(CLIP, torch.zeros(0))
        averaged = int(tensors.pop(AVERAGED, torch.zeros(1)))
        trained = {name: tensors.pop(name) for name in list(tensors) if name.startswith(TRAINED)}
        state: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = tensor.reshape(()) if key == "step" else tensor
        _check_fits(trainer, state)
        if trained:
            trainer.model.load_state_dict({name.removeprefix(TRAINED): each for name, each in trained.items()})
    except OSError as error:
        raise EightfoldError(f"{path}: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise EightfoldError(
            f"{path} does not fit this run ({reason}); remove it to go on with a fresh optimiser"
        ) from None
    if state:
        _lay_out(trainer, state)
        trainer.optimiser.load_state_dict({**trainer.optimiser.state_dict(), "state": state})
    trainer.clip_history = norms.tolist()
    if trainer.average is not None and trained:
        trainer.average.count(averaged)


def _lay_out(trainer: Trainer, state: Mapping[int, dict[str, torch.Tensor]]) -> None:
    """Bring moments into their parameters' order of memory: a fused optimiser goes through both side by side."""
    for number, parameter in enumerate(_parameters(trainer)):
        for key, tensor in state.get(number, {}).items():
            if key != "step":
                state[number][key] = torch.empty_like(parameter, device="cpu", dtype=tensor.dtype).copy_(tensor)


def _parameters(trainer: Trainer) -> list[torch.Tensor]:
    """In the order of the optimiser's numbers."""
    return [parameter for group in trainer.optimiser.param_groups for parameter in group["params"]]


def _check_fits(trainer: Trainer, state: Mapping[int, Mapping[str, torch.Tensor]]) -> None:
    parameters = _parameters(trainer)
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


def check_description(checkpoint: Path, config: TrainConfig) -> None:
    """An error if the network of a run that lost its config.toml is of another make than the settings say."""
    description = load_description(checkpoint)
    for key in ("game", "network", "encoder", "symmetry"):
        before, now = getattr(description, key), getattr(config, key)
        if before != (make_game(now).text if key == "game" else now):
            raise EightfoldError(f"the network in {checkpoint} is of {key} = {before!r}, not {now!r}")


SELF_PLAY = Layout(
    command="train",
    defaults=TrainConfig(),
    fixed={
        "game": "weights and samples are of one game",
        "network": "weights fit one network",
        "encoder": "samples are stored as it encodes them",
        "start_from": "its first weights came from there",
        "symmetry": "samples and weights depend on it",
        "training.optimiser": "its state is a part of the run",
        "advisor.folder": "its samples came from there",
        "advisor.games": "so many of its games were taken",
        "advisor.targets": "its samples were made so",
        "advisor.softmax_temperature": "its samples were made so",
        "advisor.discount": "its samples were made so",
    },
    remedy="remove it to go on with the settings of this command",
    checkpoint="checkpoint",
    games=True,
    check_checkpoint=check_description,
)


class CheckpointLoader:
    """Restores a checkpoint into a network and its trainer, and adds to the folder's notices what it lacks."""

    def __init__(self, run: RunFolder) -> None:
        self._run, self._folder = run, run.checkpoint
        self._metrics = read_metrics(run.path)
        self._counted = [entry for entry in self._metrics if "steps" in entry]
        steps = max((int(entry["steps"]) for entry in self._counted), default=0)
        if not run.has_checkpoint and steps:
            raise EightfoldError(
                f"{run.path} was trained for {steps} steps and {self._folder}, which held the weights, is gone:"
                " put it back, or begin another run"
            )

    def load(self, network: torch.nn.Module, trainer: Trainer) -> SelfPlayProgress:
        """Weights, optimiser and progress; nothing is written."""
        if not self._run.has_checkpoint:
            return SelfPlayProgress()
        folder, fault, notices = self._folder, self._run.checksums.fault, self._run.notices
        if reason := fault(NETWORK):
            raise EightfoldError(
                f"{folder / NETWORK} {reason}: the trained weights cannot be restored; put a copy back,"
                " or begin another run"
            )
        progress = self._load_progress()
        load_weights(network, folder / NETWORK)
        if trainer.average is not None:
            trainer.average.restart()
        reason = fault(TRAINING)
        if reason == "is missing":
            notices.append(f"{folder / TRAINING} is missing: the weights are kept, the optimiser begins afresh")
        elif reason:
            raise EightfoldError(
                f"{folder / TRAINING} {reason}; the weights are intact: remove it to go on with a fresh optimiser"
            )
        else:
            load_training_state(trainer, folder / TRAINING)
        trainer.steps = progress.steps
        for name in (DESCRIPTION, CARD):
            if (reason := fault(name)) and (name in self._run.checksums.files or name == DESCRIPTION):
                notices.append(f"{folder / name} {reason}: it is written anew")
        return progress

    def _load_progress(self) -> SelfPlayProgress:
        path = self._folder / PROGRESS
        reason = self._run.checksums.fault(PROGRESS)
        if reason and reason != "is missing":
            raise EightfoldError(
                f"{path} {reason}; the weights are intact: remove it to go on with them, counting from metrics.jsonl"
            )
        if not reason:
            return load_progress(SelfPlayProgress, path)
        if not self._counted:
            raise EightfoldError(
                f"{path} is missing, and metrics.jsonl does not tell either how far the weights beside it are:"
                " put it back, or begin another run"
            )
        last = self._counted[-1]
        try:
            games, samples = int(last["games"]), int(last["samples"])
            found = SelfPlayProgress(
                seconds=60 * float(last["minutes"]), games=games, samples=samples, steps=int(last["steps"]),
                credited_games=games, credited_samples=samples,
                evaluated_at=max((60 * float(e["minutes"]) for e in self._metrics if "evaluation" in e), default=0.0),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            raise EightfoldError(
                f"{path} is missing, and the last line of metrics.jsonl cannot stand in for it: put it back"
            ) from None
        self._run.notices.append(
            f"{path} is missing: the weights are kept, and counted from metrics.jsonl on ({games} games,"
            f" {found.steps} steps)"
        )
        return found


@dataclass(frozen=True)
class StoredGames:
    """What goes into the buffer with the samples of a game, or of several, in the same transaction."""

    games: int  # finished by then, these included
    samples: int
    game: dict[str, Any]  # the last of them, as games.jsonl has it
    before: Sequence[dict[str, Any]] = ()  # those before it

    @classmethod
    def of(cls, games: int, samples: int, lines: Sequence[dict[str, Any]]) -> StoredGames:
        return cls(games, samples, lines[-1], lines[:-1])

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [*self.before, self.game]

    @property
    def text(self) -> str:
        before = {"before": list(self.before)} if self.before else {}
        return json.dumps({"games": self.games, "samples": self.samples, "game": self.game, **before})

    @classmethod
    def newest(cls, *buffers: DataBuffer) -> StoredGames | None:
        """Of the games that were stored last."""
        found = [cls(**json.loads(buffer.note)) for buffer in buffers if buffer.note]
        return max(found, key=lambda stored: stored.games, default=None)


def recount(
    progress: SelfPlayProgress, run_games: int, buffer: DataBuffer, validation: DataBuffer
) -> tuple[list[dict[str, Any]], list[str]]:
    """Count games and samples that were stored after the checkpoint.

    The games that games.jsonl lacks, which are those that were being stored at a kill; and what has to be said.
    """
    stored, notices = StoredGames.newest(buffer, validation), []
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
    missing = stored.games - run_games
    if missing > len(stored.lines):
        notices.append(f"games.jsonl lacks {missing - len(stored.lines)} games whose samples are stored")
    return stored.lines[-missing:], notices
