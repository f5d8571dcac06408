"""Document 003 measured again: does an Internal Symmetry Network get stronger by TD(λ) self-play, and how strong?

    a run of `eightfold train-isn`  ->  round robin over its snapshots (figure 1)  ->  the best of them
    -> against `random`, `mcts` and GNU Go without look-ahead; with alpha-beta; on 19x19 with the weights of 9x9
    -> variants trained with equally many games: the document's rejected ones, recurrent links, the hill-climb

Every stage leaves its numbers in `results.json` in the output folder and is not done again while they are there; the
report (`isn_report.py`) is written from them after each. The document found a noisy but rising percentage of wins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console

from eightfold import __version__
from eightfold.arena.match import play_game, play_match
from eightfold.arena.players import make_player
from eightfold.arena.ratings import wilson_interval
from eightfold.config import load_config_of, with_changes
from eightfold.errors import EightfoldError
from eightfold.experiments.gnugo import gnugo_player, gnugo_program
from eightfold.experiments.isn_report import write_report
from eightfold.games.game import make_game
from eightfold.learning.run import read_metrics
from eightfold.learning.td_config import TdConfig
from eightfold.learning.td_run import read_progress
from eightfold.nets.checkpoint import replace_file
from eightfold.nets.isn_match import play_pairs
from eightfold.nets.isn_place import load_go_isn, snapshots_of
from eightfold.nets.isn_tables import IsnTables, playing_tables
from eightfold.search.result import close_player

TOURNAMENT = "go:size=9,komi=3.5,rules=chinese"
LARGE = "go:size=19,komi=3.5,rules=chinese"
BETA = 20.0
MOST_SNAPSHOTS = 44  # as many as the document has: 0 to 860K in steps of 20K
OPPONENTS = ("random", "mcts:playouts=30", "mcts:playouts=100", "mcts:playouts=300", "mcts:playouts=1000")
GNU_GO = "GNU Go, level 1"
LARGE_OPPONENTS = ("random", "mcts:playouts=30")
# What is changed of the run's settings.
VARIANTS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "document's rate": ("learning_rate=5e-6", "final_share=1.0"),
    "higher rate": ("learning_rate=5e-5",),
    "one output": ("units.outputs=1", "classes=count"),
    "liberty counts": ("classes=count",),
    "recurrent": ("units.recurrent=1",),
    "hill-climb": ("climb.every=160", "climb.games=30"),
}


@dataclass(frozen=True, kw_only=True)
class IsnExperiment:
    run: Path
    output: Path
    games: int = 10  # a pair of snapshots
    match_games: int = 40  # against each opponent
    large_games: int = 10  # on 19x19
    variant_games: int = 6000  # training games of each variant; 0: none
    seed: int = 0
    game: str = TOURNAMENT
    large_game: str = LARGE
    opponents: tuple[str, ...] = OPPONENTS

    @property
    def results_path(self) -> Path:
        return self.output / "results.json"


def run(experiment: IsnExperiment) -> dict[str, Any]:
    """All stages that have no numbers yet; the numbers."""
    console = Console(stderr=True, highlight=False)
    if not snapshots_of(experiment.run):
        raise EightfoldError(f"{experiment.run} holds no snapshots; train one with `eightfold train-isn`")
    try:
        experiment.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EightfoldError(f"cannot make the folder {experiment.output}: {error.strerror}") from None
    results = _results_so_far(experiment.results_path)
    stages: dict[str, Callable[[IsnExperiment, dict[str, Any]], Any]] = {
        "training": _training,
        "round_robin": _round_robin,
        "opponents": _opponents,
        "look_ahead": _look_ahead,
        "large": _large,
        "variants": _variants,
    }
    for name, stage in stages.items():
        if name in results:
            continue
        console.print(f"experiment isn: {name.replace('_', ' ')} ...")
        numbers = stage(experiment, results)
        if numbers is None:
            continue
        results[name] = numbers
        _save(experiment, results)
        write_report(results, experiment.output)
    write_report(results, experiment.output)
    return results


def _results_so_far(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        results = None
    if not isinstance(results, dict):
        raise EightfoldError(f"{path} does not hold this experiment's numbers; choose another output folder")
    return results


def _save(experiment: IsnExperiment, results: dict[str, Any]) -> None:
    replace_file(experiment.results_path, (json.dumps(results, indent=1) + "\n").encode())


# ---- stages ---------------------------------------------------------------------------------------------


def _training(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any]:
    """What the run was, from its own settings and metrics."""
    config = load_config_of(TdConfig(), experiment.run / "config.toml")
    progress, notes = read_progress(experiment.run), read_metrics(experiment.run)
    if progress is None or not progress.games or not notes:
        raise EightfoldError(f"{experiment.run} has not trained long enough to tell of it; go on with it first")
    entries = [entry for entry in notes if not entry["linear"]] or notes
    fastest = max(entries, key=lambda entry: float(entry["games_per_s"]))
    return {
        "version": __version__,
        # Where it was trained, by its own notes; a run may have gone on elsewhere. Older runs noted nothing.
        "machines": list(dict.fromkeys(entry["machine"] for entry in notes if "machine" in entry)),
        "game": config.game,
        "games": progress.games,
        "minutes": progress.seconds / 60,
        "linear_games": config.linear_games,
        "games_an_update": config.games_an_update,
        "learning_rate": config.learning_rate,
        "final_share": config.final_share,
        "decay": config.decay,
        "trace": config.trace,
        "beta": config.beta,
        "c": config.c,
        "s": config.s,
        "seed": config.seed,
        "moves_a_game": progress.moves / progress.games,
        "fastest": {key: fastest.get(key) for key in ("games_per_s", "moves_a_game", "candidates_per_s", "machine")},
        "loss": [[entry["games"], entry["loss"]] for entry in entries],
    }


def _round_robin(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any]:
    chosen = _thinned(snapshots_of(experiment.run))
    scores, moves = _tournament(
        [_tables(path) for path in chosen.values()], experiment.game, experiment.games, experiment.seed
    )
    return {
        "game": experiment.game,
        "games_a_pair": experiment.games,
        "beta": BETA,
        "moves_a_game": moves,
        "snapshots": [{"games": games, **score} for games, score in zip(chosen, scores, strict=True)],
    }


def _opponents(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any]:
    """The best snapshot without look-ahead against others."""
    best = _best(experiment, results)
    games = experiment.match_games
    found = [
        _match(experiment, results, experiment.game, f"isn:{best}", opponent, games)
        for opponent in experiment.opponents
    ]
    if gnugo_program() is not None:
        found.append(_match(experiment, results, experiment.game, f"isn:{best}", GNU_GO, games))
    return {"game": experiment.game, "snapshot": int(best.stem), "matches": found}


def _look_ahead(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any]:
    """Alpha-beta over the same network, to depth 5 and less."""
    best, games = _best(experiment, results), max(2, experiment.match_games // 2)
    found = []
    for depth in (2, 3, 5):
        player = f"isn:{best},depth={depth},width=6"
        found.append(_match(experiment, results, experiment.game, player, f"isn:{best}", games, openings=4))
    player = f"isn:{best},depth=5,width=6"
    found.append(_match(experiment, results, experiment.game, player, "mcts:playouts=300", games))
    if gnugo_program() is not None:
        found.append(_match(experiment, results, experiment.game, player, GNU_GO, games))
    return {"game": experiment.game, "snapshot": int(best.stem), "matches": found}


def _large(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any]:
    """The weights of 9x9 on 19x19: do later snapshots beat earlier ones there too, and what else do they beat?"""
    snapshots, games = snapshots_of(experiment.run), experiment.large_games
    best, places = _best(experiment, results), list(snapshots)
    few = sorted({places[0], places[len(places) // 4], places[len(places) // 2], places[-1], int(best.stem)})
    scores, moves = _tournament(
        [_tables(snapshots[each]) for each in few], experiment.large_game, games, experiment.seed
    )
    found = [
        _match(experiment, results, experiment.large_game, f"isn:{best}", opponent, games)
        for opponent in LARGE_OPPONENTS
    ]
    if gnugo_program() is not None:
        found.append(_match(experiment, results, experiment.large_game, f"isn:{best}", GNU_GO, games))
    return {
        "game": experiment.large_game,
        "snapshot": int(best.stem),
        "games_a_pair": games,
        "moves_a_game": moves,
        "snapshots": [{"games": each, **score} for each, score in zip(few, scores, strict=True)],
        "matches": found,
    }


def _variants(experiment: IsnExperiment, results: dict[str, Any]) -> dict[str, Any] | None:
    """Variants with equally many training games, in one round robin over all their snapshots."""
    from eightfold.learning.td import TdTraining

    games = experiment.variant_games
    if games == 0:
        return None
    facts: dict[str, dict[str, Any]] = {}
    entrants: list[tuple[str, int, IsnTables]] = []
    for name, changes in VARIANTS.items():
        config = variant_config(experiment, changes)
        folder = experiment.run.parent / f"{experiment.run.name}-variants" / re.sub(r"\W+", "-", name)
        training = TdTraining(config, folder)
        try:
            training.train()
        finally:
            training.close()
        progress = training.trainer.progress
        facts[name] = {
            "changes": list(changes),
            "seconds": progress.seconds,
            "moves_a_game": progress.moves / progress.games,
            "contests": progress.contests,
            "accepted": progress.accepted,
            "contest_games": progress.contests * config.climb.games,
        }
        later = [(at, path) for at, path in snapshots_of(folder).items() if at >= games // 2]
        entrants += [(name, at, _tables(path)) for at, path in later]
    scores, _ = _tournament([tables for _, _, tables in entrants], experiment.game, experiment.games, experiment.seed)
    for name, of in facts.items():
        of["snapshots"] = [
            {"games": at, **score} for (who, at, _), score in zip(entrants, scores, strict=True) if who == name
        ]
    return {"games": games, "games_a_pair": experiment.games, "variants": facts}


def variant_config(experiment: IsnExperiment, changes: Sequence[str]) -> TdConfig:
    """The run's settings with so many games, and what makes the variant."""
    settings, games = load_config_of(TdConfig(), experiment.run / "config.toml"), experiment.variant_games
    keep = ("start=", "minutes=0", f"games={games}", f"linear_games={games // 10}", f"snapshot_every={games // 10}")
    return with_changes(settings, [*keep, *changes])


