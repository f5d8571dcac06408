r"""SGF, the Smart Game Format (https://www.red-bean.com/sgf/): any file to trees of nodes, Gomoku and Go to records.

Two layers. `parse_trees` knows the syntax only and serves any game: variations, setup stones and unknown
properties all come through, values as they stand in the file (`plain_text` takes the escapes out). Above it
`read_sgf` and `write_sgf` turn the main line (the first variation everywhere) into `GameRecord`s and back.

    >>> [record] = read_sgf("(;GM[4]SZ[9]PB[ann];B[ee];W[f6])")
    >>> record.black, record.moves
    ('ann', (40, 32))

Of Gomoku (GM[4]) is read with tolerance: text around the games; lower-case letters in names, which old files have
(`SiZe` is SZ); a missing GM (taken as 4 unless KM or HA say Go) and SZ (15); points as two letters (column, row from
the top) or as letter and number (column, row from the bottom, as renju players write); AB and AW that can be
read as an opening in turn; moves without a point at the end; a ruleset that is not known as freestyle.

What SZ and RU cannot say, a winning length other than five, is written to the private property EIGHTFOLD,
which holds the game's text: EIGHTFOLD[gomoku:size=9,win=4,rule=freestyle]. Go (GM[1]) is in `sgf_go.py`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.core.specs import split_name
from eightfold.games.game import COLOUR_NAMES, Game, make_game
from eightfold.games.gomoku.lines import RULES
from eightfold.games.records.record import EXPECTED, GameRecord, RecordError, as_text, quoted, read_each, replay
from eightfold.games.state import BLACK, WHITE

DEEPEST = 10_000  # open parentheses
LARGEST_TREE = 2_000_000  # nodes and properties in one game

BEGIN = re.compile(r"\(\s*+;")
# Possessive (`*+`), so that no file can make the matching go back and forth.
VALUE = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z]++)((?:\s*+{VALUE.pattern.replace('(', '(?:', 1)})++))", re.DOTALL)
NOT_BLANK, NAME, OPEN_VALUE = re.compile(r"\S"), re.compile("[A-Za-z]"), re.compile(r"[A-Za-z]*+\s*+\[")
ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
LINE_BREAK = re.compile(r"\r\n|\n\r|\r|\n")
CHARSET = re.compile(rb"(?<![A-Z])CA\s*+\[\s*+([\w:.-]{1,40}+)\s*+\]")
DROP_LOWER = str.maketrans("", "", string.ascii_lowercase)

GO, GOMOKU = "1", "4"
LETTERS = string.ascii_lowercase
COLOURS = {"B": BLACK, "W": WHITE}
RESULT = re.compile(r"(b|w|black|white)\s*(?:\+|wins?\b|won\b)\s*(.*)", re.IGNORECASE | re.DOTALL)
REASONS = {"r": "R", "resign": "R", "t": "T", "time": "T", "f": "F", "forfeit": "F"}
NUMBERED_RULES = {str(number): name for name, number in RULES.items()}  # as a word it is looked for in the text
DRAWS = ("0", "draw", "drawn", "tie", "jigo", "1/2-1/2")


# ---- any SGF ----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """One node: its properties by name, every value as the file has it, and the nodes that can follow."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def first(self, name: str, default: str = "") -> str:
        """The first value of a property."""
        return self.properties.get(name, [default])[0]

    def main_line(self) -> Iterator[Node]:
        """This node and the first of those that follow, to the end."""
        node = self
        while True:
            yield node
            if not node.children:
                return
            node = node.children[0]


def is_sgf(text: str) -> bool:
    return BEGIN.search(text) is not None


def declared_charset(data: bytes) -> str | None:
    """What the first CA[] in a file says."""
    found = CHARSET.search(data)
    return found[1].decode("ascii") if found else None


def parse_trees(text: str) -> Iterator[tuple[int, Node]]:
    """The root of every game in a text, with the line where it begins; one at a time, to save memory."""
    line, position = 1, 0
    while begin := BEGIN.search(text, position):
        line += text.count("\n", position, begin.start())
        root, end = _parse_tree(text, begin.start())
        yield line, root
        line += text.count("\n", begin.start(), end)
        position = end


def _parse_tree(text: str, position: int) -> tuple[Node, int]:
    """The game tree that begins at `position`, and where it ends. A loop: depth costs no stack."""
    before_root = Node()
    current = before_root
    opened: list[Node] = []  # the node before each open parenthesis
    for _ in range(LARGEST_TREE):
        token = TOKEN.match(text, position)
        if token is None:
            raise _syntax_error(text, position, len(opened))
        position = token.end()
        mark, name, values = token.groups()
        if mark == ";":
            node = Node()
            current.children.append(node)
            current = node
        elif mark == "(":
            if len(opened) == DEEPEST:
                raise RecordError(f"line {_line(text, position)}: more than {DEEPEST} parentheses are open")
            opened.append(current)
        elif mark == ")":
            current = opened.pop()
            if not opened:
                return before_root.children[0], position
        else:
            name = name.translate(DROP_LOWER) or name.upper()
            current.properties.setdefault(name, []).extend(VALUE.findall(values))
    raise RecordError(f"line {_line(text, position)}: a game with more than {LARGEST_TREE} nodes and properties")


