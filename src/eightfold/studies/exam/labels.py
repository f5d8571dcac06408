"""What is right in a position: by proof where there is one, else by a long search with a strong network.

Proofs come first. A move wins if it ends the game so, or if every reply leaves a win by threats (the game's `find_win`
and `find_threats`); a position with such moves is won, and they share its policy. One in which every move gives the
other side such a win is lost, and one that nobody can win any more is a draw; in these two no move is better than
another.

All others are searched. The network answers with its mean over the symmetries, so that it favours no symmetry mode, and
the policy is averaged over the symmetries that leave the position as it is.

Shapes: B batch, A actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.threads import usable_cores
from eightfold.games.game import Game, Position, make_game
from eightfold.games.state import NO_MOVE
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.player import LEAVES
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.search.forest import Evaluator, ForestSearch
from eightfold.search.kernels import tree
from eightfold.studies.exam.record import DEAD, LOST, SEARCHED, WON
from eightfold.studies.frame import Part
from eightfold.symmetry.slap import into_frames, out_of_frames, slap_frames

if TYPE_CHECKING:
    from eightfold.nets.inference.device_evaluator import DeviceEvaluator

# Of a chain of fours, and of threes and fours: on 8x8 a quarter of a second a position, for half as many proofs again
# as chains of fours give.
CHAIN_NODES, THREAT_NODES = 10_000, 4_000
CACHED = 500_000  # answers
PROVEN_BY_SEARCH = {tree.WON: WON, tree.LOST: LOST}


@dataclass(frozen=True)
class Label:
    policy: NDArray[np.float32]  # [A]
    value: float
    kind: int


def prove_positions(part: Part, *, game: str, positions: list[list[int]]) -> list[dict[str, Any] | None]:
    """A part: the labels of those positions, given by their moves, about which everything is known; None for others."""
    found = []
    for number, position in enumerate(_after(game, positions), 1):
        label = prove(position)
        found.append(None if label is None else _as_json(label))
        part.progress(number / len(positions))
    return found


def search_positions(
    part: Part, *, game: str, positions: list[list[int]], network: Path, playouts: int, device: str
) -> list[dict[str, Any]]:
    """A part: the labels of some positions by a search."""
    opened = open_network(network, make_game(game, trusted=True), device=device, kind=PolicyValueNetwork)
    found = search(opened, _after(game, positions), playouts=playouts, progress=part.progress)
    return [_as_json(label) for label in found]


def _after(game: str, positions: list[list[int]]) -> list[Position]:
    the_game = make_game(game, trusted=True)
    return [the_game.after(moves) for moves in positions]


def _as_json(label: Label) -> dict[str, Any]:
    moves = np.flatnonzero(label.policy)
    weights = label.policy[moves].astype(np.float64).tolist()
    return {"moves": moves.tolist(), "weights": weights, "value": label.value, "kind": label.kind}


def label_from_json(found: dict[str, Any], actions: int) -> Label:
    policy = np.zeros(actions, np.float32)
    policy[found["moves"]] = found["weights"]
    return Label(policy, found["value"], found["kind"])


# ---- proofs -------------------------------------------------------------------------------------------


def prove(position: Position) -> Label | None:
    """The label of a position about which everything is known, else None."""
    if position.game.kernels.is_dead(position.state):
        return Label(_shared(position, position.legal_moves.tolist()), 0.0, DEAD)
    after = {move: position.play(move) for move in position.legal_moves.tolist()}
    not_lost = {move: each for move, each in after.items() if not wins_next(each)}
    if not not_lost:
        return Label(_shared(position, list(after)), -1.0, LOST)
    winning = [move for move, each in not_lost.items() if _has_won(each, position.to_move)]
    return Label(_shared(position, winning), 1.0, WON) if winning else None


def _has_won(position: Position, side: int) -> bool:
    """Whether a side that has just moved has won: the game is over, or every reply leaves it a win by threats."""
    if position.is_over:
        return position.winner == side
    replies = (position.play(int(reply)) for reply in position.legal_moves)
    return all(reply.winner == side if reply.is_over else wins_next(reply) for reply in replies)


def wins_next(position: Position) -> bool:
    """Whether the side to move wins at once or by threats, as far as can be proven."""
    if position.is_over:
        return False
    game = position.game
    scratch = np.zeros(game.scratch, np.int64)
    if game.kernels.find_win(position.state.copy(), CHAIN_NODES, scratch) != NO_MOVE:
        return True
    found: int = game.kernels.find_threats(position.state.copy(), THREAT_NODES, game.threat_room(THREAT_NODES))
    return found != NO_MOVE


def _shared(position: Position, moves: Sequence[int]) -> NDArray[np.float32]:
    policy = np.zeros(position.game.actions, np.float32)
    policy[list(moves)] = 1 / len(moves)
    return policy


# ---- search -------------------------------------------------------------------------------------------


class OnDevice:
    """A device's evaluator for a search on the host: planes go there, answers come back."""

    def __init__(self, evaluator: DeviceEvaluator) -> None:
        self._evaluator, self.encoder = evaluator, evaluator.encoder

    def evaluate(self, planes: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        import torch

        count, device = len(planes), self._evaluator
        device.planes[:count].copy_(torch.from_numpy(planes))
        device.answer()
        return device.logits[:count].cpu().numpy(), device.values[:count].cpu().numpy()


def averaging_evaluator(network: PolicyValueNetwork, batch: int) -> Evaluator:
    """What answers with the mean over the symmetries; a processor, which is slow at it, remembers its answers."""
    if network.device == "cpu":
        return CachedEvaluator(network.evaluator(symmetry="average"), capacity=CACHED, key="orbit")
    return averaging_on_device(network, batch)


def averaging_on_device(network: PolicyValueNetwork, batch: int) -> OnDevice:
    from eightfold.nets.inference.device_evaluator import DeviceEvaluator

    about = network.description
    device = DeviceEvaluator(
        network.module,
        about.shape(),
        encoder=about.encoder,
        batch=batch,
        symmetry="average",
        symmetries=network.game.symmetries,
        device=network.device,
    )
    return OnDevice(device)


def search(
    network: PolicyValueNetwork,
    positions: Sequence[Position],
    *,
    playouts: int,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Label]:
    """The labels of positions by a search of all of them side by side."""
    if not positions:
        return []
    leaves = min(LEAVES, max(1, playouts // 16))
    forest = ForestSearch(
        network.game,
        averaging_evaluator(network, len(positions) * leaves),
        games=len(positions),
        # A forest has room for three times what it searches, for trees that are kept from move to move; these are not.
        playouts=-(-playouts // 3),
        leaves_a_game=leaves,
        settings=network.description.play_settings(),
        threads=usable_cores(),
    )
    for number, position in enumerate(positions):
        forest.set_root(number, position.state)
        forest.prepare_root(number, playouts, noisy=False)
    while forest.step():
        progress(1 - float(forest.forest.left.mean()) / playouts)
    policies = np.stack([forest.root_policy(number) for number in range(len(positions))])
    policies = _symmetric(network.game, positions, network.description.encoder, policies)
    kinds = [PROVEN_BY_SEARCH.get(int(proof), SEARCHED) for proof in forest.forest.proof[: len(positions), 0]]
    return [
        Label(policy, forest.root_value(number), kind)
        for number, (policy, kind) in enumerate(zip(policies, kinds, strict=True))
    ]


def _symmetric(
    game: Game, positions: Sequence[Position], encoder: str, policies: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Policies [B, A], each averaged over the symmetries that leave its position as the network sees it."""
    _, _, frames = slap_frames(np.stack([position.encode(encoder) for position in positions]), game.symmetries)
    averaged: NDArray[np.float32] = out_of_frames(into_frames(policies, frames), frames)
    return averaged
