"""What combining does to libraries: how many shapes are seen, how many codes are valid, how posteriors are spread."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from eightfold.arena.match import play_match
from eightfold.games.game import make_game
from eightfold.games.records.files import write_records
from eightfold.patterns.codes import count_by_burnside
from eightfold.patterns.combine import combine
from eightfold.patterns.learn import learn_library
from eightfold.patterns.library import Library
from eightfold.patterns.occupancy import occupancy, posterior_shares
from eightfold.patterns.templates import CLASSES, reference, templates_of
from eightfold.studies.frame import Part, Work

BINS = 20  # of posteriors, five points each
SHOWN = "4x4-centre"  # of which the paper has figures


def go_records(work: Work) -> Path:
    """The Go games of the study: given, or played by our own players."""
    settings = work.settings
    if settings.records:
        return Path(settings.records)
    place = work.part(
        play_games, game=settings.own_game, player=settings.own_player, games=settings.own_games, seed=settings.seed
    )
    return work.output / str(place)


def play_games(part: Part, *, game: str, player: str, games: int, seed: int) -> str:
    """A part: games of a player against itself, as a file; where it is, seen from the study's folder."""
    done = 0

    def finished(result: Any) -> None:
        nonlocal done
        done += 1
        part.progress(done / games)

    match = play_match(make_game(game), player, player, games=games, seed=seed, opening_plies=4, progress=finished)
    part.folder.mkdir(parents=True, exist_ok=True)
    write_records(part.folder / "games.sgf", [result.record() for result in match.results])
    return f"{part.place}/games.sgf"


def libraries(work: Work) -> dict[str, Any]:
    return work.part(learn_both, records=go_records(work), game="go")


def gomoku_libraries(work: Work) -> dict[str, Any] | None:
    if not work.settings.gomoku_records:
        return None
    return work.part(learn_both, records=Path(work.settings.gomoku_records), game=work.settings.gomoku_game)


def learn_both(part: Part, *, records: Path, game: str) -> dict[str, Any]:
    """A part: the library of all records, as read and combined."""
    begin = time.perf_counter()
    raw = learn_library([records], game=game, combined=False)
    seconds = time.perf_counter() - begin
    part.progress(0.8)
    begin = time.perf_counter()
    combined = combine(raw)
    combining = time.perf_counter() - begin
    return {
        "about": dict(raw.about),
        "seconds": seconds,
        "seconds_to_combine": combining,
        "classes": [_class_row(raw, combined, name) for name in CLASSES],
        "posteriors": {
            "raw": posterior_shares(raw, SHOWN, BINS).tolist(),
            "combined": posterior_shares(combined, SHOWN, BINS).tolist(),
        },
    }


def _class_row(raw: Library, combined: Library, name: str) -> dict[str, Any]:
    parts = [raw.tables[template.name] for template in templates_of(name)]
    return {
        "class": name,
        "codes": reference(name).codes * len(parts),
        "shapes": count_by_burnside(name),
        "codes_seen": sum(len(table.codes) for table in parts),
        "shapes_seen": len(combined.tables[name].codes),
        "matches": sum(int(table.matches.sum()) for table in parts),
        "plays": sum(int(table.plays.sum()) for table in parts),
        "matches_combined": int(combined.tables[name].matches.sum()),
        "occupancy": occupancy(raw, name),
        "occupancy_combined": occupancy(combined, name),
    }
