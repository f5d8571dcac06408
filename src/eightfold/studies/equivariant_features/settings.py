"""What can be changed of the study `equivariant-features` with --set, and the arms that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.settings import setting
from eightfold.games.game import Game, make_game
from eightfold.nets.feature_fields import KINDS
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork

MANY = 1_000_000
REGULAR = "regular"  # what the others are compared with: the simplest


class Arm(NamedTuple):
    """One row of the study."""

    name: str
    network: str
    mode: str  # of the batch maker


@dataclass(frozen=True, kw_only=True)
class FeatureSettings:
    game: str = setting("gomoku:size=8", "the game; it has to have all eight symmetries")
    player: str = setting("gomoku-8", "the network that plays the games")
    games: int = setting(200, "games to learn from", least=1, most=MANY)
    judged_games: int = setting(50, "other games, on whose positions the losses are measured", least=1, most=MANY)
    playouts: int = setting(24, "playouts a move in these games", least=1, most=MANY)
    game_seed: int = setting(0, "of these games", least=0, most=MANY)
    kinds: str = setting(" ".join(KINDS), "features to compare, with a space between; regular is one of them")
    blocks: int = setting(3, "residual blocks of every network", least=1, most=100)
    width: int = setting(64, "channels of every network", least=8, most=4096)
    batch: int = setting(128, "positions of a step, drawn with replacement", least=1, most=65_536)
    learning_rate: float = setting(
        2e-3, "of Adam; in the second half of the seconds it falls to 0 in a straight line", least=0, most=1
    )
    seconds: float = setting(30.0, "processor seconds of every network", least=0.01, most=1e6)
    marks: int = setting(6, "how often the losses are measured within them, evenly", least=1, most=1000)
    seeds: int = setting(3, "repeats, each with other weights and other batches", least=1, most=1000)
    inference_batch: int = setting(64, "positions at once when folded networks are timed", least=1, most=65_536)
    inference_rounds: int = setting(30, "how often each is timed; the median counts", least=1, most=MANY)


def check(settings: FeatureSettings) -> None:
    shape = shape_of(settings.game, settings.player)
    for arm in arms_of(settings):
        make_network(arm.network, shape)  # says what is wrong with the width or the game


def kinds_of(text: str) -> list[str]:
    """
    >>> kinds_of("regular mixed")
    ['regular', 'mixed']
    """
    kinds = text.split()
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("kind of features", kind, KINDS)
    if REGULAR not in kinds or len(set(kinds)) < len(kinds):
        raise EightfoldError(f"kinds = {text!r} has to name {REGULAR}, and every kind once at most")
    return kinds


def arms_of(settings: Any) -> list[Arm]:
    resnet = f"resnet:blocks={settings.blocks},filters={settings.width}"
    equivariant = f"equivariant:blocks={settings.blocks},width={settings.width},features="
    return [
        Arm("resnet, none", resnet, "none"),
        Arm("resnet, augment", resnet, "augment"),
        *(Arm(kind, f"{equivariant}{kind}", "none") for kind in kinds_of(settings.kinds)),
    ]


def open_player(game: str, player: str) -> tuple[Game, PolicyValueNetwork]:
    the_game = make_game(game, trusted=True)
    return the_game, open_network(player, the_game, kind=PolicyValueNetwork)


def shape_of(game: str, player: str) -> Shape:
    """What the compared networks are built for: they see the planes that the player sees."""
    the_game, network = open_player(game, player)
    _, planes = the_game.encoder(network.description.encoder)
    passes = the_game.actions - the_game.points
    return Shape(planes=planes, size=the_game.size, passes=passes, symmetries=the_game.symmetries)
