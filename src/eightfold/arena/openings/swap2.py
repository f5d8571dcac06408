"""Swap2, the opening rule of Gomoku tournaments: whoever places the first stones does not choose the colour.

The first player places three stones, black, white and black. The second takes black, or takes white and goes on, or
places two more stones, white and black; then the first takes a colour. White is to move whenever somebody chooses.

`Swap2` says whose turn it is and what may be done; `place_stones` and `choose_colour` are what a player does. The page
(`eightfold.web`), the terminal and the Gomocup protocol all ask here. To choose is never worse than to place two more
stones: of two colours one has a value of 0 at least, and after two more stones the opponent has that choice. So a
player of ours always chooses, and wants three stones that are balanced.
"""

from __future__ import annotations

import numpy as np

from eightfold.arena.openings.balanced import Judge, balanced_openings, find_judge
from eightfold.arena.players import read_player
from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.rng import make_random
from eightfold.games.game import Game, Position
from eightfold.search.openings import draw_openings
from eightfold.symmetry.group import destinations

STONES, MORE_STONES = 3, 5  # on the board when the second player chooses, and when the first does
PLACE, CHOOSE, PLACE_MORE, ANSWER, OVER = "place", "choose", "place-more", "answer", "over"
TAKE_BLACK, TAKE_WHITE, MORE = "black", "white", "more"
FIRST, SECOND = 0, 1

# Three stones as steps from the middle (rows, columns), for players without a network: loose shapes, none with two
# black stones side by side in the open.
SHAPES = (
    ((-3, 0), (-2, 2), (0, -2)),
    ((-3, -3), (-1, -2), (1, 0)),
    ((0, -3), (2, -1), (3, 2)),
    ((-2, 3), (0, 2), (2, 1)),
    ((-3, 1), (0, 0), (2, -2)),
)


class Swap2:
    """How far the opening of a game is."""

    def __init__(self, game: Game) -> None:
        if not game.spec.swap2:
            raise EightfoldError(f"{game.text} does not begin with swap2; Gomoku does")
        self.stage = PLACE

    @property
    def actor(self) -> int:
        """Whose turn it is: FIRST or SECOND."""
        return FIRST if self.stage in (PLACE, ANSWER) else SECOND

    @property
    def choices(self) -> tuple[str, ...]:
        """What the actor may choose; nothing while stones are to be placed."""
        return {CHOOSE: (TAKE_BLACK, TAKE_WHITE, MORE), ANSWER: (TAKE_BLACK, TAKE_WHITE)}.get(self.stage, ())

    def stones_left(self, position: Position) -> int:
        """How many stones the actor has yet to place."""
        return {PLACE: STONES, PLACE_MORE: MORE_STONES}.get(self.stage, position.ply) - position.ply

    def placed(self, position: Position) -> None:
        """A stone was placed, which led to this position."""
        if position.is_over:  # where a row of three wins
            self.stage = OVER
        elif self.stage == PLACE and position.ply == STONES:
            self.stage = CHOOSE
        elif self.stage == PLACE_MORE and position.ply == MORE_STONES:
            self.stage = ANSWER

    def choose(self, choice: str) -> int | None:
        """The actor chooses; who has black from now on, or None if two more stones are to be placed."""
        if not self.choices:
            raise EightfoldError("there is nothing to choose: stones are to be placed")
        if choice not in self.choices:
            raise unknown("choice", choice, self.choices)
        if choice == MORE:
            self.stage = PLACE_MORE
            return None
        actor, self.stage = self.actor, OVER
        return actor if choice == TAKE_BLACK else FIRST + SECOND - actor


def place_stones(game: Game, random: np.random.Generator, judge: Judge | None = None) -> list[int]:
    """Three points for the first stones: balanced by a network, or one of a few shapes in a random orientation."""
    size = game.size
    if judge is not None:
        seed = int(random.integers(2**31))
        return list(next(balanced_openings(game, STONES, seed, judge)).moves)
    # Small boards have no room for the wide shapes: there they lie closer together.
    shape = np.clip(size // 2 + np.array(SHAPES[int(random.integers(len(SHAPES)))]), 0, size - 1)  # [3, 2]
    moved = destinations(size)[game.symmetries[int(random.integers(len(game.symmetries)))]]
    stones = [int(moved[row * size + column]) for row, column in shape]
    if len(set(stones)) < STONES:  # no room at all
        drawn = make_random(int(random.integers(2**31)))
        return draw_openings(game, 1, least=STONES, most=STONES, random=drawn, everywhere=True).moves_of(0)
    return stones


def choose_colour(value: float) -> str:
    """The colour to take, where white is to move and expects so much."""
    return TAKE_WHITE if value >= 0 else TAKE_BLACK


def judge_of(player: str, game: Game) -> Judge | None:
    """The network of a player that has one, which then judges its stones."""
    spec = read_player(player)
    return find_judge(game, spec.argument) if spec.name == "net" else None
