"""The state of one game on the page: the tree of moves, the node that is shown, who plays, the clocks.

Plain data and rules, no sockets and no threads: `table.py` adds those. All times come in as arguments.
"""

from __future__ import annotations

import copy
import secrets
from dataclasses import dataclass, replace
from typing import Any

from eightfold.arena.openings.swap2 import FIRST, OVER, STONES, Swap2
from eightfold.arena.players import HUMAN
from eightfold.core.errors import EightfoldError, unknown
from eightfold.games.game import COLOUR_NAMES, Game, Position, known_games, make_game, name_in
from eightfold.games.points import Count, count, result_text
from eightfold.games.records.record import GameRecord, replay
from eightfold.games.records.variations import ROOT, MoveTree, read_tree, write_tree
from eightfold.games.state import BLACK, WHITE
from eightfold.games.winning_line import winning_line
from eightfold.search.result import SearchResult
from eightfold.web.messages import Seat
from eightfold.web.scoring import score_message, toggle_dead

MOST_NODES = 3000
NOT_PASSED = "mark dead stones after both sides have passed"


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A player's verdict on a position."""

    value: float  # black's expectation: 0 lost, 1 won
    best: int | None  # the best move
    by: Seat | None  # whose verdict it is; None at the end of a game, which needs nobody's


def browser_game(text: str) -> Game:
    """The game that a browser names: one of the package or one that the user typed, never a module to import."""
    if name_in(text) not in known_games():
        raise unknown("game", name_in(text), known_games())
    return make_game(text)


