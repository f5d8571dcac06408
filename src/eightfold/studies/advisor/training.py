"""What the studies of advisors share: the settings of their runs, and matches of their networks, added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eightfold.arena.players import read_player
from eightfold.arena.ratings import score_interval
from eightfold.config import load_preset, with_changes
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.nets.networks import read_network
from eightfold.studies.frame import Part
from eightfold.studies.matches import match_row
from eightfold.studies.runs import network_place

MANY = 1_000_000_000
# The study says when a run ends. What Zhao & Zhang do not have is left out: proofs, cheap searches, random stones.
PLAIN = (
    "minutes=0",
    "evaluation.every_minutes=0",
    "training.decay=none",
    "selfplay.proof_nodes=0",
    "selfplay.full_share=1",
    "selfplay.fast_playouts=0",
    "selfplay.contempt=0",
)


def check_names(game: str, *, players: Sequence[str], network: str) -> None:
    """An error now, and not after the teacher's games, for a game, a player or a network that there is not."""
    make_game(game, trusted=True)
    for player in players:
        read_player(player)
    read_network(network)


def run_config(*changes: str) -> TrainConfig:
    """The preset `quick` without what the study is not about, changed."""
    return with_changes(load_preset(TrainConfig(), "quick"), [*PLAIN, *changes])


def play(
    part: Part,
    *,
    place: str,
    name: str,
    options: str,
    opponent: str,
    game: str,
    games: int,
    opening_plies: int,
    seed: int,
) -> dict[str, Any]:
    """A part: a network that was kept against an opponent, both colours."""
    return match_row(
        game,
        f"net:{network_place(part.output, place, name)},{options}",
        opponent,
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        progress=part.progress,
        play=part.play,
    )


def pooled(rows: Iterable[Mapping[str, Any]], *, by: Sequence[str]) -> list[dict[str, Any]]:
    """Matches that agree in `by`, their games added up: score, 95 % interval, and the scores of single seeds."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    found = []
    for group, members in groups.items():
        wins, draws, losses = (sum(row[name] for row in members) for name in ("wins", "draws", "losses"))
        low, high = score_interval(wins, draws, losses)
        scores = [row["score"] for row in members]
        found.append(
            {
                **dict(zip(by, group, strict=True)),
                "games": wins + draws + losses,
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "score": (wins + draws / 2) / (wins + draws + losses),
                "low": low,
                "high": high,
                "seeds": len(scores),
                "lowest": min(scores),
                "highest": max(scores),
            }
        )
    return found


def verdict(holds: bool, fails: bool) -> str:
    """Of a published claim."""
    return "holds here" if holds else "does not hold here" if fails else "cannot be told from these games"
