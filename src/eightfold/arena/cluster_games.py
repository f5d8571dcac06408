"""Matches and tournaments on a cluster: the same fixtures, seeds and results, played in parts by many actors.

    with games_on("auto") as play:
        play_match(game, "mcts:playouts=1000", "alphabeta:depth=4", play=play)

A game depends on its fixture alone (`engine.py`), so it does not matter where it is played. What a worker that died had
not finished is played by another one. Players are sent as their texts, and networks with their files; programs and code
of one's own have to be installed on the nodes. Read before: `eightfold.core.workers`.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eightfold.arena.engine import Fixture, MadeFrom, play_games
from eightfold.arena.engine import PlayGames as PlayGames
from eightfold.arena.match import player_name
from eightfold.arena.match_actor import MatchActor, SentFixture, SentPlayer, SentResult, files_of
from eightfold.arena.results import GameResult
from eightfold.core.cluster import Cluster, connect
from eightfold.core.errors import EightfoldError
from eightfold.core.workers import Job, Place, Worker, Workers

PARTS_A_WORKER = 4  # so that at the end none waits long for the others
MOST_IN_A_PART = 64  # games that a network answers in one batch
WAITING = 2  # jobs of a worker, the one that it does included
WAIT_SECONDS = 1.0


@contextlib.contextmanager
def games_on(address: str | None, *, actors: int = 0) -> Iterator[PlayGames]:
    """What plays games on the cluster at an address, by so many actors (0: one for each processor); None: here."""
    if address is None:
        yield play_games
        return
    with connect(address) as cluster:
        workers = Workers(cluster, MatchActor, _arguments, most=actors)
        try:
            yield ClusterGames(cluster, workers)
        finally:
            workers.close()


def _arguments(place: Place, life: int) -> tuple[Any, ...]:
    return (place.threads,)


class ClusterGames:
    """`PlayGames` by workers whose actors are `MatchActor`s."""

    def __init__(self, cluster: Cluster, workers: Workers) -> None:
        self._ray, self._workers = cluster.ray, workers

    def __call__(
        self,
        fixtures: Sequence[Fixture],
        *,
        parallel: int = 0,
        threads: int = 0,
        finished: Callable[[int, GameResult], None],
    ) -> None:
        """`parallel` and `threads` are the actors' own matter, and are left out."""
        if not fixtures:
            return
        players, places = self._send_players(fixtures)
        game = fixtures[0].opening.game.text
        left = set(range(len(fixtures)))
        waiting = deque(_parts(len(fixtures), len(self._workers.workers)))

        def job_for(part: list[int]) -> Job:
            def ended(worker: Worker, item: tuple[int, SentResult]) -> None:
                number = part[item[0]]
                if number in left:
                    left.discard(number)
                    finished(number, item[1].result(fixtures[number]))

            def died(worker: Worker) -> None:
                missing = [number for number in part if number in left]
                if missing:
                    waiting.appendleft(missing)

            sent = [_sent(fixtures[number], places) for number in part]
            return Job(method="play_part", arguments=(game, players, sent), on_item=ended, on_death=died)

        while left:
            for worker in self._workers.ready:
                while waiting and len(worker.jobs) < WAITING:
                    self._workers.ask(worker, job_for(waiting.popleft()))
            self._workers.step(WAIT_SECONDS)

    def _send_players(self, fixtures: Sequence[Fixture]) -> tuple[list[SentPlayer], dict[MadeFrom, int]]:
        """All players, and their places in the list by what they are made from."""
        places: dict[MadeFrom, int] = {}
        for fixture in fixtures:
            for player, made_from in zip(fixture.players, fixture.made_from, strict=True):
                if made_from is None:
                    raise EightfoldError(
                        f"{player_name(player)} cannot play on a cluster: only players given by their texts can"
                    )
                places.setdefault(made_from, len(places))
        players = []
        for made_from in places:
            files = files_of(made_from)
            box = None if files is None else [self._ray.put(files)]
            players.append(SentPlayer(made_from=made_from, files=box))
        return players, places


def _sent(fixture: Fixture, places: dict[MadeFrom, int]) -> SentFixture:
    one, two = fixture.made_from
    assert one is not None
    assert two is not None
    return SentFixture(
        players=(places[one], places[two]),
        names=fixture.names,
        seeds=fixture.seeds,
        first_named_is_black=fixture.first_named_is_black,
        opening=fixture.opening.moves,
    )


def _parts(games: int, workers: int) -> list[list[int]]:
    """The numbers of the games in parts, neighbours together: they have the same players more often than not."""
    size = max(1, min(MOST_IN_A_PART, games // max(1, PARTS_A_WORKER * workers)))
    return [list(range(first, min(games, first + size))) for first in range(0, games, size)]
