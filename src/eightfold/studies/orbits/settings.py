"""The settings of the study `orbits`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.config import load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.nets.store.policy_value import describe_network
from eightfold.studies.orbits.streams import ENCODER, UNTRAINED

MANY = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class OrbitSettings:
    game: str = setting("gomoku:size=8", "the game")
    presets: str = setting(
        "quick@selfplay.parallel_games=32 suen-alonso",
        "the presets whose self-play is recorded, each with changes of its own behind an @, separated by semicolons",
    )
    networks: str = setting(f"gomoku-8 {UNTRAINED}", "the networks that play: places, or the preset's own untrained")
    changes: str = setting("", "changes of all presets, with spaces between them, e.g. selfplay.playouts=100")
    requests: int = setting(150_000, "positions that a stream asks its network about", least=1, most=MANY)
    seeds: tuple[int, ...] = setting((0, 1, 2), "seeds of the streams", least=0, most=MANY, distinct=True)
    alphabeta_depth: int = setting(6, "plies that alpha-beta looks ahead; 0: it is left out", least=0, most=64)
    alphabeta_games: int = setting(8, "games that alpha-beta plays", least=1, most=MANY)
    alphabeta_opening: int = setting(2, "random plies at the beginning of each, up to so many", least=0, most=100)


def check(settings: OrbitSettings) -> None:
    game = make_game(settings.game, trusted=True)
    game.encoder(ENCODER)
    if game.spec.has_pass:
        raise EightfoldError(f"{game.text}: a position is more than its stones there; choose a game without passes")
    for name in ("presets", "networks"):
        if not getattr(settings, name).split():
            raise EightfoldError(f"{name} names none; give one or more, with spaces between them")
    for network in filter(UNTRAINED.__ne__, settings.networks.split()):
        encoder = describe_network(network).encoder
        if encoder != ENCODER:
            raise EightfoldError(f"{network} sees the planes of {encoder!r}, and caches are measured with {ENCODER!r}")
    for preset, changes in presets_of(settings).values():
        with_changes(load_preset(TrainConfig(), preset), changes)


def presets_of(settings: Any) -> dict[str, tuple[str, list[str]]]:
    """The presets and their changes by names: as short as they can be told apart by."""
    texts = list(dict.fromkeys(settings.presets.split()))
    short = [text.partition("@")[0] for text in texts]
    named = {text if short.count(name) > 1 else name: text for text, name in zip(texts, short, strict=True)}
    return {
        name: (text.partition("@")[0], [*filter(None, text.partition("@")[2].split(";")), *settings.changes.split()])
        for name, text in named.items()
    }
