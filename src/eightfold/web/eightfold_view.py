"""One position from its eight sides, and whether a network gives the same answer to each.

The canonical form is SLAP's, of the stones alone: the side to move first, then the opponent. A position that is its
own mirror image reaches it by several symmetries; all of them are marked. A game that has only some of the symmetries
is shown from those sides alone. The disagreement of a network is the mean total variation distance between its policies
for two sides, both mapped back onto the board, over all pairs of sides: 0 if the network answers alike from all sides,
1 if no two answers have a move in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.games.state import BLACK, WHITE
from eightfold.nets.inference.evaluator import policies_of
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.symmetry.group import NAMES, subgroup_name
from eightfold.symmetry.orbit import stabiliser
from eightfold.symmetry.slap import frame_members, slap_frames
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states
from eightfold.web.menu import MenuEntry


def network_policies(
    entry: MenuEntry, position: Position, *, as_played: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Policies [K, A] and values [K] for the K sides, each in its own frame; and the symmetry mode."""
    ids = np.array(position.game.symmetries)
    try:
        network = open_network(entry.network, position.game, kind=PolicyValueNetwork)
        mode = network.description.symmetry
        # A bare network with centred planes still needs those planes.
        evaluator = network.evaluator(symmetry=mode if as_played or mode == "slap-cc" else "none")
    except EightfoldError as error:
        raise entry.without_place(error) from None
    planes = transform_states(np.tile(position.encode(evaluator.encoder), (len(ids), 1, 1, 1)), ids)
    logits, values = evaluator.evaluate(planes)
    legal = transform_policies(np.tile(position.legal_mask, (len(ids), 1)), position.game.size, ids)
    alone = values if values.ndim == 1 else values[:, 0]  # without the chance of a draw
    return policies_of(logits, legal), alone.astype(np.float64), evaluator.symmetry


def eight_sides(position: Position, entry: MenuEntry | None = None, *, as_played: bool = True) -> dict[str, Any]:
    """What the page shows: the boards, which are canonical, the stabiliser, and a network's answers."""
    size, other = position.game.size, BLACK + WHITE - position.to_move
    stones = position.stones
    planes = np.stack([stones == position.to_move, stones == other]).astype(np.float32)
    symmetries = position.game.symmetries
    _, ids, frames = slap_frames(planes[None], symmetries)
    members = stabiliser(planes, symmetries)
    boards = transform_states(np.tile(stones.astype(np.float32), (len(symmetries), 1, 1, 1)), symmetries)[:, 0].astype(
        int
    )
    answer: dict[str, Any] = {
        "type": "eightfold",
        "size": size,
        "names": list(NAMES),
        "canonical": list(frame_members(int(frames[0]))),
        "slap": int(ids[0]),
        "stabiliser": subgroup_name(members),
        "stabiliser_members": sorted(members),
        "symmetries": list(symmetries),
        "different": len(symmetries) // len(members),
        "sides": [{"stones": "".join(map(str, board.reshape(-1)))} for board in boards],
    }
    if entry is None or position.is_over:
        return answer
    if not entry.network:
        raise EightfoldError(f"player {entry.key} has no network; choose one that has one")
    try:
        policies, values, mode = network_policies(entry, position, as_played=as_played)
    except EightfoldError as error:
        return {**answer, "error": str(error)}  # the boards can be shown all the same
    back = transform_policies(policies, size, inverse_ids(symmetries))
    for side, policy, value, on_board in zip(answer["sides"], policies, values, back, strict=True):
        side["policy"] = [round(float(p), 4) for p in policy[: size * size]]
        side["value"] = round(float(value), 4)
        side["best"] = int(np.argmax(policy))
        side["best_on_board"] = position.game.name_of(int(np.argmax(on_board)))
    answer["network"] = entry.key
    answer["symmetry"] = mode
    answer["disagreement"] = round(disagreement(back), 6)
    answer["value_spread"] = round(float(values.max() - values.min()), 6)
    return answer


def disagreement(policies: NDArray[np.float64]) -> float:
    """The mean total variation distance between policies [K, A] that are all in the board's own frame.

    >>> disagreement(np.eye(8)), disagreement(np.full((8, 4), 0.25))
    (1.0, 0.0)
    """
    distances, count = np.abs(policies[:, None] - policies[None, :]).sum(axis=2) / 2, len(policies)  # [K, K]
    return float(distances.sum() / max(1, count * (count - 1)))
