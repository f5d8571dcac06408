"""The options of the player `mcts`, and which of them belong to which of its styles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import setting
from eightfold.core.specs import check_spec
from eightfold.games.game import Game

OWNER = "player mcts"
PLAIN, FULL = "plain", "full"

PLAIN_EXPLORATION = 5.0
# What options mean that are not given; only the full style has them, but for the first.
FULL_DEFAULTS: dict[str, Any] = {
    "exploration": 0.0,
    "rave": 2000.0,
    "priors": "visits",
    "captures": True,
    "nakade": False,
    "self_atari": 3,
    "patterns": "shipped, if there is one",
    "mercy": 0.3,
    "threads": 0,
}


def _full(default: Any, help: str, name: str, **more: Any) -> Any:
    usual = FULL_DEFAULTS[name]
    shown = {True: "yes", False: "no"}.get(usual, usual) if isinstance(usual, bool) else f"{usual}"
    return setting(default, f"full style: {help}", absent=f"{shown}", **more)


@dataclass(frozen=True, kw_only=True)
class MctsOptions:
    playouts: int = setting(1000, "games played out for a move", least=1, most=1e9)
    seconds: float = setting(0.0, "time for a move, instead of a number of playouts", least=0, most=1e6)
    exploration: float | None = setting(
        PLAIN_EXPLORATION,
        "C in Q + C P sqrt(N) / (1 + n)",
        absent=f"{PLAIN_EXPLORATION:g} in the plain style, {FULL_DEFAULTS['exploration']:g} in the full one",
        least=0,
        most=1e6,
        former=("c",),
    )
    memory: int = setting(0, "megabytes for the tree (0: up to 400)", least=0, most=1e6)
    style: str = setting(
        "auto",
        "plain: uniform random games, no knowledge but the rules; full: with RAVE, priors and playouts that know the"
        " game, where the game offers them; auto: full where it does",
        choices=("auto", PLAIN, FULL),
    )
    rave: float | None = _full(
        0.0, "own games that weigh as much as all moves as first (0: no RAVE)", "rave", least=0, most=1e9
    )
    priors: str | None = _full(
        "", "what is known of a move before it is tried counts as visits, as P, or not", "priors",
        choices=("visits", "puct", "off"),
    )  # fmt: skip
    captures: bool | None = _full(False, "playouts capture and escape from atari first", "captures")
    nakade: bool | None = _full(False, "playouts take the middle of a three-point eye", "nakade")
    self_atari: int | None = _full(
        0, "stones that playouts put in atari themselves at most (-1: any number)", "self_atari", least=-1, most=1000
    )
    patterns: str | None = _full("", "the pattern library for playouts and priors: shipped, off, or a file", "patterns")
    mercy: float | None = _full(
        0.0, "playouts end when a side leads by this share of the board in stones (0: never)", "mercy", least=0, most=1
    )
    threads: int | None = _full(0, "threads that share the playouts (0: chosen)", "threads", least=0, most=1024)

    def full(self, name: str) -> Any:
        """An option as the full style takes it."""
        value = getattr(self, name)
        return FULL_DEFAULTS[name] if value is None else value


def style_of(options: MctsOptions, game: Game) -> str:
    """PLAIN or FULL; an error if the options do not go with it, or the game does not."""
    check_spec(options, OWNER)
    if options.style == FULL and not game.has_playouts:
        raise EightfoldError(f"{OWNER}: style=full needs playouts with knowledge, which {game.name} does not offer")
    style = options.style if options.style != "auto" else FULL if game.has_playouts else PLAIN
    if style == PLAIN:
        given = [name for name in FULL_DEFAULTS if name != "exploration" and getattr(options, name) is not None]
        if given:
            why = "style=plain was asked for" if options.style == PLAIN else f"{game.name} offers no such playouts"
            raise EightfoldError(f"{OWNER}: {given[0]}= belongs to the full style, and {why}")
    return style
