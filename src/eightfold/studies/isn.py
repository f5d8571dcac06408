"""Document 003 measured again: does an Internal Symmetry Network get stronger by TD(λ) self-play, and how strong?

    a run of `eightfold train-isn`  ->  round robin over its snapshots (figure 1)  ->  the best of them
    -> against `random`, `mcts` and GNU Go without look-ahead; with alpha-beta; on 19x19 with the weights of 9x9
    -> variants trained with equally many games: the document's rejected ones, recurrent links, the hill-climb

Every stage leaves its numbers in `results.json` in the output folder and is not done again for the same weights and
settings (`kept.py`); the report (`isn_report.py`) is written from them after each. The document found a noisy
but rising percentage of wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from eightfold import __version__
from eightfold.arena.match import play_match, round_robin
from eightfold.config import load_config, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.isn.place import load_go_isn, snapshots_of
from eightfold.isn.player import IsnOptions, IsnPlayer
from eightfold.isn.tables import IsnTables, playing_tables
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.td.checkpointing import read_progress
from eightfold.learning.td.config import TdConfig
from eightfold.studies.gnugo import gnugo_player, gnugo_program
from eightfold.studies.isn_report import write_report
from eightfold.studies.kept import Kept, digest

TOURNAMENT = "go:size=9,komi=3.5,rules=chinese"
LARGE = "go:size=19,komi=3.5,rules=chinese"
BETA = 20.0
MOST_SNAPSHOTS = 44  # as many as the document has: 0 to 860K in steps of 20K
OPPONENTS = ("random", "mcts:playouts=30", "mcts:playouts=100", "mcts:playouts=300", "mcts:playouts=1000")
GNU_GO = "GNU Go, level 1"
ITSELF = "itself"
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
    """All stages that have no numbers yet for this run and these settings; the numbers."""
    console = Console(stderr=True, highlight=False)
    if not snapshots_of(experiment.run):
        raise EightfoldError(f"{experiment.run} holds no snapshots; train one with `eightfold train-isn`")
    try:
        experiment.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EightfoldError(f"cannot make the folder {experiment.output}: {error.strerror}") from None
    kept = Kept(experiment.results_path, _identity(experiment.run))
    kept.numbers["training"] = _training(experiment)  # read anew: a run may have gone on since
    for name, (facts, stage) in _STAGES.items():
        measured_for = facts(experiment, kept)
        if measured_for is None:
            kept.set_aside(name)
            continue

        def measure(name: str = name, stage: Stage = stage) -> dict[str, Any]:
            console.print(f"experiment isn: {name.replace('_', ' ')} ...")
            return stage(experiment, kept)

        if kept.stage(name, digest(*measured_for), measure):
            write_report(kept.numbers, experiment.output)
    kept.save()
    write_report(kept.numbers, experiment.output)
    return kept.numbers


def _identity(run: Path) -> str:
    """Which run this is, also after it went on: its settings but for their length, and the weights it began with."""
    settings = asdict(load_config(TdConfig(), run / "config.toml"))
    return digest({**settings, "games": 0, "minutes": 0}, next(iter(snapshots_of(run).values())))


# ---- stages ---------------------------------------------------------------------------------------------


def _training(experiment: IsnExperiment) -> dict[str, Any]:
    """What the run was, from its own settings and metrics."""
    config = load_config(TdConfig(), experiment.run / "config.toml")
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


def _round_robin(experiment: IsnExperiment, kept: Kept) -> dict[str, Any]:
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


def _opponents(experiment: IsnExperiment, kept: Kept) -> dict[str, Any]:
    """The best snapshot without look-ahead against others."""
    best = _best(experiment, kept)
    games = experiment.match_games
    found = [_match(experiment, kept, best, experiment.game, "", opponent, games) for opponent in experiment.opponents]
    if gnugo_program() is not None:
        found.append(_match(experiment, kept, best, experiment.game, "", GNU_GO, games))
    return {"game": experiment.game, "snapshot": int(best.stem), "matches": found}


def _look_ahead(experiment: IsnExperiment, kept: Kept) -> dict[str, Any]:
    """Alpha-beta over the same network, to depth 5 and less."""
    best, games = _best(experiment, kept), max(2, experiment.match_games // 2)
    found = []
    for depth in (2, 3, 5):
        player = f",depth={depth},width=6"
        found.append(_match(experiment, kept, best, experiment.game, player, ITSELF, games, openings=4))
    player = ",depth=5,width=6"
    found.append(_match(experiment, kept, best, experiment.game, player, "mcts:playouts=300", games))
    if gnugo_program() is not None:
        found.append(_match(experiment, kept, best, experiment.game, player, GNU_GO, games))
    return {"game": experiment.game, "snapshot": int(best.stem), "matches": found}


def _large(experiment: IsnExperiment, kept: Kept) -> dict[str, Any]:
    """The weights of 9x9 on 19x19: do later snapshots beat earlier ones there too, and what else do they beat?"""
    best, few, games = _best(experiment, kept), _few(experiment, kept), experiment.large_games
    scores, moves = _tournament([_tables(path) for path in few.values()], experiment.large_game, games, experiment.seed)
    found = [_match(experiment, kept, best, experiment.large_game, "", opponent, games) for opponent in LARGE_OPPONENTS]
    if gnugo_program() is not None:
        found.append(_match(experiment, kept, best, experiment.large_game, "", GNU_GO, games))
    return {
        "game": experiment.large_game,
        "snapshot": int(best.stem),
        "games_a_pair": games,
        "moves_a_game": moves,
        "snapshots": [{"games": each, **score} for each, score in zip(few, scores, strict=True)],
        "matches": found,
    }


def _variants(experiment: IsnExperiment, kept: Kept) -> dict[str, Any]:
    """Variants with equally many training games, in one round robin over all their snapshots."""
    from eightfold.learning.td.loop import TdTraining

    games = experiment.variant_games
    facts: dict[str, dict[str, Any]] = {}
    entrants: list[tuple[str, int, IsnTables]] = []
    for name, changes in VARIANTS.items():
        config = variant_config(experiment, changes)
        # Named by its settings as well: what another run left under the same name must not be taken for it.
        plain_name = re.sub(r"\W+", "-", name)
        folder = experiment.run.parent / f"{experiment.run.name}-variants" / f"{plain_name}-{digest(asdict(config))}"
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
    settings, games = load_config(TdConfig(), experiment.run / "config.toml"), experiment.variant_games
    keep = ("start=", "minutes=0", f"games={games}", f"linear_games={games // 10}", f"snapshot_every={games // 10}")
    return with_changes(settings, [*keep, *changes])


# ---- what stages are measured for -------------------------------------------------------------------------

Facts = list[Any] | None  # None: the stage is not wanted


def _round_robin_facts(experiment: IsnExperiment, kept: Kept) -> Facts:
    chosen = _thinned(snapshots_of(experiment.run))
    return [*chosen, *chosen.values(), experiment.game, experiment.games, BETA, experiment.seed]


def _opponents_facts(experiment: IsnExperiment, kept: Kept) -> Facts:
    best = _best(experiment, kept)
    return [
        int(best.stem),
        best,
        experiment.game,
        experiment.match_games,
        experiment.opponents,
        *_conditions(experiment),
    ]


def _look_ahead_facts(experiment: IsnExperiment, kept: Kept) -> Facts:
    best = _best(experiment, kept)
    return [int(best.stem), best, experiment.game, experiment.match_games, *_conditions(experiment)]


def _large_facts(experiment: IsnExperiment, kept: Kept) -> Facts:
    best, few = _best(experiment, kept), _few(experiment, kept)
    snapshots = [*few, *few.values(), int(best.stem)]
    return [*snapshots, experiment.large_game, experiment.large_games, BETA, *_conditions(experiment)]


def _variants_facts(experiment: IsnExperiment, kept: Kept) -> Facts:
    if experiment.variant_games == 0:
        return None
    settings = {name: asdict(variant_config(experiment, changes)) for name, changes in VARIANTS.items()}
    return [settings, experiment.game, experiment.games, BETA, experiment.seed]


def _conditions(experiment: IsnExperiment) -> list[Any]:
    return [experiment.seed, gnugo_program() is not None]


Stage = Callable[[IsnExperiment, Kept], dict[str, Any]]
_STAGES: dict[str, tuple[Callable[[IsnExperiment, Kept], Facts], Stage]] = {
    "round_robin": (_round_robin_facts, _round_robin),
    "opponents": (_opponents_facts, _opponents),
    "look_ahead": (_look_ahead_facts, _look_ahead),
    "large": (_large_facts, _large),
    "variants": (_variants_facts, _variants),
}


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
    """Everybody against everybody: each one's score with its interval and its rating, and the moves of a game."""
    the_game = make_game(game)
    if len(networks) < 2:
        return [{"score": 0.0, "ci95": [0.0, 1.0], "played": 0} for _ in networks], 0.0
    players = [IsnPlayer(the_game, tables, IsnOptions(beta=BETA)) for tables in networks]
    found = round_robin(the_game, players, games=games, seed=seed)
    scores = []
    for tally, rating in zip(found.tallies, found.ratings, strict=True):
        figures = {"score": tally.score, "ci95": list(tally.interval), "played": tally.games}
        scores.append({**figures, "elo": rating.elo, "elo_error": rating.error})
    return scores, found.moves_a_game


