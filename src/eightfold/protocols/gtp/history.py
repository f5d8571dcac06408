"""The moves of a game as GTP makes them: by any colour at any time, taken back, or replayed under other rules.

    >>> from eightfold.games import BLACK, make_game
    >>> history = History(make_game("go:size=5").start())
    >>> history.play(12, BLACK); history.play(13, BLACK)
    >>> history.position.stones[2].tolist(), history.position.to_move
    ([0, 0, 1, 1, 0], 2)

Every method that can fail does so before it changes anything.
"""

from __future__ import annotations

import itertools

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.records.record import GameRecord
from eightfold.games.setup import with_side

_numbers = itertools.count(1)


class History:
    """A start, the moves since, and the position after each."""

    def __init__(self, start: Position) -> None:
        self._positions = [start]
        self._branches = [next(_numbers)]  # of each position: equal moves on one branch lead to equal positions
        self._entries: list[tuple[int, int]] = []  # an action and its colour

    @property
    def position(self) -> Position:
        return self._positions[-1]

    @property
    def branch(self) -> int:
        """The number of the branch that the position is on, for `Engine.show`."""
        return self._branches[-1]

    @property
    def start(self) -> Position:
        return self._positions[0]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was played and nothing set up."""
        return not self._entries and not self.start.stones.any()

    def __len__(self) -> int:
        return len(self._entries)

    def with_side(self, colour: int) -> tuple[Position, int]:
        """The position with that colour to move, and its branch: a new one if the sides are swapped for it."""
        if self.position.is_over or self.position.to_move == colour:
            return self.position, self.branch
        return _swapped(self.position, colour), next(_numbers)

    def play(self, action: int, colour: int) -> None:
        """A move of any colour. After two passes the next stone continues the game, as if there were no second pass."""
        position, branch = self.with_side(colour)
        if self.ended_by_passes:
            if action == position.game.points:
                self._add(position, branch, action, colour)
                return
            position, branch = self._before_second_pass(colour)
        self._add(position.play(action), branch, action, colour)

    def undo(self) -> None:
        if not self._entries:
            raise EightfoldError("cannot undo: no move was played")
        for listed in (self._positions, self._branches, self._entries):
            listed.pop()

    def under(self, game: Game) -> History:
        """The same moves under other rules of the same board; an error if they forbid one."""
        other = History(_start_again(self.start, game))
        for number, (action, colour) in enumerate(self._entries, start=1):
            try:
                other.play(action, colour)
            except EightfoldError as error:
                raise EightfoldError(f"{game.text} does not allow move {number} of this game: {error}") from None
        return other

    def record(self) -> GameRecord:
        """The game for a file, in which the colours alternate: a pass stands where one side moved twice."""
        game, start = self.position.game, self.start
        usual = int(game.start().to_move)
        setup = () if (start.stones == game.start().stones).all() else _stones(start)
        to_move = start.to_move if setup or start.to_move != usual else 0
        if game.spec.has_pass:
            from eightfold.games.records.sgf_go import PlayedMove, moves_in_turn  # other games do without

            played = [PlayedMove(colour, action, game.name_of(action)) for action, colour in self._entries]
            moves = tuple(move.action for move in moves_in_turn(played, start.to_move, game.points))
        else:
            moves = tuple(action for action, _ in self._entries)
        return GameRecord(game=game.text, moves=moves, setup=setup, to_move=to_move)

    def _add(self, position: Position, branch: int, action: int, colour: int) -> None:
        self._positions.append(position)
        self._branches.append(branch)
        self._entries.append((action, colour))

    @property
    def ended_by_passes(self) -> bool:
        """Whether two passes ended the game, so that one may pass again and again, or go on."""
        game = self.position.game
        return (
            self.position.is_over
            and game.spec.has_pass
            and len(self) > 1
            and self.position.moves[-2:] == (game.points, game.points)
        )

    def _before_second_pass(self, colour: int) -> tuple[Position, int]:
        number = max(k for k, position in enumerate(self._positions) if not position.is_over)
        position, branch = self._positions[number], self._branches[number]
        if position.to_move == colour:
            return position, branch
        return _swapped(position, colour), next(_numbers)


def from_record(record: GameRecord, plies: int | None = None) -> History:
    """The game of a file, up to `plies` moves."""
    history = History(record.start())
    for move in record.moves[:plies]:
        history.play(move, history.position.to_move)
    return history


def _swapped(position: Position, colour: int) -> Position:
    """The same stones with the other side to move."""
    return with_side(position, colour)


def _stones(position: Position) -> tuple[tuple[int, int], ...]:
    from eightfold.games.setup import stones_of  # other games do without

    return tuple(stones_of(position).items())


def _start_again(start: Position, game: Game) -> Position:
    """The start of a game, which may have been set up, under the rules of another game on the same board."""
    usual = start.game.start()
    if (start.stones == usual.stones).all() and start.to_move == usual.to_move:
        return game.start()
    return GameRecord(game=game.text, moves=(), setup=_stones(start), to_move=start.to_move).start(game)
