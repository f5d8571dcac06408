"""The folder of a tournament. One process at a time plays in it.

tournament.toml   the settings (`settings.py`)
openings.txt      how games begin, in their order, unless by random moves: they stay the same whatever becomes of the
                  network or the file that they are from
games.jsonl       a line for every game, as soon as it is over: what everything else is made from
sgf/              the same games as records, one file each (psq/ where that is the format)
lock              held by the process that plays
results.json, README.md, crosstable.csv, ratings.png
                  written anew at the end of each command (`report.py`)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.arena.openings.lists import read_openings, write_openings
from eightfold.arena.openings.source import RANDOM, opening_source
from eightfold.arena.tournaments.played import TournamentGame
from eightfold.arena.tournaments.schedule import SIDES
from eightfold.arena.tournaments.settings import FIXED, TournamentSettings
from eightfold.config import load_config, to_toml
from eightfold.core.errors import EightfoldError, shown
from eightfold.core.files import replace_file
from eightfold.core.line_file import LineFile
from eightfold.core.lock import lock_folder
from eightfold.core.settings import settings_of
from eightfold.games.game import Position, make_game
from eightfold.games.records.files import record_suffix, write_records

SETTINGS, GAMES, OPENINGS = "tournament.toml", "games.jsonl", "openings.txt"


class TournamentFolder:
    """Opens a folder, new or not. Nothing is written before `begin`, which takes the lock."""

    def __init__(self, path: Path, given: Mapping[str, Any]) -> None:
        """`given`: the settings that somebody named; the others are the folder's own, or the usual ones."""
        self.path = path
        self.exists = (path / SETTINGS).exists()
        if path.exists() and not path.is_dir():
            raise EightfoldError(f"cannot keep a tournament in {path}: it is not a folder")
        if (
            path.is_dir()
            and not self.exists
            and any(file.name != "lock" and not _is_draft(file) for file in path.iterdir())
        ):
            raise EightfoldError(f"{path} holds other files and no tournament; choose another folder")
        declared = {one.field: one for one in settings_of(TournamentSettings)}
        checked = {name: declared[name].accept(value, name) for name, value in given.items()}
        if "game" in checked:  # what somebody named may be a file of rules
            self.game = make_game(checked["game"], trusted=True)
            checked["game"] = self.game.text
        before = load_config(TournamentSettings(), path / SETTINGS) if self.exists else TournamentSettings()
        self.settings = replace(before, **checked)
        self._openings_named = "openings" in checked
        if self.exists:
            self._check_fixed(before)
        if "game" not in checked:
            self.game = make_game(self.settings.game)
            self.settings = replace(self.settings, game=self.game.text)
        self.suffix = record_suffix(self.game)
        self.games: list[TournamentGame] = []
        self.read_games()
        self._lines: LineFile | None = None
        self._new_openings = b""

    def _check_fixed(self, before: TournamentSettings) -> None:
        for name in FIXED:
            old, new = getattr(before, name), getattr(self.settings, name)
            if old != new:
                raise EightfoldError(
                    f"the tournament {self.path} was begun with {name} = {old!r}, not {new!r}; choose another folder"
                )

    def read_games(self) -> None:
        """All games that the folder has now."""
        path = self.path / GAMES
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
        games: dict[tuple[tuple[str, str], int], TournamentGame] = {}
        for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
            try:
                game = TournamentGame.of_line(line, self.settings.game)
                if games.setdefault((game.pair, game.number), game) is not game:
                    raise ValueError
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                what = f"{shown(line[:40].decode(errors='replace'))} is not a game, or one that is there already"
                remedy = "remove the line, and the game is played again"
                raise EightfoldError(f"{path} is damaged: line {number}, {what}; {remedy}") from None
        self.games = list(games.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody who has played here, in the order in which they came."""
        return tuple(dict.fromkeys(name for game in self.games for name in game.pair))

    def openings(self) -> list[Position]:
        """The openings of all games of a pair; more games have the same ones first.

        Those that are kept are not asked for again. More of them are, but only from what the call names.
        """
        settings, path = self.settings, self.path / OPENINGS
        needed = -(-settings.games // SIDES)
        kept = read_openings(path, self.game) if settings.openings != RANDOM and path.is_file() else []
        if len(kept) < needed:
            if settings.openings != RANDOM and self.exists and not self._openings_named:
                raise EightfoldError(
                    f"the tournament {self.path} needs {needed} openings and keeps {len(kept)};"
                    f" say again where they are from: --openings {settings.openings}"
                )
            source = opening_source(self.game, settings.openings, plies=settings.opening_plies, seed=settings.seed)
            kept += source.take(needed)[len(kept) :]
            if settings.openings != RANDOM:
                self._new_openings = write_openings(kept, source.name).encode()
        return kept[:needed]

    def begin(self) -> None:
        """Take the lock, write the settings, and complete what a kill left unfinished."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the folder {self.path}: {error.strerror}") from None
        self._lock = lock_folder(self.path, "tournament")
        try:
            self.read_games()  # another process may have played since
            notes = {"command": "tournament", "version": __version__}
            replace_file(self.path / SETTINGS, to_toml(self.settings, notes).encode())
            if self._new_openings:
                replace_file(self.path / OPENINGS, self._new_openings)
            self._lines = LineFile(self.path / GAMES)
            if self.records is not None:
                self._complete_records(self.records)
        except BaseException:
            self.close()
            raise

    def add(self, game: TournamentGame) -> None:
        """Keep a game that is over."""
        assert self._lines is not None
        self._lines.add(game.line())
        self.games.append(game)
        self._write_record(len(self.games))

    def close(self) -> None:
        if self._lines is not None:
            self._lines.sync()
            self._lines.close()
            self._lines = None
        self._lock.close()

    # ---- records ----------------------------------------------------------------------------------------

    @property
    def records(self) -> Path | None:
        """Where records lie; None if no format has this game."""
        return self.path / self.suffix.removeprefix(".") if self.suffix else None

    def _record_file(self, number: int) -> str:
        return f"game-{number:05d}{self.suffix}"

    def _complete_records(self, records: Path) -> None:
        records.mkdir(exist_ok=True)
        for file in filter(_is_draft, (*records.iterdir(), *self.path.iterdir())):
            file.unlink()
        ours = re.compile(rf"game-\d{{5,}}{re.escape(self.suffix)}")  # whatever else lies there stays
        there = {file.name for file in records.iterdir() if ours.fullmatch(file.name)}
        if len(there) > len(self.games):  # a line was taken out: all that follow have other numbers
            for name in there:
                (records / name).unlink()
            there = set()
        for number in range(1, len(self.games) + 1):
            if self._record_file(number) not in there:
                self._write_record(number)

    def _write_record(self, number: int) -> None:
        """The record of a line of games.jsonl, by its number."""
        if self.records is None:
            return
        game = self.games[number - 1]
        event = f"tournament {self.path.name}, game {game.number + 1} of this pair, seed {self.settings.seed}"
        write_records(self.records / self._record_file(number), [replace(game.record, event=event)])


def _is_draft(file: Path) -> bool:
    """Whether it is what a kill left of a file that was being written."""
    return file.name.startswith(".") and file.suffix in (".draft", ".tmp")
