"""Tournaments: any players against each other, in a folder that remembers every game.

The folder knows what has been played; a call says who is to have played whom, and only what is missing is played. So
the same call goes on after a stop, and players join by being named beside the others; `schedule.py` says why their
games fit in. Nothing is opened or started because a file names it: who plays is named in the call.

Read next: `folder.py` (what is kept), `standings.py` (what it says), `eightfold.arena.bradley_terry` (the ratings).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from eightfold.arena.engine import Fixture, PlayGames, play_games
from eightfold.arena.match import made_from
from eightfold.arena.players import PlayerSpec, read_player, ready_players
from eightfold.arena.results import GameResult
from eightfold.arena.tournaments.folder import TournamentFolder
from eightfold.arena.tournaments.played import TournamentGame
from eightfold.arena.tournaments.report import PLOT, write_reports
from eightfold.arena.tournaments.schedule import (
    SIDES,
    game_seeds,
    missing_games,
    pairs_of,
    player_seed,
)
from eightfold.arena.tournaments.standings import Standings
from eightfold.core.errors import EightfoldError
from eightfold.core.extras import is_installed, missing_extra
from eightfold.core.signals import Interrupted
from eightfold.games.state import BLACK
from eightfold.search.result import Player


def tournament(
    folder: str | Path,
    players: Sequence[str] | Mapping[str, str | Player] = (),
    *,
    game: str | None = None,
    games: int | None = None,
    style: str | None = None,
    opening_plies: int | None = None,
    openings: str | None = None,
    seed: int | None = None,
    anchor: str | None = None,
    parallel: int = 0,
    threads: int = 0,
    play: PlayGames = play_games,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda text: None,
) -> Standings:
    """Play what is missing of a tournament between these players, as `eightfold tournament` does, and rate everybody.

        tournament("runs/cup", ["random", "greedy", "alphabeta:depth=2"], game="gomoku:size=8", games=10)

    Players are texts, or texts and objects by names of your own. What is None is as in the folder, or as usual
    (`settings.py`). Without players nothing is played, and the standings are those of the folder. `progress` is told
    how many games of this call are played, and of how many; `say` of what cannot be written; `play` says where.
    """
    named = {"game": game, "games": games, "style": style, "opening_plies": opening_plies, "seed": seed}
    named |= {"openings": openings, "anchor": anchor}
    given = {name: value for name, value in named.items() if value is not None}
    kept = TournamentFolder(Path(folder), given)
    entrants = _entrants(players, kept)
    settings = kept.settings
    if not entrants and not kept.games:
        how = f"eightfold tournament {folder} random greedy"
        raise EightfoldError(f"there is no tournament in {folder} yet; name two players or more to start one: {how}")
    if len(entrants) == 1:
        raise EightfoldError("a tournament of 1 player has no games; name at least 2")
    everybody = {**dict.fromkeys(kept.names), **dict.fromkeys(entrants)}
    if settings.anchor and settings.anchor not in everybody:
        raise EightfoldError(f"the anchor {settings.anchor!r} does not take part; there are {', '.join(everybody)}")
    if not entrants:
        return _report(kept, missing=0, say=say)
    pairs = pairs_of(list(entrants), settings.style)
    begun = kept.openings()  # an error before anything is written
    missing = _missing(kept, pairs)
    playing = [name for name in entrants if any(name in pair for pair, _ in missing)]
    seeds = [player_seed(settings.seed, name) for name in playing]
    with ready_players([entrants[name] for name in playing], kept.game, seeds=seeds) as there:
        ready = dict(zip(playing, there, strict=True))
        made = {name: made_from(entrants[name], seed) for name, seed in zip(playing, seeds, strict=True)}
        kept.begin()
        try:
            missing = _missing(kept, pairs)
            total, whole = len(pairs) * settings.games, len(kept.games) + len(missing)
            progress(total - len(missing), total)

            def finished(place: int, result: GameResult) -> None:
                kept.add(TournamentGame.of_result(result, *missing[place]))
                progress(total - (whole - len(kept.games)), total)

            fixtures = [
                Fixture(
                    players=(ready[pair[0]], ready[pair[1]]),
                    names=pair,
                    seeds=game_seeds(settings.seed, pair, number),
                    first_named_is_black=number % SIDES == 0,
                    opening=begun[number // SIDES],
                    made_from=(made[pair[0]], made[pair[1]]),
                )
                for pair, number in missing
            ]
            try:
                play(fixtures, parallel=parallel, threads=threads, finished=finished)
            except (KeyboardInterrupt, Interrupted):
                kept.read_games()  # a game may just have been written
                progress(total - (whole - len(kept.games)), total)
                if kept.games:
                    _report(kept, missing=whole - len(kept.games), say=say)
                raise
            return _report(kept, missing=0, say=say)
        finally:
            kept.close()


def _entrants(players: Sequence[str] | Mapping[str, str | Player], kept: TournamentFolder) -> dict[str, str | Player]:
    """The players by name, each of them once; an error for a text that names none."""
    if isinstance(players, str):
        raise EightfoldError(f"{players!r} is one player; give a list of at least 2")
    if isinstance(players, Mapping):
        for player in players.values():
            if isinstance(player, str):
                read_player(player)
        return dict(players)
    known = list(_read(kept.names))
    entrants: dict[str, str | Player] = {}
    for text in (player.strip() for player in players):
        spec = read_player(text)
        if text in entrants:
            raise EightfoldError(f"player {text} is named twice")
        for other, found in [*_read(entrants), *known]:
            if other != text and _is_same(found, spec):
                raise EightfoldError(f"{text} and {other} are the same player; name it {other}, and once")
        entrants[text] = text
    return entrants


def _read(names: Iterable[str]) -> Iterable[tuple[str, PlayerSpec]]:
    """What names mean, those that are texts of players."""
    for name in names:
        try:
            yield name, read_player(name)
        except EightfoldError:
            continue  # a name that somebody gave to an object


def _is_same(one: PlayerSpec, two: PlayerSpec) -> bool:
    return (one.name, one.argument, one.options) == (two.name, two.argument, two.options)


def _missing(kept: TournamentFolder, pairs: Sequence[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    played = {(game.pair, game.number) for game in kept.games}
    return list(missing_games(pairs, kept.settings.games, played))


def _report(kept: TournamentFolder, *, missing: int, say: Callable[[str], None]) -> Standings:
    """The standings, written down."""
    black_begins = kept.game.start().to_move == BLACK
    standings = Standings.of(kept.games, kept.settings, missing=missing, black_begins=black_begins)
    if kept.records is None:
        say(f"no records are written: neither SGF nor psq holds {kept.game.text}")
    if not is_installed("matplotlib"):
        say(f"{PLOT} is not written: {missing_extra('matplotlib')}")
    write_reports(kept.path, standings, records=kept.records.name if kept.records is not None else "")
    return standings
