"""What the study `isn` measures, stage by stage; `eightfold.studies.isn` says in which order and for which settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.config import load_config, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.signals import stopped_by_signals
from eightfold.isn.store import snapshots_of
from eightfold.learning.runs.folder import CONFIG, PROGRESS
from eightfold.learning.runs.metrics import METRICS, read_metrics
from eightfold.learning.td.checkpointing import read_progress
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTraining
from eightfold.studies.frame import Part, Work
from eightfold.studies.gnugo import GNU_GO, gnugo_player, gnugo_program
from eightfold.studies.grid import grid
from eightfold.studies.matches import isn_round_robin, listed, match_row

ITSELF = "itself"
OPENING_PLIES = 4  # against itself and rivals, who may always play alike, so that not all games are the same
# What is changed of the run's settings.
VARIANTS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "Blair's rate": ("learning_rate=5e-6", "final_share=1.0"),
    "higher rate": ("learning_rate=5e-5",),
    "one output": ("units.outputs=1", "classes=count"),
    "liberty counts": ("classes=count",),
    "recurrent": ("units.recurrent=1",),
    "hill-climb": ("climb.every=160", "climb.games=30"),
}


# ---- the run ------------------------------------------------------------------------------------------------


def identify(run: Path) -> Any:
    """Which run this is, also after it went on: its settings but for their length, and the weights it began with."""
    if not snapshots_of(run):
        raise EightfoldError(f"{run} holds no snapshots; train one with `eightfold train-isn`")
    settings = asdict(load_config(TdConfig(), run / CONFIG))
    return [{**settings, "games": 0, "minutes": 0}, next(iter(snapshots_of(run).values()))]


def training_files(work: Work) -> Any:
    """What tells of a run that was trained elsewhere."""
    files = [work.run / name for name in (CONFIG, PROGRESS, METRICS)] if work.run else []
    if not all(file.is_file() for file in files):
        raise EightfoldError(f"{work.run} has too few metrics to report; train it longer")
    return files


def training(work: Work) -> dict[str, Any]:
    """What the run was, from its own settings and metrics; it is trained first where none was named."""
    place = "" if work.run else work.part(train, config=work.settings.training)["place"]
    run = work.run or work.output / place
    config, progress, notes = load_config(TdConfig(), run / CONFIG), read_progress(run), read_metrics(run)
    if progress is None or not progress.games or not notes:
        raise EightfoldError(f"{run} has too few metrics to report; train it longer")
    entries = [entry for entry in notes if not entry["linear"]] or notes
    fastest = max(entries, key=lambda entry: float(entry["games_per_s"]))
    told = (
        "game",
        "linear_games",
        "games_an_update",
        "learning_rate",
        "final_share",
        "decay",
        "trace",
        "beta",
        "c",
        "s",
    )
    return {
        "version": __version__,
        "place": place,
        # Where it was trained, by its own notes; a run may have gone on elsewhere. Older runs noted nothing.
        "machines": list(dict.fromkeys(entry["machine"] for entry in notes if "machine" in entry)),
        "games": progress.games,
        "minutes": progress.seconds / 60,
        **{name: getattr(config, name) for name in told},
        "seed": config.seed,
        "moves_a_game": progress.moves / progress.games,
        "fastest": {key: fastest.get(key) for key in ("games_per_s", "moves_a_game", "candidates_per_s", "machine")},
        "loss": [[entry["games"], entry["loss"]] for entry in entries],
    }


def train(part: Part, *, config: TdConfig) -> dict[str, Any]:
    """A run in the part's folder, or the rest of it. Ctrl-C ends it after the games at hand, and they are saved."""
    run = TdTraining(config, part.folder)
    try:
        with stopped_by_signals(run.stop):
            run.train(lambda entry: part.progress(run.done))
    finally:
        run.close()
    if run.done < 1:
        raise KeyboardInterrupt
    progress = run.progress
    return {
        "place": part.place,
        "seconds": progress.seconds,
        "moves_a_game": progress.moves / progress.games,
        "contests": progress.contests,
        "accepted": progress.accepted,
        "contest_games": progress.contests * config.climb.games,
    }


def _run(work: Work) -> Path:
    return work.run or work.output / work.results["training"]["place"]


def _snapshots(work: Work) -> dict[int, Path]:
    found = snapshots_of(_run(work))
    if not found:
        raise EightfoldError(f"{_run(work)} holds no snapshots; they are needed to measure more")
    return found


# ---- tournaments and matches --------------------------------------------------------------------------------


def snapshot_files(work: Work) -> Any:
    return list(_snapshots(work).values()) if work.run else None


def programs(work: Work) -> Any:
    return {"gnugo": gnugo_program() is not None}


def round_robin(work: Work) -> dict[str, Any]:
    settings, chosen = work.settings, _thinned(_snapshots(work), work.settings.snapshots)
    scores, moves = isn_round_robin(
        work,
        list(chosen.values()),
        game=settings.game,
        games=settings.games,
        beta=settings.beta,
        seed=settings.seed,
    )
    return {
        "game": settings.game,
        "games_a_pair": settings.games,
        "beta": settings.beta,
        "moves_a_game": moves,
        "snapshots": [{"games": games, **score} for games, score in zip(chosen, scores, strict=True)],
    }


def opponents(work: Work) -> dict[str, Any]:
    """The best snapshot without look-ahead against others."""
    settings = work.settings
    cases = [_case(opponent) for opponent in _others(settings.playouts)]
    rivals = listed(settings.rivals)
    cases += [_case(rival, opening_plies=OPENING_PLIES) for rival in rivals]
    return {"rivals": rivals, **_matches(work, settings.game, settings.match_games, cases)}


