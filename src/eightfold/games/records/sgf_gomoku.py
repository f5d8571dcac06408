"""Gomoku in SGF (GM[4]), and games like it: from the empty board, in turn, without a pass.

What is read with tolerance: points as two letters (column, row from the top) or as letter and number (column, row from
the bottom, as renju players write); a missing SZ (15); AB and AW that can be read as an opening in turn; moves without
a point at the end; a ruleset that is not known as freestyle.

What SZ and RU cannot say, a winning length other than five, is written to the private property EIGHTFOLD,
which holds the game's text: EIGHTFOLD[gomoku:size=9,win=4,rule=freestyle].
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from eightfold.core.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, make_game
from eightfold.games.gomoku.lines import RULES
from eightfold.games.records.record import GameRecord, RecordError, quoted, replay
from eightfold.games.records.sgf_tree import (
    COLOURS,
    LETTERS,
    Node,
    board_size,
    common_facts,
    common_properties,
    exact_game,
    plain_text,
    root_text,
)
from eightfold.games.state import BLACK, WHITE

NUMBER = 4  # of the game in SGF
USUAL_SIZE = 15
REPLAY_OPTIONS: dict[str, str] = {}  # in which games of all rules can be replayed: there are none
NUMBERED_RULES = {str(number): name for name, number in RULES.items()}  # as a word it is looked for in the text


def read_root(root: Node) -> GameRecord:
    """The main line of a game."""
    game = _game(root)
    opening = _opening(root)
    stones = opening + _played(root, game, len(opening))
    moves = tuple(_action(game, number, stone) for number, stone in enumerate(stones, start=1))
    replay(game, moves, written=[str(stone) for stone in stones])
    return GameRecord(game=game.text, moves=moves, **common_facts(root))


def _game(root: Node) -> Game:
    size = board_size(root, USUAL_SIZE)
    return exact_game(root, NUMBER, size) or make_game(f"gomoku:size={size},rule={_rule(root)}")


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


def write_line(record: GameRecord, game: Game) -> str:
    """A record as SGF."""
    rule = str(game.values.get("rule", "freestyle"))
    root = common_properties(NUMBER, game.size) | {"RU": rule}
    if make_game(f"gomoku:size={game.size},rule={rule}") != game:
        root["EIGHTFOLD"] = game.text
    head = root_text(root, record)
    points = (divmod(move, game.size) for move in record.position().moves)
    moves = (f";{'BW'[n % 2]}[{LETTERS[column]}{LETTERS[row]}]" for n, (row, column) in enumerate(points))
    return f"(;{head}{''.join(moves)})"
