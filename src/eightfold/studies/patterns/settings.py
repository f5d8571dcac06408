"""What can be changed of the study `patterns` with --set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eightfold.arena.players import read_player
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game

MANY = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class PatternSettings:
    records: str = setting("", "records of Go games, a file; empty: our own players play some")
    gomoku_records: str = setting("", "records of Gomoku or renju games, a file; empty: none")
    gomoku_game: str = setting("gomoku:rule=renju", "their rules")
    own_games: int = setting(2300, "games that our own players play where no records are given", least=4, most=MANY)
    own_game: str = setting("go:size=9,komi=7.5", "their board")
    own_player: str = setting("mcts:playouts=300", "who plays them, against itself")
    held_out: int = setting(
        300, "games at the front of the records on which moves are predicted; no others", least=1, most=MANY
    )
    sizes: tuple[int, ...] = setting(
        (100, 500, 2000, 15_000, 99_700),
        "training games of the libraries that predict by posteriors",
        least=1,
        most=MANY,
    )
    elo_sizes: tuple[int, ...] = setting(
        (100, 500, 2000), "training games of the libraries that predict by Elo ratings", least=1, most=MANY
    )
    elo_iterations: int = setting(12, "passes over the games in which ratings are improved", least=1, most=1000)
    match_game: str = setting("go:size=9,komi=7.5", "the board of the matches")
    match_playouts: int = setting(300, "playouts a move in matches at equal playouts", least=1, most=MANY)
    match_seconds: float = setting(0.05, "seconds a move in matches at equal time, one thread", least=0.001, most=3600)
    match_games: int = setting(200, "games per match; 0: no matches", least=0, most=MANY)
    chunk: int = setting(20, "games of a match that are played before they are kept", least=2, most=MANY)
    gnugo_games: int = setting(100, "games against GNU Go, two at a time; 0: none", least=0, most=MANY)
    gnugo_seconds: float = setting(1.0, "seconds a move against GNU Go, all cores", least=0.001, most=3600)
    seed: int = setting(0, "seed of games and matches", least=0, most=2**63 - 1)


def check(settings: PatternSettings) -> None:
    for name in ("records", "gomoku_records"):
        path = getattr(settings, name)
        if path and not Path(path).is_file():
            raise EightfoldError(f"{name} = {path}: there is no such file")
    for name in ("own_game", "match_game"):
        make_game(getattr(settings, name))
    read_player(settings.own_player)
    if settings.gnugo_games % 2:
        raise EightfoldError(f"gnugo_games = {settings.gnugo_games} is odd; colours alternate, so give an even number")
    if settings.chunk % 2:
        raise EightfoldError(f"chunk = {settings.chunk} is odd; colours alternate, so give an even number")
    if settings.match_games % settings.chunk:
        raise EightfoldError(
            f"match_games = {settings.match_games} is not a multiple of chunk = {settings.chunk}; change one of them"
        )
