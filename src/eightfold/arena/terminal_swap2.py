"""The opening by swap2 in a terminal: a person and a player place stones and take colours (`openings/swap2.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eightfold.arena.openings.swap2 import FIRST, MORE, OVER, SECOND, Swap2, choose_colour, judge_of, place_stones
from eightfold.arena.players import HUMAN
from eightfold.arena.report import draw_board
from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, Position
from eightfold.games.state import BLACK, WHITE
from eightfold.search.result import Player

LEAVE = ("quit", "exit", "q")


@dataclass(frozen=True, kw_only=True)
class Opened:
    """Where an opening led, and which colour the person has."""

    position: Position
    colour: int
    comment: str


def open_by_swap2(
    game: Game,
    player: Player,
    name: str,
    *,
    person: int,
    random: np.random.Generator,
    read: Callable[[str], str],
    say: Callable[[str], None],
) -> Opened | None:
    """`person`: FIRST if the person places the first stones, SECOND if the player does. None: the person left."""
    swap2, position = Swap2(game), game.start()
    who = {person: "you", FIRST + SECOND - person: name}
    say(f"swap2: {who[FIRST]} first, three stones: black, white, black")
    has_black: int | None = FIRST
    chosen = ""
    while swap2.stage != OVER:
        actor, mine = swap2.actor, swap2.actor == person
        try:
            if swap2.choices:
                chosen = _ask(swap2, read) if mine else choose_colour(player.think(position).value)
                if chosen in LEAVE:
                    return None
                has_black = swap2.choose(chosen)
                say(f"{who[actor]}: {'two more stones, white and black' if chosen == MORE else chosen}")
                continue
            if mine:
                line = read(
                    f"a {COLOUR_NAMES[position.to_move]} stone ({swap2.stones_left(position)} to place)> "
                ).strip()
                if line.lower() in LEAVE:
                    return None
                stones = [game.action(line)]
            else:
                stones = place_stones(game, random, judge_of(name, game))
            for action in stones:
                position = position.play(action)
                swap2.placed(position)
        except EightfoldError as error:
            if not mine:
                raise EightfoldError(f"player {name}: {error}") from None
            say(str(error))
            continue
        draw_board(position)
    colour = BLACK if has_black == person else WHITE
    names = {**who, person: HUMAN}
    comment = f"Opened with swap2: {names[FIRST]} placed three stones; with {position.ply} on the board {names[actor]}"
    return Opened(position=position, colour=colour, comment=f"{comment} chose {chosen}.")


def _ask(swap2: Swap2, read: Callable[[str], str]) -> str:
    return read(f"white moves next; choose {', '.join(swap2.choices)}> ").strip().lower()