def _best(experiment: IsnExperiment, kept: Kept) -> Path:
    """The snapshot with the most wins in the round robin."""
    best = max(kept.numbers["round_robin"]["snapshots"], key=lambda entry: entry["score"])
    return snapshots_of(experiment.run)[best["games"]]


def _few(experiment: IsnExperiment, kept: Kept) -> dict[int, Path]:
    """Some snapshots for the large board: the first, the best, the last, and between."""
    snapshots, best = snapshots_of(experiment.run), _best(experiment, kept)
    places = list(snapshots)
    few = {places[0], places[len(places) // 4], places[len(places) // 2], places[-1], int(best.stem)}
    return {games: snapshots[games] for games in sorted(few)}


def _match(
    experiment: IsnExperiment,
    kept: Kept,
    snapshot: Path,
    game: str,
    options: str,
    opponent: str,
    games: int,
    *,
    openings: int = 0,
) -> dict[str, Any]:
    """The snapshot with these options of the player `isn` against another player, or (ITSELF) without any options."""
    player = f"isn:{snapshot}{options}"

    def play() -> dict[str, Any]:
        other = f"isn:{snapshot}" if opponent == ITSELF else opponent
        text = gnugo_player(level=1, seed=experiment.seed) if opponent == GNU_GO else other
        the_game = make_game(game)
        report = play_match(the_game, player, text, games=games, seed=experiment.seed, opening_plies=openings)
        return {
            "player": _options(player),
            "opponent": _options(other),
            "seconds_per_move": report.seconds_per_move[0],
            "lead": report.mean_margin,
            **report.total.as_dict(),
        }

    who = f"isn:{digest(snapshot)}{options} - {opponent}"
    return kept.match(f"{game} {who}, {games} games, {openings} opening plies, seed {experiment.seed}", play)


def _options(player: str) -> str:
    """A player without the place of its network."""
    name, _, rest = player.partition(":")
    if name != "isn":
        return player
    options = rest.partition(",")[2]
    return f"isn with {options}" if options else "isn, no look-ahead"
