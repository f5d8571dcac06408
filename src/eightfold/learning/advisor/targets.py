"""What an advisor's game teaches (Zhao & Zhang, section 3.4.1): targets of the policy, and a discounted value.

    onehot    all on the move that the advisor thinks best
    softmax   e^(V / T) over the moves that it scored; where it scored none, the policy that it found

The paper puts raw scores of min-max into the softmax, where ten points more are a factor of e^10: all but one move
vanish. Here V is scaled to run from -1 to 1 before (`scaled_scores`), and T is a setting. A score of the heuristic is
ten times larger for every stone in a row, so V goes by its logarithm and one stone more is the same step everywhere:

    V = +-(1 - plies later than the soonest / 100)      for a move that is proven to win or to lose
    V = 0.8 sign(s) log(1 + |s|) / log(1 + best)        for a score s of at most best

On a board of five in a row a stone more is a step of 0.14, so with T = 0.05 a factor of 17. The order of the moves is
the order of their scores.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eightfold.games.game import Position
from eightfold.learning.data.record import PlayedGame, samples_of
from eightfold.learning.data.sample import Sample
from eightfold.search.result import SearchResult, one_hot

ONEHOT, SOFTMAX = "onehot", "softmax"
TARGETS = (ONEHOT, SOFTMAX)
USUAL_TEMPERATURE = 0.05
JUDGED = 0.8  # the most that a score counts which proves nothing
PLY = 0.01  # what a win loses with every ply that it comes later


def scaled_scores(result: SearchResult, position: Position) -> NDArray[np.float32] | None:  # [A]
    """V of every move that was scored, nan for all others; None if the player scores no moves."""
    if result.scores is None or not hasattr(position.game.rules, "best_possible_score"):
        return None
    scores = np.where(position.legal_mask, result.scores.astype(np.float64), np.nan)
    best = float(position.game.rules.best_possible_score(position.state))
    with np.errstate(invalid="ignore"):
        scaled = JUDGED * np.sign(scores) * np.log1p(np.abs(scores)) / np.log1p(best)
        scaled = np.clip(scaled, -JUDGED, JUDGED)
    proven = np.zeros(len(scores), np.bool_) if result.values is None else np.abs(result.values) == 1
    if proven.any():
        later = np.abs(scores[proven]).max() - np.abs(scores[proven])
        scaled[proven] = np.sign(scores[proven]) * np.maximum(1 - PLY * later, (1 + JUDGED) / 2)
    return scaled.astype(np.float32)


def softmax(scores: NDArray[np.float32], temperature: float) -> NDArray[np.float32]:  # [A]
    """e^(V / T) over the moves that have a score, as probabilities."""
    scored = np.isfinite(scores)
    policy = np.zeros(len(scores), np.float32)
    weights = np.exp((scores[scored].astype(np.float64) - scores[scored].max()) / temperature)
    policy[scored] = weights / weights.sum()
    return policy


def policy_targets(played: PlayedGame, targets: str, temperature: float) -> NDArray[np.float32]:  # [T, A]
    """What the policy is to be in every sampled position of a game."""
    actions = played.policies.shape[1]
    if targets == ONEHOT:
        best = played.policies.argmax(axis=1)
        return np.stack([one_hot(actions, int(move)) for move in best]) if len(best) else played.policies
    if played.scores is None:
        return played.policies
    found = played.policies.copy()
    for row, scores in enumerate(played.scores):
        if np.isfinite(scores).any():
            found[row] = softmax(scores, temperature)
    return found


def advised_samples(
    played: PlayedGame,
    positions: list[Position],
    *,
    encoder: str,
    targets: str,
    temperature: float,
    discount: float,
    auxiliary: bool = False,
    next_moves: bool = False,
) -> list[Sample]:
    """The samples of an advisor's game; `positions` are what its `replay` gave."""
    taught = replace(played, policies=policy_targets(played, targets, temperature))
    return samples_of(taught, positions, encoder=encoder, discount=discount, auxiliary=auxiliary, next_moves=next_moves)
