"""What can be changed of the study `isn` with --set."""

from __future__ import annotations

from dataclasses import dataclass, field

from eightfold.arena.players import read_player
from eightfold.config import load_preset
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.isn.player import DEEPEST
from eightfold.learning.td.config import TdConfig, check_config
from eightfold.studies.matches import listed

MANY = 1_000_000


@dataclass(frozen=True, kw_only=True)
class IsnSettings:
    game: str = setting("go:size=9,komi=3.5,rules=chinese", "the board of the tournaments and matches")
    snapshots: int = setting(
        44, "snapshots in the round robin, evenly spaced, at most this many (Blair: 44)", least=2, most=MANY
    )
    games: int = setting(10, "games per pair in a round robin", least=2, most=MANY)
    beta: float = setting(20.0, "how sharply better moves are preferred in a round robin", least=0, most=1e6)
    match_games: int = setting(40, "games per opponent", least=2, most=MANY)
    playouts: tuple[int, ...] = setting(
        (30, 100, 300, 1000), "playouts of the Monte Carlo search opponents", least=1, most=MANY
    )
    rivals: str = setting("", "further opponents of the best snapshot, with | between: isn:isn-9 | alphabeta:depth=2")
    depths: tuple[int, ...] = setting(
        (2, 3, 5), "depths of alpha-beta over the network, in plies", least=1, most=DEEPEST
    )
    width: int = setting(6, "moves that alpha-beta searches at every ply", least=1, most=400)
    large_game: str = setting("go:size=19,komi=3.5,rules=chinese", "a larger board for the same weights")
    large_games: int = setting(10, "games per pair and per match on the larger board", least=2, most=MANY)
    large_playouts: tuple[int, ...] = setting(
        (30,), "playouts of the Monte Carlo search opponents on the larger board", least=1, most=MANY
    )
    variant_games: int = setting(6000, "training games of each variant; 0: no variants", least=0, most=1_000_000_000)
    variant_snapshots: int = setting(10, "snapshots of each variant; the later half of them plays", least=2, most=1000)
    variant_seeds: int = setting(1, "seeds per variant", least=1, most=1000)
    seed: int = setting(0, "seed of matches and tournaments", least=0, most=2**63 - 1)
    training: TdConfig = field(default_factory=lambda: load_preset(TdConfig(), "fast", "isn"))  # without --run


def check(settings: IsnSettings) -> None:
    """Networks are trained on one board and play on others, all of the same game."""
    check_config(settings.training)
    for player in listed(settings.rivals):
        read_player(player)
    trained = make_game(settings.training.game)
    for name in ("game", "large_game"):
        if make_game(getattr(settings, name)).spec is not trained.spec:
            raise EightfoldError(f"{name} = {getattr(settings, name)}: networks are trained on {trained.text}")
