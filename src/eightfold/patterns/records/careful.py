"""Games that are written in unusual ways, read by the rules of SGF: slower, and with words for what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.games.game import Game
from eightfold.games.records.record import RecordError, as_text
from eightfold.games.records.sgf import STYLES
from eightfold.games.records.sgf_tree import Node, board_size, declared_charset, escaped, parse_trees, plain_text
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.skipped import Reason


class Refused(EightfoldError):
    """A game that is not counted, and why."""

    def __init__(self, reason: Reason, detail: object = "") -> None:
        super().__init__(str(detail))
        self.reason = reason


@dataclass(frozen=True)
class CarefulGame:
    size: int
    moves: Ints


def read_carefully(data: bytes, games: RecordedGames) -> CarefulGame:
    """The main line of one game; `Refused` if it is none that can be counted."""
    try:
        _, root = next(parse_trees(as_text(data, charset=declared_charset)))
    except (RecordError, StopIteration) as error:
        raise Refused(Reason.NOT_SGF, error) from None
    number = plain_text(root.first("GM"))
    if number and number != str(games.number):
        raise Refused(Reason.OTHER_GAME, f"GM[{number[:9]}]")
    try:
        size = board_size(root, games.usual_size)
    except RecordError as error:
        raise Refused(Reason.SIZE, error) from None
    game = games.on_board(size)
    if game is None:
        raise Refused(Reason.SIZE, f"{size}x{size}")
    _refuse_setup(root)
    root.properties["EIGHTFOLD"] = [escaped(game.text)]  # by these rules it is to be read
    root.properties["SZ"] = [str(size)]
    return CarefulGame(size, _moves(root, game))


def _moves(root: Node, game: Game) -> Ints:
    try:
        record = STYLES[game.spec.sgf].read_root(root)
    except EightfoldError as error:
        raise Refused(Reason.ILLEGAL, error) from None
    if record.setup or record.to_move:
        raise Refused(Reason.SETUP, "white moves first")
    return np.array(record.moves, np.int64)


def _refuse_setup(root: Node) -> None:
    handicap = plain_text(root.first("HA"))
    if handicap not in ("", "0", "1"):
        raise Refused(Reason.SETUP, f"HA[{handicap[:9]}]")
    colours = list[str]()
    for node in root.main_line():
        for name in ("AB", "AW", "AE"):
            if any(map(str.strip, node.properties.get(name, []))):
                raise Refused(Reason.SETUP, f"{name} after move {len(colours)}")
        colours += [name for name in ("B", "W") if name in node.properties]
    if colours[:2] == ["B", "B"]:
        raise Refused(Reason.SETUP, "black moves twice")
