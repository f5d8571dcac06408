"""The match engine: many games side by side are the games that are played one after another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from eightfold.arena import gauntlet, play_match, round_robin
from eightfold.arena.forfeit import Forfeit, Resignation
from eightfold.arena.seats import MEMORY, MOST_GAMES, Seat, games_at_once
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, Position, make_game
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.search import Mcts, RandomMover
from eightfold.search.mcts_options import MctsOptions
from eightfold.search.result import SearchResult, one_hot

GAME = make_game("gomoku:size=6,win=4")


def moves_of(match) -> list[tuple[int, ...]]:
    return [result.position.moves for result in match.results]


@pytest.mark.parametrize(
    ("first", "second"), [("mcts:playouts=30", "greedy"), ("alphabeta:depth=2", "random"), ("random", "random")]
)
def test_games_do_not_depend_on_what_is_played_beside_them(first, second):
    def games(**how: int) -> list[tuple[int, ...]]:
        return moves_of(play_match(GAME, first, second, games=6, seed=3, opening_plies=2, **how))

    alone = games(parallel=1)
    assert alone == games() == games(parallel=4, threads=1) == games(threads=3)
    shorter = moves_of(play_match(GAME, first, second, games=4, seed=3, opening_plies=2))
    assert alone[:4] == shorter, "nor on how many there are"


def test_a_network_plays_many_games_at_once_as_it_plays_one():
    """Sixteen playouts, one leaf at a time: the same search, whatever else is in the batch."""
    game = make_game("gomoku:size=8")
    how = {"games": 4, "seed": 1, "opening_plies": 4}
    beside = play_match(game, "net:gomoku-8,playouts=16", "mcts:playouts=50", **how)
    alone = play_match(game, "net:gomoku-8,playouts=16", "mcts:playouts=50", parallel=1, **how)
    assert moves_of(beside) == moves_of(alone)
    assert moves_of(beside) == moves_of(play_match(game, "net:gomoku-8,playouts=16", "mcts:playouts=50", **how))


def test_a_network_thinks_in_a_slot_what_it_thinks_of_the_game_alone():
    game = make_game("gomoku:size=8")
    player = NetPlayer(game, "gomoku-8", NetOptions(playouts=31))
    positions = {0: game.after(["d4"]), 2: game.after(["d4", "e5", "e4"])}
    others = {slot: NetPlayer(game, "gomoku-8", NetOptions(playouts=31)) for slot in positions}
    player.set_up(3)
    for slot in positions:
        player.start_game(slot, slot)
    for _ in range(3):  # from the second time on in trees that are kept
        found = player.think_many(positions)
        for slot, position in positions.items():
            alone = others[slot].think(position)
            np.testing.assert_array_equal(found[slot].visits, alone.visits)
            assert found[slot].value == pytest.approx(alone.value, abs=1e-4)
            positions[slot] = position.play(found[slot].action).play(position.play(found[slot].action).legal_moves[0])


def test_results_and_progress_come_in_the_order_of_the_games():
    told = []
    report = play_match(GAME, "random", "greedy", games=9, seed=2, progress=told.append)
    assert tuple(told) == report.results
    assert [result.first_named_is_black for result in told] == [True, False] * 4 + [True]


class FirstFree:
    """Plays one game at a time, and says so by offering nothing else."""

    def __init__(self) -> None:
        self.games = 0

    def new_game(self) -> None:
        self.games += 1

    def think(self, position: Position, **limits: object) -> SearchResult:
        action = int(position.legal_moves[0])
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)


class Named(FirstFree):
    def __str__(self) -> str:
        return "the first free point"


def test_objects_are_players():
    mcts = Mcts(GAME, MctsOptions(playouts=20))
    report = play_match(GAME, mcts, Named(), games=4, seed=1)
    assert report.names == ("Mcts", "the first free point")
    assert moves_of(report) == moves_of(play_match(GAME, "mcts:playouts=20", Named(), games=4, seed=1))
    assert play_match(GAME, FirstFree(), mcts, games=1).names == ("FirstFree", "Mcts")
    assert play_match(GAME, mcts, mcts, games=2, names=("new", "old")).names == ("new", "old")
    with pytest.raises(EightfoldError, match=r"is no player: it has no think\(position\)"):
        play_match(GAME, object(), mcts)
    with pytest.raises(EightfoldError, match="1 names are given for 2 players"):
        play_match(GAME, mcts, mcts, names=["one"])


def test_who_plays_one_game_at_a_time_is_asked_for_no_more():
    alone, timed = FirstFree(), Mcts(GAME, MctsOptions(seconds=0.001))
    assert games_at_once([Seat(alone), Seat(RandomMover(GAME))], 50) == 1
    assert games_at_once([Seat(timed), Seat(RandomMover(GAME))], 50) == 1
    with pytest.raises(EightfoldError, match="parallel=2: a program, a person"):
        play_match(GAME, alone, "random", parallel=2)
    play_match(GAME, alone, "random", games=3)
    assert alone.games == 3


def test_who_plays_one_game_at_a_time_holds_up_nobody_else():
    batched, alone = Batched(), FirstFree()
    found = round_robin(GAME, {"many": batched, "alone": alone, "random": "random"}, games=4, seed=1)
    assert alone.games == 8
    assert batched.asked[0] == 2, "in the first step the four games with random go on, two of them with it to move"
    assert [tally.games for tally in found.tallies] == [8, 8, 8]
    assert moves_of(found.matches[1]) == moves_of(
        round_robin(GAME, {"many": batched, "alone": alone, "random": "random"}, games=4, seed=1).matches[1]
    )


def test_games_at_once_fit_the_memory():
    seat = Seat(RandomMover(GAME))
    assert games_at_once([seat, seat], 1000) == MOST_GAMES
    assert games_at_once([seat, seat], 5) == 5
    seat.bytes_a_game = MEMORY // 20
    assert games_at_once([seat, seat], 1000) == 10
    seat.bytes_a_game = 2 * MEMORY
    assert games_at_once([seat, seat], 1000) == 1


class Batched(FirstFree):
    """Keeps a note of how many games it is asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    def set_up(self, games: int) -> None:
        self.slots = games

    def start_game(self, slot: int, seed: int) -> None:
        assert 0 <= slot < self.slots

    def think_many(self, positions: Mapping[int, Position]) -> dict[int, SearchResult]:
        self.asked.append(len(positions))
        return {slot: self.think(position) for slot, position in positions.items()}


