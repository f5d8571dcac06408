"""Self-play that teaches nothing is named, whatever begins with random stones beside it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.loop import Training
from eightfold.learning.monitors import MEMORY, SelfPlayMonitor
from eightfold.symmetry import BoardSymmetry
from tiny_runs import tiny

GAME = make_game("gomoku:size=8")
COLLAPSED, REDUNDANT = "collapsed self-play", "redundant self-play"


def played(moves, result: int, opening: int = 0) -> PlayedGame:
    return PlayedGame(
        moves=tuple(moves),
        opening=opening,
        result=result,
        plies=np.zeros(0, np.int64),
        policies=np.zeros((0, 64), np.float32),
        root_values=np.zeros(0, np.float32),
    )


def turned(moves, turn: int) -> list[int]:
    points = (BoardSymmetry.transform_coordinates(*divmod(move, 8), 8, turn) for move in moves)
    return [row * 8 + column for row, column in points]


def random_game(random: np.random.Generator, opening: int) -> PlayedGame:
    """A game of random moves, of which the first few count as random stones; most last 30 moves and more."""
    position = GAME.start()
    while not position.is_over:
        position = position.play(int(random.choice(position.legal_moves)))
    return played(position.moves, int(random.integers(1, 3)), min(opening, len(position.moves) - 1))


def short_game(random: np.random.Generator, opening: int, after: int, loser_moves_first: bool = False) -> PlayedGame:
    """A game that its first side to move wins five in a row in, after so many moves; the other's stones lie apart."""
    while True:
        position = GAME.after([int(move) for move in random.choice(64, opening, replace=False)])
        if position.is_over:
            continue
        row, column = int(random.integers(8)), int(random.integers(4))
        line = [row * 8 + column + k for k in range(5)]
        if any(position.stones.flat[point] for point in line):
            continue
        elsewhere = [int(point) for point in random.permutation(64) if point not in line]
        moves, own = list(position.moves), after // 2 + after % 2
        winner = position.to_move if not loser_moves_first else 3 - position.to_move
        wasted = [0] * (own - 5) + [1] * 5  # the five come last
        for k in range(after):
            if position.is_over:
                break
            wins = (position.to_move == winner) and wasted[k // 2]
            pool = line if wins else elsewhere
            move = next(point for point in pool if position.legal_mask[point])
            position = position.play(move)
            moves.append(move)
        if position.is_over and position.winner == winner and len(moves) == opening + after:
            return played(moves, winner, opening)


def warned(games: list[PlayedGame], game=GAME) -> list[str]:
    monitor = SelfPlayMonitor(game)
    for one in games:
        monitor.add(one.replay(game), one.opening, one.result)
    return [warning.partition(":")[0] for warning in monitor.warnings()]


def shuffled(games: list[PlayedGame], random: np.random.Generator) -> list[PlayedGame]:
    return [games[k] for k in random.permutation(len(games))]


def test_forty_identical_games_in_two_hundred_are_named_whatever_the_others_do():
    random = np.random.default_rng(1)
    same = random_game(random, 0)
    identical = [played(turned(same.moves, k % 8), same.result) for k in range(40)]
    others = [random_game(random, 1 + k % 6) for k in range(160)]
    assert warned(shuffled(identical + others, random)) == [REDUNDANT]
    assert warned(shuffled(identical[:19] + others + [random_game(random, 0) for _ in range(21)], random)) == []


def test_games_that_repeat_a_few_of_many_are_named():
    """Forty games without random stones, of five kinds: no kind is a tenth of all, but they teach five games."""
    random = np.random.default_rng(2)
    kinds = [random_game(random, 0) for _ in range(5)]
    repeated = [kinds[k % 5] for k in range(40)]
    others = [random_game(random, 1 + k % 6) for k in range(160)]
    assert warned(shuffled(repeated + others, random)) == [REDUNDANT]


def test_equal_moves_after_other_stones_are_other_games():
    random = np.random.default_rng(3)
    same = [20, 28, 21, 29, 22, 30, 23, 31, 24]
    games = []
    while len(games) < 200:
        opening = [int(move) for move in random.choice([m for m in range(64) if m not in same], 4, replace=False)]
        position = GAME.after(opening)
        for move in same:
            if not position.is_over:
                position = position.play(move)
        games.append(played(position.moves, 1 + len(games) % 2, 4))
    assert REDUNDANT not in warned(games)


@pytest.mark.parametrize("opening", [0, 3, 6])
@pytest.mark.parametrize("after", [9, 13, 15])
def test_short_one_sided_games_are_named_with_and_without_random_stones(after, opening):
    random = np.random.default_rng(4)
    games = [short_game(random, opening, after) for _ in range(120)]
    assert COLLAPSED in warned(games)


def test_fourteen_moves_are_a_collapse_when_white_wins_them_all():
    random = np.random.default_rng(5)
    games = [short_game(random, 0, 14, loser_moves_first=True) for _ in range(120)]
    assert {(len(game.moves), game.result) for game in games} == {(14, 2)}
    assert COLLAPSED in warned(games)


def test_fourteen_moves_are_a_collapse_whoever_wins_them():
    """In games that short neither side has defended; the side that began wins some of them, the other the rest."""
    random = np.random.default_rng(9)
    games = [short_game(random, 0, 13 + k % 2, loser_moves_first=k % 2 == 1) for k in range(120)]
    assert 0.4 < np.mean([game.result == 1 for game in games]) < 0.6
    assert COLLAPSED in warned(games)
    longer = [short_game(random, 0, 17 + k % 2, loser_moves_first=k % 2 == 1) for k in range(120)]
    assert warned(longer) == []


def test_random_openings_do_not_hide_that_the_other_games_collapse():
    random = np.random.default_rng(6)
    collapsed = [short_game(random, 0, 13) for _ in range(40)]
    others = [random_game(random, 1 + k % 6) for k in range(160)]
    assert warned(shuffled(collapsed + others, random)) == [COLLAPSED]


def test_the_side_that_moves_first_after_random_stones_is_one_side():
    """With one to six random stones black and white win about as often, but always who moves first."""
    random = np.random.default_rng(7)
    games = [short_game(random, 1 + k % 6, 13) for k in range(120)]
    assert 0.4 < np.mean([game.result == 1 for game in games]) < 0.6
    assert COLLAPSED in warned(games)


def test_healthy_games_are_left_alone():
    random = np.random.default_rng(8)
    assert warned([random_game(random, 0) for _ in range(200)]) == []
    assert warned([random_game(random, k % 7) for k in range(200)]) == []
    assert warned([short_game(random, 0, 13) for _ in range(99)]) == [], "too few to say"


def test_games_of_go_that_are_passed_away_are_named():
    game = make_game("go:size=9")
    assert COLLAPSED in warned([played([81, 81], 2) for _ in range(120)], game)


def test_a_run_that_goes_on_remembers_its_games(tmp_path):
    first = Training(tiny("games=30"), tmp_path / "run")
    first.train()
    before = first.monitor.figures()
    first.close()
    second = Training(tiny("games=40"), tmp_path / "run")
    assert second.monitor.figures() == before
    second.close()


def test_games_that_cannot_be_read_tell_nothing(tmp_path):
    lines = [json.dumps({"moves": [k, 63 - k], "opening": 0, "result": 3}) for k in range(31)]
    broken = ["{", "[]", '{"moves": [1, 1], "opening": 0, "result": 1}', '{"moves": 3}', "\x00", '{"moves": [99]}']
    (tmp_path / "games.jsonl").write_text("\n".join([*lines, *broken]))
    monitor = SelfPlayMonitor(GAME)
    monitor.refill(tmp_path / "games.jsonl")
    assert len(monitor._seen) == 31
    (tmp_path / "games.jsonl").write_text("\n".join(lines * 10))
    monitor.refill(tmp_path / "games.jsonl")
    assert len(monitor._seen) == MEMORY
