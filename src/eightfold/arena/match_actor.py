"""What plays games of a match on another machine: fixtures as plain data in, one line of data for each game out.

The actor makes the players from their texts, the networks among them from files that came with them, and lets the one
engine play. Read before: `engine.py`. Read next: `cluster_games.py`, which sends the parts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from eightfold.arena.engine import Fixture, MadeFrom, games_played
from eightfold.arena.players import make_player, read_player
from eightfold.arena.results import GameResult
from eightfold.games.game import Game, make_game
from eightfold.nets.store.places import MODELS, find_network
from eightfold.search.result import Player, close_player

Files = Mapping[str, bytes]  # of a network, by their names


@dataclass(frozen=True, kw_only=True)
class SentPlayer:
    """A player for another machine."""

    made_from: MadeFrom
    files: Any = None  # a list of one: where in the object store its network's files are; None: it needs none


class SentFixture(NamedTuple):
    """A fixture for another machine: its players by their places in a list."""

    players: tuple[int, int]
    names: tuple[str, str]
    seeds: tuple[int, int]
    first_named_is_black: bool
    opening: tuple[int, ...]  # moves


class SentResult(NamedTuple):
    """What came of a game; the rest is in its fixture."""

    moves: tuple[int, ...]
    seconds: tuple[float, ...]
    forfeited_by: int | None
    reason: str
    resigned: bool

    def result(self, fixture: Fixture) -> GameResult:
        black = 0 if fixture.first_named_is_black else 1
        return GameResult(
            position=fixture.opening.game.after(self.moves),
            black=fixture.names[black],
            white=fixture.names[1 - black],
            first_named_is_black=fixture.first_named_is_black,
            opening_plies=len(fixture.opening.moves),
            seconds=self.seconds,
            forfeited_by=self.forfeited_by,
            reason=self.reason,
            resigned=self.resigned,
        )


class MatchActor:
    """Plays parts of matches, one after another."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads
        self._players: dict[tuple[str, MadeFrom, str], Player] = {}  # of the last part: the next one has the same

    def is_ready(self) -> Iterator[bool]:
        """Yields when the actor has started."""
        yield True

    def play_part(
        self, game: str, players: list[SentPlayer], fixtures: list[SentFixture]
    ) -> Iterator[tuple[int, SentResult]]:
        """Place and result of every game, in the order in which they end."""
        the_game = make_game(game, trusted=True)  # who typed it is at the other end
        made = self._make(the_game, players)
        here = [
            Fixture(
                players=(made[each.players[0]], made[each.players[1]]),
                names=each.names,
                seeds=each.seeds,
                first_named_is_black=each.first_named_is_black,
                opening=the_game.after(each.opening),
            )
            for each in fixtures
        ]
        try:
            for number, done in games_played(here, threads=self.threads):
                told = done.seconds, done.forfeited_by, done.reason, done.resigned
                yield number, SentResult(done.position.moves, *told)
        finally:
            self._close()

    def _make(self, game: Game, players: list[SentPlayer]) -> list[Player]:
        keys = [(game.text, each.made_from, str(each.files)) for each in players]
        self._players = {key: player for key, player in self._players.items() if key in keys}
        for key, each in zip(keys, players, strict=True):
            if key not in self._players:
                self._players[key] = make_sent(each, game)
        return [self._players[key] for key in keys]

    def _close(self) -> None:
        """Programs end with their games: nobody would end them when this process is killed."""
        for key, player in list(self._players.items()):
            if hasattr(player, "close"):
                close_player(player)
                del self._players[key]


def files_of(made_from: MadeFrom) -> Files | None:
    """The files of the network that a player's text names; None if it names none, or one that every node has."""
    spec = read_player(made_from.text)
    if spec.kind.argument != "PLACE":
        return None
    kind, file = find_network(spec.argument)
    if MODELS in file.resolve().parents:
        return None
    return {path.name: path.read_bytes() for path in kind.files(file)}


def make_sent(sent: SentPlayer, game: Game) -> Player:
    """The player; its network's files are needed on the disk only until it is made."""
    text, seed = sent.made_from
    if sent.files is None:
        return make_player(text, game, seed=seed)
    import ray

    spec, files = read_player(text), ray.get(sent.files[0])
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        weights = Path(folder, next(iter(files)))
        return make_player(f"{spec.name}:{weights}{',' if spec.given else ''}{spec.given}", game, seed=seed)
