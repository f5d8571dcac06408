"""A book of balanced openings for self-play, made anew with every new set of weights.

A game whose opening has decided it teaches little. So, where `selfplay.opening_balance` asks for it, many random
openings are drawn, the network values them, and games begin with those in which neither side is lost by its own
judgement (`eightfold.search.openings`). A young network values nearly all alike and nearly all stay; as it learns, the
book gets stricter by itself. A game on the CPU takes a row of it (`selfplay.py`), a GPU has a copy (`actors/gpu.py`),
and the actors of a cluster make their own.
"""

from __future__ import annotations

from eightfold.core.rng import make_random
from eightfold.games.game import Game
from eightfold.learning.config import SelfPlayConfig
from eightfold.search.forest import Evaluator
from eightfold.search.openings import balanced, draw_openings, values_of

ROWS = 512  # openings that are drawn and valued for a book
LEAST_ROWS = 32  # of them that are kept: if fewer are balanced, the most balanced ones


class OpeningBook:
    """Openings that are balanced for an evaluator, which is given new weights before `renew`."""

    def __init__(self, game: Game, settings: SelfPlayConfig, evaluator: Evaluator, *, seed: tuple[int, ...]) -> None:
        self._game, self._settings, self._evaluator = game, settings, evaluator
        self._random = make_random(*seed)
        self.renew()

    def renew(self) -> None:
        settings = self._settings
        drawn = draw_openings(
            self._game,
            ROWS,
            least=0,
            most=settings.opening_stones,
            random=self._random,
            everywhere=settings.opening_anywhere,
        )
        values = values_of(self._game, self._evaluator, drawn.states)
        kept = balanced(values, settings.opening_balance, LEAST_ROWS)
        self.drawn = ROWS
        self.openings = drawn.rows(kept)

    def __len__(self) -> int:
        """How many openings it has; none where every one that was drawn is won by force."""
        return len(self.openings.lengths)

    @property
    def share(self) -> float:
        """Of what was drawn, the part that is in the book."""
        return len(self) / self.drawn


def wants_book(settings: SelfPlayConfig) -> bool:
    return settings.opening_balance > 0 and settings.opening_share > 0 and settings.opening_stones > 0
