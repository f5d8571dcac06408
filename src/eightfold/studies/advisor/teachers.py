"""A teacher's games, and networks that learned from them alone, as parts of a study."""

from __future__ import annotations

import shutil
import time
from typing import Any

from eightfold.games.game import make_game
from eightfold.learning.advisor.folder import AdviceFolder
from eightfold.learning.advisor.teacher import Teacher
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.config import advisor_change
from eightfold.learning.data.record import PlayedGame
from eightfold.studies.advisor.training import run_config
from eightfold.studies.frame import Part
from eightfold.studies.runs import TimedRun

LEARNED = "learned"  # the name of the network after the last pass


def teach(part: Part, *, game: str, player: str, games: int, seed: int) -> dict[str, Any]:
    """A part: games of a teacher, as `eightfold advise` plays them."""
    shutil.rmtree(part.folder, ignore_errors=True)  # of a launch that was stopped; its time was not kept
    the_game, teaching = make_game(game, trusted=True), Teaching(player=player, seed=seed)
    with Teacher(the_game, teaching) as teacher:
        teacher.play([0], on_game=lambda number, played: None)  # compiles; nobody is charged with that
    positions, began = [0], time.process_time()
    with AdviceFolder(part.folder, the_game, teaching) as folder, Teacher(the_game, teaching) as teacher:

        def add(number: int, played: PlayedGame) -> None:
            folder.add(number, played)
            positions[0] += len(played.plies)
            part.progress(len(folder.advice.games) / games)

        teacher.play(range(games), on_game=add)
    return {"place": part.place, "positions": positions[0], "seconds": time.process_time() - began}


def learn_from(
    part: Part,
    *,
    advice: str,
    game: str,
    games: int,
    targets: str,
    seed: int,
    network: str,
    encoder: str,
    epochs: int,
    device: str,
) -> dict[str, Any]:
    """A part: a network that learns from the first `games` games of a teacher, and never plays itself."""
    config = run_config(
        f"game={game}",
        f"network={network}",
        f"encoder={encoder}",
        f"seed={seed}",
        f"device={device}",
        advisor_change(part.output / advice),
        f"advisor.games={games}",
        f"advisor.targets={targets}",
        f"advisor.epochs={epochs}",
    )
    arm = TimedRun(config, part.folder)
    try:
        progress = arm.run.progress
        while not progress.advised:
            part.progress(arm.step()["advisor_epoch"] / epochs)
        kept = arm.keep(LEARNED)
    finally:
        arm.close()
    told = {name: kept[name] for name in ("steps", "seconds", "policy_loss", "value_loss")}
    return {"place": part.place, "name": LEARNED, "samples": progress.from_advisor // epochs, **told}