def test_a_batched_player_is_asked_once_for_all_games():
    player = Batched()
    report = play_match(GAME, player, "random", games=8, first_always_black=True)
    longest = max(len(result.position.moves) for result in report.results)
    assert player.asked[0] == 8
    assert len(player.asked) == (longest + 1) // 2
    assert sum(player.asked) == sum((len(result.position.moves) + 1) // 2 for result in report.results)
    assert all(result.first_named_is_black for result in report.results)


class GivesUp:
    """Of its forks every other one resigns, the rest forfeit, in their second move."""

    def __init__(self, seed: int = 0) -> None:
        self._moves, self._error = 0, (Resignation if seed % 2 else Forfeit)("it has seen enough")

    def new_game(self) -> None: ...

    def fork(self, seed: int) -> GivesUp:
        return GivesUp(seed)

    def think(self, position: Position, **limits: object) -> SearchResult:
        self._moves += 1
        if self._moves == 2:
            raise self._error
        return FirstFree().think(position)


def test_forfeits_and_resignations_of_games_played_at_once():
    report = play_match(GAME, "random", GivesUp(), games=12, seed=4)
    assert report.total.wins == 12
    assert {len(result.position.moves) for result in report.results} == {2, 3}
    resigned = [result for result in report.results if result.resigned]
    assert 0 < len(resigned) < 12
    assert all(result.record().result in ("B+R", "W+R") for result in resigned)
    assert len(report.forfeits) == 12 - len(resigned)
    assert {(name, reason) for _, name, reason in report.forfeits} == {("GivesUp", "it has seen enough")}
    for result in report.results:
        assert (result.forfeited_by == BLACK) != result.first_named_is_black


def test_a_gauntlet_plays_every_opponent():
    matches = gauntlet(GAME, "greedy", ["random", "mcts:playouts=5"], games=3, seed=1)
    assert [match.names for match in matches] == [("greedy", "random"), ("greedy", "mcts:playouts=5")]
    assert [match.total.games for match in matches] == [3, 3]
    assert moves_of(matches[0]) == moves_of(play_match(GAME, "greedy", "random", games=3, seed=1))


def test_a_round_robin_counts_and_rates_everybody():
    players = {"weak": "random", "fair": "mcts:playouts=20", "good": "mcts:playouts=400"}
    found = round_robin(GAME, players, games=6, seed=1)
    assert found.pairs == ((0, 1), (0, 2), (1, 2))
    assert found.names == ("weak", "fair", "good")
    assert [tally.games for tally in found.tallies] == [12, 12, 12]
    assert sum(tally.wins for tally in found.tallies) == sum(tally.losses for tally in found.tallies)
    weak, fair, good = found.ratings
    assert weak.elo < fair.elo < good.elo
    assert sum(rating.elo for rating in found.ratings) == pytest.approx(0, abs=1e-6)
    assert found.as_dict()["players"][2]["name"] == "good"
    with pytest.raises(EightfoldError, match="a round robin of 1 players"):
        round_robin(GAME, ["random"])


def test_who_is_always_black_plays_every_opening_once():
    game = make_game("gomoku:size=7")
    report = play_match(game, "random", "random", games=6, seed=3, opening_plies=2, first_always_black=True)
    assert all(result.first_named_is_black for result in report.results)
    assert len({result.position.moves[:2] for result in report.results}) == 6
    pairs = play_match(game, "random", "random", games=6, seed=3, opening_plies=2)
    assert len({result.position.moves[:2] for result in pairs.results}) == 3
