"""The menu of the page: the players that a browser may choose, each by a short key.

A browser names a key and the number of a level. It never names a text with options, a path or a command. The
built-in players and the networks that come with the package are always on the menu; `--player` and `--run` add to
it. Nothing here imports PyTorch.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eightfold.arena.players import HUMAN, PlayerSpec, make_player, read_player
from eightfold.core.commands import split_words
from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Game, make_game
from eightfold.isn.go_network import GoIsn
from eightfold.nets.heads import predicts_ownership
from eightfold.nets.levels import NOT_RATED, LevelRatings, read_level_ratings
from eightfold.nets.store.description import check_fits, distance, plays
from eightfold.nets.store.exported import is_exported
from eightfold.nets.store.places import MODELS, find_network, shipped_networks
from eightfold.nets.store.policy_value import PolicyValueNetwork, describe
from eightfold.parts import CLASSICAL_PLAYERS
from eightfold.search.result import Player

ONLY_LEVEL = "fixed"  # the name of the level of a player that has one alone
MEMORY = 100  # megabytes for the tree of one player


@dataclass(frozen=True, kw_only=True)
class Level:
    name: str  # what people read: '400 playouts'
    text: str  # what makes the player; it stays on the server


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """One player on the menu."""

    key: str
    summary: str
    levels: tuple[Level, ...]
    default_level: int = 0
    network: str = ""  # where its network is; '' for players without one
    place: str = ""  # a folder or file that no message may tell
    game: str = ""  # the game that its network was trained for, or a family without its options: any of them
    any_size: bool = False
    tolerates: tuple[str, ...] = ()  # options of the game in which its network may meet other values, `size` among them
    usual_sizes: range = range(0)  # of boards on which it plays where nobody is chosen, if it comes with Eightfold
    needs: str = ""  # a property of the game, as `PlayerKind` has it
    ownership: bool = False  # whether its network predicts who will own the points

    def level(self, number: int) -> Level:
        if not 0 <= number < len(self.levels):
            raise EightfoldError(f"player {self.key} has the levels 0 to {len(self.levels) - 1}, not {number}")
        return self.levels[number]

    def make(self, number: int, game: Game, seed: int) -> Player:
        try:
            return make_player(self.level(number).text, game, seed=seed)
        except EightfoldError as error:
            raise self.without_place(error) from None

    def without_place(self, error: EightfoldError) -> EightfoldError:
        """The same error in words that do not tell where the network is."""
        if not self.place or self.place in self.key:  # a shipped network's place is its name
            return error
        kind = self.key.partition(":")[0]  # some errors name the player, others the place alone
        return EightfoldError(str(error).replace(f"{kind}:{self.place}", self.key).replace(self.place, self.key))

    def check_fits(self, game: Game) -> None:
        """A network plays the game that it was trained for; some play it on any board.

        Other players need nothing, or something that not every game offers.
        """
        if self.needs and not getattr(game, self.needs):
            lacking = self.needs.replace("_", " ")
            raise EightfoldError(f"player {self.key} needs a game that {lacking}; {game.text} does not")
        if self.game and self.game != game.name:
            check_fits(self.game, game, who=f"player {self.key}", any_size=self.any_size)

    def version(self) -> tuple[int, ...]:
        """Numbers that change with the network: a run that trains has a new one every minute."""
        if not self.network:
            return ()
        try:
            kind, file = find_network(self.network)
            return kind.version(file)
        except (OSError, EightfoldError):
            return ()

    def as_dict(self) -> dict[str, Any]:
        """What a browser is told."""
        return {
            "key": self.key,
            "summary": self.summary,
            "levels": [level.name for level in self.levels],
            "default_level": self.default_level,
            "is_network": bool(self.network),
            "game": self.game,
            "tolerates": list(self.tolerates),
            "usual_sizes": [self.usual_sizes.start, self.usual_sizes.stop - 1],
        }


class Menu:
    """All players of a server. The network of a run joins as soon as the run has one."""

    def __init__(self, players: Sequence[str] = (), runs: Sequence[Path] = ()) -> None:
        self._given = [_entry(text) for text in players]
        self._runs = list(runs)
        self._shipped: list[MenuEntry] | None = None
        self._of_runs: dict[Path, tuple[tuple[int, ...], MenuEntry]] = {}  # with the version of its network
        self._lock = threading.Lock()

    def all(self) -> list[MenuEntry]:
        """The entries of this moment, networks first: they are what people come for."""
        with self._lock:
            if self._shipped is None:
                self._shipped = [_entry(f"net:{name}") for name in shipped_networks(PolicyValueNetwork)]
                self._shipped += [_entry(f"isn:{name}") for name in shipped_networks(GoIsn)]
            networks = [*self._shipped, *filter(None, map(self._of_run, self._runs))]
        return _with_unique_keys([*networks, *self._given, *map(_entry, reversed(CLASSICAL_PLAYERS))])

    def _of_run(self, run: Path) -> MenuEntry | None:
        """The network of a run; None while it has none yet."""
        try:
            version = PolicyValueNetwork.version(find_network(run, PolicyValueNetwork)[1])
            if self._of_runs.get(run, ((),))[0] != version:
                self._of_runs[run] = (version, _entry(f"net:{run}"))
            return self._of_runs[run][1]
        except (EightfoldError, OSError):
            return None

    def find(self, key: str) -> MenuEntry:
        entries = {entry.key: entry for entry in self.all()}
        if key not in entries:
            raise unknown("player", key, [HUMAN, *entries])
        return entries[key]

    def default_opponent(self, game: Game) -> MenuEntry:
        """Who plays or analyses where nobody is chosen: a network for the very game, a shipped one, or a search.

        Of the shipped ones that play it and are usual on its board, it is the one of the nearest.
        """
        entries = self.all()
        networks = [
            entry
            for entry in entries
            if entry.game == game.text
            or (game.size in entry.usual_sizes and plays(entry.game, game, any_size=entry.any_size))
        ]
        if networks:
            return min(networks, key=lambda entry: distance(entry.game, game))
        return next(entry for entry in entries if entry.key == game.usual_player)


def _entry(text: str) -> MenuEntry:
    """The entry for a player's text; a wrong text is an error now, not when somebody clicks on it."""
    spec = read_player(text)
    if spec.name == "net":
        return _net_entry(spec)
    if spec.name == "isn":
        return _isn_entry(spec)
    if not spec.kind.argument:
        levels, default = _levels(spec, spec.name)
        key = text if spec.given else spec.name
        return MenuEntry(
            key=key, summary=spec.kind.summary, levels=levels, default_level=default, needs=spec.kind.needs
        )
    short = spec.argument
    if spec.kind.argument == "COMMAND":  # it may hold paths: people see the program's name alone
        short = Path(split_words(spec.argument, spec.name)[0]).name
    levels, _ = _levels(spec, text)
    return MenuEntry(key=f"{spec.name}:{short}", summary="an external program", levels=levels)