def _syntax_error(text: str, position: int, depth: int) -> RecordError:
    next_text = NOT_BLANK.search(text, position)
    position = next_text.start() if next_text else len(text)
    where, rest = f"line {_line(text, position)}", quoted(text[position : position + 20])
    if not next_text:
        return RecordError(f"{where}: the file ends inside a game; {depth} ')' missing")
    if opened := OPEN_VALUE.match(text, position):
        if VALUE.match(text, opened.end() - 1):
            return RecordError(f"{where}: {rest} is a value without a property; write NAME[value]")
        return RecordError(f"{where}: the value in {rest} is never closed with ']'")
    if NAME.match(text, position):
        return RecordError(f"{where}: the property {rest} has no value; write NAME[value]")
    return RecordError(f"{where}: {rest} does not belong in a game; expected ';', '(', ')' or NAME[value]")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def plain_text(value: str, *, one_line: bool = True) -> str:
    r"""A value without its escapes; a line break after a backslash is not part of it.

    >>> plain_text(r"a\]b\\c:")
    'a]b\\c:'
    """
    text = ESCAPE.sub(lambda escape: "" if escape[1][0] in "\r\n" else escape[1], value)
    return LINE_BREAK.sub(" " if one_line else "\n", text).strip()


def escaped(text: str, *, one_line: bool = True) -> str:
    """A text as a value: escapes put in, line breaks made one kind, other control characters left out."""
    text = LINE_BREAK.sub(" " if one_line else "\n", text)
    text = "".join(character for character in text if character >= " " or character in "\n\t")
    return text.replace("\\", "\\\\").replace("]", "\\]")


# ---- Gomoku -----------------------------------------------------------------------------------------


def read_sgf(data: bytes | str, *, refused: list[RecordError] | None = None) -> list[GameRecord]:
    """The games in an SGF text; with a list as `refused`, those that cannot be read go there as errors."""
    text = as_text(data, charset=declared_charset)
    if not is_sgf(text):
        raise RecordError(f"holds no SGF game; {EXPECTED}")
    return read_each(parse_trees(text), _record, refused)


def _record(root: Node) -> GameRecord:
    if _is_go(root):
        from eightfold.games.records.sgf_go import go_record  # here, because it needs this module

        return go_record(root)
    game = _game(root)
    opening = _opening(root)
    stones = opening + _played(root, game, len(opening))
    moves = tuple(_action(game, number, stone) for number, stone in enumerate(stones, start=1))
    replay(game, moves, written=[str(stone) for stone in stones])
    return GameRecord(game=game.text, moves=moves, **common_facts(root))


def common_facts(root: Node) -> dict[str, Any]:
    """What a root says of the players and the event, in any game."""
    return {
        "black": plain_text(root.first("PB")),
        "white": plain_text(root.first("PW")),
        "result": plain_result(root.first("RE")),
        "event": plain_text(root.first("EV")),
        "date": plain_text(root.first("DT")),
        "comment": plain_text(root.first("C"), one_line=False),
    }


def _is_go(root: Node) -> bool:
    """Whether a record is of Go: by its number, or by a komi or a handicap."""
    number = root.first("GM").strip()
    if number not in ("", GO, GOMOKU):
        raise RecordError(f"{quoted(f'GM[{number}]')} is not a game that is read; Go is GM[1], Gomoku is GM[4]")
    return number == GO or (not number and ("KM" in root.properties or "HA" in root.properties))


def _game(root: Node) -> Game:
    size, exact = board_size(root, 15), plain_text(root.first("EIGHTFOLD"))
    if not exact:
        return make_game(f"gomoku:size={size},rule={_rule(root)}")
    if len(exact) > 100 or split_name(exact)[0] != "gomoku":  # never let a file name a module to import
        raise RecordError(f"EIGHTFOLD {quoted(exact)} is not a game of Gomoku such as gomoku:size=15,win=5")
    game = make_game(exact)
    if "SZ" in root.properties and size != game.size:
        raise RecordError(f"SZ[{size}] and EIGHTFOLD[{game.text}] do not agree")
    return game


def board_size(root: Node, usual: int) -> int:
    value = root.first("SZ", str(usual))
    found = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", value)
    if not found:
        raise RecordError(f"{quoted(f'SZ[{value}]')} is not a board size such as SZ[{usual}]")
    columns, rows = int(found[1]), int(found[2] or found[1])
    if columns != rows:
        raise RecordError(f"SZ[{columns}:{rows}] is not a square board; SZ[{rows}] would be")
    return columns


def _rule(root: Node) -> str:
    text = plain_text(root.first("RU")).lower()
    if text in NUMBERED_RULES:
        return NUMBERED_RULES[text]
    if "renju" in text:
        return "renju"
    exact = "standard" in text or "exact" in text
    if "caro" in text:
        return "caro-exact" if exact else "caro"
    return "standard" if exact else "freestyle"


