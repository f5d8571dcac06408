"""What knowledge brings to `mcts`: matches between our own players that differ in one option, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eightfold.arena.engine import play_games
from eightfold.arena.ratings import score_interval
from eightfold.studies.frame import Part, Work
from eightfold.studies.gnugo import gnugo_player, gnugo_program
from eightfold.studies.matches import match_row

OPENING_PLIES = 2
# By row of the table: the options of the two players. Without RAVE, or without priors, a search needs to explore.
ROWS: dict[str, tuple[str, str]] = {
    "all of it": ("", "style=plain"),
    "patterns": ("", "patterns=off"),
    "captures and escapes": ("", "captures=no"),
    "no self-atari": ("", "self_atari=-1"),
    "RAVE": ("", "rave=0,exploration=0.7"),
    "priors": ("", "priors=off,exploration=0.2"),
    "priors as visits, not as P of PUCT": ("", "priors=puct,exploration=0.3"),
    "early ends": ("", "mercy=0"),
    "middles of three-point eyes": ("nakade=yes", ""),
    "playouts that know Go": ("", "patterns=off,captures=no,self_atari=-1,mercy=0"),
}
EQUAL_PLAYOUTS, EQUAL_TIME = "equal playouts", "equal time"
# What costs time in a playout is measured at equal time too.
TIMED = ("patterns", "playouts that know Go")
GNU_GO_LEVEL = 10
GNU_GO_CHUNK = 2  # games: one with either colour


def match_cases(settings: Any) -> list[dict[str, Any]]:
    """A case for each chunk of each match."""
    cases = []
    for terms in (EQUAL_PLAYOUTS, EQUAL_TIME):
        limit = f"playouts={settings.match_playouts}"
        if terms == EQUAL_TIME:
            limit = f"seconds={settings.match_seconds:g}"
        for row, (first, second) in ROWS.items():
            if terms == EQUAL_TIME and row not in TIMED:
                continue
            cases += [
                {
                    "row": row,
                    "terms": terms,
                    "game": settings.match_game,
                    "first": _player(limit, first, terms),
                    "second": _player(limit, second, terms),
                    "games": settings.chunk,
                    "seed": settings.seed + 1000 * chunk,
                }
                for chunk in range(settings.match_games // settings.chunk)
            ]
    return cases


def _player(limit: str, options: str, terms: str) -> str:
    one_thread = ["threads=1"] if terms == EQUAL_TIME and "style=plain" not in options else []
    return "mcts:" + ",".join([limit, *filter(None, [options]), *one_thread])


def play_chunk(
    part: Part, *, row: str, terms: str, game: str, first: str, second: str, games: int, seed: int
) -> dict[str, Any]:
    """A part: some games between two players; by the clock they are played here, one machine for both."""
    play, progress = play_games if terms == EQUAL_TIME else part.play, part.progress
    plies = OPENING_PLIES
    return match_row(game, first, second, games=games, seed=seed, opening_plies=plies, progress=progress, play=play)


def matches(work: Work) -> list[dict[str, Any]] | None:
    """What each option brings, at equal playouts and at equal time."""
    cases = match_cases(work.settings)
    labels = [f"{case['row']}, {case['terms']}, seed {case['seed']}" for case in cases]
    return summed(cases, work.parts(play_chunk, cases, labels)) or None


def gnugo_cases(settings: Any) -> list[dict[str, Any]]:
    return [
        {
            "game": settings.match_game,
            "seconds": settings.gnugo_seconds,
            "level": GNU_GO_LEVEL,
            "games": GNU_GO_CHUNK,
            "seed": settings.seed + 1000 * chunk,
        }
        for chunk in range(settings.gnugo_games // GNU_GO_CHUNK)
    ]


def play_gnugo(part: Part, *, game: str, seconds: float, level: int, games: int, seed: int) -> dict[str, Any]:
    """A part: some games of `mcts` as it ships against GNU Go, both colours."""
    opponent = gnugo_player(level=level, seed=seed)
    return match_row(game, f"mcts:seconds={seconds:g}", opponent, games=games, seed=seed, progress=part.progress)


def gnugo(work: Work) -> dict[str, Any] | None:
    """`mcts` as it ships against a program that nothing here was made for; nothing if it is not installed."""
    cases = gnugo_cases(work.settings)
    if not cases or gnugo_program() is None:
        return None
    chunks = work.parts(play_gnugo, cases, [f"GNU Go, seed {case['seed']}" for case in cases])
    told = {"row": f"GNU Go, level {GNU_GO_LEVEL}", "terms": f"{cases[0]['seconds']:g} s a move"}
    told |= {"first": f"mcts:seconds={cases[0]['seconds']:g}", "second": "GNU Go"}
    (row,) = summed([{**case, **told} for case in cases], chunks)
    return row


def summed(cases: Iterable[dict[str, Any]], chunks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The chunks of a match as one: score and 95 % interval over all of its games."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for case, chunk in zip(cases, chunks, strict=True):
        told = {name: case[name] for name in ("row", "terms", "game", "first", "second")}
        total = rows.setdefault((case["row"], case["terms"]), {**told, "wins": 0, "draws": 0, "losses": 0})
        for name in ("wins", "draws", "losses"):
            total[name] += chunk[name]
    for total in rows.values():
        results = total["wins"], total["draws"], total["losses"]
        total["games"] = sum(results)
        total["score"] = (results[0] + results[1] / 2) / sum(results)
        total["low"], total["high"] = score_interval(*results)
    return list(rows.values())