def _net_entry(spec: PlayerSpec) -> MenuEntry:
    place = spec.argument
    _, file = find_network(place, PolicyValueNetwork)
    description, any_size = describe(file)
    ratings = read_level_ratings(place)
    levels, default = _levels(spec, f"net:{place}", ratings)
    zero = f"; {ratings.zero} has an Elo of 0" if ratings.ratings else ""
    shipped = file.parent.parent == MODELS
    return MenuEntry(
        key=f"net:{Path(place).name}" + (f",{spec.given}" if spec.given else ""),
        summary=f"a network trained on {_board(description.game)}{zero}",
        levels=levels,
        default_level=default,
        network=place,
        place=place,
        game=description.game,
        any_size=any_size,
        tolerates=_tolerated(description.game, any_size=any_size),
        usual_sizes=description.usual_sizes() if shipped else range(0),
        ownership=predicts_ownership(description.network) and not is_exported(file),  # a file without those outputs
    )


def _board(game: str) -> str:
    """A game in short, where its text tells the size of its board.

    >>> _board("go:size=9,komi=7.5"), _board("python:mine,size=7")
    ('9x9 go', 'python:mine,size=7')
    """
    found = re.fullmatch(r"(?!python:)(\w+):(?:.*,)?size=(\d+)(?:,.*)?", game)
    return f"{found[2]}x{found[2]} {found[1]}" if found else game


def _tolerated(trained: str, *, any_size: bool) -> tuple[str, ...]:
    """The options in which a network may meet other values; none of a game that nobody here has asked for."""
    try:
        options = make_game(trained).spec.networks_tolerate
    except EightfoldError:
        return ()
    return tuple(sorted(options | ({"size"} if any_size else set())))


def _isn_entry(spec: PlayerSpec) -> MenuEntry:
    """It plays Go on any board and by any rules, and has no policy for the eightfold view."""
    place = spec.argument
    find_network(place, GoIsn)  # an error now
    name = Path(place).stem if Path(place).is_file() else Path(place).name
    levels, default = _levels(spec, f"isn:{place}")
    summary = "an Internal Symmetry Network, without look-ahead or with alpha-beta"
    key = f"isn:{name}" + (f",{spec.given}" if spec.given else "")
    return MenuEntry(key=key, summary=summary, levels=levels, default_level=default, place=place, game="go")


def _levels(spec: PlayerSpec, text: str, ratings: LevelRatings = NOT_RATED) -> tuple[tuple[Level, ...], int]:
    """The levels of a kind of player and which is the default, or the only one if options are given.

    `text`: the player without its options. `ratings`: of levels that have names.
    """
    levels, comma = spec.kind.levels, "," if ":" in text else ":"
    if spec.given or levels is None:
        exact = f"{text}{comma}{spec.given}" if spec.given and spec.kind.argument != "COMMAND" else text
        return (Level(name=ONLY_LEVEL, text=exact),), 0
    more = f",memory={MEMORY}" if spec.kind.has_tree else ""
    return tuple(
        Level(
            name=ratings.name_of(value) if isinstance(value, str) else name,
            text=f"{text}{comma}{levels.option}={value}{more}",
        )
        for name, value in zip(levels.names(), levels.values, strict=True)
    ), levels.usual


def _with_unique_keys(entries: Sequence[MenuEntry]) -> list[MenuEntry]:
    """Two runs may have folders of the same name: the second gets a number."""
    seen: dict[str, int] = {}
    named = []
    for entry in entries:
        seen[entry.key] = seen.get(entry.key, 0) + 1
        count = seen[entry.key]
        named.append(entry if count == 1 else replace(entry, key=f"{entry.key} ({count})"))
    return named
