"""Go records in SGF (GM[1]): the main line, setup stones, passes, komi, handicap, rules, dead stones.

    >>> from eightfold.games.records.sgf import read_sgf
    >>> [record] = read_sgf("(;GM[1]SZ[9]KM[5.5]RU[Japanese]HA[2]AB[cg][gc];W[ee];B[];W[tt])")
    >>> record.game, record.moves
    ('go:size=9,komi=5.5,rules=japanese,handicap=2,ko=simple,suicide=forbidden', (40, 81, 81))

What is read with tolerance: no SZ (19), no KM (0), no RU (Japanese); a komi in Chinese stones or hundredths (3.75 and
375 are 7.5); black's stones at the start as AB or as moves in a row; HA without stones; a colour that moves twice (the
other passed); passes that were taken back by playing on; passes after the second; repetitions that happened although
superko forbids them (the game is then read with simple ko). Not read is a setup in the middle of a game.

What the usual properties cannot say goes into the private property EIGHTFOLD, which holds the game's text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Game, Position, make_game
from eightfold.games.go.setup import handicap_points, most_handicap
from eightfold.games.points import count
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
from eightfold.games.setup import stones_of
from eightfold.games.state import BLACK, WHITE

NUMBER = 1  # of the game in SGF
USUAL_SIZE = 19
REPLAY_OPTIONS = {"ko": "simple"}  # in which games of all rulesets can be replayed
# Rulesets by the names that files use, spaces and marks left out.
RULESETS = {
    "chinese": "chinese",
    "cn": "chinese",
    "japanese": "japanese",
    "jp": "japanese",
    "korean": "japanese",
    "kr": "japanese",
    "aga": "aga",
    "american": "aga",
    "bga": "aga",
    "french": "aga",
    "nz": "new-zealand",
    "newzealand": "new-zealand",
    "tromptaylor": "tromp-taylor",
    "goe": "tromp-taylor",
    "ing": "tromp-taylor",
}
NAMES = {
    "chinese": "Chinese",
    "japanese": "Japanese",
    "aga": "AGA",
    "new-zealand": "NZ",
    "tromp-taylor": "Tromp-Taylor",
}
KOMI = re.compile(r"\s*([+-]?[0-9]{1,6}(?:[.,][0-9]{0,6})?)\s*(?:points|pts?|moku|mu|目)?\s*", re.IGNORECASE)
SETUP = {"AE": 0, "AB": BLACK, "AW": WHITE}
POINT = re.compile("[a-z]{2}")


@dataclass(frozen=True, slots=True)
class PlayedMove:
    colour: int
    action: int
    text: str  # as the file has it


def read_root(root: Node) -> GameRecord:
    """The main line of a game of Go."""
    game, exact = _game(root)
    stones, moves, turn, last = _stones_and_moves(root, game)
    if exact:
        stones = {} if stones == stones_of(game.start()) else stones  # the game's text has them already
    else:
        stones, moves = _handicap_in_a_row(stones, moves, game.points)
        game, stones = _with_handicap(root, game, stones, moves[0].colour if moves else turn)
    to_move = _first_to_move(turn, game, stones, moves)
    moves = moves_in_turn(moves, to_move or int(game.start().to_move), game.points)
    record = GameRecord(
        game=game.text,
        setup=tuple(sorted(stones.items())),
        to_move=to_move,
        moves=tuple(move.action for move in moves),
        **common_facts(root),
    )
    position, game = _played(record, game, exact, [move.text for move in moves])
    return _with_dead(record, game, position, last)


# ---- the game ---------------------------------------------------------------------------------------


def _game(root: Node) -> tuple[Game, bool]:
    """The game of a record, and whether the file gives its very text."""
    size = board_size(root, USUAL_SIZE)
    exact = exact_game(root, NUMBER, size)
    return exact or _plain_game(size, root.first("KM"), root.first("RU")), exact is not None


def _plain_game(size: int, komi: str, rules: str) -> Game:
    return make_game(f"go:size={size},komi={_komi(komi)},rules={_rules(rules)}")


def _rules(value: str) -> str:
    text = plain_text(value)
    key = re.sub(r"[^a-z]", "", re.sub(r"\brules?\b", "", text.lower()))
    if text and key not in RULESETS:
        raise unknown("ruleset RU of Go", text[:60], NAMES.values())
    return RULESETS[key] if text else "japanese"


def _komi(value: str) -> float:
    text = plain_text(value)
    if not text:
        return 0.0
    found = KOMI.fullmatch(text)
    if not found:
        raise RecordError(f"{quoted(f'KM[{text}]')} is not a komi such as KM[6.5]")
    komi = float(found[1].replace(",", "."))
    if abs(komi) >= 100 and komi % 25 == 0:  # as some servers write it
        komi /= 100
    return komi * 2 if komi * 4 % 2 == 1 else komi  # quarters are Chinese stones, each worth two points


# ---- stones and moves -------------------------------------------------------------------------------


def _stones_and_moves(root: Node, game: Game) -> tuple[dict[int, int], list[PlayedMove], int, Node]:
    """The stones set up before the first move, the moves as they stand there, whose turn PL says, and the last node."""
    stones: dict[int, int] = {}
    moves: list[PlayedMove] = []
    node, turn = root, ""
    for node in root.main_line():
        turn = turn if moves else plain_text(node.first("PL", turn))
        here: dict[int, int] = {}  # what a later node says of a point replaces this; one node says one thing
        for name in (name for name in SETUP if name in node.properties):
            values = [value for value in node.properties.get(name, []) if value.strip()]
            if values and moves:
                raise RecordError(
                    f"{name} changes the board after move {len(moves)}; stones are set up before the first"
                )
            for value in values:
                for point in _points(game, name, value):
                    if here.get(point) == BLACK and SETUP[name] == WHITE:
                        where = f"{quoted(f'{name}[{value}]')}: {game.name_of(point)}"
                        raise RecordError(f"{where} has a black stone already")
                    here[point] = SETUP[name]
        stones |= here
        moves.extend(_moves_of(node, game, len(moves)))
    said = {"b": BLACK, "1": BLACK, "w": WHITE, "2": WHITE}.get(turn.lower()[:1], 0)
    return {point: colour for point, colour in stones.items() if colour}, moves, said, node


def _moves_of(node: Node, game: Game, before: int) -> Iterator[PlayedMove]:
    for number, name in enumerate(filter(COLOURS.__contains__, node.properties), start=before + 1):
        values = node.properties[name]
        text = f"{name}[{values[0]}]"
        if len(values) > 1:
            raise RecordError(f"move {number}, {quoted(text)}: {len(values)} points in one move; one is right")
        try:
            yield PlayedMove(COLOURS[name], _action(game, values[0]), text)
        except EightfoldError as error:
            raise RecordError(f"move {number}, {quoted(text)}: {error}") from None


@functools.lru_cache(maxsize=32)
def _usual_points(size: int) -> dict[str, int]:
    """The points of a board as nearly all files write them: a hundred thousand games are read in minutes so."""
    return {LETTERS[column] + LETTERS[row]: row * size + column for row in range(size) for column in range(size)}


def _action(game: Game, value: str) -> int:
    known = _usual_points(game.size).get(value)
    if known is not None:
        return known
    point = value.strip().lower()
    if not point or (point == "tt" and game.size <= 19):
        return game.points
    if not POINT.fullmatch(point):
        raise RecordError(f"not a point; two letters are, such as {LETTERS[game.size // 2] * 2}, or none to pass")
    return game.action((LETTERS.index(point[1]), LETTERS.index(point[0])))


def _points(game: Game, name: str, value: str) -> list[int]:
    """The points of a setup property: one, or all of a rectangle between two corners."""
    corners = [corner.strip().lower() for corner in value.split(":", 1)]
    try:
        for corner in corners:
            if not POINT.fullmatch(corner):
                raise RecordError(f"not a point; two letters are, such as {LETTERS[game.size // 2] * 2}")
        # Not by `_action`, to which tt is a pass.
        places = [(LETTERS.index(corner[1]), LETTERS.index(corner[0])) for corner in corners]
        actions = [game.action(place) for place in places]
    except EightfoldError as error:
        raise RecordError(f"{quoted(f'{name}[{value}]')}: {error}") from None
    first, last = (divmod(action, game.size) for action in (actions[0], actions[-1]))
    rows, columns = (range(min(a, b), max(a, b) + 1) for a, b in zip(first, last, strict=True))
    return [row * game.size + column for row in rows for column in columns]


def _handicap_in_a_row(
    stones: dict[int, int], moves: list[PlayedMove], passed: int
) -> tuple[dict[int, int], list[PlayedMove]]:
    """Black's stones in a row at the start, before white's first, are a handicap."""
    first_white = next((k for k, move in enumerate(moves) if move.colour == WHITE), 0)
    given = moves[:first_white]
    distinct = len({move.action for move in given} | set(stones)) == len(given) + len(stones)
    if len(given) < 2 or not distinct or WHITE in stones.values() or any(move.action == passed for move in given):
        return stones, moves  # moves of one side in a problem, or with passes of the other
    return stones | {move.action: BLACK for move in given}, moves[first_white:]


def _with_handicap(root: Node, game: Game, stones: dict[int, int], first: int) -> tuple[Game, dict[int, int]]:
    """Handicap stones on their usual places become an option of the game, unless black is known to move first."""
    white_first = first != BLACK
    number = len(stones)
    if not stones and white_first:
        said = plain_text(root.first("HA"))
        number = int(said) if re.fullmatch("[0-9]", said) else 0
    if white_first and 2 <= number <= most_handicap(game.size):
        places = dict.fromkeys(handicap_points(game.size, number), BLACK)
        if not stones or stones == places:
            text = game.text.replace("handicap=0", f"handicap={number}")
            return make_game(text), {}
    return game, stones


def _first_to_move(turn: int, game: Game, stones: dict[int, int], moves: list[PlayedMove]) -> int:
    """Who begins, 0 if that is who begins such games anyway: the colour of the first move, else what PL says."""
    usual = int(game.start().to_move)
    expected = WHITE if stones and set(stones.values()) == {BLACK} else usual
    first = moves[0].colour if moves else turn or expected
    return first if first != usual or stones else 0


def moves_in_turn(moves: list[PlayedMove], to_move: int, passed: int) -> list[PlayedMove]:
    """The moves with a pass where a colour moves twice, and without passes that did not end the game."""
    turn, listed = to_move, list[PlayedMove]()
    for move in moves:
        if move.colour != turn:
            listed.append(PlayedMove(turn, passed, f"a pass before {move.text}"))
        listed.append(move)
        turn = BLACK + WHITE - move.colour
    kept = list[PlayedMove]()
    waiting = list[PlayedMove]()  # the passes since the last stone
    for move in listed:
        if move.action == passed:
            waiting.append(move)
        else:
            kept += [*waiting[: len(waiting) % 2], move]
            waiting = []
    return kept + waiting[:2]


# ---- the rules --------------------------------------------------------------------------------------


def _played(record: GameRecord, game: Game, exact: bool, texts: list[str]) -> tuple[Position, Game]:
    """The position at the end, and the game that allows its moves."""
    games = [game]
    if not exact and game.values["ko"] != "simple":
        games.append(make_game(re.sub("ko=[a-z]+", "ko=simple", game.text)))
    for choice in games:
        start = record.start(choice)
        state = start.state.copy()
        if choice.rules.play_moves(state, np.array(record.moves, np.int64)) == len(record.moves):
            return Position(choice, state, record.moves), choice
    return replay(game, record.moves, start=record.start(game), written=texts), game


def _with_dead(record: GameRecord, game: Game, position: Position, last: Node) -> GameRecord:
    """The dead stones: those that lie in what the last node marks as the opponent's territory."""
    dead = set[int]()
    for name, colour in (("TB", WHITE), ("TW", BLACK)):
        for value in filter(str.strip, last.properties.get(name, [])):
            dead |= {point for point in _points(game, name, value) if position.stones.flat[point] == colour}
    return record.changed(game=game.text, dead=tuple(sorted(dead)))


