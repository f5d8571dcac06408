"""An advisor plays games for a network to learn from (Zhao & Zhang, sections 3.4.1 and 4.3).

The advisor, any player, plays both sides and is asked at every move. Mostly its move is played; with probability
epsilon one is drawn from the softmax of its scores (`targets.py`), or from its policy where it scores none.
What is kept of a position is what the advisor found there, whatever was played then.

Each side of a game has an epsilon of its own, low (from 0.02 to 0.1 in the paper) or high (0.1 to 0.2): the four
combinations take turns from game to game. A game depends on the seed and on its number alone, not on the games beside
it or on the threads.

Read next: `folder.py` (where games are kept), `tuition.py` (how a run learns from them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eightfold.arena.forfeit import Forfeit
from eightfold.arena.players import read_player
from eightfold.arena.seats import Answer, Seat, games_at_once, think_side_by_side
from eightfold.core.errors import EightfoldError
from eightfold.core.threads import usable_cores
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, DRAW
from eightfold.learning.advisor.targets import scaled_scores, softmax
from eightfold.learning.advisor.teaching import Teaching
from eightfold.learning.data.record import PlayedGame, settings_digest
from eightfold.search.result import Player, SearchResult, close_player

COMBINATIONS = ((0, 0), (0, 1), (1, 0), (1, 1))  # who explores much: black, white
ENTROPY = 0x8F  # of the seeds of games, beside the seed that was given


def make_advisor(text: str, game: Game, *, seed: int = 0) -> Player:
    """The player that a text names; one that can score all moves exactly does so, unless the text says otherwise."""
    spec = read_player(text)
    if hasattr(spec.options, "scores") and "scores" not in spec.given:
        spec = read_player(f"{text.rstrip(':')}{',' if spec.given else ':'}scores=exact")
    return spec.make(game, seed=seed)


@dataclass(kw_only=True)
class _Lesson:
    """A game that goes on."""

    number: int
    position: Position
    random: np.random.Generator
    epsilons: tuple[float, float]  # of black and of white
    found: list[SearchResult] = field(default_factory=list)
    scores: list[NDArray[np.float32] | None] = field(default_factory=list)

    def take(self, result: SearchResult, temperature: float) -> None:
        """Note what the advisor found, and play its move or another."""
        scores = scaled_scores(result, self.position)
        self.found.append(result)
        self.scores.append(scores)
        move = int(result.action)
        if self.random.random() < self.epsilons[self.position.to_move - BLACK]:
            chances = result.policy if scores is None else softmax(scores, temperature)
            weights = np.cumsum(chances, dtype=np.float64)
            move = int(np.searchsorted(weights, self.random.random() * weights[-1], side="right"))
        self.position = self.position.play(move)

    def played(self, digest: str) -> PlayedGame:
        position, actions = self.position, self.position.game.actions
        missing = np.full(actions, np.nan, np.float32)
        scored = any(scores is not None for scores in self.scores)
        rows = [missing if scores is None else scores for scores in self.scores]
        return PlayedGame(
            moves=position.moves,
            opening=0,
            result=position.result if position.is_over else DRAW,
            plies=np.arange(len(self.found)),
            policies=np.array([result.policy for result in self.found], np.float32),
            root_values=np.clip([result.value for result in self.found], -1, 1).astype(np.float32),
            game=position.game.text,
            seed=self.number,
            settings=digest,
            scores=np.array(rows, np.float32) if scored else None,
        )


class Teacher:
    """Plays games by their numbers, many at once."""

    def __init__(self, game: Game, teaching: Teaching, *, threads: int = 0) -> None:
        self._game, self._teaching = game, teaching
        self._threads = threads or usable_cores()
        self._digest = settings_digest(teaching)
        self._seat = Seat(make_advisor(teaching.player, game, seed=teaching.seed))

    def play(
        self,
        numbers: Iterable[int],
        *,
        on_game: Callable[[int, PlayedGame], None],
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play the games of these numbers, or until `stop` says so; `on_game` hears of each when it ends."""
        wanted = list(numbers)
        slots = games_at_once([self._seat], len(wanted)) if wanted else 0
        waiting = iter(wanted)
        self._seat.set_up(slots)
        going = {slot: self._begin(slot, number) for slot, number in enumerate(islice(waiting, slots))}
        while going and not stop():
            tasks = self._seat.tasks({slot: lesson.position for slot, lesson in going.items()})
            answers = think_side_by_side(tasks, self._threads, interruptible=False)
            for slot, answer in sorted(answers.items()):
                lesson = going[slot]
                lesson.take(self._result(lesson, answer), self._teaching.temperature)
                if self._is_over(lesson.position):
                    on_game(lesson.number, lesson.played(self._digest))
                    going.pop(slot)
                    for number in islice(waiting, 1):
                        going[slot] = self._begin(slot, number)

    def close(self) -> None:
        close_player(self._seat.player)

    def __enter__(self) -> Teacher:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _begin(self, slot: int, number: int) -> _Lesson:
        source = np.random.SeedSequence([ENTROPY, self._teaching.seed, number])
        random = np.random.default_rng(source)
        self._seat.start_game(slot, int(random.integers(2**62)))
        ranges = [self._teaching.ranges[level] for level in COMBINATIONS[number % len(COMBINATIONS)]]
        black, white = (float(random.uniform(low, high)) for low, high in ranges)
        return _Lesson(number=number, position=self._game.start(), random=random, epsilons=(black, white))

    def _result(self, lesson: _Lesson, answer: Answer) -> SearchResult:
        if isinstance(answer.result, Forfeit):
            raise EightfoldError(
                f"{self._teaching.player} gave up game {lesson.number + 1} at move {lesson.position.ply + 1}:"
                f" {answer.result}"
            )
        return answer.result

    def _is_over(self, position: Position) -> bool:
        """Also of a game that nobody can win any more: what is left to play teaches nothing."""
        return position.is_over or bool(self._game.kernels.is_dead(position.state))


def same_games(games: Iterable[tuple[int, PlayedGame]], game: Game) -> Iterator[list[int]]:
    """The numbers of games that are one and the same, boards that differ by a symmetry counted as equal."""
    seen: dict[tuple[int, ...], list[int]] = {}
    for number, played in games:
        keys = tuple(position.orbit_key for position in played.replay(game))
        seen.setdefault(keys, []).append(number)
    return (numbers for numbers in seen.values() if len(numbers) > 1)
