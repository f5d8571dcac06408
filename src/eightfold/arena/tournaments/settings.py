"""What a tournament is set to; its folder keeps it as `tournament.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.arena.openings.source import HELP, RANDOM
from eightfold.core.settings import setting

ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"


@dataclass(frozen=True, kw_only=True)
class TournamentSettings:
    game: str = setting("gomoku:size=15", "the game")
    opening_plies: int = setting(
        4,
        "moves at the start, unless openings are listed; each opening is played twice, with colours swapped",
        least=0,
        most=1e4,
    )
    openings: str = setting(
        RANDOM,
        f"how games begin: {HELP}",
    )
    seed: int = setting(0, "equal seeds give equal games", least=0, most=2**63)
    games: int = setting(20, "games of each pair; more of them can be asked for later", least=1, most=1e6)
    style: str = setting(
        ROUND_ROBIN,
        "who plays whom: everybody everybody (round-robin), or the first-named player everybody else (gauntlet)",
        choices=(ROUND_ROBIN, GAUNTLET),
    )
    anchor: str = setting("", "the player whose rating is 0; if none is named, the mean of all ratings is")


# What may not change while a folder is used: its games would no longer be comparable.
FIXED = ("game", "opening_plies", "openings", "seed")
