"""Players by name: one short text means the same player everywhere.

`random`, `greedy:lambda=0.5`, `alphabeta:depth=4`, `mcts:playouts=1000`, `net:runs/first` for a network,
`gomocup:./engine` and `gtp:gnugo --mode gtp` for programs that speak those protocols, and `python:module:Class` for
your own: a class with one method, `move(position)`, that gives back a legal move.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.specs import Option, Value, read_options, split_name
from eightfold.core.user_code import import_own, own_trouble
from eightfold.games.game import Game, Position
from eightfold.search.alphabeta import AlphaBeta
from eightfold.search.greedy import Greedy
from eightfold.search.random_mover import RandomMover
from eightfold.search.result import Player, Progress, SearchResult, one_hot
from eightfold.search.uct import Mcts


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A kind of player: how to make one and what to tell people about it."""

    summary: str
    make: Callable[..., Player]
    options: tuple[Option, ...] = ()
    example: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)  # options whose argument has another name


PLAYERS: dict[str, Entry] = {
    "random": Entry(
        summary="any legal move, each as likely as the others", make=RandomMover, options=RandomMover.OPTIONS
    ),
    "greedy": Entry(
        summary="the point worth most right now, to itself and to the opponent; no look-ahead",
        make=Greedy,
        options=Greedy.OPTIONS,
        arguments={"lambda": "weight"},  # a word that Python keeps for itself
        example="greedy:lambda=0.5",
    ),
    "alphabeta": Entry(
        summary="min-max with alpha-beta pruning, a fixed number of plies or seconds ahead",
        make=AlphaBeta,
        options=AlphaBeta.OPTIONS,
        example="alphabeta:depth=4",
    ),
    "mcts": Entry(
        summary="pure Monte Carlo tree search: one random game a playout, no knowledge but the rules",
        make=Mcts,
        options=Mcts.OPTIONS,
        example="mcts:playouts=3000",
    ),
}
WITH_TREES = ("mcts", "net")  # they take as much memory as they are given time, or as their option `memory` says
OWN_PLAYER = "python:MODULE:CLASS"
HUMAN = "human"  # a person at the terminal: only a match can ask one, see `human.py`
NETWORK_PLAYERS = {"net": "playouts=400", "isn": "beta=20"}  # with an option for an example
PROTOCOLS = {"gomocup": "the Gomocup protocol", "gtp": "GTP, as Go engines do"}  # players that are programs
ENGINE_PLAYERS = tuple(f"{name}:COMMAND" for name in PROTOCOLS)


def make_player(text: str, game: Game, *, seed: int = 0) -> Player:
    """The player that a text names, for a game; equal seeds play equal games."""
    name, rest = split_name(text)
    if name == "python":
        return OwnPlayer(text, rest)
    if name in NETWORK_PLAYERS:
        kind, place, options = _split_network(name, rest)
        return kind(game, place, seed=seed, **options)
    if name in PROTOCOLS:
        kind, options, command = _split_engine(name, rest)
        return kind(game, command, **options)
    entry = _entry(name, text)
    values = read_options(rest, entry.options, f"player {name}")
    return entry.make(game, seed=seed, **{entry.arguments.get(key, key): value for key, value in values.items()})


def check_player(text: str) -> None:
    """An error if a text cannot name a player, whatever the game; nothing is made or started."""
    name, rest = split_name(text)
    if name in NETWORK_PLAYERS:
        _split_network(name, rest)
    elif name in PROTOCOLS:
        from eightfold.protocols.program_player import split_words

        split_words(_split_engine(name, rest)[2], name)
    elif name == "python":
        _split_own(text, rest)
    else:
        read_options(rest, _entry(name, text).options, f"player {name}")


def _entry(name: str, text: str) -> Entry:
    if name == HUMAN:
        raise EightfoldError(
            "player human is you at the terminal: use `eightfold match human OPPONENT` or `eightfold play OPPONENT`"
        )
    if name not in PLAYERS:
        raise unknown(
            "player",
            name or text,
            [*PLAYERS, *(f"{each}:RUN" for each in NETWORK_PLAYERS), *ENGINE_PLAYERS, OWN_PLAYER, HUMAN],
        )
    return PLAYERS[name]


def _split_network(name: str, text: str) -> tuple[Callable[..., Player], str, dict[str, Value]]:
    """`net:PLACE,key=value`: the class, where the network is (a run, a file, a shipped one), and the options."""
    kind: Any
    if name == "net":
        from eightfold.nets.player import NetPlayer

        kind = NetPlayer
    else:
        from eightfold.isn.player import IsnPlayer  # it brings PyTorch along, which engines do without

        kind = IsnPlayer
    place, _, options = text.partition(",")
    if not place.strip() or "=" in place:
        example = NETWORK_PLAYERS[name]
        raise EightfoldError(f"player {f'{name}:{text}'!r} names no network; write {name}:RUN,{example}")
    return kind, place.strip(), read_options(options, kind.OPTIONS, f"player {name}")


def _split_engine(name: str, text: str) -> tuple[Callable[..., Player], dict[str, Value], str]:
    """`gomocup:key=value,COMMAND`: the class, the options, which come before the command if there are any, and it."""
    from eightfold.protocols.gomocup.player import GomocupPlayer
    from eightfold.protocols.gtp.player import GtpPlayer
    from eightfold.protocols.program_player import split_command

    kind = GtpPlayer if name == "gtp" else GomocupPlayer
    options, command = split_command(text)
    return kind, read_options(options, kind.OPTIONS, f"player {name}"), command


def _split_own(text: str, path: str) -> tuple[str, str]:
    module_name, _, class_name = path.partition(":")
    if not module_name or not class_name:
        raise EightfoldError(f"player {text!r} is not of the form {OWN_PLAYER}")
    return module_name, class_name


class OwnPlayer:
    """A user's class with a `move(position)` method, as a player."""

    def __init__(self, text: str, path: str) -> None:
        self._who = f"player {text!r}"
        module_name, class_name = _split_own(text, path)
        module = import_own(module_name, self._who)
        if not hasattr(module, class_name):
            raise EightfoldError(f"{self._who}: module {module_name} has no {class_name}")
        self._class = getattr(module, class_name)
        if not callable(getattr(self._class, "move", None)):
            raise EightfoldError(f"{self._who}: the class has no method move(position)")
        self._own: Any = None

    def new_game(self) -> None:
        try:
            self._own = self._class()
        except Exception as error:
            raise own_trouble(error, self._who) from error

    def think(
        self,
        position: Position,
        *,
        seconds: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Progress | None = None,
    ) -> SearchResult:
        if self._own is None:
            self.new_game()
        try:
            move = self._own.move(position)
        except Exception as error:
            raise own_trouble(error, self._who) from error
        try:
            action = position.game.action(move)
        except EightfoldError as error:
            raise EightfoldError(f"{self._who}: {error}") from None
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)
