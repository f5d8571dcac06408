"""The syntax of GTP: lines, vertices, colours, numbers, and the names of rules.

Columns skip the letter I in every game, rows count from below: A1 is the lower left corner.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import COLOUR_NAMES, Game
from eightfold.games.state import BLACK, WHITE

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
PASS, STOP = "pass", "stop"
STREAMS = frozenset({"lz-analyze", "kata-analyze", "analyze"})  # commands that go on until any other line arrives
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
SHOWN = 40  # letters of a bad word that are repeated
RULESETS = ("chinese", "japanese", "aga", "new-zealand", "tromp-taylor")
SPELLINGS = {"korean": "japanese", "chinese-ogs": "chinese", "chinese-kgs": "chinese", "bga": "aga"}

_LINE = re.compile(r"(?:(\d{1,18})(?!\S))?\s*(\S*)\s*(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """A command as it was sent."""

    number: str  # the id, '' where there is none
    name: str
    rest: str  # what follows the name

    @property
    def words(self) -> list[str]:
        return self.rest.split()


def read_line(text: str) -> Line:
    """
    >>> read_line("17 play black D4 # why not")
    Line(number='17', name='play', rest='black D4')
    """
    found = _LINE.fullmatch(text.partition("#")[0].strip())
    assert found is not None
    return Line(found[1] or "", found[2], found[3])


def command_of(text: str) -> str:
    return read_line(text).name


def decode_line(line: bytes) -> str:
    """A line as text: a tab becomes a space, other control characters are dropped, as GTP demands.

    >>> decode_line(b"pl" + bytes([7]) + b"ay" + bytes([9]) + b"b D4" + bytes([13]))
    'play b D4'
    """
    text = line.decode("utf-8", "replace").replace("\t", " ")
    return "".join(letter for letter in text if letter.isprintable()).strip()


def write_vertex(action: int, game: Game) -> str:
    """
    >>> from eightfold.games.game import make_game
    >>> write_vertex(8, make_game("go:size=9")), write_vertex(81, make_game("go:size=9"))
    ('J9', 'pass')
    """
    if action == game.points and game.spec.has_pass:
        return PASS
    row, column = divmod(int(action), game.size)
    return f"{COLUMNS[column]}{game.size - row}"


def read_vertex(text: str, game: Game) -> int:
    """The action of a vertex.

    >>> from eightfold.games.game import make_game
    >>> read_vertex("j9", make_game("go:size=9"))
    8
    """
    word = text.upper()
    if word == PASS.upper() and game.spec.has_pass:
        return game.points
    column = COLUMNS.find(word[:1]) if word else -1
    row = game.size - int(word[1:]) if re.fullmatch("[0-9]{1,2}", word[1:]) else -1
    if not (0 <= column < game.size and 0 <= row < game.size):
        last = f"{COLUMNS[game.size - 1]}{game.size}" + (" or pass" if game.spec.has_pass else "")
        raise EightfoldError(f"invalid vertex {text[:SHOWN]!r}: A1 to {last} on this board")
    return row * game.size + column


def read_colour(text: str) -> int:
    colour = COLOURS.get(text.lower())
    if colour is None:
        raise EightfoldError(f"invalid color {text[:SHOWN]!r}: black or white")
    return colour


def write_colour(colour: int) -> str:
    return COLOUR_NAMES[colour]


def read_whole(text: str, what: str) -> int:
    if not re.fullmatch("[+-]?[0-9]{1,9}", text):
        raise EightfoldError(f"syntax error: {what} {text[:SHOWN]!r} is not a whole number")
    return int(text)


def read_number(text: str, what: str) -> float:
    try:
        number = float(text) if text.isascii() and "_" not in text and len(text) <= SHOWN else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise EightfoldError(f"syntax error: {what} {text[:SHOWN]!r} is not a number")
    return number


# ---- rules ------------------------------------------------------------------------------------------


DEFAULT_GAME_ID = "Go"  # of a program that does not say what it plays


def game_id(game: Game) -> str:
    """A game as `gogui-rules_game_id` names it."""
    return game.spec.name.capitalize()


RULE_OPTIONS = {"rules", "ko", "suicide"}  # what a game must have for `kata-set-rules` to mean something


def rules_of(game: Game) -> dict[str, Any]:
    """The rules of a game of Go in the terms of `kata-get-rules`."""
    return {
        "hasButton": False,
        "ko": str(game.values["ko"]).upper(),
        "scoring": "TERRITORY" if game.values["rules"] == "japanese" else "AREA",
        "suicide": game.values["suicide"] == "allowed",
        "tax": "NONE",
        "whiteHandicapBonus": "0",
    }


def read_rules(text: str) -> str:
    """The options `rules=...,ko=...,suicide=...` that a ruleset's name or a JSON object stands for.

    >>> read_rules("New_Zealand"), read_rules('{"ko": "SIMPLE", "scoring": "AREA", "suicide": false}')
    ('rules=new-zealand,ko=auto,suicide=auto', 'rules=chinese,ko=simple,suicide=forbidden')
    """
    if not text.startswith("{"):
        name = text.strip().lower().replace("_", "-")
        name = SPELLINGS.get(name, name)
        if name not in RULESETS:
            raise unknown("rules", text[:SHOWN], RULESETS)
        return f"rules={name},ko=auto,suicide=auto"
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise EightfoldError(f"syntax error: {text[:SHOWN]!r} is not JSON") from None
    known = {"ko", "scoring", "suicide", "tax", "hasButton", "whiteHandicapBonus", "friendlyPassOk"}
    unknown_keys = set(given) - known
    if unknown_keys:
        raise unknown("rule", min(unknown_keys)[:SHOWN], sorted(known))
    fixed = {"tax": ("NONE",), "hasButton": (False,), "whiteHandicapBonus": ("0",)}  # nothing else is supported
    for key, allowed in fixed.items():
        if given.get(key, allowed[0]) not in allowed:
            raise EightfoldError(f"rules: {key}={str(given[key])[:SHOWN]!r} is not supported; {allowed[0]!r} is")
    scorings = {"AREA": "chinese", "TERRITORY": "japanese"}
    kos = {"SIMPLE": "simple", "POSITIONAL": "positional", "SITUATIONAL": "situational"}
    suicides = {True: "allowed", False: "forbidden"}
    chosen = []
    for key, choices in (("scoring", scorings), ("ko", kos), ("suicide", suicides)):
        value = given.get(key)
        if not isinstance(value, (str, bool)) or value not in choices:
            raise unknown(f"value of the rule {key}", str(value)[:SHOWN], choices)
        chosen.append(choices[value])  # type: ignore[index]
    return "rules={},ko={},suicide={}".format(*chosen)
