"""A study of one's own: how much does Monte Carlo search gain from more playouts?

Try it with

    cd docs/examples && eightfold study python:playouts --small
"""

from dataclasses import dataclass

from eightfold.core.settings import setting
from eightfold.studies.frame import Stage, Study
from eightfold.studies.grid import grid, over_seeds
from eightfold.studies.matches import match_row
from eightfold.studies.plots import line_plot, series_of
from eightfold.studies.tables import interval, percent


@dataclass(frozen=True, kw_only=True)
class Settings:
    game: str = setting("gomoku:size=8", "the board")
    playouts: tuple[int, ...] = setting(
        (50, 100, 200, 400), "playouts of the player in question", least=1, most=100_000
    )
    opponent: str = setting("mcts:style=plain,playouts=100", "its opponent")
    games: int = setting(20, "games per match", least=2, most=10_000)
    seeds: int = setting(5, "matches per number of playouts", least=1, most=1000)


def play(part, *, playouts, seed, game, opponent, games):
    """A part: one match. Its arguments are its key, so it must need nothing else."""
    player = f"mcts:style=plain,playouts={playouts}"
    return match_row(
        game, player, opponent, games=games, seed=seed, opening_plies=2, progress=part.progress, play=part.play
    )


def measure(work):
    settings = work.settings
    cases = grid(
        {"playouts": settings.playouts, "seed": range(settings.seeds)},
        game=settings.game,
        opponent=settings.opponent,
        games=settings.games,
    )
    return [{**case, **row} for case, row in zip(cases, work.parts(play, cases), strict=True)]


def section(report, rows):
    report.heading(f"Score against {rows[0]['opponent']}")
    means = over_seeds(rows, by=("opponent", "playouts"), value="score")
    series = series_of(means, by="opponent", x="playouts", y="score")
    report.plot("score", line_plot(series, title="Score", x="playouts", y="score", percent=True), "score")
    lines = [(m["playouts"], percent(m["score"]), interval(m["low"], m["high"]), m["count"]) for m in means]
    report.table(("playouts", "mean score", "95 % interval", "seeds"), lines)
    report.csv("matches", rows)


STUDY = Study(
    name="playouts",
    title="What more playouts are worth",
    introduction="The example of docs/studies.md.",
    settings=Settings(),
    small=("game=gomoku:size=5,win=4", "playouts=[5, 50]", "opponent=random", "games=2", "seeds=3"),
    stages=(Stage(name="matches", measure=measure, section=section),),
)
