"""What players make of positions, without a game around them: one at a time, or many at once with a network."""

from __future__ import annotations

from collections.abc import Sequence

from eightfold.arena.players import make_player
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Position
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.nets.store.network import Network
from eightfold.search.result import Player, SearchResult, close_player


def analyse(position: Position, player: str | Player, *, seconds: float | None = None, seed: int = 0) -> SearchResult:
    """What a player, given as it is or by its text, makes of a position; it takes all of the seconds.

    >>> from eightfold import make_game
    >>> game = make_game("gomoku:size=7,win=4")
    >>> found = analyse(game.after("c4 a1 d4 a7 e4 g7".split()), "alphabeta:depth=2")
    >>> game.name_of(found.action) in ("b4", "f4"), found.value
    (True, 1.0)
    """
    thinker = make_player(player, position.game, seed=seed)
    try:
        # In a game a certain move is played early. Whoever watches a position wants all that the time can tell.
        watching = None if seconds is None else _watch
        return thinker.think(position, seconds=seconds, on_progress=watching)
    finally:
        if isinstance(player, str):
            close_player(thinker)


def _watch(result: SearchResult) -> None:
    """How it stands on the way is of no interest here."""


def analyse_many(
    positions: Sequence[Position], network: str | Network, *, playouts: int = 400, seed: int = 0
) -> list[SearchResult]:
    """What a network with a tree search makes of positions of one game, all of them searched side by side.

    `network` is a place, as in `net:PLACE`, or an open network. With `playouts=1` the answers are its own policies.
    """
    if not positions:
        return []
    game = positions[0].game
    if any(position.game.text != game.text for position in positions):
        raise EightfoldError("analyse_many takes positions of one game; ask once for each game")
    player = NetPlayer(game, network, NetOptions(playouts=playouts), seed=seed)
    player.set_up(len(positions))
    found = player.think_many(dict(enumerate(positions)))
    return [found[number] for number in range(len(positions))]
