"""Streaming analysis over GTP: lines that begin with `info`, as Leela Zero and KataGo write them.

    lz-analyze b 50                       winrate and lcb as whole numbers, ten thousandths
    kata-analyze b 50 ownership true rootInfo true          the same as fractions, and more of it
    analyze b 50                          what Sabaki asks for: as lz-analyze

All values are of the side to move. `visits` are those of the search; a player without visits reports its effort.
`lcb` is the lower end of the 95 % interval of the win rate. Ownership and the lead in points come from random games.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eightfold.arena.ratings import wilson_interval
from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import Position
from eightfold.games.state import BLACK
from eightfold.protocols.gtp.syntax import COLOURS, SHOWN, read_colour, read_whole, write_vertex
from eightfold.search.ownership import estimate_ownership
from eightfold.search.result import SearchResult

MOST_INTERVAL = 1_000_000  # centiseconds
TOLERANCE = 0.02  # seconds by which a report may come early
FLAGS = {"true": True, "false": False}
KATA_FLAGS = ("ownership", "rootinfo")
ONLY_FALSE = ("movesownership", "pvvisits", "pvedgevisits", "ownershipstdev", "noresultvalue")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What an analysis command asks for."""

    colour: int
    interval: float = 0.0  # seconds between two lines, as far as the player reports so often
    most_moves: int = 10_000
    fractions: bool = False  # as KataGo: values between 0 and 1
    ownership: bool = False
    root: bool = False


def read_request(words: list[str], to_move: int, *, kata: bool) -> Request:
    """`[COLOUR] [INTERVAL] [KEY VALUE]...`"""
    colour, interval, most = to_move, 0, Request.most_moves
    flags = dict.fromkeys(KATA_FLAGS, False)
    rest = list(words)
    if rest and rest[0].lower() in COLOURS:
        colour = read_colour(rest.pop(0))
    if rest and rest[0][:1].isdigit():
        interval = read_whole(rest.pop(0), "interval")
    while rest:
        key, value = rest.pop(0), rest.pop(0) if rest else ""
        name = key.lower()
        if name == "interval":
            interval = read_whole(value, "interval")
        elif name in ("minmoves", "maxmoves"):
            number = read_whole(value, name)
            most = number if name == "maxmoves" else most
        elif name in ("avoid", "allow"):
            raise EightfoldError(f"{name} is not supported: every legal move is searched")
        elif kata and name in (*KATA_FLAGS, *ONLY_FALSE):
            if value.lower() not in FLAGS or (name in ONLY_FALSE and FLAGS[value.lower()]):
                raise EightfoldError(f"{key} {value[:SHOWN]!r} is not supported")
            flags[name] = FLAGS[value.lower()]
        else:
            known = ("interval", "minmoves", "maxmoves", *(("ownership", "rootInfo") if kata else ()))
            raise unknown("key of an analysis", key[:SHOWN], known)
    if not 0 <= interval <= MOST_INTERVAL or most < 0:
        raise EightfoldError(f"syntax error: an interval is from 0 to {MOST_INTERVAL}, a number of moves not negative")
    return Request(
        colour=colour,
        interval=interval / 100,
        most_moves=most,
        fractions=kata,
        ownership=flags["ownership"],
        root=flags["rootinfo"],
    )


class Stream:
    """Reports how a search stands, not more often than was asked for."""

    def __init__(self, request: Request, position: Position, say: Callable[[str], None], *, seed: int = 0) -> None:
        self._request, self._position, self._say, self._seed = request, position, say, seed
        self._due = time.perf_counter() + request.interval - TOLERANCE
        self._points: str | None = None  # the same in every report, and slow to compute

    def __call__(self, result: SearchResult) -> None:
        if time.perf_counter() >= self._due:
            self.report(result)

    def report(self, result: SearchResult) -> None:
        if self._points is None:
            self._points = _points(self._position, self._request, self._seed)
        line = info_line(result, self._position, self._request, self._points)
        if line:  # with maxmoves 0 there may be nothing to report, and an empty line would end the answer
            self._say(line)
        self._due = time.perf_counter() + self._request.interval - TOLERANCE


def info_line(result: SearchResult, position: Position, request: Request, points: str) -> str:
    """One report: every move that was searched, the best first; then the whole position."""
    parts = []
    for order, action in enumerate(_in_order(result)[: request.most_moves]):
        known = result.values is not None and np.isfinite(result.values[action])
        value = float(result.values[action]) if known else result.value  # type: ignore[index]
        visits = int(result.visits[action]) if result.visits is not None else max(1, result.effort)
        line = result.principal_variation if action == result.action else ()
        vertices = " ".join(write_vertex(move, position.game) for move in line or (action,))
        name = write_vertex(action, position.game)
        parts.append(f"info move {name} {_rates(value, visits, request)} order {order} pv {vertices}")
    if request.root:
        visits = int(result.visits.sum()) if result.visits is not None else max(1, result.effort)
        parts.append(f"rootInfo {_rates(result.value, visits, request, bound=False)}")
    return " ".join([*parts, points]).rstrip()


def _in_order(result: SearchResult) -> list[int]:
    """The moves that were searched, the chosen one first: by visits, else by exact values."""
    score = result.visits if result.visits is not None else result.policy
    if result.visits is None and result.values is not None:
        score = np.where(np.isfinite(result.values), 2 + result.values, 0)  # above 0 for every move that was searched
    moves = [int(action) for action in np.argsort(-score, kind="stable") if score[action] > 0]
    return [result.action, *(action for action in moves if action != result.action)]


def _rates(value: float, visits: int, request: Request, *, bound: bool = True) -> str:
    rate = min(max((value + 1) / 2, 0.0), 1.0)
    low = max(0.0, wilson_interval(rate, max(1, visits))[0])
    if request.fractions:
        return f"visits {visits} winrate {rate:.6f}" + (f" lcb {low:.6f}" if bound else "")
    return f"visits {visits} winrate {round(10_000 * rate)}" + (f" lcb {round(10_000 * low)}" if bound else "")


def _points(position: Position, request: Request, seed: int) -> str:
    """What random games predict: the lead for rootInfo, and who owns every point, from the upper left."""
    if not (request.ownership or request.root) or not position.game.counts_points:
        return ""
    predicted = estimate_ownership(position, seed=seed)
    sign = 1 if position.to_move == BLACK else -1
    parts = []
    if request.root:
        lead = sign * predicted.lead
        parts.append(f"scoreMean {lead:.3f} scoreStdev {predicted.deviation:.3f} scoreLead {lead:.3f}")
    if request.ownership:
        parts.append("ownership " + " ".join(f"{sign * owner:.4f}" for owner in predicted.owners.ravel()))
    return " ".join(parts)
