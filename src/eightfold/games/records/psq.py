"""Piskvork's game files (.psq), in which Gomocup keeps its games: text to records and back.

    Piskvorky 15x15, 0:0, 0        the board; the levels of the players; 1 if the second of them began
    8,8,1203                       a move: column, row from the top, both from 1; milliseconds
    9,9,417
    pbrain-first.exe               the players, as files or paths; left out in games between people
    pbrain-second.exe
    -1                             how the game ended: a code of the program's own
    2,Standard                     some programs add the winner and the rule

    >>> [record] = read_psq("Piskvorky 9x9, 0:0, 0\\n5,5,1200\\n6,4,30\\nann\\nbob\\n-1\\n")
    >>> record.moves, record.seconds, record.white
    ((40, 32), (1.2, 0.03), 'bob')

Read with tolerance: any line ends, blanks, moves without a time, whatever follows the end code. The file
has no result, so it is that of the final position. It says a board and perhaps a rule: `write_psq` refuses
other games, several games, and names that would read as a move; `eightfold.games.records.sgf` takes all of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eightfold.core.words import without_controls
from eightfold.games.game import Game, Position, make_game
from eightfold.games.gomoku.lines import RULES
from eightfold.games.records.record import (
    EXPECTED,
    MOST_SECONDS,
    GameRecord,
    RecordError,
    as_text,
    quoted,
    read_each,
    replay,
)
from eightfold.games.state import BLACK, WHITE

LINE_BREAK = re.compile(r"\r\n|\r|\n")
# Possessive (`*+`), so that no file can make the matching go back and forth.
HEADER = re.compile(r"piskvorky\s++([0-9]{1,9})\s*+x\s*+([0-9]{1,9})\s*+(?:,(.*))?", re.IGNORECASE)
MOVE = re.compile(r"([+-]?[0-9]{1,9})\s*+,\s*+([+-]?[0-9]{1,9})\s*+(?:,\s*+(-?[0-9]{1,13}(?:\.[0-9]{0,9})?)?\s*+)?")
LIKE_MOVE = re.compile(r"[+-]?[0-9]++\s*+,")
END_CODE = re.compile(r"[+-]?[0-9]++")
RULE = re.compile(rf"[0-9]++\s*+,(?:[0-9 ]*+,)*+\s*+({'|'.join(RULES)})", re.IGNORECASE)

Line = tuple[int, str]  # its number in the file, and the text without the blanks around it


def is_psq(text: str) -> bool:
    return text[:1000].lstrip("\ufeff \t\r\n").lower().startswith("piskvorky")


def read_psq(data: bytes | str, *, refused: list[RecordError] | None = None, first: bool = False) -> list[GameRecord]:
    """The games in a psq text, mostly one; with a list as `refused`, those that cannot be read go there as errors.

    With `first` it is the first game alone.
    """
    text = as_text(data).lstrip("\ufeff")
    if not is_psq(text):
        raise RecordError(f"holds no psq game; line 1 is {quoted(LINE_BREAK.split(text, maxsplit=1)[0])}; {EXPECTED}")
    return read_each(_parts(text), _record, refused, first=first)


def _parts(text: str) -> Iterator[tuple[int, list[Line]]]:
    """The lines of each game, with the number of the first of them."""
    part: list[Line] = []
    for number, raw in enumerate(LINE_BREAK.split(text), start=1):
        line = raw.strip()
        if part and HEADER.fullmatch(line):
            yield part[0][0], part
            part = []
        if part or line:
            part.append((number, line))
    yield part[0][0], part


def _record(part: list[Line]) -> GameRecord:
    (_, header), *lines = part
    found = HEADER.fullmatch(header)
    if not found:
        raise RecordError(f"{quoted(header)} is not a header such as 'Piskvorky 15x15, 0:0, 0'")
    ends = (index for index, (_, line) in enumerate(lines) if END_CODE.fullmatch(line) or RULE.fullmatch(line))
    end = next(ends, len(lines))
    game = _game(int(found[1]), int(found[2]), lines[end:])
    move_lines, names = _divide(lines[:end])
    moves = tuple(_action(game, number, line) for number, line in move_lines)
    position = replay(game, moves, written=[line for _, line in move_lines])
    _, comma, beginner = (found[3] or "").rpartition(",")
    if comma and beginner.strip() == "1":  # the second player began
        names.reverse()
    return GameRecord(
        game=game.text,
        moves=moves,
        black=names[0],
        white=names[1],
        seconds=_seconds(move_lines),
        result=_result(position),
    )


def _game(columns: int, rows: int, end: list[Line]) -> Game:
    if columns != rows:
        raise RecordError(f"{columns}x{rows} is not a square board; {rows}x{rows} would be")
    rules = [found[1].lower() for _, line in end if (found := RULE.fullmatch(line))]
    rule = next((rule for rule in rules if rule != "freestyle"), "freestyle")
    return make_game(f"gomoku:size={columns},rule={rule}")


def _divide(lines: list[Line]) -> tuple[list[Line], list[str]]:
    """The lines of the moves, and the two names after them."""
    count = max((index + 1 for index, (_, line) in enumerate(lines) if LIKE_MOVE.match(line)), default=0)
    names = [without_controls(line) for _, line in lines[count:]]
    if len(names) != 2:  # then blank lines are just blank; of two, one may be a player without a name
        names = [*filter(None, names), "", ""][:2]
    return [(number, line) for number, line in lines[:count] if line], names


def _action(game: Game, number: int, line: str) -> int:
    found = MOVE.fullmatch(line)
    if not found:
        raise RecordError(f"line {number}: {quoted(line)} is not a move such as 8,8,1200 (column, row, milliseconds)")
    column, row = int(found[1]), int(found[2])
    if not (1 <= column <= game.size and 1 <= row <= game.size):
        raise RecordError(f"line {number}: {quoted(line)} is off the board; columns and rows are 1 to {game.size}")
    return game.action((row - 1, column - 1))


def _seconds(lines: list[Line]) -> tuple[float, ...]:
    times = [found[3] or "0" for _, line in lines if (found := MOVE.fullmatch(line))]
    seconds = tuple(min(max(float(time) / 1000, 0.0), MOST_SECONDS) for time in times)
    return seconds if any(seconds) else ()  # programs that keep no time write 0


def _result(position: Position) -> str:
    if not position.is_over:
        return ""
    return {BLACK: "B+", WHITE: "W+", None: "Draw"}[position.winner]


def write_psq(records: Sequence[GameRecord]) -> str:
    """One record as psq."""
    if len(records) != 1:
        raise RecordError(f"a .psq file holds one game, not {len(records)}; a .sgf file holds many")
    record = records[0]
    position = record.position()
    game = position.game
    if not game.spec.psq:
        raise RecordError(f"{game.text} cannot be written as psq; gomoku can")
    rule = str(game.values.get("rule", "freestyle"))
    known = make_game(f"gomoku:size={game.size},rule={rule}")
    if game != known:
        raise RecordError(f"a .psq file cannot say {game.text}, only {known.text}; write a .sgf file")
    lines = [f"Piskvorky {game.size}x{game.size}, 0:0, 0"]
    seconds = record.seconds or (0.0,) * len(record.moves)
    for move, time in zip(position.moves, seconds, strict=True):
        row, column = divmod(move, game.size)
        lines.append(f"{column + 1},{row + 1},{round(time * 1000)}")
    lines += [_name_line(record.black), _name_line(record.white), "-1"]
    if rule != "freestyle":
        winner = {"B": 1, "W": 2}.get(record.result[:1], 0)
        lines.append(f"{winner},{rule.capitalize()}")
    return "\n".join(lines) + "\n"


def _name_line(name: str) -> str:
    line = " ".join(name.split()).replace("\0", "")
    if LIKE_MOVE.match(line) or END_CODE.fullmatch(line) or HEADER.fullmatch(line):
        raise RecordError(f"the player's name {quoted(name)} would read as another line of a .psq file; use .sgf")
    return line
