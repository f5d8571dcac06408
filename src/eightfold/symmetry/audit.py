"""Audit: do your own states, policies and moves turn together? An answer in plain words.

Nearly everyone who writes augmentation by hand gets a turn wrong: the policy turns the other way round than the
state, the last move stays behind, one channel is forgotten. Nothing crashes; the network just learns less.
`audit` puts a mark on every square, sees where your functions carry it, and names the first symmetry and square
where they disagree. Your numbering of the symmetries may differ from Eightfold's: that is noted, not a fault.

Shapes: B batch, C planes, N board size, A actions (N*N, or one more for a pass in the last place).
Read next: `eightfold.symmetry.group` for the eight, `eightfold.symmetry.transform` for functions that pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.symmetry.group import (
    ALL,
    COUNT,
    IDENTITY,
    NAMES,
    check_size,
    compose,
    destinations,
    inverse,
    read_symmetries,
    sources,
)
from eightfold.symmetry.user_functions import (
    Floats,
    Function,
    Trouble,
    answers,
    as_array,
    asking,
    called,
    gap_between,
    positions,
    turned_by,
)

Maps = dict[Hashable, Ints]  # for each of the user's ids, where every square goes: [N*N]
Numbers = dict[Hashable, int]  # for each of the user's ids, which of Eightfold's eight it is
DIAGONAL = 6  # the mirror that exchanges rows and columns

# What the second thing may be doing where the first does symmetry g; the commonest bugs come first.
_RELATIONS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("is not turned at all", lambda g: IDENTITY),
    ("turns by '{name}', the inverse of what the {first} does", inverse),
    ("turns as if squares were counted column by column", lambda g: compose(DIAGONAL, compose(g, DIAGONAL))),
    ("is read row by row but written back column by column", lambda g: compose(DIAGONAL, g)),
    ("is read column by column but written back row by row", lambda g: compose(g, DIAGONAL)),
)
_PHRASES = {"state": "a stone on", "policy": "the policy entry of", "move": "a move on"}


@dataclass(frozen=True)
class Finding:
    check: str
    symmetry: Any  # the user's own id
    square: tuple[int, int] | None  # (row, column)
    message: str


@dataclass(frozen=True)
class AuditReport:
    """What `audit` found. Print it to read it; the notes are worth knowing but no faults."""

    ok: bool
    findings: tuple[Finding, ...]
    checked: tuple[str, ...]
    notes: tuple[str, ...] = ()
    disagreement: float | None = None  # of the network: mean absolute policy difference at its worst symmetry

    def raise_if_bad(self) -> None:
        """Raise an error with the first finding, if there is one: for a test of your own."""
        if not self.ok:
            more = f" (and {len(self.findings) - 1} more)" if len(self.findings) > 1 else ""
            raise EightfoldError(f"{self.findings[0].check}: {self.findings[0].message}{more}")

    def __str__(self) -> str:
        verdict = "all is well, everything turns together" if self.ok else "not everything turns together"
        found = [f"{finding.check}: {finding.message}" for finding in self.findings]
        parts = (("Wrong", found), ("Worth knowing", self.notes), ("Checked", self.checked))
        return "\n".join([f"Audit: {verdict}.", *("\n  - ".join([f"{name}:", *rows]) for name, rows in parts if rows)])


def audit(
    *,
    board_size: int,
    transform_state: Function | None = None,
    transform_policy: Function | None = None,
    transform_move: Function | None = None,
    encode: Function | None = None,
    transform_raw: Function | None = None,
    raw_states: Sequence[Any] | None = None,
    network: Function | None = None,
    states: Any = None,
    channels: int = 4,
    group: str | Iterable[int | str] = ALL,
    symmetries: Iterable[Hashable] | None = None,
    pass_move: bool = False,
    tolerance: float = 1e-5,
    seed: int = 0,
) -> AuditReport:
    """Check whatever is given, each function by itself and against the others.

    `transform_state(planes [C, N, N], id)`, `transform_policy(policy, id)` and `transform_move((row, column), id)`
    give back what they got, turned; a policy is offered as [A], and as a board [N, N] to a function that cannot
    take that. `encode(raw_state)` gives planes, and is checked with `transform_raw(raw_state, id)` on `raw_states`.
    `network(planes [B, C, N, N])` gives policies [B, A], or policies and values, for `states` or for random stones.
    `group` is what your game has of the eight symmetries (`game.symmetries`); `symmetries` are your own ids for them,
    by default Eightfold's numbers. An id that does a symmetry which the game does not have is a finding.

    >>> print(audit(board_size=3, transform_move=lambda move, g: (move[1], 2 - move[0]), symmetries=[1]))
    Audit: all is well, everything turns together.
    Worth knowing:
      - your ids reach 1 of the eight symmetries
    Checked:
      - transform_move: each of 9 squares
    """
    members = read_symmetries(group)
    size, ids = check_size(board_size), tuple(dict.fromkeys(members if symmetries is None else symmetries))
    raw = [part is not None for part in (encode, transform_raw, raw_states)]
    if not any(raw) and all(f is None for f in (transform_state, transform_policy, transform_move, network)):
        names = "transform_state, transform_policy, transform_move, network"
        raise EightfoldError(f"nothing to audit: give {names}, or encode with transform_raw and raw_states")
    if (any(raw) and not all(raw)) or (raw_states is not None and len(raw_states) == 0):
        raise EightfoldError("encode, transform_raw and raw_states (one or more) go together: give all three or none")
    if size < 2 or channels < 1 or not ids:
        raise EightfoldError("an audit needs a board of size 2 or more, at least one channel and one symmetry")
    work = _Auditor(size, ids, tolerance)
    maps: dict[str, Maps] = {}
    if transform_state is not None:
        maps["state"] = work.map_arrays("transform_state", transform_state, (channels, size, size))
    if transform_policy is not None:
        maps["policy"] = work.map_policies(transform_policy, size * size + pass_move)
    if transform_move is not None:
        maps["move"] = work.map_moves(transform_move)
    for second in list(maps)[1:]:
        work.compare(next(iter(maps)), second, maps)
    numbers: Numbers = {}
    for part in reversed(maps.values()):  # the state has the last word, before the policy and the move
        numbers.update({sym: g for sym, landings in part.items() if (g := _number(landings)) is not None})
    if encode is not None and transform_raw is not None and raw_states is not None:
        work.check_encode(encode, transform_raw, raw_states, numbers)
    notes = _numbering_notes(ids, numbers, members)
    work.check_group(numbers, members)
    disagreement = None
    if network is not None:
        sample = positions(states, channels, size, seed)
        disagreement = work.check_network(network, sample, size * size + pass_move, numbers)
    return AuditReport(not work.findings, tuple(work.findings), tuple(work.checked), notes, disagreement)


class _Auditor:
    """Looks at one thing after the other, and keeps what it finds. A place is a flat index; N*N is the pass."""

    def __init__(self, size: int, ids: tuple[Hashable, ...], tolerance: float) -> None:
        self.size, self.ids, self.tolerance = size, ids, tolerance
        self.findings: list[Finding] = []
        self.checked: list[str] = []

    def find(self, check: str, sym: Hashable | None, place: int | None, text: str) -> None:
        square = None if place is None or place >= self.size**2 else divmod(int(place), self.size)
        self.findings.append(Finding(check, sym, square, text if sym is None else f"symmetry {sym}: {text}"))

    def words(self, place: int) -> str:
        row, column = divmod(int(place), self.size)
        return "the pass entry" if row == self.size else f"row {row}, column {column}"

    # ---- where marks go -----------------------------------------------------------------------------

    def map_policies(self, function: Function, actions: int) -> Maps:
        """The maps of the policy, offered flat, or as a board if that serves more symmetries."""
        flat, board = (_Auditor(self.size, self.ids, self.tolerance) for _ in range(2))
        best, maps = flat, flat.map_arrays("transform_policy", function, (actions,))
        if len(maps) < len(self.ids) and actions == self.size**2:
            board_maps = board.map_arrays("transform_policy", function, (self.size, self.size))
            best, maps = (board, board_maps) if len(board_maps) > len(maps) else (flat, maps)
        self.findings += best.findings
        self.checked += best.checked
        return maps

    def map_arrays(self, check: str, function: Function, shape: tuple[int, ...]) -> Maps:
        self.checked.append(f"{check}: a mark on each place of an array {list(shape)}")
        marks = np.arange(1, (shape[0] if len(shape) == 3 else 1) + 1)  # one for each channel, so that exchanges show

        def follow(place: int, sym: Hashable) -> Ints:
            given = np.zeros(shape, np.float32)
            given.reshape(marks.size, -1)[:, place] = marks
            turned = turned_by(function, given, sym).reshape(marks.size, -1)
            channels, landings = np.nonzero(turned)
            if np.array_equal(channels, marks - 1) and np.array_equal(turned[channels, landings], marks):
                return landings
            raise Trouble(_fate(self.words(place), turned))

        return self.maps(check, follow, int(np.prod(shape)) // marks.size)

    def map_moves(self, function: Function) -> Maps:
        self.checked.append(f"transform_move: each of {self.size**2} squares")

        def follow(place: int, sym: Hashable) -> Ints:
            move = as_array(called(function, divmod(place, self.size), sym)).tolist()
            if not isinstance(move, list) or len(move) != 2 or any(part not in range(self.size) for part in move):
                raise Trouble(f"it gives back {move}, which is not a row and a column of the board")
            return np.array([move[0] * self.size + move[1]], np.int64)

        return self.maps("transform_move", follow, self.size**2)

    def maps(self, check: str, follow: Callable[[int, Hashable], Ints], actions: int) -> Maps:
        """For every id the map of its squares; an id without one becomes a finding."""
        maps: Maps = {}
        for sym in self.ids:
            landings: list[Ints] = []  # [A][C]
            try:
                while len(landings) < actions:
                    landings.append(follow(len(landings), sym))
            except Trouble as trouble:
                self.find(check, sym, len(landings), str(trouble))
                continue
            by_channel = np.array(landings).T  # [C, A]
            if self.is_permutation(check, by_channel, sym):
                maps[sym] = self.common_map(check, by_channel[:, : self.size**2], sym)
        return maps

    def is_permutation(self, check: str, maps: Ints, sym: Hashable) -> bool:
        """True if nothing is lost and the pass, if there is one, stays; otherwise a finding."""
        place, where = self.size**2, maps[0, -1]
        if maps.shape[1] > place and where != place:
            self.find(check, sym, place, f"the pass entry must stay in place, but it goes to {self.words(where)}")
            return False
        for channel, landings in enumerate(maps):
            values, first, counts = np.unique(landings, return_index=True, return_counts=True)
            if values.size < landings.size:
                one, other = np.flatnonzero(landings == landings[first[counts > 1].min()])[:2]
                text = f"{self.words(one)} and {self.words(other)} both go to {self.words(landings[one])}"
                self.find(check, sym, one, f"in channel {channel}, {text}" if len(maps) > 1 else text)
                return False
        return True

    def common_map(self, check: str, maps: Ints, sym: Hashable) -> Ints:
        """The map [N*N] that most channels of [C, N*N] follow; odd channels, and odd maps, are findings."""
        counts = (maps[:, None] == maps).all(axis=2).sum(axis=1)
        moves = (maps != np.arange(maps.shape[1])).any(axis=1)  # where two are equally common, one that turns is meant
        common = np.asarray(maps[np.lexsort((moves, counts))[-1]])
        odd = [channel for channel, landings in enumerate(maps) if (landings != common).any()]
        for channel in odd[:1]:
            others = f" (nor do channels {', '.join(map(str, odd[1:]))})" if odd[1:] else ""
            place, way = self.departure(maps[channel], common)
            text = f"channel {channel} does not go with the rest{others}: it {_doing(maps[channel])}, and {way}"
            self.find(check, sym, place, text)
        if _number(common) is None:
            nearest = destinations(self.size)[(destinations(self.size) == common).sum(axis=1).argmax()]
            place, way = self.departure(common, nearest)
            text = f"this is none of the eight symmetries; it nearly {_doing(nearest)}, but {way}"
            self.find(check, sym, place, text)
        return common

    def departure(self, landings: Ints, expected: Ints) -> tuple[int, str]:
        """The first place that goes another way than expected, and a sentence about it."""
        place = int(np.argmax(landings != expected))
        way = "stays" if landings[place] == place else f"goes to {self.words(landings[place])}"
        return place, f"{self.words(place)} {way} and does not go to {self.words(expected[place])}"

    # ---- one thing against another ------------------------------------------------------------------

    def compare(self, first: str, second: str, maps: dict[str, Maps]) -> None:
        """A finding for every symmetry in which two things go different ways."""
        shared = [sym for sym in self.ids if sym in maps[first] and sym in maps[second]]
        pairs = {sym: (_number(maps[first][sym]), _number(maps[second][sym])) for sym in shared}
        for sym in shared:
            ours, theirs = maps[first][sym], maps[second][sym]
            if (ours != theirs).any():
                place = int(np.argmax(ours != theirs))
                one = f"{_PHRASES[first]} {self.words(place)} goes to {self.words(ours[place])}"
                other = f"{_PHRASES[second]} that square goes to {self.words(theirs[place])}"
                why = _relation(sym, first, pairs) or f"{_doing(theirs)}, while the {first} {_doing(ours)}"
                self.find(f"{first} and {second}", sym, place, f"{one}, but {other}: the {second} {why}")

    def check_encode(
        self, encode: Function, transform_raw: Function, raw_states: Sequence[Any], numbers: Numbers
    ) -> None:
        """Turn and encode must give what encode and turn gives; `numbers` learns the ids that are made out here."""
        self.checked.append(f"encode: turned by transform_raw or turned afterwards, {len(raw_states)} raw states")
        for sym in self.ids:
            try:
                before = self.encoded(encode, raw_states)  # [S, C, N*N]
                after = self.encoded(
                    encode, [called(transform_raw, raw, sym, name="transform_raw") for raw in raw_states]
                )
                if not np.array_equal(before, self.encoded(encode, raw_states)):
                    raise Trouble("transform_raw changes the state that it was given, instead of making a new one")
                if before.shape != after.shape:
                    raise Trouble(f"{before.shape[1]} channels become {after.shape[1]}")
            except Trouble as trouble:
                self.find("encode", sym, None, str(trouble))
                continue
            gaps = [gap_between(before[:, :, source], after) > self.tolerance for source in sources(self.size)]
            # Unless the other functions told, an id is taken for the symmetry that fits best.
            number = numbers.setdefault(sym, min((int(gaps[g].sum()), g != sym, g) for g in range(COUNT))[2])
            if gaps[number].any():
                sample, place, channel = np.argwhere(gaps[number].swapaxes(1, 2))[0]
                still = np.array_equal(before[sample, channel], after[sample, channel])
                why = f": channel {channel} is not turned at all" if still else ""
                got, want = after[sample, channel, place], before[sample, channel, sources(self.size)[number, place]]
                spot = f"on {self.words(place)} of channel {channel}"
                text = f"raw state {sample} turned, then encoded, has {got:g} {spot}"
                self.find("encode", sym, place, f"{text}; encoded, then turned by '{NAMES[number]}', {want:g}{why}")

    def encoded(self, encode: Function, raw_states: Sequence[Any]) -> Floats:
        planes = [as_array(called(encode, raw, name="encode"), "encode") for raw in raw_states]
        shapes = {one.shape for one in planes}
        if len(shapes) > 1 or planes[0].shape[-2:] != (self.size, self.size):
            found = ", ".join(str(list(shape)) for shape in sorted(shapes))
            raise Trouble(f"encode gives shape {found}, expected [C, {self.size}, {self.size}] for every state")
        return np.array(planes, np.float64).reshape(len(planes), -1, self.size**2)

    def check_group(self, numbers: Numbers, members: tuple[int, ...]) -> None:
        """A finding for every id that does a symmetry which the game does not have; it is not checked further."""
        foreign = {}
        for sym in self.ids:
            number = numbers.get(sym, next((g for g in range(COUNT) if g == sym), None))
            if number is not None and number not in members:
                foreign[sym] = number
                self.find("group", sym, None, f"turns by '{NAMES[number]}', which is not a symmetry of the game")
        self.ids = tuple(sym for sym in self.ids if sym not in foreign)

    def check_network(self, network: Function, states: NDArray[Any], actions: int, numbers: Numbers) -> float | None:
        """Turning the input must turn the policy and keep the value; gives the disagreement."""
        self.checked.append(f"network: policies and values of {len(states)} positions")
        gaps: list[float] = []
        with asking(network) as ask:
            for sym in self.ids:
                number = numbers.get(sym, next((g for g in range(COUNT) if g == sym), None))
                try:
                    if number is None:
                        raise Trouble("not checked, as it is not known which of the eight symmetries this id is")
                    gaps.append(self.check_answers(ask, states, actions, sym, number))
                except Trouble as trouble:
                    self.find("network", sym, None, str(trouble))
        return max(gaps, default=None)

    def check_answers(self, ask: Function, states: NDArray[Any], actions: int, sym: Hashable, number: int) -> float:
        """The mean absolute difference of the policies before and after a turn, compared on the board before it."""
        turned = states.reshape(*states.shape[:2], -1)[..., sources(self.size)[number]].reshape(states.shape)
        policies, values = answers(ask, states, actions)  # [B, A], [B, V]
        turned_policies, turned_values = answers(ask, turned, actions)
        back = [*destinations(self.size)[number].tolist(), *range(self.size**2, actions)]
        gap, value_gap = (
            gap_between(policies, turned_policies[:, back]),
            gap_between(values, turned_values).max(initial=0),
        )
        if max(gap.max(), value_gap) > self.tolerance:
            what = f"after '{NAMES[number]}' the network answers differently"
            if np.isnan(policies).any() or np.isnan(turned_policies).any():
                what = "the network answers with something that is not a number"
            elif number == IDENTITY:
                what = "the network answers the same position differently each time (is there chance in it?)"
            over = np.argwhere(gap > self.tolerance)
            place = int(over[0, 1]) if len(over) else None
            start = "" if place is None else f", first on {self.words(place)} of position {over[0, 0]}"
            value = f", the value by up to {value_gap:.3g}" if values.size else ""
            self.find("network", sym, place, f"{what}: the policy by up to {gap.max():.3g}{start}{value}")
        return float(gap.mean())


# ---- words ------------------------------------------------------------------------------------------


def _number(landings: Ints) -> int | None:
    """Which of the eight a map of squares is, or None."""
    fits = (destinations(math.isqrt(landings.size)) == landings).all(axis=1)
    return int(fits.argmax()) if fits.any() else None


def _doing(landings: Ints) -> str:
    number = _number(landings)
    if number is None:
        return "moves like none of the eight symmetries"
    return "is not turned at all" if number == IDENTITY else f"turns by '{NAMES[number]}'"


def _fate(square: str, turned: NDArray[Any]) -> str:
    """What became of the marks on a square, in the first channel of [C, A] that does not hold its one mark."""
    lefts = [plane[plane != 0].tolist() for plane in turned]
    channel = next(k for k, left in enumerate(lefts) if left != [k + 1])
    left = lefts[channel]
    if len(left) == 1 and left[0] in range(1, len(turned) + 1):
        return f"channel {channel} comes out as channel {int(left[0]) - 1} was"
    fate = f"changes from {channel + 1:g} to {left[0]:g}" if len(left) == 1 else f"becomes {len(left)} marks"
    return f"the mark on {square} in channel {channel} {fate if left else 'is lost'}"


def _relation(sym: Hashable, first: str, pairs: dict[Hashable, tuple[int | None, int | None]]) -> str:
    """How the second thing's turn comes from the first's; a cause that explains every symmetry is best."""
    trials = [(relation, list(pairs.values())) for relation in _RELATIONS]
    trials += [(relation, [pairs[sym]]) for relation in _RELATIONS[:2]]  # the others need more than one to be told
    for (text, partner), tested in trials:
        if all(ours is not None and partner(ours) == theirs for ours, theirs in tested):
            return text.format(first=first, name=NAMES[pairs[sym][1] or IDENTITY])
    return ""


def _numbering_notes(ids: tuple[Hashable, ...], numbers: Numbers, members: tuple[int, ...]) -> tuple[str, ...]:
    users = [(sym, numbers[sym]) for sym in ids if sym in numbers]
    notes = [f"your symmetry {sym} is Eightfold's {number} ({NAMES[number]})" for sym, number in users if sym != number]
    for number in range(COUNT):
        same = [str(sym) for sym, its_number in users if its_number == number]
        if len(same) > 1:
            notes.append(f"your symmetries {', '.join(same)} all do the same ({NAMES[number]})")
    reached = len(set(numbers.values()) & set(members))
    if users and len(users) == len(ids) and reached < len(members):
        of = "the eight" if members == ALL else f"the game's {len(members)}"
        notes.append(f"your ids reach {reached} of {of} symmetries")
    return tuple(notes)