@dataclass(frozen=True, slots=True)
class _Stone:
    name: str  # the property: B, W, AB or AW
    value: str

    def __str__(self) -> str:
        return f"{self.name}[{self.value}]"


def _opening(root: Node) -> list[_Stone]:
    """The setup stones, in turn: a record begins with the empty board."""
    black: list[_Stone] = []
    white: list[_Stone] = []
    moves = 0
    for node in root.main_line():
        given = [name for name in ("AB", "AW", "AE") if any(map(str.strip, node.properties.get(name, [])))]
        if given and (moves or "AE" in given):
            raise RecordError(f"{given[-1]} changes the board after move {moves}; Gomoku is read move by move")
        for name, stones in (("AB", black), ("AW", white)):
            stones.extend(_Stone(name, value) for value in node.properties.get(name, []) if value.strip())
        moves += sum(name in node.properties for name in COLOURS)
    if not len(white) <= len(black) <= len(white) + 1:
        raise RecordError(
            f"{len(black)} black and {len(white)} white setup stones (AB, AW) are no opening played in turn; "
            "as many of each are, or one black more"
        )
    pairs = [stone for pair in zip(black, white, strict=False) for stone in pair]
    return pairs + black[len(white) :]


def _played(root: Node, game: Game, number: int) -> list[_Stone]:
    """The moves after the first `number`, without the empty ones at the end that stand for giving up or stopping."""
    stones: list[_Stone] = []
    empty = None
    for node in root.main_line():
        for name in filter(COLOURS.__contains__, node.properties):
            stone = _Stone(name, node.first(name))
            if _is_pass(stone, game):
                empty = empty or stone
                continue
            number += 1
            turn = BLACK if number % 2 else WHITE
            if empty:
                problem = "Gomoku has no pass; a move without a point can only be the last"
            elif len(node.properties[name]) > 1:
                problem = f"{len(node.properties[name])} points in one move; one is right"
            elif COLOURS[name] != turn:
                problem = f"it is {COLOUR_NAMES[turn]}'s turn; the colours alternate, black first"
            else:
                stones.append(stone)
                continue
            raise RecordError(f"move {number}, {quoted(str(empty or stone))}: {problem}")
    return stones


def _is_pass(stone: _Stone, game: Game) -> bool:
    value = stone.value.strip().lower()
    return not value or (value == "tt" and game.size <= 19)


def _action(game: Game, number: int, stone: _Stone) -> int:
    point = stone.value.strip().lower()
    try:
        if re.fullmatch("[a-z]{2}", point):
            return game.action((LETTERS.index(point[1]), LETTERS.index(point[0])))
        if re.fullmatch("[a-z][0-9]{1,2}", point):
            return game.action(point)
    except EightfoldError as error:
        raise RecordError(f"move {number}, {quoted(str(stone))}: {error}") from None
    middle = LETTERS[game.size // 2]
    raise RecordError(f"move {number}, {quoted(str(stone))}: not a point; write {stone.name}[{middle * 2}]")


def plain_result(value: str) -> str:
    """A result in one spelling; '' for what says nothing, such as '?'.

    >>> [plain_result(value) for value in ("B+", "w+resign", "Black wins", "0", "?")]
    ['B+', 'W+R', 'B+', 'Draw', '']
    """
    text = plain_text(value)
    if text.lower() in DRAWS:
        return "Draw"
    found = RESULT.fullmatch(text)
    if not found:
        return ""
    reason = found[2].strip()
    return f"{found[1][0].upper()}+{REASONS.get(reason.lower(), reason)}"


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


def common_properties(number: str, size: int) -> dict[str, str]:
    """What every root begins with."""
    return {"FF": "4", "GM": number, "CA": "UTF-8", "AP": f"Eightfold:{__version__}", "SZ": str(size)}


def written(root: dict[str, str], record: GameRecord) -> str:
    """The properties of a root, and what the record says of players and event."""
    texts = {"PB": record.black, "PW": record.white, "RE": record.result, "EV": record.event, "DT": record.date}
    root = root | {name: escaped(text) for name, text in texts.items() if text}
    if record.comment:
        root["C"] = escaped(record.comment, one_line=False)
    return "".join(f"{name}[{value}]" for name, value in root.items())


def _sgf_line(record: GameRecord) -> str:
    if split_name(record.game)[0] == "go":
        from eightfold.games.records.sgf_go import go_line  # here, because it needs this module

        return go_line(record)
    position = record.position()
    game = position.game
    if game.name != "gomoku":
        raise RecordError(f"{game.text} cannot be written as SGF; gomoku and go can")
    rule = game.values["rule"]
    root = common_properties(GOMOKU, game.size) | {"RU": str(rule)}
    if make_game(f"gomoku:size={game.size},rule={rule}").text != game.text:
        root["EIGHTFOLD"] = game.text
    head = written(root, record)
    points = (divmod(move, game.size) for move in position.moves)
    moves = (f";{'BW'[n % 2]}[{LETTERS[column]}{LETTERS[row]}]" for n, (row, column) in enumerate(points))
    return f"(;{head}{''.join(moves)})"
