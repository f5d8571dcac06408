"""The arena: players by name, matches between them, and what a score is worth."""

from eightfold.arena.bradley_terry import Score, fit_ratings
from eightfold.arena.forfeit import Forfeit
from eightfold.arena.match import gauntlet, play_match, round_robin
from eightfold.arena.players import make_player, read_player
from eightfold.arena.ratings import wilson_interval
from eightfold.arena.results import GameResult, MatchReport, RoundRobin, Tally
from eightfold.arena.tournaments.play import tournament
from eightfold.arena.tournaments.standings import Standings

__all__ = [
    "Forfeit",
    "GameResult",
    "MatchReport",
    "RoundRobin",
    "Score",
    "Standings",
    "Tally",
    "fit_ratings",
    "gauntlet",
    "make_player",
    "play_match",
    "read_player",
    "round_robin",
    "tournament",
    "wilson_interval",
]