# ---- writing ----------------------------------------------------------------------------------------


def write_line(record: GameRecord, game: Game) -> str:
    """A record as SGF; a pass is an empty move."""
    start, position = record.start(game), record.position()
    size, komi, rules = game.size, f"{game.values['komi']:g}", NAMES[str(game.values["rules"])]
    root = common_properties(NUMBER, size) | {"RU": rules, "KM": komi}
    stones = stones_of(start)
    black, white = ([point for point in stones if stones[point] == colour] for colour in (BLACK, WHITE))
    handicap = int(game.values["handicap"])
    if start.to_move == WHITE and not white and len(black) > 1:
        root["HA"] = str(handicap or len(black))
    usual = dict.fromkeys(handicap_points(size, len(black)), BLACK) if len(black) <= most_handicap(size) else None
    known = re.sub("handicap=0", f"handicap={handicap}", _plain_game(size, komi, rules).text)
    if known != game.text or (record.setup and stones == usual) or (handicap and (record.setup or record.to_move)):
        root["EIGHTFOLD"] = game.text
    head = root_text(root, record)
    head += "".join(_listed(name, points, size) for name, points in (("AB", black), ("AW", white)) if points)
    if record.setup or record.to_move:
        head += f"PL[{'BW'[start.to_move - BLACK]}]"
    turn = start.to_move - BLACK
    moves = [f";{'BW'[(turn + k) % 2]}[{_letters(move, size)}]" for k, move in enumerate(record.moves)]
    tail = territory_marks(position, record.dead) if record.dead else ""
    return f"(;{head}{''.join(moves)}{tail})"


def territory_marks(position: Position, dead: Sequence[int]) -> str:
    """Whose the empty points and the dead stones are, as TB and TW."""
    counted, stones = count(position, dead=dead), position.stones.ravel()
    owners, open_points, lost = counted.owners.ravel(), stones == 0, list(counted.dead)
    open_points[lost] = True
    owners[lost] = BLACK + WHITE - stones[lost]  # wherever they lie: nothing else in a file says that they are dead
    return "".join(
        _listed(name, np.flatnonzero((owners == colour) & open_points).tolist(), position.game.size)
        for name, colour in (("TB", BLACK), ("TW", WHITE))
    )


def _listed(name: str, points: list[int], size: int) -> str:
    return name + "".join(f"[{_letters(point, size)}]" for point in points) if points else ""


def _letters(move: int, size: int) -> str:
    row, column = divmod(move, size)
    return "" if move == size * size else LETTERS[column] + LETTERS[row]
