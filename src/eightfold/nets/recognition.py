"""Is the opponent like the rival that a network met in training, or like the network itself?

A network that was trained against a rival knows what either would play in a position, so every move of the opponent
tells a little: how much likelier it was for the rival than for one like the network. To take a strong opponent for
the rival is dangerous, for the network then counts on mistakes that do not come.

Read before: `eightfold.learning.rivals`. Read next: `player.py`.
"""

from __future__ import annotations

import numpy as np

from eightfold.games.game import Position
from eightfold.games.state import RIVAL
from eightfold.search.forest import Evaluator

DOUBT = -2.0  # evidence, as a logarithm, below which the opponent is no longer taken for the rival


class Recognition:
    """What the moves of the opponent in one game say. Until they say something, it is the rival.

    Who is asked about both sides of a game plays against nobody, and takes nobody for the rival.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.new_game()

    def new_game(self) -> None:
        self.evidence = 0.0
        self._own = 0  # the colour that we were first asked about
        self._both_sides = False
        self._asked: tuple[int, ...] = ()  # the moves before the one that we last chose
        self._left: Position | None = None  # what we left the opponent with

    @property
    def is_rival(self) -> bool:
        return not self._both_sides and self.evidence >= DOUBT

    def look(self, position: Position) -> None:
        """Take notice of what the opponent did before it is our turn."""
        moves = position.moves
        if moves[: len(self._asked)] != self._asked:
            self.new_game()  # or another line of this one
        left = self._left
        self._own = self._own or position.to_move
        if position.to_move != self._own:
            self._both_sides = True
        elif left is not None and moves != self._asked and moves[:-1] == left.moves:
            self.evidence += self._likelihood_ratio(left, moves[-1])
        self._asked = moves

    def leave(self, position: Position) -> None:
        """Remember the position after our own move."""
        self._left = position

    def _likelihood_ratio(self, position: Position, move: int) -> float:
        """How much likelier the rival plays this move than one like the network, as a logarithm."""
        number, planes = position.game.encoder(self._evaluator.encoder)
        states = np.stack([position.state, position.state])
        states[0, RIVAL] = position.to_move
        shown = np.empty((2, planes, position.game.size, position.game.size), np.float32)
        position.game.kernels.encode_batch(states, number, shown)
        logits, _ = self._evaluator.evaluate(shown)
        chances = logits[:, position.legal_moves].astype(np.float64)
        totals = np.logaddexp.reduce(chances, axis=1)
        as_rival, as_itself = logits[:, move] - totals
        return float(as_rival - as_itself)
