"""Players by name: one short text means the same player everywhere.

    random  greedy:lambda=0.5  alphabeta:depth=4  mcts:playouts=1000     options alone
    net:runs/first,playouts=400  isn:isn-9,depth=5                       a place where a network lies, then options
    gomocup:./engine  gtp:seconds=2,gnugo --mode gtp                     options, then a program's command
    python:module:Class                                                  your own class, with a method move(position)

A text names a class of `eightfold/parts.py`; what it takes is declared there, as `KIND` and `Options`. Wherever a text
is accepted, a player that is made already is too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eightfold.arena.user_player import split_class
from eightfold.core.commands import split_command, split_words
from eightfold.core.errors import EightfoldError, shown, unknown
from eightfold.core.specs import read_spec, split_name
from eightfold.games.game import Game
from eightfold.nets.store.places import find_network
from eightfold.nets.store.policy_value import best_shipped
from eightfold.parts import PLAYERS
from eightfold.search.kind import PlayerClass, PlayerKind
from eightfold.search.result import Player, close_player

HUMAN = "human"  # a person at the terminal: only a match can ask one, see `human.py`


@dataclass(frozen=True, kw_only=True)
class PlayerSpec:
    """A player's text, read: nothing is opened or started yet."""

    name: str
    player: PlayerClass
    argument: str  # a place, a command, a user's class; "" for players without one
    options: Any  # an instance of `player.Options`
    given: str  # the options as they were written

    @property
    def kind(self) -> PlayerKind:
        return self.player.KIND

    def make(self, game: Game, *, seed: int = 0) -> Player:
        if self.kind.argument:
            return self.player(game, self.argument, self.options, seed=seed)
        return self.player(game, self.options, seed=seed)


def make_player(player: str | Player, game: Game, *, seed: int = 0) -> Player:
    """The player that a text names, for a game; equal seeds play equal games. A player is given back as it is."""
    if not isinstance(player, str):
        return player
    return read_player(player).make(game, seed=seed)


def best_player(game: Game) -> str:
    """The text of the strongest player that comes with Eightfold for a game: a network, or a search that suits it."""
    network = best_shipped(game)
    if network is None:
        return game.usual_player
    name = network.parent.name  # what lies in the working folder by the same name comes first, and is another network
    return f"net:{name if find_network(name)[1].parent == network.parent else network}"


def at_level(player: str, level: str) -> str:
    """The text of a player at one of the strengths that its kind has by name."""
    spec = read_player(player)
    levels = spec.kind.levels
    names = [value for value in levels.values if isinstance(value, str)] if levels is not None else []
    if levels is None or not names:
        how = f"; set {levels.option}, as in {spec.name}:{levels.option}={levels.values[0]}" if levels else ""
        raise EightfoldError(f"player {spec.name} has no levels by name, which networks have{how}")
    if level not in names:
        raise unknown("level", level, names)
    return f"{player}{',' if ':' in player else ':'}{levels.option}={level}"


@contextlib.contextmanager
def ready_players(
    players: Sequence[str | Player],
    game: Game,
    *,
    seeds: Sequence[int],
    make: Callable[..., Player] = make_player,
) -> Iterator[list[Player]]:
    """Players to play with: those given by texts are made, and closed at the end."""
    made: list[Player] = []
    ready: list[Player] = []
    try:
        for player, seed in zip(players, seeds, strict=True):
            if isinstance(player, str):
                made.append(make(player, game, seed=seed))
                ready.append(made[-1])
                continue
            if not (hasattr(player, "think") and hasattr(player, "new_game")):
                raise EightfoldError(
                    f"{shown(player)} is no player: it has no think(position) and new_game();"
                    " a class with move(position) is a player as python:MODULE:CLASS"
                )
            ready.append(player)
        yield ready
    finally:
        for player in made:
            close_player(player)


def read_player(text: str) -> PlayerSpec:
    """What a text says, or an error if it cannot name a player, whatever the game."""
    name, rest = split_name(text)
    if name == HUMAN:
        raise EightfoldError(
            "player human is you at the terminal: use `eightfold match human OPPONENT` or `eightfold play OPPONENT`"
        )
    if name not in PLAYERS:
        raise unknown("player", name or text, [*PLAYERS, HUMAN])
    player: PlayerClass = PLAYERS[name]
    argument, given = _split(name, rest, player.KIND)
    options = read_spec(given, player.Options, f"player {name}")
    if player.KIND.argument == "COMMAND":
        split_words(argument, name)  # an error for a command that cannot be started
    return PlayerSpec(name=name, player=player, argument=argument, options=options, given=given)


def _split(name: str, text: str, kind: PlayerKind) -> tuple[str, str]:
    """What a text names beside its options, and the options."""
    if kind.argument == "PLACE":
        place, _, options = (part.strip() for part in text.partition(","))
        if not place or "=" in place:
            raise EightfoldError(f"player {f'{name}:{text}'!r} names no network; write {kind.example}")
        return place, options
    if kind.argument == "COMMAND":
        options, command = split_command(text)
        return command, options
    if kind.argument == "MODULE:CLASS":
        split_class(text)
        return text, ""
    return "", text
