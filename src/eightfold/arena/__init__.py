"""The arena: players by name, matches between them, and what a score is worth."""

from eightfold.arena.forfeit import Forfeit
from eightfold.arena.match import GameResult, MatchReport, play_match
from eightfold.arena.players import make_player, read_player
from eightfold.arena.ratings import wilson_interval

__all__ = ["Forfeit", "GameResult", "MatchReport", "make_player", "play_match", "read_player", "wilson_interval"]