class Session:
    """One game."""

    def __init__(self, tree: MoveTree, black: Seat, white: Seat, *, playing: bool, now: float) -> None:
        self.id = secrets.token_urlsafe(12)  # whoever knows it may watch and play
        self.game = make_game(tree.record.game)
        self.start = tree.record.start(self.game)
        self.tree = tree
        self.seats = {BLACK: black, WHITE: white}
        self.playing = playing  # whether players answer moves
        self.node = tree.line(ROOT)[-1]
        self.position = self.position_at(self.node)
        self.evaluations: dict[int, Evaluation] = {}
        self.ending: tuple[int, str] | None = None  # the winner and the reason, of a game that did not end on the board
        self.agreed = set(tree.dead)  # last nodes of lines whose score is agreed to
        self.used = {BLACK: 0.0, WHITE: 0.0}  # seconds
        self._since: float | None = now
        self.swap2: Swap2 | None = None  # while the opening goes on
        self._opening_plies = 0  # of an opening that cannot be taken back
        self._evaluate_end()

    @classmethod
    def new(
        cls,
        text: str,
        moves: list[int],
        black: Seat,
        white: Seat,
        *,
        playing: bool,
        now: float,
        opening: str = "free",
    ) -> Session:
        """With the opening `swap2` the seat of black is that of the first player, until somebody chooses."""
        game = browser_game(text)
        swap2 = Swap2(game) if opening == "swap2" else None
        if swap2 is not None and moves:
            raise EightfoldError("a game that begins with swap2 begins with an empty board")
        replay(game, moves)  # an error names the move
        record = GameRecord(game=game.text, moves=tuple(moves), black=black.player, white=white.player)
        session = cls(MoveTree(record, most_nodes=MOST_NODES), black, white, playing=playing, now=now)
        session.swap2 = swap2
        return session

    @classmethod
    def from_sgf(cls, sgf: str, *, now: float) -> Session:
        human = Seat(player=HUMAN)
        try:
            tree = read_tree(sgf, most_nodes=MOST_NODES)
        except EightfoldError as error:
            raise EightfoldError(f"cannot read the SGF: {error}") from None
        return cls(tree, human, human, playing=False, now=now)

    # ---- moves ----------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.ending is not None

    def position_at(self, node: int) -> Position:
        return replay(self.game, self.tree.moves(node), start=self.start)

    @property
    def score(self) -> Count | None:
        """The score of a game that ended on the board, with the dead stones that were marked.

        Where no stone can be dead the score means something at any time, and leads as the board stands.
        """
        if self.ending is not None or not self.game.counts_points:
            return None
        if self.game.has_dead_stones and not self.position.is_over:
            return None
        return count(self.position, dead=self.tree.dead.get(self.node, ()))

    @property
    def turn(self) -> int:
        """The colour of the seat whose turn it is: of the side to move, or of who opens the game."""
        if self.swap2 is not None:
            return BLACK if self.swap2.actor == FIRST else WHITE
        return self.position.to_move

    @property
    def mover(self) -> Seat:
        """The seat whose turn it is."""
        return self.seats[self.turn]

    def play(self, action: int, now: float) -> None:
        """Play a legal move in the position that is shown."""
        if self.ending is not None:
            raise EightfoldError(f"the game is over ({self.outcome}); take back a move or start a new game")
        if self.swap2 is not None and self.swap2.choices:
            raise EightfoldError(f"choose first: {', '.join(self.swap2.choices)}")
        following = self.position.play(action)
        node = self.tree.add(self.node, action)
        self.tick(now)
        self.node, self.position = node, following
        self._evaluate_end()
        if self.swap2 is not None:
            self.swap2.placed(following)
            if self.swap2.stage == OVER:
                self.swap2 = None

    def choose(self, choice: str, now: float) -> None:
        """Whoever's turn it is in the opening takes a colour, or is to place two more stones."""
        if self.swap2 is None:
            raise EightfoldError("there is nothing to choose in this game")
        chooser, first = self.mover.player, self.seats[BLACK].player
        has_black = self.swap2.choose(choice)
        self.tick(now)
        if has_black is None:
            return
        self.swap2, self._opening_plies = None, self.position.ply
        if has_black != FIRST:
            self.seats = {BLACK: self.seats[WHITE], WHITE: self.seats[BLACK]}
            self.used = {BLACK: self.used[WHITE], WHITE: self.used[BLACK]}
        told = f"Opened with swap2: {first} placed {STONES} stones; with {self.position.ply} on the board {chooser}"
        record = replace(self.tree.record, black=self.seats[BLACK].player, white=self.seats[WHITE].player)
        self.tree.record = replace(record, comment=f"{told} chose {choice}.")

    def undo(self, now: float) -> None:
        """Go back to the last position in which a human was to move, and remove the moves after it."""
        if self.swap2 is not None:
            raise EightfoldError("stones of the opening cannot be taken back")
        taken = self._first_to_take_back()
        if taken is None and self.ending is None:
            raise EightfoldError("there is no move to take back")
        self.tick(now)
        if taken is None or (self.ending is not None and self.mover.player == HUMAN):
            self.ending = None  # only that somebody resigned is taken back
            self._write_result("")
            return
        self.ending = None
        back = self.tree[taken].parent
        self._remove(taken)
        self._move_to(back, now)

    def _first_to_take_back(self) -> int | None:
        """The node that undo removes with all that follows; None where no move is a human's to take back."""
        humans = [colour for colour, seat in self.seats.items() if seat.player == HUMAN]
        child, back = self.node, self.tree[self.node].parent
        while back > ROOT and len(humans) == 1 and self._colour_to_move(back) not in humans:
            child, back = back, self.tree[back].parent
        lost = back < ROOT or len(self.tree.moves(back)) < self._opening_plies
        if lost or (len(humans) == 1 and self._colour_to_move(back) not in humans):
            return None
        return child

    def _colour_to_move(self, node: int) -> int:
        """Colours alternate in all our games; with a handicap white begins."""
        first = self.start.to_move
        return first if len(self.tree.moves(node)) % 2 == 0 else BLACK + WHITE - first

    def select(self, node: int, now: float) -> None:
        """Show a node. No player answers there until `set_seats` says so."""
        self.tree[node]
        self.swap2 = None  # who looks elsewhere leaves the opening
        self.playing = False
        self.ending = None
        self._move_to(node, now)

    def remove(self, node: int, now: float) -> None:
        parent = self.tree[node].parent
        self.swap2 = None
        if self.node in self._remove(node):
            self.ending = None
            self._move_to(parent, now)

    def _remove(self, node: int) -> list[int]:
        """Take a node away with all that follows; the result of the game goes with its last moves."""
        is_main = node in self.tree.line(ROOT)
        gone = self.tree.remove(node)
        for number in gone:
            self.evaluations.pop(number, None)
        if is_main:
            self.tree.record = replace(self.tree.record, result="")
        return gone

    def resign(self, now: float) -> None:
        """The side to move resigns; while a player thinks, its human opponent does."""
        if self.is_over:
            raise EightfoldError(f"the game is over ({self.outcome})")
        if self.swap2 is not None:
            raise EightfoldError("nobody has a colour yet that could lose; start a new game")
        loser = self.position.to_move
        if self.seats[loser].player != HUMAN and self.seats[BLACK + WHITE - loser].player == HUMAN:
            loser = BLACK + WHITE - loser
        self.end(BLACK + WHITE - loser, f"{COLOUR_NAMES[loser]} resigns", now)

    def end(self, winner: int, reason: str, now: float) -> None:
        self.tick(now)
        self.ending = (winner, reason)
        self._write_result(f"{'B' if winner == BLACK else 'W'}+{'R' if 'resigns' in reason else 'F'}")

    def _write_result(self, result: str) -> None:
        """Write down how the game ended, whatever is shown later. What ends in a side line is not the game."""
        if self.node == self.tree.line(ROOT)[-1]:
            self.tree.record = replace(self.tree.record, result=result)

    def mark_dead(self, action: int) -> None:
        """Mark a group as dead, or as alive again; the new score has to be agreed to again."""
        self.check_markable()
        self.set_dead(self.node, toggle_dead(self.position, self.tree.dead.get(self.node, ()), action))

    def check_markable(self) -> None:
        if self.score is None or not self.game.has_dead_stones:
            raise EightfoldError(NOT_PASSED if self.game.has_dead_stones else f"no stone is dead in {self.game.text}")

    def set_dead(self, node: int, dead: tuple[int, ...]) -> None:
        if node not in self.tree:
            return  # it was removed meanwhile
        if dead != self.tree.dead.get(node, ()):
            self.agreed.discard(node)
        self.tree.dead[node] = dead
        self._evaluate_end()

    def agree(self) -> None:
        if self.score is None or not self.game.has_dead_stones:
            raise EightfoldError("agree to the score after both sides have passed")
        self.agreed.add(self.node)

    def set_seats(self, black: Seat, white: Seat, *, playing: bool, now: float) -> None:
        self.tick(now)
        self.swap2 = None
        self.seats = {BLACK: black, WHITE: white}
        self.playing = playing

    def store_evaluation(self, node: int, result: SearchResult, by: Seat) -> None:
        """Keep a player's verdict on a node, which may be removed by now."""
        if node in self.tree:
            value = self.black_value(node, result.value)
            self.evaluations[node] = Evaluation(value=value, best=int(result.action), by=by)

    def wants_evaluation(self, node: int, by: Seat) -> bool:
        """Whether a player's verdict on a node would be news: another player's is no reason to leave it out."""
        known = self.evaluations.get(node)
        return known is None or known.by not in (None, by)

    def black_value(self, node: int, value: float) -> float:
        """A value of the side to move as black's expectation."""
        sign = 1 if self._colour_to_move(node) == BLACK else -1
        return min(1.0, max(0.0, (1 + sign * value) / 2))

    def _evaluate_end(self) -> None:
        """The end of a game needs no player to evaluate it."""
        if self.position.is_over:
            value = {BLACK: 1.0, WHITE: 0.0, None: 0.5}[self.winner]
            self.evaluations[self.node] = Evaluation(value=value, best=None, by=None)

    def _move_to(self, node: int, now: float) -> None:
        self.tick(now)
        self.node = node
        self.position = self.position_at(node)
        self._evaluate_end()

    # ---- clocks ---------------------------------------------------------------------------------------

    @property
    def clock_runs(self) -> bool:
        return self.playing and not self.is_over and self._since is not None

    def tick(self, now: float) -> None:
        """Add the time since the last call to the clock of the side to move."""
        if self.clock_runs and self._since is not None:
            self.used[self.turn] += max(0.0, now - self._since)
        if self._since is not None:
            self._since = now

    def stop_clocks(self, now: float) -> None:
        """Nobody watches: no clock runs."""
        self.tick(now)
        self._since = None

    def start_clocks(self, now: float) -> None:
        if self._since is None:
            self._since = now

    # ---- messages and records -------------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        if self.ending is not None:
            winner, reason = self.ending
            return f"{COLOUR_NAMES[winner]} wins: {reason}"
        score = self.score
        if score is None or not self.position.is_over:
            return self.position.outcome
        return "draw" if score.winner is None else f"{COLOUR_NAMES[score.winner]} wins by {abs(score.margin):g}"

    @property
    def winner(self) -> int | None:
        """BLACK or WHITE; None for a draw and while the game goes on, which `is_over` tells apart."""
        if self.ending is not None:
            return self.ending[0]
        if not self.position.is_over:
            return None
        score = self.score
        return self.position.winner if score is None else score.winner

    def as_sgf(self) -> str:
        record = replace(self.tree.record, result=self._result(), black=self._name(BLACK), white=self._name(WHITE))
        written = copy.copy(self.tree)  # the record of the game itself stays as it is
        written.record = record
        return write_tree(written)

    def _name(self, colour: int) -> str:
        written = self.tree.record.black if colour == BLACK else self.tree.record.white
        player = self.seats[colour].player
        return written if player == HUMAN and written else player

    def _result(self) -> str:
        """How the main line ended, wherever one looks: on the board, else as it was written down."""
        last = self.tree.line(ROOT)[-1]
        position = self.position_at(last)
        if not position.is_over:
            return self.tree.record.result
        if self.game.counts_points:
            return result_text(count(position, dead=self.tree.dead.get(last, ())).margin)
        return {BLACK: "B+", WHITE: "W+", None: "Draw"}[position.winner]

    def state(self, now: float) -> dict[str, Any]:
        """Everything that the page needs to show this game."""
        self.tick(now)
        game, position = self.game, self.position
        ko = position.ko_points
        return {
            "type": "state",
            "id": self.id,
            "game": {
                **game.values,
                "text": game.text,
                "size": game.size,
                "name": game.spec.name,
                "summary": game.spec.summary,
                "has_pass": game.spec.has_pass,
                "dead_stones": game.has_dead_stones,
                "board": game.spec.board,
                "edges": dict(game.spec.edges),
                "letters": game.spec.letters,
                "first": self.start.to_move,
                "set_up": bool(self.tree.record.setup or self.tree.record.to_move),  # a link cannot say it
            },
            "tree": [[b.number, b.parent, b.move] for b in self.tree],
            "evaluations": {str(node): [round(e.value, 4), e.best] for node, e in self.evaluations.items()},
            "node": self.node,
            "stones": "".join(map(str, position.stones.reshape(-1).tolist())),
            "forbidden": position.forbidden_moves.tolist() if ko is None else [],
            "ko": [] if ko is None else ko.tolist(),
            "legal": [m for m in position.legal_moves.tolist() if m < game.points] if game.spec.marks_legal else None,
            "can_pass": bool(game.spec.has_pass and position.legal_mask[game.points] and not self.is_over),
            "prisoners": position.prisoners,
            "score": self._score_state() if game.counts_points else None,
            "last": position.last_move,
            "line": winning_line(position),
            "to_move": position.to_move,
            "turn": self.turn,
            "swap2": self._swap2_state(),
            "opening_plies": self._opening_plies,
            "over": self.is_over,
            "winner": self.winner,
            "outcome": self.outcome,
            "seats": {COLOUR_NAMES[c]: seat.model_dump() for c, seat in self.seats.items()},
            "names": {COLOUR_NAMES[c]: self._name(c) for c in (BLACK, WHITE)},
            "playing": self.playing,
            "clocks": [round(self.used[BLACK], 2), round(self.used[WHITE], 2)],
            "clock_runs": self.clock_runs,
        }

    def _swap2_state(self) -> dict[str, Any] | None:
        """What is to be done in the opening; None when it is over, or there is none."""
        if self.swap2 is None:
            return None
        choices, left = list(self.swap2.choices), self.swap2.stones_left(self.position)
        return {"stage": self.swap2.stage, "choices": choices, "stones_left": left}

    def _score_state(self) -> dict[str, Any] | None:
        score = self.score
        settled = not self.game.has_dead_stones or all(seat.player != HUMAN for seat in self.seats.values())
        return None if score is None else score_message(score, agreed=settled or self.node in self.agreed)
