"""Records in SGF: the main line (the first variation everywhere) of any game that SGF has a number for.

    >>> [record] = read_sgf("(;GM[4]SZ[9]PB[ann];B[ee];W[f6])")
    >>> record.black, record.moves
    ('ann', (40, 32))

A game says its number by `GameSpec.sgf`; `sgf_go.py` and `sgf_gomoku.py` know how games of a number are read and
written, `sgf_plain.py` all games of other numbers. Read with tolerance: text around the games; lower-case letters in
names, which old files have (`SiZe` is SZ); a missing GM, which is Gomoku's unless KM or HA say Go. Read next:
`sgf_tree.py`, the syntax.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.games.records import sgf_go, sgf_gomoku, sgf_plain
from eightfold.games.records.record import EXPECTED, GameRecord, RecordError, as_text, quoted, read_each
from eightfold.games.records.sgf_tree import Node, declared_charset, is_sgf, parse_trees

STYLES = {style.NUMBER: style for style in (sgf_go, sgf_gomoku)}


def read_sgf(data: bytes | str, *, refused: list[RecordError] | None = None, first: bool = False) -> list[GameRecord]:
    """The games in an SGF text; with a list as `refused`, those that cannot be read go there as errors.

    With `first` it is the first game alone, and nobody asks what comes behind it.
    """
    text = as_text(data, charset=declared_charset)
    if not is_sgf(text):
        raise RecordError(f"holds no SGF game; {EXPECTED}")
    return read_each(parse_trees(text), _record, refused, first=first)


def _record(root: Node) -> GameRecord:
    number = root.first("GM").strip()
    if not number:
        style = sgf_go if "KM" in root.properties or "HA" in root.properties else sgf_gomoku
        return style.read_root(root)
    if re.fullmatch("[0-9]{1,9}", number) and "EIGHTFOLD" in root.properties:
        return STYLES.get(int(number), sgf_plain).read_root(root)
    if number not in map(str, STYLES):
        raise RecordError(f"{quoted(f'GM[{number}]')} is not a game that is read; Go is GM[1], Gomoku is GM[4]")
    return STYLES[int(number)].read_root(root)


def write_sgf(records: Sequence[GameRecord]) -> str:
    """The records as SGF, a line each (a comment of several lines aside)."""
    if not records:
        raise RecordError("there are no games to write")
    lines = []
    for number, record in enumerate(records, start=1):
        try:
            lines.append(_sgf_line(record))
        except EightfoldError as error:
            raise RecordError(f"game {number}: {error}") from None
    return "\n".join(lines) + "\n"


def _sgf_line(record: GameRecord) -> str:
    game = make_game(record.game)
    if not game.spec.sgf:
        raise RecordError(f"{game.text} cannot be written as SGF; gomoku and go can")
    return STYLES.get(game.spec.sgf, sgf_plain).write_line(record, game)
