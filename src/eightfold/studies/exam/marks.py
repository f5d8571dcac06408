"""Marking a network: what it says of the positions of an exam, without a search, beside what is right.

    policy_loss     cross-entropy of its policy, in nats, over the positions in which some moves are better than others
    policy_excess   the same less what nobody can avoid, the entropy of the right policy: 0 is perfect
    top1            how often its favourite move is one of the best
    value_error     mean squared error of its value over all positions

The network answers in its own symmetry mode, as it plays. Moves that the rules forbid do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.studies.exam.record import Exam

BATCH = 256
MARKS = ("policy_loss", "policy_excess", "top1", "value_error")


def mark_network(exam: Exam, place: Path | str, *, backend: str = "auto") -> dict[str, float]:
    """The marks of the network at a place: a run, a checkpoint, an exported file or the name of a shipped one."""
    network = open_network(place, exam.game, backend=backend, kind=PolicyValueNetwork)
    evaluator, planes = network.evaluator(), exam.planes(network.description.encoder)
    # Copies, for an answer may be memory that the next one is written to.
    answers = [tuple(map(np.copy, evaluator.evaluate(planes[at : at + BATCH]))) for at in range(0, len(exam), BATCH)]
    logits, values = (np.concatenate(each) for each in zip(*answers, strict=True))
    return marks_of(exam, logits, values if values.ndim == 1 else values[:, 0])


def mark_networks(exam: Exam, places: Sequence[Path | str]) -> list[dict[str, float]]:
    return [mark_network(exam, place) for place in places]


def marks_of(exam: Exam, logits: NDArray[np.float32], values: NDArray[np.float32]) -> dict[str, float]:
    """The marks of answers: logits [P, A] over all moves, values [P]."""
    asked = exam.asks_for_a_move
    right = exam.policies[asked].astype(np.float64)
    masked = np.where(exam.legal[asked], logits[asked].astype(np.float64), -np.inf)
    best = masked.max(axis=1, keepdims=True)
    logs = masked - best - np.log(np.exp(masked - best).sum(axis=1, keepdims=True))
    losses = -np.where(right > 0, right * np.where(right > 0, logs, 0), 0).sum(axis=1)
    entropies = -(right * np.log(np.where(right > 0, right, 1))).sum(axis=1)
    favourites = right[np.arange(len(right)), masked.argmax(axis=1)]
    return {
        "policy_loss": float(losses.mean()),
        "policy_excess": float((losses - entropies).mean()),
        "top1": float((favourites == right.max(axis=1)).mean()),
        "value_error": float(np.square(values.astype(np.float64) - exam.values).mean()),
    }
