"""Time as GTP sets it: main time, and overtime in periods of so many stones."""

from __future__ import annotations

from collections.abc import Sequence

from eightfold.core.errors import EightfoldError, unknown
from eightfold.protocols.clock import Clock
from eightfold.protocols.gtp.syntax import SHOWN, read_number, read_whole

LONGEST = 1e9  # seconds


def set_time(clocks: Sequence[Clock], words: list[str]) -> None:
    """`time_settings MAIN OVERTIME STONES`; overtime without stones means that there is no limit."""
    if len(words) != 3:
        raise EightfoldError("syntax error: time_settings takes main time, overtime and stones")
    main, overtime, stones = read_seconds(words[0]), read_seconds(words[1]), _stones(words[2])
    if overtime > 0 and stones == 0:
        _set(clocks, None, 0.0)
    else:
        _set(clocks, main, overtime / stones if stones else 0.0)


def set_kgs_time(clocks: Sequence[Clock], words: list[str]) -> None:
    """`kgs-time_settings none | absolute M | canadian M TIME STONES | byoyomi M TIME PERIODS`."""
    kind, *rest = words or [""]
    counts = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
    if kind.lower() not in counts:
        raise unknown("kind of time settings", kind[:SHOWN], counts)
    if len(rest) != counts[kind.lower()]:
        raise EightfoldError(f"syntax error: {kind} takes {counts[kind.lower()]} numbers")
    if not rest:
        _set(clocks, None, 0.0)
        return
    main = read_seconds(rest[0])
    overtime = read_seconds(rest[1]) if len(rest) > 1 else 0.0
    count = _stones(rest[2]) if len(rest) > 1 else 0
    if kind.lower() == "canadian":
        overtime = overtime / count if count else 0.0
    _set(clocks, main, overtime if count else 0.0, is_byoyomi=kind.lower() == "byoyomi")


def set_left(clock: Clock, words: list[str]) -> None:
    """`TIME STONES` of `time_left`: stones or periods left in overtime; 0 in main time."""
    if len(words) != 2:
        raise EightfoldError("syntax error: time_left takes a color, a time and stones")
    seconds, stones = read_number(words[0], "time"), _stones(words[1])
    if abs(seconds) > LONGEST:
        raise EightfoldError(f"syntax error: time {words[0][:SHOWN]!r} is too long")
    if stones:
        clock.remaining, clock.current_overtime = 0.0, max(seconds, 0.0) / (1 if clock.is_byoyomi else stones)
    else:
        clock.remaining, clock.current_overtime = seconds, None


def read_seconds(text: str) -> float:
    seconds = read_number(text, "time")
    if not 0 <= seconds <= LONGEST:
        raise EightfoldError(f"syntax error: time {text[:SHOWN]!r} is not from 0 to {LONGEST:.0f} seconds")
    return seconds


def _stones(text: str) -> int:
    stones = read_whole(text, "stones")
    if stones < 0:
        raise EightfoldError(f"syntax error: {stones} stones")
    return stones


def _set(clocks: Sequence[Clock], main: float | None, overtime: float, *, is_byoyomi: bool = False) -> None:
    for clock in clocks:
        clock.per_game, clock.overtime, clock.is_byoyomi = main, overtime, is_byoyomi
        clock.remaining, clock.current_overtime, clock.used = None, None, 0.0
