"""What is known of one game on the page: the tree of moves, where one looks, who plays, the clocks.

Plain data and rules, no sockets and no threads: `table.py` brings those. All times come in as arguments.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Any

from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.specs import split_name
from eightfold.games.game import COLOUR_NAMES, GAMES, Game, Position, make_game
from eightfold.games.points import Count, count, result_text
from eightfold.games.records.record import GameRecord, replay
from eightfold.games.records.variations import ROOT, MoveTree, read_tree, write_tree
from eightfold.games.state import BLACK, WHITE
from eightfold.search.result import SearchResult
from eightfold.web import counting
from eightfold.web.messages import Seat
from eightfold.web.offers import HUMAN

MOST_NODES = 3000


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What somebody thought of a position."""

    value: float  # black's expectation: 0 lost, 1 won
    best: int | None  # the move that should be played


def offered_game(text: str) -> Game:
    """A game that a client names: one of the package's own, never a module to import."""
    name, _ = split_name(text)
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    return make_game(text)


class Session:
    """One game, to be played or looked at."""

    def __init__(self, tree: MoveTree, black: Seat, white: Seat, *, playing: bool, now: float) -> None:
        self.id = secrets.token_urlsafe(12)  # who knows it may look on and play
        self.game = make_game(tree.record.game)
        self.start = tree.record.start(self.game)
        self.tree = tree
        self.seats = {BLACK: black, WHITE: white}
        self.playing = playing  # whether players answer moves; else one only looks
        self.node = tree.line(ROOT)[-1]
        self.position = self.position_at(self.node)
        self.judged: dict[int, Judgement] = {}
        self.ending: tuple[int, str] | None = None  # a game that ended off the board: the winner and why
        self.agreed = set(tree.dead)  # ends of lines whose count is agreed to, in games of points
        self.used = {BLACK: 0.0, WHITE: 0.0}  # seconds
        self._since: float | None = now
        self._judge_end()

    @classmethod
    def new(cls, text: str, moves: list[int], black: Seat, white: Seat, *, playing: bool, now: float) -> Session:
        game = offered_game(text)
        replay(game, moves)  # an error names the move
        record = GameRecord(game=game.text, moves=tuple(moves), black=black.player, white=white.player)
        return cls(MoveTree(record, most_nodes=MOST_NODES), black, white, playing=playing, now=now)

    @classmethod
    def pasted(cls, sgf: str, *, now: float) -> Session:
        human = Seat(player=HUMAN)
        try:
            tree = read_tree(sgf, most_nodes=MOST_NODES)
        except EightfoldError as error:
            raise EightfoldError(f"the pasted record: {error}") from None
        return cls(tree, human, human, playing=False, now=now)

    # ---- what happens ---------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.ending is not None

    def position_at(self, node: int) -> Position:
        return replay(self.game, self.tree.moves(node), start=self.start)

    @property
    def counted(self) -> Count | None:
        """The count of a game that two passes ended, with the dead stones that were marked."""
        if self.ending is not None or not self.position.is_over or not counting.counts_points(self.position):
            return None
        return count(self.position, dead=self.tree.dead.get(self.node, ()))

    @property
    def mover(self) -> Seat:
        """Who is to move here."""
        return self.seats[self.position.to_move]

    def play(self, action: int, now: float) -> None:
        """A legal move from the position that is looked at."""
        if self.ending is not None:
            raise EightfoldError(f"the game is over ({self.outcome}); take back a move or start a new game")
        following = self.position.play(action)
        node = self.tree.add(self.node, action)
        self.tick(now)
        self.node, self.position = node, following
        self._judge_end()

    def undo(self, now: float) -> None:
        """Back to the last position in which a person was to move; what was taken back is forgotten."""
        self.tree.record = replace(self.tree.record, result="")
        if self.ending is not None:
            self.ending = None
            if self.mover.player == HUMAN:
                self.tick(now)
                return
        people = [colour for colour, seat in self.seats.items() if seat.player == HUMAN]
        child, back = self.node, self.tree[self.node].parent
        while back > ROOT and len(people) == 1 and self._colour_to_move(back) not in people:
            child, back = back, self.tree[back].parent
        if back < ROOT or (len(people) == 1 and self._colour_to_move(back) not in people):
            raise EightfoldError("there is no move to take back")
        for gone in self.tree.remove(child):
            self.judged.pop(gone, None)
        self._stand_at(back, now)

    def _colour_to_move(self, node: int) -> int:
        """Colours alternate in all our games; with a handicap white begins."""
        first = self.start.to_move
        return first if len(self.tree.moves(node)) % 2 == 0 else BLACK + WHITE - first

    def go(self, node: int, now: float) -> None:
        """Look at a node; nobody answers there until somebody says so."""
        self.tree[node]
        self.playing = False
        self.ending = None
        self._stand_at(node, now)

    def remove(self, node: int, now: float) -> None:
        parent = self.tree[node].parent
        gone = self.tree.remove(node)
        for number in gone:
            self.judged.pop(number, None)
        if self.node in gone:
            self._stand_at(parent, now)

    def resign(self, now: float) -> None:
        """The side to move gives up; if a player is to move, the person across does."""
        if self.is_over:
            raise EightfoldError(f"the game is over ({self.outcome})")
        loser = self.position.to_move
        if self.seats[loser].player != HUMAN and self.seats[BLACK + WHITE - loser].player == HUMAN:
            loser = BLACK + WHITE - loser
        self.end(BLACK + WHITE - loser, f"{COLOUR_NAMES[loser]} resigns", now)

    def end(self, winner: int, reason: str, now: float) -> None:
        self.tick(now)
        self.ending = (winner, reason)
        self.tree.record = replace(self.tree.record, result=self._result())  # also when one looks elsewhere

    def mark(self, action: int) -> None:
        """Call a group dead, or alive again; who agreed before is asked once more."""
        if self.counted is None:
            raise EightfoldError("stones are marked as dead when both sides have passed")
        self.set_dead(self.node, counting.toggled(self.position, self.tree.dead.get(self.node, ()), action))

    def set_dead(self, node: int, dead: tuple[int, ...]) -> None:
        if node not in self.tree:
            return  # it was taken back meanwhile
        if dead != self.tree.dead.get(node, ()):
            self.agreed.discard(node)
        self.tree.dead[node] = dead
        self._judge_end()

    def agree(self) -> None:
        if self.counted is None:
            raise EightfoldError("there is nothing to agree on before both sides have passed")
        self.agreed.add(self.node)

    def sit(self, black: Seat, white: Seat, *, playing: bool, now: float) -> None:
        self.tick(now)
        self.seats = {BLACK: black, WHITE: white}
        self.playing = playing

    def judge(self, node: int, result: SearchResult) -> None:
        """Remember what was thought of a node; it may be gone by now."""
        if node in self.tree:
            self.judged[node] = Judgement(value=self.for_black(node, result.value), best=int(result.action))

    def for_black(self, node: int, value: float) -> float:
        """A value of the side to move as black's expectation."""
        sign = 1 if self._colour_to_move(node) == BLACK else -1
        return min(1.0, max(0.0, (1 + sign * value) / 2))

    def _judge_end(self) -> None:
        """An ended game needs no opinion."""
        if self.position.is_over:
            value = {BLACK: 1.0, WHITE: 0.0, None: 0.5}[self.winner]
            self.judged[self.node] = Judgement(value=value, best=None)

    def _stand_at(self, node: int, now: float) -> None:
        self.tick(now)
        self.node = node
        self.position = self.position_at(node)
        self._judge_end()

    # ---- clocks ---------------------------------------------------------------------------------------

    @property
    def clock_runs(self) -> bool:
        return self.playing and not self.is_over and self._since is not None

    def tick(self, now: float) -> None:
        """Put the time since the last look on the clock of the side to move."""
        if self.clock_runs and self._since is not None:
            self.used[self.position.to_move] += max(0.0, now - self._since)
        if self._since is not None:
            self._since = now

    def hold_clocks(self, now: float) -> None:
        """Nobody is there: no clock runs."""
        self.tick(now)
        self._since = None

    def start_clocks(self, now: float) -> None:
        if self._since is None:
            self._since = now

    # ---- what people see ------------------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        if self.ending is not None:
            winner, reason = self.ending
            return f"{COLOUR_NAMES[winner]} wins: {reason}"
        counted = self.counted
        if counted is None:
            return self.position.outcome
        lead = abs(counted.margin)
        return "draw" if counted.winner is None else f"{COLOUR_NAMES[counted.winner]} wins by {lead:g}"

    @property
    def winner(self) -> int | None:
        """BLACK or WHITE; None for a draw and while the game goes on, which `is_over` tells apart."""
        counted = self.counted
        if self.ending or counted:
            return self.ending[0] if self.ending else counted.winner if counted else None
        return self.position.winner if self.position.is_over else None

    def as_sgf(self) -> str:
        record = replace(self.tree.record, result=self._result(), black=self._name(BLACK), white=self._name(WHITE))
        self.tree.record = record
        return write_tree(self.tree)

    def _name(self, colour: int) -> str:
        written = self.tree.record.black if colour == BLACK else self.tree.record.white
        player = self.seats[colour].player
        return written if player == HUMAN and written else player

    def _result(self) -> str:
        if not self.is_over:
            return self.tree.record.result
        if (counted := self.counted) is not None:
            return result_text(counted.margin)
        if self.winner is None:
            return "Draw"
        reason = "" if self.ending is None else "R" if "resigns" in self.ending[1] else "F"
        return f"{'B' if self.winner == BLACK else 'W'}+{reason}"

    def state(self, now: float) -> dict[str, Any]:
        """Everything that a page needs to show this game."""
        self.tick(now)
        game, position = self.game, self.position
        points, ko = counting.counts_points(position), position.ko_points
        return {
            "type": "state",
            "id": self.id,
            "game": {
                **game.values,
                "text": game.text,
                "size": game.size,
                "has_pass": game.spec.has_pass,
                "letters": game.spec.letters,
                "first": self.start.to_move,
                "set_up": bool(self.tree.record.setup or self.tree.record.to_move),  # a text cannot say it
            },
            "tree": [[b.number, b.parent, b.move] for b in self.tree],
            "judged": {str(node): [round(j.value, 4), j.best] for node, j in self.judged.items()},
            "node": self.node,
            "stones": "".join(map(str, position.stones.reshape(-1).tolist())),
            "forbidden": position.forbidden_moves.tolist() if ko is None else [],
            "ko": [] if ko is None else ko.tolist(),
            "prisoners": position.prisoners,
            "count": self._count_state() if points else None,
            "last": position.last_move,
            "line": winning_line(position),
            "to_move": position.to_move,
            "over": self.is_over,
            "winner": self.winner,
            "outcome": self.outcome,
            "seats": {COLOUR_NAMES[c]: seat.model_dump() for c, seat in self.seats.items()},
            "names": {COLOUR_NAMES[c]: self._name(c) for c in (BLACK, WHITE)},
            "playing": self.playing,
            "clocks": [round(self.used[BLACK], 2), round(self.used[WHITE], 2)],
            "clock_runs": self.clock_runs,
        }

    def _count_state(self) -> dict[str, Any] | None:
        counted = self.counted
        nobody = all(seat.player != HUMAN for seat in self.seats.values())
        return None if counted is None else counting.as_dict(counted, agreed=nobody or self.node in self.agreed)


def winning_line(position: Position) -> list[int]:
    """The stones of the rows that won, for games that are won by a row through the last move."""
    last, winner, size = position.last_move, position.result, position.game.size
    need = int(position.game.values.get("win", 0))
    if last is None or winner not in COLOUR_NAMES or not need or last >= position.game.points:
        return []
    stones = position.stones
    row, column = divmod(last, size)
    if int(stones[row, column]) != winner:
        return []
    line: set[int] = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = [last]
        for side in (1, -1):
            r, c = row + side * down, column + side * right
            while 0 <= r < size and 0 <= c < size and int(stones[r, c]) == winner:
                run.append(r * size + c)
                r, c = r + side * down, c + side * right
        if len(run) >= need:
            line.update(run)
    return sorted(line)
