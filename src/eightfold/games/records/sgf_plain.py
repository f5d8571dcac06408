"""Games in SGF that have a number of their own there and no style of writing: moves in turn, by the rules of the game.

Othello is GM[2] and Hex GM[11], say. The private property EIGHTFOLD holds the game's text, without which nobody could
know the rules: EIGHTFOLD[python:hex,size=7]. A point is two letters, column and row from the top; a
pass is an empty move.
"""

from __future__ import annotations

import re

from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game
from eightfold.games.records.record import GameRecord, RecordError, quoted, replay
from eightfold.games.records.sgf_tree import (
    COLOURS,
    LETTERS,
    Node,
    board_size,
    common_facts,
    common_properties,
    exact_game,
    root_text,
)
from eightfold.games.state import BLACK, WHITE


def read_root(root: Node) -> GameRecord:
    """The main line of a game."""
    game = exact_game(root, int(root.first("GM")), board_size(root, 0))
    if game is None:
        raise RecordError(f"GM[{root.first('GM')}] without EIGHTFOLD[...] does not say which game it is")
    moves, written = list[int](), list[str]()
    turn = game.start().to_move
    for node in root.main_line():
        given = [name for name in ("AB", "AW", "AE") if any(map(str.strip, node.properties.get(name, [])))]
        if given:
            raise RecordError(f"{given[0]} sets up stones; {game.text} is read from its start, move by move")
        for name in filter(COLOURS.__contains__, node.properties):
            written.append(f"{name}[{node.first(name)}]")
            try:
                moves.append(_action(game, node.first(name)))
                if COLOURS[name] != turn:
                    raise RecordError(f"it is {COLOUR_NAMES[turn]}'s turn; the colours alternate")
            except EightfoldError as error:
                raise RecordError(f"move {len(written)}, {quoted(written[-1])}: {error}") from None
            turn = BLACK + WHITE - turn
    replay(game, moves, written=written)
    return GameRecord(game=game.text, moves=tuple(moves), **common_facts(root))


def _action(game: Game, value: str) -> int:
    point = value.strip().lower()
    if not point and game.spec.has_pass:
        return game.points
    if not re.fullmatch("[a-z]{2}", point):
        passed = ", or none to pass" if game.spec.has_pass else ""
        raise RecordError(f"not a point; two letters are, such as {LETTERS[game.size // 2] * 2}{passed}")
    return game.action((LETTERS.index(point[1]), LETTERS.index(point[0])))


def write_line(record: GameRecord, game: Game) -> str:
    """A record as SGF."""
    if record.setup or record.to_move:
        raise RecordError(f"{game.text} is written from its start; this game begins with stones of its own")
    head = root_text(common_properties(game.spec.sgf, game.size) | {"EIGHTFOLD": game.text}, record)
    turn = game.start().to_move - BLACK
    moves = (f";{'BW'[(turn + k) % 2]}[{_letters(game, move)}]" for k, move in enumerate(record.position().moves))
    return f"(;{head}{''.join(moves)})"


def _letters(game: Game, move: int) -> str:
    row, column = divmod(move, game.size)
    return "" if move == game.points else LETTERS[column] + LETTERS[row]
