"""A player of one's own: it answers every move with its image under a half turn of the board.

Try it with

    cd docs/examples && eightfold match python:copycat:Copycat random --game gomoku:size=9
"""

from eightfold.games import Position
from eightfold.symmetry import destinations

HALF_TURN = 2


class Copycat:
    def move(self, position: Position) -> int:
        """Called whenever it is our turn; an action, a (row, column) or a name such as "h8" may be given back."""
        if position.last_move is not None:
            image = int(destinations(position.game.size)[HALF_TURN, position.last_move])
            if position.legal_mask[image]:
                return image
        return int(position.legal_moves[len(position.legal_moves) // 2])
