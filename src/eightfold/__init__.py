"""Eightfold: train, play and study board-game AIs that know their board looks the same from eight sides.

    make_game       a game by its text                 make_player     a player by its text
    play_match      games between two players          load_network    a network, by its place or name
    analyse         what a player makes of a position  analyse_many    many positions at once, with a network
    train           a network, by self-play

`docs/library.md` shows each at work. Start reading at `eightfold.symmetry.group` (how a board turns), then
`eightfold.games.contract` (what a game is), `eightfold.search.uct` (how one thinks) and `eightfold.arena.match` (how
two play). Importing this package loads nothing heavy: a name is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eightfold.core.lazy import lazy_names

if TYPE_CHECKING:
    from eightfold.arena.analysis import analyse as analyse
    from eightfold.arena.analysis import analyse_many as analyse_many
    from eightfold.arena.match import play_match as play_match
    from eightfold.arena.players import make_player as make_player
    from eightfold.arena.results import MatchReport as MatchReport
    from eightfold.core.errors import EightfoldError as EightfoldError
    from eightfold.games.game import Game as Game
    from eightfold.games.game import Position as Position
    from eightfold.games.game import make_game as make_game
    from eightfold.learning.commands import train as train
    from eightfold.nets.store.open import open_network as load_network  # noqa: F401
    from eightfold.search.result import Player as Player
    from eightfold.search.result import SearchResult as SearchResult

__version__ = "0.1.0"

_PLACES = {
    "EightfoldError": "eightfold.core.errors",
    "Game": "eightfold.games.game",
    "MatchReport": "eightfold.arena.results",
    "Player": "eightfold.search.result",
    "Position": "eightfold.games.game",
    "SearchResult": "eightfold.search.result",
    "analyse": "eightfold.arena.analysis",
    "analyse_many": "eightfold.arena.analysis",
    "load_network": "eightfold.nets.store.open:open_network",
    "make_game": "eightfold.games.game",
    "make_player": "eightfold.arena.players",
    "play_match": "eightfold.arena.match",
    "train": "eightfold.learning.commands",
}
__all__ = ["__version__", *_PLACES]
__getattr__, __dir__ = lazy_names(__name__, _PLACES)
