"""The stages of the study `strength`: matches by the clock, on the network's own board and on others, and its growth.

A match is played in parts of some games, each with a seed of its own, so that it can be stopped. Games by the clock
are played one after another and on this machine alone: leave it to them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations, count
from pathlib import Path
from typing import Any

from eightfold.arena.bradley_terry import fit_ratings
from eightfold.arena.match import play_match
from eightfold.arena.openings.lists import read_openings
from eightfold.arena.openings.source import BALANCED, RANDOM
from eightfold.arena.players import read_player
from eightfold.arena.results import MatchReport, Tally, scores_of
from eightfold.config import load_config
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.learning.opponents import evaluated_networks, spread_out
from eightfold.learning.runs.folder import CONFIG
from eightfold.learning.runs.metrics import read_metrics
from eightfold.nets.store.description import check_fits
from eightfold.nets.store.places import find_network
from eightfold.nets.store.policy_value import PolicyValueNetwork, describe, describe_network
from eightfold.studies.frame import Part, Work
from eightfold.studies.matches import listed

TIMES = ("seconds", "opponent_seconds")  # of a move, in the mean
SIDES = ("first", "second")  # black moves first
PLAYED = ("network", "options", "openings", "opening_plies", "part_games", "seed")


@dataclass(frozen=True, kw_only=True)
class StrengthSettings:
    network: str = setting("gomoku-15", "the network in question, by its place")
    options: str = setting("seconds=0.5", "how it plays, as options of the player net")
    opponents: str = setting(
        "alphabeta:seconds=0.5 | mcts:seconds=0.5", "whom it plays on its own board, with | between them"
    )
    games: int = setting(100, "games against each of them", least=2, most=100_000)
    part_games: int = setting(10, "games of a match that are kept together", least=2, most=1000)
    openings: str = setting("random", "how games begin, as `eightfold match --openings` takes it")
    opening_plies: int = setting(4, "moves of an opening", least=0, most=100)
    boards: str = setting("", "other boards that it plays on, with | between them; empty: none")
    board_opponent: str = setting("alphabeta:seconds=0.5", "whom it plays there")
    board_games: int = setting(20, "games on each of them", least=2, most=100_000)
    growth_options: str = setting(
        "playouts=64,proof_nodes=0,threat_nodes=0", "how the networks of a run play each other, as options of net"
    )
    growth_networks: int = setting(
        8, "of the networks that the run has kept, its first and last included, so many at most", least=2, most=1000
    )
    growth_games: int = setting(40, "games of each pair of them", least=2, most=100_000)
    seed: int = setting(0, "seed of the first part of a match; each has the next", least=0, most=2**31)


def check(settings: Any) -> None:
    description, any_size = describe(find_network(settings.network, PolicyValueNetwork)[1])
    for name in ("games", "part_games", "board_games", "growth_games"):
        if getattr(settings, name) % 2:
            raise EightfoldError(f"{name}={getattr(settings, name)} is odd; every opening is played from both sides")
    read_player(f"net:{settings.network},{settings.options}")
    read_player(f"net:{settings.network},{settings.growth_options}")
    if settings.openings.partition(":")[0] not in (RANDOM, BALANCED):
        read_openings(settings.openings, make_game(description.game))
    opponents = listed(settings.opponents)
    if not opponents:
        raise EightfoldError("opponents names nobody; give players with | between them")
    for player in (*opponents, settings.board_opponent):
        read_player(player)
    for board in listed(settings.boards):
        game = make_game(board, trusted=True)  # a study's settings are the user's own words
        check_fits(description.game, game, who=settings.network, any_size=any_size)


def identify(run: Path) -> Any:
    """Which run this is, also after it went on: its settings but for their length."""
    if not (run / CONFIG).is_file():
        raise EightfoldError(f"{run} is not the folder of a run: it has no {CONFIG}")
    for place in _grown(run):
        describe_network(place)  # an error now if one is gone
    return {**asdict(load_config(TrainConfig(), run / CONFIG)), "games": 0, "minutes": 0}


def weights_of_network(work: Work) -> Path:
    return find_network(work.settings.network, PolicyValueNetwork)[1]


def weights_of_run(work: Work) -> list[Path]:
    return [find_network(place, PolicyValueNetwork)[1] for place in _grown(work.run)] if work.run else []


# ---- matches ------------------------------------------------------------------------------------------


def matches(work: Work) -> dict[str, Any]:
    """The network against each of its opponents, on its own board."""
    settings = work.settings
    game = describe_network(settings.network).game
    pairs = [(game, opponent) for opponent in listed(settings.opponents)]
    return _matches(work, pairs, settings.games)


def boards(work: Work) -> dict[str, Any] | None:
    """The same weights on other boards, against one opponent."""
    settings = work.settings
    pairs = [(make_game(board, trusted=True).text, settings.board_opponent) for board in listed(settings.boards)]
    return _matches(work, pairs, settings.board_games) if pairs else None


def _matches(work: Work, pairs: list[tuple[str, str]], games: int) -> dict[str, Any]:
    settings = work.settings
    player = f"net:{settings.network},{settings.options}"
    starts = range(0, games, settings.part_games)
    cases = [
        {
            "weights": weights_of_network(work),
            "game": game,
            "player": player,
            "opponent": opponent,
            "games": min(settings.part_games, games - start),
            "openings": settings.openings,
            "opening_plies": settings.opening_plies,
            "seed": settings.seed + number,
        }
        for game, opponent in pairs
        for number, start in enumerate(starts)
    ]
    labels = [f"{case['opponent']} on {case['game']}, seed {case['seed']}" for case in cases]
    played = work.parts(play_by_clock, cases, labels)
    whole = range(0, len(cases), len(starts))
    rows = [
        {"game": game, "opponent": opponent, **_sum(played[first : first + len(starts)])}
        for (game, opponent), first in zip(pairs, whole, strict=True)
    ]
    return {"player": player, "rows": rows, "part_games": settings.part_games, "seed": settings.seed}


def play_by_clock(
    part: Part,
    *,
    weights: Path,
    game: str,
    player: str,
    opponent: str,
    games: int,
    openings: str,
    opening_plies: int,
    seed: int,
) -> dict[str, Any]:
    """A part: some games of a match, one after another. `weights` are in its key alone."""
    told = count(1)
    report = play_match(
        make_game(game, trusted=True),
        player,
        opponent,
        games=games,
        seed=seed,
        openings=openings,
        opening_plies=opening_plies,
        progress=lambda result: part.progress(next(told) / games),
    )
    ours, theirs = report.seconds_per_move
    return {
        **_counts(report),
        "moves": sum(len(result.position.moves) for result in report.results),
        "seconds": ours,
        "opponent_seconds": theirs,
        "forfeits": len(report.forfeits),
        "openings": report.openings,
    }


def _counts(report: MatchReport) -> dict[str, list[int]]:
    tallies = zip(SIDES, (report.as_first, report.as_second), strict=True)
    return {name: [side.wins, side.draws, side.losses] for name, side in tallies}


def _tally(counts: list[int]) -> Tally:
    return Tally(games=sum(counts), wins=counts[0], draws=counts[1], losses=counts[2])


def _sum(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """A whole match from its parts, seen from the network."""
    sides = {side: [sum(each) for each in zip(*(part[side] for part in parts), strict=True)] for side in SIDES}
    first, second = (_tally(sides[side]) for side in SIDES)
    total = first + second
    low, high = total.interval
    moves = sum(part["moves"] for part in parts)
    times = {name: sum(part["moves"] * part[name] for part in parts) / moves for name in TIMES}
    return {
        **{name: getattr(total, name) for name in ("games", "wins", "draws", "losses", "score")},
        "low": low,
        "high": high,
        **sides,
        "moves": moves / total.games,
        **times,
        "forfeits": sum(part["forfeits"] for part in parts),
        "openings": parts[0]["openings"],
    }


# ---- how it grew --------------------------------------------------------------------------------------


def _grown(run: Path) -> dict[str, tuple[int, float]]:
    """The networks of a run from its first weights to its last, by place: after how many games and minutes."""
    found: dict[str, tuple[int, float]] = {}
    config = load_config(TrainConfig(), run / CONFIG)
    if config.start_from:
        found[config.start_from] = 0, 0.0
    minutes = {int(line["games"]): float(line["minutes"]) for line in read_metrics(run) if "games" in line}
    if not minutes:
        raise EightfoldError(f"{run} has not played a game yet")
    last = max(minutes)
    for games, place in evaluated_networks(run).items():
        if games in minutes and games < last:
            found[str(place)] = games, minutes[games]
    found[str(run)] = last, minutes[last]
    return found


def growth(work: Work) -> list[dict[str, Any]] | None:
    """Elo of the networks of a run by a round robin; that of the first is 0."""
    settings, grown = work.settings, _grown(work.run) if work.run else {}
    if len(grown) < 2:
        return None
    chosen = spread_out([games for games, _ in grown.values()], settings.growth_networks)
    networks = {place: moment for place, moment in grown.items() if moment[0] in chosen}
    places = list(networks)
    game = describe_network(places[-1]).game
    pairs = list(combinations(range(len(places)), 2))
    cases = [
        {
            "weights": [find_network(places[n], PolicyValueNetwork)[1] for n in pair],
            "players": [f"net:{places[n]},{settings.growth_options}" for n in pair],
            "game": game,
            "games": settings.growth_games,
            "opening_plies": settings.opening_plies,
            "seed": settings.seed + number,
        }
        for number, pair in enumerate(pairs)
    ]
    played = work.parts(play_pair, cases, [f"{places[one]} against {places[two]}" for one, two in pairs])
    scores = [
        score
        for (one, two), part in zip(pairs, played, strict=True)
        for score in scores_of(one, two, *(_tally(part[side]) for side in SIDES))
    ]
    ratings = fit_ratings(len(places), scores, anchor=0).ratings
    return [
        {
            "games": games,
            "minutes": minutes,
            "elo": rating.elo,
            "low": rating.elo - rating.error,
            "high": rating.elo + rating.error,
            "played": settings.growth_games * (len(places) - 1),
            "options": settings.growth_options,
        }
        for (games, minutes), rating in zip(networks.values(), ratings, strict=True)
    ]


def play_pair(
    part: Part, *, weights: list[Path], players: list[str], game: str, games: int, opening_plies: int, seed: int
) -> dict[str, Any]:
    """A part: two networks of a run against each other."""
    told = count(1)
    report = play_match(
        make_game(game, trusted=True),
        *players,
        games=games,
        seed=seed,
        opening_plies=opening_plies,
        progress=lambda result: part.progress(next(told) / games),
        play=part.play,
    )
    return _counts(report)
