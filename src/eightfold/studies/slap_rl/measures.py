"""How the networks of the study `slap-rl` are measured: by the exam, by Elo, and as Suen & Alonso did."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eightfold.arena.results import Tally
from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.learning.evaluation import measure_network
from eightfold.studies.exam import exam_inputs, exam_stage_settings, make_exam, mark_network, read_exam
from eightfold.studies.exam.record import DEAD, LOST, SEARCHED, WON, Exam, write_exam
from eightfold.studies.frame import Part, Work
from eightfold.studies.networks import opened
from eightfold.studies.run_costs import cost_of, prices_of
from eightfold.studies.runs import network_place
from eightfold.studies.slap_rl.analysis import equal_cost_networks, final, of_arm
from eightfold.studies.slap_rl.settings import PUBLISHED_ARMS
from eightfold.studies.standings import Entrant, round_robin

EXAM = ("exam", *exam_stage_settings)
Run = Mapping[str, Any]


# ---- the exam -----------------------------------------------------------------------------------------------


def exam(work: Work) -> dict[str, Any]:
    """The exam of these settings, made now, or one that is there already; either way its file is in the folder."""
    if not work.settings.exam:
        return make_exam(work)
    given = read_exam(work.settings.exam)
    if given.game.text != _game_text(work):
        raise EightfoldError(f"exam = {work.settings.exam!r} is of {given.game.text}, not of {work.settings.game}")
    return {
        "file": write_exam(given, work.output).name,
        "hash": given.hash,
        "positions": len(given),
        "proven": given.count(WON) + given.count(LOST),
        "dead": given.count(DEAD),
        "labelled": given.count(SEARCHED),
        **given.about,
    }


def _game_text(work: Work) -> str:
    return make_game(work.settings.game, trusted=True).text


def inputs(work: Work) -> Any:
    return {"exam": Path(work.settings.exam)} if work.settings.exam else exam_inputs(work)


def marks(work: Work) -> dict[str, Any]:
    """The marks of every kept network, by the place of its run, and those of the arms as rows."""
    results, learned = work.results, work.results["learning"]
    runs = [
        *learned["runs"],
        *((results["buffers"] or {}).get("runs", [])),
        *((results["stage_one"] or {}).get("rows", [])),
    ]
    cases = [
        {"exam": results["exam"]["hash"], "place": run["place"], "names": [kept["name"] for kept in run["kept"]]}
        for run in runs
    ]
    found = work.parts(mark_run, cases, [f"marks of run {number}" for number in range(1, len(runs) + 1)])
    by_place = dict(zip([run["place"] for run in runs], found, strict=True))
    table = prices_of(results["prices"]["rows"])
    rows = [
        {
            "arm": run["arm"],
            "seed": run["seed"],
            **{name: kept[name] for name in ("games", "steps", "simulations", "minutes")},
            "cost": cost_of(run, kept, table),
            **each,
        }
        for run in learned["runs"]
        for kept, each in zip(run["kept"], by_place[run["place"]], strict=True)
    ]
    about = {"hash": results["exam"]["hash"], "base": learned["base"], "cost_of": learned["runs"][0]["machine"]}
    return {**about, "rows": rows, "runs": by_place}


def mark_run(part: Part, *, exam: str, place: str, names: list[str]) -> list[dict[str, float]]:
    """A part: the marks of the networks that a run kept."""
    asked, found = _read(part.output / f"exam-{exam}.npz"), []
    for number, name in enumerate(names, start=1):
        found.append(mark_network(asked, network_place(part.output, place, name), backend="torch"))  # no conversion
        part.progress(number / len(names))
    return found


@functools.lru_cache(maxsize=2)
def _read(path: Path) -> Exam:
    return read_exam(path)


# ---- Elo ----------------------------------------------------------------------------------------------------


def elo(work: Work) -> dict[str, Any]:
    """One table of all final networks; as guests, those by which arms are compared at equal cost."""
    settings, learned = work.settings, work.results["learning"]
    runs, base = learned["runs"], learned["base"]
    table = prices_of(work.results["prices"]["rows"])
    entrants = [(run["place"], final(run)["name"]) for run in runs]
    guests: dict[Entrant, None] = {}
    pairs = []
    for run in runs:
        if run["arm"] == base:
            continue
        other = next(each for each in of_arm(runs, base) if each["seed"] == run["seed"])
        cost, mine, theirs = equal_cost_networks(run, other, table)
        two = (run["place"], mine["name"]), (other["place"], theirs["name"])
        guests |= dict.fromkeys(entrant for entrant in two if entrant not in entrants)
        told = {"arm": run["arm"], "seed": run["seed"], "cost": cost}
        pairs.append((told, two, mine["games"], theirs["games"]))
    rows = round_robin(
        work,
        entrants,
        guests=list(guests),
        game=settings.game,
        games=settings.elo_games,
        playouts=settings.elo_playouts,
        opening_plies=settings.opening_plies,
        backend=settings.backend,
        seed=settings.seed,
    )
    rating = {entrant: row["elo"] for entrant, row in zip([*entrants, *guests], rows, strict=True)}
    return {
        "games": settings.elo_games,
        "playouts": settings.elo_playouts,
        "opening_plies": settings.opening_plies,
        "rows": [{"arm": run["arm"], "seed": run["seed"], **row} for run, row in zip(runs, rows, strict=False)],
        "equal_cost": [
            {**told, "games": games, "base_games": base_games, "elo": rating[mine], "base_elo": rating[theirs]}
            for told, (mine, theirs), games, base_games in pairs
        ],
    }


# ---- as Suen & Alonso measured ------------------------------------------------------------------------------


def tiers(work: Work) -> dict[str, Any]:
    """Every final network against three pure searches, both colours."""
    runs = work.results["learning"]["runs"]
    return {
        **_tier_settings(work.settings),
        "games": work.settings.tier_games,
        "rows": _evaluated(work, [(run, final(run)) for run in runs], games=work.settings.tier_games, as_paper=False),
    }


def paper(work: Work) -> dict[str, Any]:
    """As the paper counted: the network always first, at every evaluation of the runs of the published arms."""
    results, games = work.results, work.settings.paper_games
    runs = {
        "learning": [run for run in results["learning"]["runs"] if run["arm"] in PUBLISHED_ARMS],
        "buffers": (results["buffers"] or {}).get("runs", []),
        "stage_one": (results["stage_one"] or {}).get("rows", []),
    }
    return {
        **_tier_settings(work.settings),
        "games": games,
        **{
            name: _evaluated(
                work, [(run, kept) for run in of for kept in run["kept"][1:] if games], games=games, as_paper=True
            )
            for name, of in runs.items()
        },
    }


def grid(work: Work) -> dict[str, Any] | None:
    """The points of stage 1 with what they came to."""
    results = work.results
    found = results["stage_one"]
    if found is None:
        return None
    scores = {row["place"]: row["score"] for row in results["paper"]["stage_one"]}
    marks_of = results["marks"]["runs"]
    rows = [
        {**{key: row[key] for key in row if key != "kept"}, "score": scores[row["place"]], **marks_of[row["place"]][-1]}
        for row in found["rows"]
    ]
    return {"points": found["points"], "games": found["games"], "rows": rows}


def _tier_settings(settings: Any) -> dict[str, Any]:
    return {"tiers": list(settings.tiers), "playouts": settings.tier_playouts}


def _evaluated(work: Work, networks: Sequence[tuple[Run, Run]], *, games: int, as_paper: bool) -> list[dict[str, Any]]:
    settings = work.settings
    cases = [
        {
            "place": run["place"],
            "name": kept["name"],
            "games": games,
            "playouts": settings.tier_playouts,
            "tiers": list(settings.tiers),
            "as_paper": as_paper,
            "backend": settings.backend,
            "seed": kept["games"],  # evaluations of a run are independent
        }
        for run, kept in networks
    ]
    labels = [f"{run.get('arm', 'a point of the grid')}, {kept['games']} games" for run, kept in networks]
    found = work.parts(evaluate, cases, labels)
    return [
        {"arm": run.get("arm", ""), "seed": run.get("seed", 0), "place": run["place"], "at": kept["games"], **row}
        for (run, kept), row in zip(networks, found, strict=True)
    ]


def evaluate(
    part: Part,
    *,
    place: str,
    name: str,
    games: int,
    playouts: int,
    tiers: list[int],
    as_paper: bool,
    backend: str,
    seed: int,
) -> dict[str, Any]:
    """A part: one network against pure searches of so many playouts."""
    network = opened(network_place(part.output, place, name), backend)
    evaluation = measure_network(
        network.runner(),
        network.description,
        games=games,
        playouts=playouts,
        seed=seed,
        as_paper=as_paper,
        tiers=tiers,
    )
    results = [result for match in evaluation.mcts.values() for result in match.results]
    sides = [[result for result in results if result.first_named_is_black is first] for first in (True, False)]
    return {
        **_counts(Tally.of(results)),
        **{f"first_{key}": value for key, value in _counts(Tally.of(sides[0])).items()},
        **{f"tier_{tier}": match.total.score for tier, match in evaluation.mcts.items()},
    }


def _counts(tally: Tally) -> dict[str, Any]:
    return {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses, "score": tally.score}