def look_ahead(work: Work) -> dict[str, Any]:
    """Alpha-beta over the same network, against itself without, and the deepest against others."""
    settings = work.settings
    options = [f",depth={depth},width={settings.width}" for depth in settings.depths]
    cases = [_case(ITSELF, each, opening_plies=OPENING_PLIES) for each in options]
    others = ("mcts:style=plain,playouts=300", *_gnugo())
    cases += [_case(opponent, options[-1]) for opponent in others]
    return _matches(work, settings.game, max(2, settings.match_games // 2), cases)


def large(work: Work) -> dict[str, Any]:
    """The weights of 9x9 on 19x19: do later snapshots beat earlier ones there too, and what else do they beat?"""
    settings, snapshots, games = work.settings, _snapshots(work), work.settings.large_games
    places = list(snapshots)
    few = sorted({places[0], places[len(places) // 4], places[len(places) // 2], places[-1], _best(work)})
    scores, moves = isn_round_robin(
        work,
        [snapshots[at] for at in few],
        game=settings.large_game,
        games=games,
        beta=settings.beta,
        seed=settings.seed,
    )
    cases = [_case(opponent) for opponent in _others(settings.large_playouts)]
    return {
        **_matches(work, settings.large_game, games, cases),
        "games_a_pair": games,
        "moves_a_game": moves,
        "snapshots": [{"games": at, **score} for at, score in zip(few, scores, strict=True)],
    }


def _case(opponent: str, options: str = "", *, opening_plies: int = 0) -> dict[str, Any]:
    return {"options": options, "opponent": opponent, "opening_plies": opening_plies}


def _matches(work: Work, game: str, games: int, cases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The best snapshot, with these options of the player `isn`, against an opponent each."""
    best = _best(work)
    same = {"network": _snapshots(work)[best], "game": game, "games": games, "seed": work.settings.seed}
    found = work.parts(play, [{**case, **same} for case in cases])
    return {"game": game, "snapshot": best, "matches": found}


def play(
    part: Part, *, network: Path, options: str, opponent: str, opening_plies: int, game: str, games: int, seed: int
) -> dict[str, Any]:
    others = {ITSELF: f"isn:{network}", GNU_GO: gnugo_player(level=1, seed=seed) if opponent == GNU_GO else ""}
    row = match_row(
        game,
        f"isn:{network}{options}",
        others.get(opponent, opponent),
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        progress=part.progress,
        play=part.play,
    )
    alone = "isn, no look-ahead"
    player = f"isn with {options.removeprefix(',')}" if options else alone
    return {"player": player, "opponent": alone if opponent == ITSELF else opponent, **row}


def _others(playouts: Sequence[int]) -> list[str]:
    return ["random", *(f"mcts:style=plain,playouts={count}" for count in playouts), *_gnugo()]


def _gnugo() -> list[str]:
    return [GNU_GO] if gnugo_program() is not None else []


def _thinned(snapshots: dict[int, Path], most: int) -> dict[int, Path]:
    """At most so many of them, evenly, the last always among them."""
    every = -(-len(snapshots) // most)
    kept = {*list(snapshots)[::-1][::every]}
    return {games: path for games, path in snapshots.items() if games in kept}


def _best(work: Work) -> int:
    """The snapshot with the most wins in the round robin, by its games."""
    return int(max(work.results["round_robin"]["snapshots"], key=lambda entry: entry["score"])["games"])


# ---- variants -----------------------------------------------------------------------------------------------


def variants(work: Work) -> dict[str, Any] | None:
    """Variants with equally many training games, in one round robin over all their later snapshots."""
    settings, games = work.settings, work.settings.variant_games
    if games == 0:
        return None
    base = load_config(TdConfig(), _run(work) / CONFIG)
    cases = grid({"variant": VARIANTS, "seed": range(base.seed, base.seed + settings.variant_seeds)})
    every = max(1, games // settings.variant_snapshots)
    configs = [
        variant_config(
            base, (f"games={games}", f"snapshot_every={every}", f"seed={case['seed']}", *VARIANTS[case["variant"]])
        )
        for case in cases
    ]
    labels = [f"{case['variant']}, seed {case['seed']}" for case in cases]
    trained = work.parts(train, [{"config": config} for config in configs], labels)
    entrants = [
        (number, at, path)
        for number, run in enumerate(trained)
        for at, path in snapshots_of(work.output / run["place"]).items()
        if at >= games // 2
    ]
    scores, _ = isn_round_robin(
        work,
        [path for _, _, path in entrants],
        game=settings.game,
        games=settings.games,
        beta=settings.beta,
        seed=settings.seed,
    )
    found: dict[str, Any] = {name: {"changes": list(changes), "runs": []} for name, changes in VARIANTS.items()}
    for number, (case, run) in enumerate(zip(cases, trained, strict=True)):
        own = [{"games": e[1], **score} for e, score in zip(entrants, scores, strict=True) if e[0] == number]
        facts = {name: value for name, value in run.items() if name != "place"}
        found[case["variant"]]["runs"].append({"seed": case["seed"], **facts, "snapshots": own})
    return {"games": games, "games_a_pair": settings.games, "variants": found}


def variant_config(base: TdConfig, changes: Sequence[str]) -> TdConfig:
    """A run's settings with other games and what makes the variant; a tenth of its games train the shortcut alone."""
    changed = with_changes(base, ("start=", "minutes=0", *changes))
    return replace(changed, linear_games=changed.games // 10)
