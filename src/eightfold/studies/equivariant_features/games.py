"""The positions that all networks learn from, and those on which they are judged: games of a strong network.

It plays against itself as in training (`learning/selfplay.py`); a position's targets are what its search found and how
the game ended. Of the games to judge by, positions that are also among those to learn from, in any turn, are left out.
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from eightfold.core.files import replace_file
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.data.record import PlayedGame, batch_of
from eightfold.learning.data.sample import Batch
from eightfold.learning.selfplay import SelfPlay
from eightfold.studies.equivariant_features.settings import open_player
from eightfold.studies.frame import Part, Work
from eightfold.symmetry.slap import slap_batch

SAMPLES, COLUMNS = "samples.safetensors", ("states", "policies", "values")
AT_ONCE = 64  # games
DRAWN = SelfPlayConfig().value_mix  # a value target of a drawn game is no further from 0


def weights(work: Work) -> list[Path]:
    """The stage depends on the player's files."""
    _, network = open_player(work.settings.game, work.settings.player)
    return network.files(network.file)


def games(work: Work) -> dict[str, Any]:
    settings = work.settings
    facts = {
        "game": settings.game,
        "player": settings.player,
        "files": weights(work),
        "games": settings.games,
        "judged": settings.judged_games,
        "playouts": settings.playouts,
        "seed": settings.game_seed,
    }
    named = {name: fact for name, fact in facts.items() if name != "files"}
    found = work.part(play, **facts)
    learned, _ = read_samples(work.output / found["place"])
    return {**named, **found, "decided": float((np.abs(learned.values) > DRAWN).mean())}


def play(
    part: Part, *, game: str, player: str, files: list[Path], games: int, judged: int, playouts: int, seed: int
) -> dict[str, Any]:
    """A part: the games, and their samples in a file. The player's `files` are there for the key."""
    the_game, network = open_player(game, player)
    playing, random = network.description.play_settings(), np.random.default_rng(seed)
    settings = SelfPlayConfig(
        parallel_games=min(AT_ONCE, games + judged),
        playouts=playouts,
        exploration=playing.exploration,
        fpu_reduction=playing.fpu_reduction,
        proof_nodes=playing.proof_nodes,
    )
    began = time.process_time()
    selfplay = SelfPlay(the_game, network.evaluator(random=random), settings=settings, random=random, seed=seed)
    wanted = games + judged
    played: list[PlayedGame] = []
    while len(played) < wanted:
        played += selfplay.play(1)
        part.progress(len(played) / wanted)
    spent = time.process_time() - began
    order = random.permutation(len(played))  # short games end first, and would all be learned from
    sets = []
    for numbers in (order[:games], order[games:wanted]):
        chosen = [played[number] for number in numbers]
        states = [each.replay_states(the_game) for each in chosen]
        batch = batch_of(chosen, states, the_game, encoder=network.description.encoder, value_mix=settings.value_mix)
        sets.append(batch)
    learned, other = sets
    fresh = _not_among(other, learned, the_game.symmetries)
    data = _packed(learned=learned, judged=other.part(fresh))
    part.folder.mkdir(parents=True, exist_ok=True)
    replace_file(part.folder / SAMPLES, data)
    return {
        "place": part.place,
        "digest": hashlib.sha256(data).hexdigest()[:16],
        "positions": len(learned),
        "judged_positions": len(fresh),
        "left_out": len(other) - len(fresh),
        "seconds": spent,
    }


def read_samples(folder: Path) -> tuple[Batch, Batch]:
    """The samples to learn from, and those to judge by."""
    kept = load((folder / SAMPLES).read_bytes())
    learned, judged = (Batch(*(kept[f"{name}.{column}"] for column in COLUMNS)) for name in ("learned", "judged"))
    return learned, judged


def _packed(**sets: Batch) -> bytes:
    return save({f"{name}.{column}": getattr(batch, column) for name, batch in sets.items() for column in COLUMNS})


def _not_among(batch: Batch, others: Batch, symmetries: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The numbers of the samples whose position is in no turn one of the others'."""
    own, known = (slap_batch(each.states, symmetries)[0] for each in (batch, others))
    seen = {state.tobytes() for state in np.ascontiguousarray(known)}
    return np.array([n for n, state in enumerate(np.ascontiguousarray(own)) if state.tobytes() not in seen], np.int64)
