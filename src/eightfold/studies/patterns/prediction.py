"""What libraries are worth: how well they predict the moves of games that they were not learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eightfold.games.game import make_game
from eightfold.patterns.combine import combine
from eightfold.patterns.elo import rate_patterns
from eightfold.patterns.features import features_of
from eightfold.patterns.learn import learn_library
from eightfold.patterns.library import Library
from eightfold.patterns.predict import predict
from eightfold.patterns.walking import games_in_files
from eightfold.studies.frame import Part, Work
from eightfold.studies.patterns.libraries import go_records

RAW, COMBINED = "raw", "combined"


def record_files(work: Work) -> list[Path]:
    """The files that a stage reads, by their content."""
    names = ("records", "gomoku_records")
    return [Path(path) for name in names if (path := work.settings.__dict__.get(name))]


def prediction(work: Work) -> dict[str, Any]:
    """By posteriors and by Elo ratings, as read and combined, for every number of training games."""
    settings, records = work.settings, go_records(work)
    same = {"records": records, "held_out": settings.held_out}
    cases = [{"games": games, **same} for games in settings.sizes]
    found = work.parts(predict_by_posteriors, cases, [f"posteriors, {case['games']:,} games" for case in cases])
    cases = [{"games": games, "iterations": settings.elo_iterations, **same} for games in settings.elo_sizes]
    found += work.parts(predict_by_elo, cases, [f"Elo ratings, {case['games']:,} games" for case in cases])
    rows = [row for part in found for row in part]
    return {"held_out_games": rows[0]["held_out_games"], "positions": rows[0]["positions"], "rows": rows}


def predict_by_posteriors(part: Part, *, records: Path, held_out: int, games: int) -> list[dict[str, Any]]:
    """A part: 3x3 alone, and 4x4 backed by 3x3."""
    raw = learn_library([records], combined=False, skip=held_out, games=games)
    part.progress(0.5)
    rows = []
    for library in (raw, combine(raw)):
        rows.append(_row(library, records, held_out, "posteriors, 3x3", "bayes", (3,)))
        rows.append(_row(library, records, held_out, "posteriors, 4x4", "bayes", (3, 4)))
    return rows


def predict_by_elo(part: Part, *, records: Path, held_out: int, games: int, iterations: int) -> list[dict[str, Any]]:
    """A part: ratings of 3x3 patterns alone, of 3x3 and 4x4 patterns, and of 3x3 patterns with all features."""
    raw = learn_library([records], combined=False, skip=held_out, games=games)
    source = games_in_files([records], skip=held_out, games=games)
    features = features_of(make_game("go"))
    rows = []
    kinds: list[tuple[str, tuple[int, ...], tuple[str, ...]]] = [
        ("Elo, 3x3", (3,), ()),
        ("Elo, 3x3 and 4x4", (3, 4), ()),
        ("Elo, 3x3 and features", (3,), features),
    ]
    for library in (raw, combine(raw)):
        for method, sides, chosen in kinds:
            rated = rate_patterns(library, source, features=chosen, sides=sides, iterations=iterations)
            row = _row(rated.library, records, held_out, method, "elo", sides)
            rows.append({**row, "likelihoods": [each.log_likelihood for each in rated.iterations]})
            part.progress(len(rows) / (2 * len(kinds)))
    return rows


def _row(
    library: Library, records: Path, held_out: int, name: str, method: str, sides: tuple[int, ...]
) -> dict[str, Any]:
    """How a library predicts the held-out games; only the patterns of some block sizes are asked."""
    found = predict(library, games_in_files([records], games=held_out), method=method, sides=sides)
    return {
        "method": name,
        "library": COMBINED if library.combined else RAW,
        "games": library.about["games"],
        "held_out_games": found.games,
        "positions": found.positions,
        **{
            name: getattr(found, name)
            for name in ("top1", "top1_error", "top5", "top5_error", "log_loss", "log_loss_error")
        },
    }
