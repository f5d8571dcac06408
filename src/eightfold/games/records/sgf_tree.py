r"""SGF, the Smart Game Format (https://www.red-bean.com/sgf/), whatever the game: trees of nodes, values, common facts.

`parse_trees` knows the syntax only: variations, setup stones and unknown properties all come through, values as they
stand in the file (`plain_text` takes the escapes out). Below it is what the root of every game says alike: the players,
the event, the result, the size of the board. Read next: `sgf.py`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.core.words import without_controls
from eightfold.games.game import Game, make_game
from eightfold.games.records.record import GameRecord, RecordError, quoted
from eightfold.games.state import BLACK, WHITE

DEEPEST = 10_000  # open parentheses
LARGEST_TREE = 2_000_000  # nodes and properties in one game
LONGEST_TEXT = 200  # of a game

BEGIN = re.compile(r"\(\s*+;")
# Possessive (`*+`), so that no file can make the matching go back and forth.
VALUE = re.compile(r"\[([^\]\\]*+(?:\\.[^\]\\]*+)*+)\]", re.DOTALL)
TOKEN = re.compile(rf"\s*+(?:([();])|([A-Za-z]++)((?:\s*+{VALUE.pattern.replace('(', '(?:', 1)})++))", re.DOTALL)
NOT_BLANK, NAME, OPEN_VALUE = re.compile(r"\S"), re.compile("[A-Za-z]"), re.compile(r"[A-Za-z]*+\s*+\[")
ESCAPE = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
LINE_BREAK = re.compile(r"\r\n|\n\r|\r|\n")
CHARSET = re.compile(rb"(?<![A-Z])CA\s*+\[\s*+([\w:.-]{1,40}+)\s*+\]")
DROP_LOWER = str.maketrans("", "", string.ascii_lowercase)

LETTERS = string.ascii_lowercase
COLOURS = {"B": BLACK, "W": WHITE}
RESULT = re.compile(r"(b|w|black|white)\s*(?:\+|wins?\b|won\b)\s*(.*)", re.IGNORECASE | re.DOTALL)
REASONS = {"r": "R", "resign": "R", "t": "T", "time": "T", "f": "F", "forfeit": "F"}
DRAWS = ("0", "draw", "drawn", "tie", "jigo", "1/2-1/2")


# ---- syntax -----------------------------------------------------------------------------------------


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
    r"""A value without its escapes and control characters; a line break after a backslash is not part of it.

    >>> plain_text(r"a\]b\\c:")
    'a]b\\c:'
    """
    text = ESCAPE.sub(lambda escape: "" if escape[1][0] in "\r\n" else escape[1], value)
    return without_controls(LINE_BREAK.sub(" " if one_line else "\n", text)).strip()


def escaped(text: str, *, one_line: bool = True) -> str:
    """A text as a value: escapes put in, line breaks made one kind, other control characters left out."""
    text = without_controls(LINE_BREAK.sub(" " if one_line else "\n", text))
    return text.replace("\\", "\\\\").replace("]", "\\]")


# ---- what every root says ---------------------------------------------------------------------------


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


def board_size(root: Node, usual: int) -> int:
    value = root.first("SZ", str(usual))
    found = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", value)
    if not found:
        raise RecordError(f"{quoted(f'SZ[{value}]')} is not a board size such as SZ[{usual}]")
    columns, rows = int(found[1]), int(found[2] or found[1])
    if columns != rows:
        raise RecordError(f"SZ[{columns}:{rows}] is not a square board; SZ[{rows}] would be")
    return columns


def exact_game(root: Node, number: int, size: int) -> Game | None:
    """The game whose text the private property EIGHTFOLD holds, if it is there; nothing is imported for it."""
    text = plain_text(root.first("EIGHTFOLD"))
    if not text:
        return None
    try:
        if len(text) > LONGEST_TEXT:
            raise RecordError("too long for a game")
        game = make_game(text)
        if game.spec.sgf != number:
            raise RecordError(f"this is not a game of GM[{number}]")
    except EightfoldError as error:
        raise RecordError(f"EIGHTFOLD {quoted(text)}: {error}") from None
    if "SZ" in root.properties and size != game.size:
        raise RecordError(f"SZ[{size}] and EIGHTFOLD[{game.text}] do not agree")
    return game


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


def common_properties(number: int, size: int) -> dict[str, str]:
    """What every root begins with."""
    return {"FF": "4", "GM": str(number), "CA": "UTF-8", "AP": f"Eightfold:{__version__}", "SZ": str(size)}


def root_text(root: dict[str, str], record: GameRecord) -> str:
    """The properties of a root, and what the record says of players and event."""
    texts = {"PB": record.black, "PW": record.white, "RE": record.result, "EV": record.event, "DT": record.date}
    root = root | {name: escaped(text) for name, text in texts.items() if text}
    if record.comment:
        root["C"] = escaped(record.comment, one_line=False)
    return "".join(f"{name}[{value}]" for name, value in root.items())
