"""The end of a game that points decide as GTP asks for it: the score, and which stones are dead.

Stones that random games mostly lose are dead (`eightfold.search.ownership`), except under Tromp-Taylor rules, where
every stone on the board is alive, as in games without dead stones.
"""

from __future__ import annotations

import numpy as np

from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Position
from eightfold.games.points import Count, count, neighbours, result_text
from eightfold.games.state import BLACK, WHITE
from eightfold.protocols.gtp.syntax import SHOWN, write_vertex
from eightfold.search.ownership import dead_groups, groups

STATUSES = ("alive", "dead", "seki", "black_territory", "white_territory")


def final_count(position: Position, *, seed: int = 0) -> Count:
    if not position.game.counts_points:
        raise EightfoldError(f"cannot score: {position.game.text} has no points")
    game = position.game
    all_live = not game.has_dead_stones or game.values.get("rules") == "tromp-taylor"
    dead = [] if all_live else dead_groups(position, seed=seed)
    return count(position, dead=[group[0] for group in dead])


def final_score(position: Position, *, seed: int = 0) -> str:
    """`B+3.5`, `W+0.5` or `0`."""
    text = result_text(final_count(position, seed=seed).margin)
    return "0" if text == "Draw" else text


def final_status_list(position: Position, status: str, *, seed: int = 0) -> str:
    """The stones or points of a status, a group in a line."""
    if status.lower() not in STATUSES:
        raise unknown("status", status[:SHOWN], STATUSES)
    counted = final_count(position, seed=seed)
    owners = counted.owners.ravel()
    if status.lower().endswith("territory"):
        colour = BLACK if status.lower().startswith("black") else WHITE
        living = position.stones.ravel() == colour
        points = np.flatnonzero((owners == colour) & ~living).tolist()
        return " ".join(write_vertex(point, position.game) for point in points)
    wanted = [group for group in groups(position) if status_of(group, position, counted) == status.lower()]
    return "\n".join(" ".join(write_vertex(point, position.game) for point in group) for group in wanted)


def status_of(group: list[int], position: Position, counted: Count) -> str:
    """Dead, alive, or in seki: a living group that touches no territory of its own."""
    if group[0] in counted.dead:
        return "dead"
    stones, owners = position.stones.ravel(), counted.owners.ravel()
    colour = int(stones[group[0]])
    beside = {point for member in group for point in neighbours(member, position.game.size)} - set(group)
    open_points = [point for point in beside if stones[point] == 0 or point in counted.dead]
    return "alive" if any(owners[point] == colour for point in open_points) else "seki"
