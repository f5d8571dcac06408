"""What a tournament leaves to be read: `results.json`, `README.md`, `crosstable.csv` and, with Matplotlib, a plot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.arena.openings.source import BALANCED, RANDOM
from eightfold.arena.results import Tally
from eightfold.arena.tournaments.folder import OPENINGS
from eightfold.arena.tournaments.plot import ratings_plot
from eightfold.arena.tournaments.settings import TournamentSettings
from eightfold.arena.tournaments.standings import Standings
from eightfold.core.extras import is_installed
from eightfold.core.files import replace_files
from eightfold.core.tables import csv_text, markdown_table
from eightfold.core.words import number_of

RESULTS, REPORT, CROSS_TABLE, PLOT = "results.json", "README.md", "crosstable.csv", "ratings.png"


def write_reports(folder: Path, standings: Standings, *, records: str) -> None:
    """Write all of them, the plot where Matplotlib is installed. `records`: the subfolder of the games, or ''."""
    with_plot = is_installed("matplotlib")
    results = {"version": __version__, **standings.as_dict()}
    files = {
        RESULTS: (json.dumps(results, indent=1) + "\n").encode(),
        CROSS_TABLE: csv_text(cross_rows(standings)).encode(),
        REPORT: markdown(standings, records=records, with_plot=with_plot).encode(),
    }
    if with_plot:
        files[PLOT] = ratings_plot(standings)
    replace_files({folder / name: data for name, data in files.items()})


def cross_rows(standings: Standings) -> list[dict[str, Any]]:
    """A row for each player: its rating, and its score against every other, from 0 to 1."""
    rows = []
    for one, name in enumerate(standings.names):
        rating, tally = standings.fit.ratings[one], standings.tallies[one]
        row = {"rank": one + 1, "player": name, "elo": round(rating.elo, 1), "elo_error": round(rating.error, 1)}
        row |= {"games": tally.games, "score": round(tally.score, 4)}
        for two, other in enumerate(standings.names):
            pair = standings.pair(one, two)
            row[other] = round(pair.score, 4) if pair.games else ""
        rows.append(row)
    return rows


def markdown(standings: Standings, *, records: str, with_plot: bool) -> str:
    settings, names, superiority = standings.settings, standings.names, standings.fit.superiority
    begun = openings_text(settings)
    about = f"{number_of(len(standings.games), 'game')} of {settings.game}; openings: {begun}; seed {settings.seed}."
    if standings.missing:
        about += f" Still missing: {number_of(standings.missing, 'game')}; the same command plays them."
    rating_rows = [
        (one + 1, f"`{name}`", *rating_cells(standings, one), time_text(standings.seconds_a_move[one]))
        for one, name in enumerate(names)
    ]
    numbers = [str(one + 1) for one in range(len(names))]
    cross = [
        (one + 1, f"`{name}`", *(results_text(standings.pair(one, two)) for two in range(len(names))))
        for one, name in enumerate(names)
    ]
    likely = [
        (one + 1, f"`{name}`", *("" if one == two else f"{superiority[one, two]:.0%}" for two in range(len(names))))
        for one, name in enumerate(names)
    ]
    blocks = [
        "# Tournament",
        about,
        markdown_table(["", "player", "Elo", "±", "games", "score", "draws", "time a move"], rating_rows),
        " ".join(f"{line[0].upper()}{line[1:]}." for line in facts(standings)),
        *([f"![Ratings with 95 % intervals]({PLOT})"] if with_plot else []),
        "## Cross table",
        "Wins-draws-losses of the player of the row.",
        markdown_table(["", "player", *numbers], cross),
        "## Likelihood of superiority",
        "How likely the player of the row is to be stronger than that of the column.",
        markdown_table(["", "player", *numbers], likely),
        "## Method",
        "Ratings are the most likely ones under the model of Bradley & Terry (1952) with draws (Davidson 1970) and an"
        " advantage of moving first; ± is half the 95 % interval, from the Fisher information, and takes the games as"
        " independent. Each player has one more game against an average player, half won and half lost, which keeps"
        f" those finite who won everything. The rating 0 is that of {standings.zero}.",
        f"All numbers: [{RESULTS}]({RESULTS}), [{CROSS_TABLE}]({CROSS_TABLE})."
        + (f" The games: [{records}/]({records})." if records else ""),
    ]
    return "\n\n".join(blocks) + "\n"


def openings_text(settings: TournamentSettings) -> str:
    kind = settings.openings.partition(":")[0]
    if kind == RANDOM:
        plies = settings.opening_plies
        return f"{number_of(plies, 'random move')}, each opening from both sides" if plies else "none"
    moves = (
        f"{number_of(settings.opening_plies, 'move')}, {settings.openings}"
        if kind == BALANCED
        else f"`{settings.openings}`"
    )
    return f"{moves} ([{OPENINGS}]({OPENINGS})), each from both sides"


# ---- words and numbers that the terminal shows too ---------------------------------------------------------------


def rating_cells(standings: Standings, one: int) -> tuple[str, ...]:
    """Elo, ±, games, score and draws of a player."""
    rating, tally = standings.fit.ratings[one], standings.tallies[one]
    draws = tally.draws / tally.games if tally.games else 0.0
    return f"{round(rating.elo):+d}", f"{rating.error:.0f}", f"{tally.games:,}", f"{tally.score:.1%}", f"{draws:.0%}"


def facts(standings: Standings) -> list[str]:
    """What else there is to say of the games, a line each."""
    fit, games = standings.fit, len(standings.games)
    found = [f"moving first is worth {round(fit.first_move.elo):+d} ± {fit.first_move.error:.0f} Elo"]
    if fit.draws.low is None or fit.draws.high is None:
        found.append("no game was drawn")
    else:
        found.append(
            f"equal players draw {fit.draws.share:.1%} of their games ({fit.draws.low:.1%} to {fit.draws.high:.1%})"
        )
    if standings.distinct_games < games:
        found.append(f"{standings.distinct_games:,} of {games:,} games are different")
    if standings.forfeits:
        last = standings.forfeits[-1]
        loser = last.record.white if last.record.result.startswith("B") else last.record.black
        found.append(
            f"forfeits: {number_of(len(standings.forfeits), 'game')}, the last by {loser}: {last.record.comment}"
        )
    return found


def results_text(tally: Tally) -> str:
    return f"{tally.wins}-{tally.draws}-{tally.losses}" if tally.games else ""


def time_text(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
