"""What the studies of advisors share: runs trained a round at a time, and matches of their networks, added up."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eightfold.arena.ratings import score_interval
from eightfold.config import load_preset, with_changes
from eightfold.learning.config import TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.runs.folder import CONFIG, GAMES
from eightfold.learning.runs.torch_globals import with_half_of_the_cores
from eightfold.studies.frame import Part
from eightfold.studies.matches import match_row

MANY = 1_000_000_000
SNAPSHOTS = "snapshots"
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


def run_config(*changes: str) -> TrainConfig:
    """The preset `quick` without what the study is not about, changed."""
    return with_changes(load_preset(TrainConfig(), "quick"), [*PLAIN, *changes])


class Arm:
    """A run that is trained a round at a time, with the processor time that it has used."""

    def __init__(self, config: TrainConfig, folder: Path, *, spent: float = 0.0) -> None:
        """`spent`: seconds that were needed before it could begin."""
        shutil.rmtree(folder, ignore_errors=True)  # what a stopped part left; its time was not kept
        begun = time.process_time()
        self.run, self._folder = Training(config, folder), folder
        self.run.prepare()
        self.seconds = spent + time.process_time() - begun
        self._losses: dict[str, float] = {}

    def step(self) -> dict[str, Any]:
        """One round; what the run says of it."""
        begun = time.process_time()
        with with_half_of_the_cores():
            entry = self.run.train_round()
        self.seconds += time.process_time() - begun
        self.run.folder.log(entry)
        self._losses = {name: entry[name] for name in ("policy_loss", "value_loss") if name in entry}
        return entry

    def keep(self, name: str) -> dict[str, Any]:
        """Keep the present network under a name; what is known of this moment."""
        self.run.save()
        shutil.copytree(self._folder / self.run.layout.checkpoint, self._folder / SNAPSHOTS / name)
        progress, health = self.run.progress, self.run.monitor
        figures = health.figures()
        return {
            "games": progress.games,
            "samples": progress.samples,
            "steps": progress.steps,
            "seconds": self.seconds,
            **self._losses,
            "game_length": figures.get("game_length"),
            "distinct_games": figures.get("distinct_games"),
            "warnings": health.warnings(),
        }

    def close(self) -> None:
        """End the run; of its folder the networks, the games, the metrics and the settings stay."""
        self.run.close()
        kept = (SNAPSHOTS, GAMES, CONFIG, "metrics.jsonl")
        for path in self._folder.iterdir():
            if path.name in kept:
                continue
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def warm_up(config: TrainConfig, folder: Path) -> None:
    """Compile what a run needs, so that no arm pays for it."""
    few = ("selfplay.parallel_games=2", "selfplay.playouts=2", "training.games_a_round=1", "training.batch_size=2")
    arm = Arm(with_changes(config, few), folder)
    try:
        for _ in range(2):
            arm.step()
    finally:
        arm.run.close()
        shutil.rmtree(folder, ignore_errors=True)


def network(output: Path, place: str, name: str) -> Path:
    return output / place / SNAPSHOTS / name


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
        f"net:{network(part.output, place, name)},{options}",
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
