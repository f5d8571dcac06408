"""Who can be chosen on the page: only those whom the server was started with, each by a short key.

A client names a key and the number of a level, never a text with options, a path or a command. The built-in
players and the networks that come with the package are always there; `--player` and `--run` add to them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eightfold.arena.players import PlayerSpec, make_player, read_player
from eightfold.core.commands import split_words
from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Game
from eightfold.isn.place import find_isn, shipped_isns
from eightfold.nets.store.description import DESCRIPTION, check_fits, find_checkpoint, shipped_networks
from eightfold.nets.store.exported import is_exported
from eightfold.nets.store.opening import describe_network, weights_file
from eightfold.search.result import Player

HUMAN = "human"
MEMORY = 100  # megabytes for the tree of one player


@dataclass(frozen=True, kw_only=True)
class Level:
    name: str  # what people read: '400 playouts'
    text: str  # what makes the player; it stays on the server


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One player on the page."""

    key: str
    summary: str
    levels: tuple[Level, ...]
    usual: int = 0  # the level that is chosen first
    network: str = ""  # the place of its network; '' for players without one
    place: str = ""  # a folder or file that no message may tell
    game: str = ""  # the game that its network was trained for, or a family without its options: any of them
    any_size: bool = False
    foresight: bool = False  # whether its network foresees who will own the points

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
        """What went wrong, in words that do not tell where the network lies."""
        if not self.place or self.place in self.key:  # a shipped network's place is its name
            return error
        kind = self.key.partition(":")[0]  # some name the player, others the place alone
        return EightfoldError(str(error).replace(f"{kind}:{self.place}", self.key).replace(self.place, self.key))

    def check_fits(self, game: Game) -> None:
        """A network plays the game that it was trained for; some play it on any board."""
        if self.game and self.game != game.name:
            check_fits(self.game, game, who=f"player {self.key}", any_size=self.any_size)

    def version(self) -> int:
        """A number that changes with the weights: a run that goes on has a new network every minute."""
        if not self.network:
            return 0
        try:
            return weights_file(self.network).stat().st_mtime_ns
        except (OSError, EightfoldError):
            return 0

    def as_dict(self) -> dict[str, Any]:
        """What a client is told."""
        return {
            "key": self.key,
            "summary": self.summary,
            "levels": [level.name for level in self.levels],
            "usual": self.usual,
            "is_network": bool(self.network),
            "game": self.game,
            "any_size": self.any_size,
        }


class Offers:
    """All players of a server. Networks of runs come as soon as the run has one."""

    def __init__(self, players: Sequence[str] = (), runs: Sequence[Path] = ()) -> None:
        self._own = [_offer(text) for text in players]
        self._runs = list(runs)
        self._shipped: list[Offer] | None = None
        self._of_runs: dict[Path, tuple[int, Offer]] = {}  # with the time of its description
        self._lock = threading.Lock()

    def all(self) -> list[Offer]:
        """The offers of this moment, networks first: they are what people come for. May import PyTorch."""
        with self._lock:
            if self._shipped is None:
                self._shipped = [_offer(f"net:{name}") for name in shipped_networks()]
                self._shipped += [_offer(f"isn:{name}") for name in shipped_isns()]
            networks = [*self._shipped, *filter(None, map(self._of_run, self._runs))]
        plain = [_offer(name) for name in ("alphabeta", "mcts", "greedy", "random")]
        return _with_own_keys([*networks, *self._own, *plain])

    def _of_run(self, run: Path) -> Offer | None:
        """The network of a run; None while it has none yet."""
        try:
            written = (find_checkpoint(run) / DESCRIPTION).stat().st_mtime_ns
            if self._of_runs.get(run, (0,))[0] != written:
                self._of_runs[run] = (written, _offer(f"net:{run}"))
            return self._of_runs[run][1]
        except (EightfoldError, OSError):
            return None

    def find(self, key: str) -> Offer:
        offers = {offer.key: offer for offer in self.all()}
        if key not in offers:
            raise unknown("player", key, [HUMAN, *offers])
        return offers[key]


def _offer(text: str) -> Offer:
    """The offer that a text names; a wrong text is an error now, not when somebody clicks on it."""
    spec = read_player(text)
    if spec.name == "net":
        return _net_offer(spec)
    if spec.name == "isn":
        return _isn_offer(spec)
    if not spec.kind.argument:
        levels, usual = _levels(spec, spec.name)
        return Offer(key=text if spec.given else spec.name, summary=spec.kind.summary, levels=levels, usual=usual)
    short = spec.argument
    if spec.kind.argument == "COMMAND":  # it may hold paths: people see the program's name alone
        short = Path(split_words(spec.argument, spec.name)[0]).name
    levels, _ = _levels(spec, text)
    return Offer(key=f"{spec.name}:{short}", summary="a program of its own", levels=levels)


def _net_offer(spec: PlayerSpec) -> Offer:
    place = spec.argument
    description, any_size = describe_network(place)
    levels, usual = _levels(spec, f"net:{place}")
    return Offer(
        key=f"net:{Path(place).name}" + (f",{spec.given}" if spec.given else ""),
        summary=f"{description.network}, symmetry {description.symmetry}, trained on {description.game}",
        levels=levels,
        usual=usual,
        network=place,
        place=place,
        game=description.game,
        any_size=any_size,
        foresight="foresight=1" in description.network and not is_exported(place),  # a file without those outputs
    )


def _isn_offer(spec: PlayerSpec) -> Offer:
    """It plays Go on any board and by any rules, and has no policy that the eightfold view could ask for."""
    place = spec.argument
    find_isn(place)  # an error now
    name = Path(place).stem if Path(place).is_file() else Path(place).name
    levels, usual = _levels(spec, f"isn:{place}")
    summary = "an Internal Symmetry Network, without look-ahead or with alpha-beta"
    key = f"isn:{name}" + (f",{spec.given}" if spec.given else "")
    return Offer(key=key, summary=summary, levels=levels, usual=usual, place=place, game="go")


def _levels(spec: PlayerSpec, text: str) -> tuple[tuple[Level, ...], int]:
    """The usual levels of a kind, or the one that was asked for exactly. `text`: the player without options."""
    levels, comma = spec.kind.levels, "," if ":" in text else ":"
    if spec.given or levels is None:
        exact = f"{text}{comma}{spec.given}" if spec.given and spec.kind.argument != "COMMAND" else text
        return (Level(name="as it is", text=exact),), 0
    more = f",memory={MEMORY}" if spec.kind.has_tree else ""
    return tuple(
        Level(name=name, text=f"{text}{comma}{levels.option}={value}{more}")
        for name, value in zip(levels.names(), levels.values, strict=True)
    ), levels.usual


def _with_own_keys(offers: Sequence[Offer]) -> list[Offer]:
    """Two runs may have folders of the same name: the second is called so."""
    seen: dict[str, int] = {}
    named = []
    for offer in offers:
        seen[offer.key] = seen.get(offer.key, 0) + 1
        count = seen[offer.key]
        named.append(offer if count == 1 else replace(offer, key=f"{offer.key} ({count})"))
    return named
