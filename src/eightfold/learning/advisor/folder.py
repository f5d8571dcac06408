"""An advisor's folder: the games that it played, as `eightfold advise` keeps them and `eightfold train` reads them.

advice.toml       the game, the player, how it explored, the seed and the version
games-0001.part   games, each at once when it ends; every launch begins a part of its own and touches no earlier one
lock              held by the process that plays

A game in a part is `PlayedGame.to_bytes` behind a head of four numbers: the game's number, its length, its checksum and
the checksum of these three. A launch that is killed leaves a part whose last game is cut; it is not counted, and the
next launch plays it again. What is damaged otherwise is left out and said.

Read before: `teacher.py`. Read next: `opening.py`.
"""

from __future__ import annotations

import hashlib
import os
import struct
import tomllib
import zlib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO

from eightfold import __version__
from eightfold.config import toml_value
from eightfold.core.errors import EightfoldError, not_written
from eightfold.core.files import replace_file
from eightfold.core.lock import lock_folder
from eightfold.games.game import Game, make_game
from eightfold.games.records.record import path_label
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.runs.atomic_save import has_other_files

ADVICE, PART = "advice.toml", "games-{:04}.part"
FORMAT = 1
HEAD = struct.Struct("<III")  # number, bytes, crc32 of the bytes
CHECK = struct.Struct("<I")  # crc32 of the head
MOST_PARTS = 9999


@dataclass
class Advice:
    """What an advisor has to say: games by their numbers, and what could not be read."""

    source: str  # who played them
    games: dict[int, PlayedGame] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def first(self, games: int) -> list[PlayedGame]:
        """So many games in the order of their numbers; 0: all."""
        ordered = [self.games[number] for number in sorted(self.games)]
        return ordered[:games] if games else ordered


def digest_of(games: list[PlayedGame]) -> str:
    """A short text that equal games share, and other ones hardly ever."""
    digest = hashlib.sha256()
    for played in games:
        digest.update(played.to_bytes())
    return digest.hexdigest()[:16]


def is_advice(path: Path) -> bool:
    return (path / ADVICE).is_file()


def read_settings(path: Path) -> tuple[str, Teaching]:
    """The game's text and how the advisor plays."""
    file = path / ADVICE
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        version = data.pop("format", None)
        if version != FORMAT:
            raise EightfoldError(f"it has format {version} and this version of Eightfold reads {FORMAT}")
        game = make_game(str(data["game"])).text
        return game, Teaching(**{each.name: data[each.name] for each in fields(Teaching)})
    except OSError as error:
        raise EightfoldError(f"cannot read {path_label(file)}: {error.strerror}") from None
    except KeyError as error:
        raise EightfoldError(f"{path_label(file)} is no advice: it does not say {error}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise EightfoldError(f"{path_label(file)} is no advice: {error}") from None


def read_advice(path: Path) -> tuple[str, Advice]:
    """The game's text and all games of a folder that are whole."""
    game, teaching = read_settings(path)
    advice = Advice(teaching.player)
    for part in _parts(path):
        _read_part(part, advice, game)
    return game, advice


def _parts(path: Path) -> list[Path]:
    return sorted(path.glob("games-*.part"))


def _read_part(path: Path, advice: Advice, game: str) -> None:
    label = path_label(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        advice.faults.append(f"{label} cannot be read: {error.strerror}")
        return
    place, read = 0, 0
    while place < len(data):
        head = data[place : place + HEAD.size + CHECK.size]
        if len(head) < HEAD.size + CHECK.size:
            advice.faults.append(f"{label} is cut after {read} games")
            return
        number, size, crc = HEAD.unpack_from(head)
        if CHECK.unpack_from(head, HEAD.size)[0] != zlib.crc32(head[: HEAD.size]):
            advice.faults.append(f"{label} is damaged after {read} games")
            return
        place += len(head) + size
        if place > len(data):
            advice.faults.append(f"{label} is cut after {read} games")
            return
        body = data[place - size : place]
        try:
            if zlib.crc32(body) != crc:
                raise EightfoldError("its bytes are not what was written")
            played = PlayedGame.from_bytes(body)
            if played.game != game:
                raise EightfoldError(f"it is of {played.game}")
        except EightfoldError as error:
            advice.faults.append(f"{label}: game {number + 1} is damaged: {error}")
            continue
        advice.games[number] = played
        read += 1


class AdviceFolder:
    """The folder while games are played into it. It is made, or goes on if game and settings are the same."""

    def __init__(self, path: Path, game: Game, teaching: Teaching) -> None:
        self.path = path
        self._part: IO[bytes] | None = None
        known = is_advice(path)
        if path.exists() and not path.is_dir():
            raise EightfoldError(f"{path_label(path)} is a file, not a folder for games")
        if known:
            _check_same(path, game, teaching)
        elif path.is_dir() and has_other_files(path):
            raise EightfoldError(f"{path_label(path)} holds other files and no advice; choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the folder {path_label(path)}: {error.strerror}") from None
        self._lock = lock_folder(path, "advice")
        try:
            if not known:
                replace_file(path / ADVICE, _as_toml(game, teaching).encode())
            _, self.advice = read_advice(path)
        except BaseException:
            self._lock.close()
            raise

    def add(self, number: int, played: PlayedGame) -> None:
        """Keep a game, at once."""
        body = played.to_bytes()
        head = HEAD.pack(number, len(body), zlib.crc32(body))
        part = self._part or self._new_part()
        try:
            part.write(head + CHECK.pack(zlib.crc32(head)) + body)
        except OSError as error:
            raise not_written(part.name, error.strerror) from None
        self.advice.games[number] = played

    def _new_part(self) -> IO[bytes]:
        for number in range(1, MOST_PARTS + 1):
            path = self.path / PART.format(number)
            try:
                self._part = open(path, "xb", buffering=0)  # noqa: SIM115 - open as long as games are played
                return self._part
            except FileExistsError:
                continue
            except OSError as error:
                raise not_written(path, error.strerror) from None
        raise EightfoldError(f"{path_label(self.path)} has {MOST_PARTS} parts already; begin another folder")

    def close(self) -> None:
        if self._part is not None:
            os.fsync(self._part.fileno())
            self._part.close()
        self._lock.close()

    def __enter__(self) -> AdviceFolder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _check_same(path: Path, game: Game, teaching: Teaching) -> None:
    text, before = read_settings(path)
    if text != game.text:
        raise EightfoldError(f"{path_label(path)} holds games of {text}, not of {game.text}; choose another folder")
    for key, value in asdict(teaching).items():
        if getattr(before, key) != value:
            raise EightfoldError(
                f"{path_label(path)} was begun with {key} = {getattr(before, key)!r}, not {value!r};"
                " choose another folder"
            )


def _as_toml(game: Game, teaching: Teaching) -> str:
    entries = {"format": FORMAT, "game": game.text, **asdict(teaching), "version": __version__}
    lines = [f"{key} = {toml_value(value)}" for key, value in entries.items()]
    return (
        "# Games that `eightfold advise` plays; `eightfold train --advisor` learns from them.\n"
        + "\n".join(lines)
        + "\n"
    )