# ---- parts of stages --------------------------------------------------------------------------------------


def _thinned(snapshots: dict[int, Path]) -> dict[int, Path]:
    """At most so many of them, evenly, the last always among them."""
    every = -(-len(snapshots) // MOST_SNAPSHOTS)
    names = list(snapshots)
    kept = {*names[::every], names[-1]}
    return {games: path for games, path in snapshots.items() if games in kept}


def _tables(path: Path) -> IsnTables:
    network, by_count = load_go_isn(path)
    return playing_tables(network, by_count=by_count)


def _tournament(networks: Sequence[IsnTables], game: str, games: int, seed: int) -> tuple[list[dict[str, Any]], float]:
    """Everybody against everybody: each one's score with its interval, and the moves of a game."""
    pairs = list(combinations(range(len(networks)), 2))
    results = play_pairs(make_game(game), networks, pairs, games=games, beta=BETA, seed=seed)
    points, played = [0.0] * len(networks), [0] * len(networks)
    for (one, two), result in zip(pairs, results, strict=True):
        points[one] += result.points
        points[two] += result.games - result.points
        played[one] += result.games
        played[two] += result.games
    scores = []
    for mine, number in zip(points, played, strict=True):
        score = mine / number if number else 0.0
        scores.append({"score": score, "ci95": list(wilson_interval(score, number)), "played": number})
    moves = sum(int(result.moves.sum()) for result in results)
    return scores, moves / max(1, sum(result.games for result in results))


def _best(experiment: IsnExperiment, results: dict[str, Any]) -> Path:
    """The snapshot with the most wins in the round robin."""
    best = max(results["round_robin"]["snapshots"], key=lambda entry: entry["score"])
    return snapshots_of(experiment.run)[best["games"]]


def _match(
    experiment: IsnExperiment,
    results: dict[str, Any],
    game: str,
    player: str,
    opponent: str,
    games: int,
    *,
    openings: int = 0,
) -> dict[str, Any]:
    """One match, or what was found when it was played before: a match may take long, and is kept at once."""
    kept: dict[str, Any] = results.setdefault("matches", {})
    key = f"{game} {Path(player).name} - {Path(opponent).name}, {games} games"
    if key not in kept:
        if opponent == GNU_GO:
            kept[key] = _gnugo_match(game, player, games, experiment.seed)
        else:
            report = play_match(
                make_game(game), player, opponent, games=games, seed=experiment.seed, opening_plies=openings
            )
            kept[key] = {
                "player": _options(player),
                "opponent": _options(opponent),
                "seconds_per_move": report.seconds_per_move[0],
                **report.total.as_dict(),
            }
        _save(experiment, results)
    found: dict[str, Any] = kept[key]
    return found


def _gnugo_match(game: str, player: str, games: int, seed: int) -> dict[str, Any]:
    """Against GNU Go at level 1, colours alternating."""
    the_game = make_game(game)
    ours, opponent = (make_player(text, the_game, seed=seed) for text in (player, gnugo_player(level=1, seed=seed)))
    points, margin = 0.0, 0.0
    seconds: list[float] = []
    try:
        for number in range(games):
            result = play_game(
                the_game.start(), (ours, opponent), (player, GNU_GO), first_named_is_black=number % 2 == 0
            )
            points += result.points
            margin += (result.position.margin or 0.0) * (1 if number % 2 == 0 else -1)
            seconds += result.seconds[number % 2 :: 2]
    finally:
        close_player(opponent)
    score = points / games
    return {
        "player": _options(player),
        "opponent": GNU_GO,
        "games": games,
        "score": score,
        "ci95": list(wilson_interval(score, games)),
        "lead": margin / games,
        "seconds_per_move": sum(seconds) / max(1, len(seconds)),
    }


def _options(player: str) -> str:
    """A player without the place of its network."""
    name, _, rest = player.partition(":")
    if name != "isn":
        return player
    options = rest.partition(",")[2]
    return f"isn with {options}" if options else "isn, no look-ahead"
