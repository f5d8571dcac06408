"""What the shipped network for Go on 9x9 must see, where the rules alone say what is right.

In the positions of the first tests one group lives or dies by one move, and with it the game: `life.py` proves of every
move that it wins or loses. They are one board (`CUT`) turned, with the colours swapped, with other komi and rules, and
with stones taken off wherever that leaves the proof as it is.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from eightfold.arena import make_player, play_match
from eightfold.games import BLACK, WHITE, Position, make_game
from eightfold.games.setup import start_from, stones_of, with_side
from eightfold.nets.store.open import open_network
from eightfold.symmetry import destinations
from life import has_won, settled_points

PLACE = "go-9"
NETWORK = f"net:{PLACE}"
SIZE = 9
RULES = ("chinese", "japanese", "aga", "new-zealand", "tromp-taylor")
ENDLESS = ("new-zealand", "tromp-taylor")  # suicide is allowed: who is behind finds a move where others have none left
BY_AREA = tuple(rules for rules in RULES if rules != "japanese")
CUT = [
    "X . X X X X X . X",
    "X X X X X X X X X",
    "X X X X X X X X X",
    "X X X X X X X X X",
    "O O O O . O O O O",  # black lives and leads by 11 points with the one in the middle; white by 9
    "O . O O X X O . O",
    "O O O O X X X O O",
    "O . O O X O O . O",
    "O O X X X O O O O",
]
MIDDLE = 4 * SIZE + 4
NAMES = ("one", "other")


def game_with(komi: float, rules: str, size: int = SIZE):
    return make_game(f"go:size={size},komi={komi},rules={rules}")


def stones_in(rows: list[str]) -> dict[int, int]:
    marks = "".join(rows).replace(" ", "")
    return {point: ".XO".index(mark) for point, mark in enumerate(marks) if mark != "."}


def after(position: Position, move: int) -> Position | None:
    """The position after a move, None for one that is not legal."""
    return position.play(move) if position.legal_mask[move] else None


def loses_to(position: Position, move: int, answer: int) -> bool:
    """Whether a move loses to an answer for good, or because it ends the game."""
    follows = position.play(move)
    if follows.is_over:
        return follows.winner == 3 - position.to_move
    answered = after(follows, answer)
    return answered is not None and has_won(answered, follows.to_move)


def hangs_on(position: Position, point: int) -> bool:
    """Whether this point wins and any other move loses."""
    wins = after(position, point)
    if wins is None or not has_won(wins, position.to_move):
        return False
    return all(loses_to(position, int(move), point) for move in position.legal_moves if move != point)


def cut_positions(count: int, seed: int) -> list[tuple[Position, int]]:
    """Positions in which one move saves the group that is cut off, or captures it; and that move."""
    random, turned = np.random.default_rng(seed), destinations(SIZE)
    found: list[tuple[Position, int]] = []
    while len(found) < count:
        turn, swapped, to_move = (
            int(random.integers(8)),
            bool(random.integers(2)),
            int(random.integers(BLACK, WHITE + 1)),
        )
        board = {int(turned[turn, point]): 3 - side if swapped else side for point, side in stones_in(CUT).items()}
        komi = 0.5 + float(random.integers(9 if swapped else 10))
        game, point = game_with(komi, str(random.choice(BY_AREA))), int(turned[turn, MIDDLE])
        position = start_from(game, board, to_move=to_move)
        assert hangs_on(position, point), position
        for removed in random.permutation(sorted(board))[: int(random.integers(4, 25))]:
            fewer = {at: side for at, side in board.items() if at != removed}
            without = start_from(game, fewer, to_move=to_move)
            if hangs_on(without, point):
                board, position = fewer, without
        passed = start_from(game, board, to_move=3 - to_move).play("pass")  # another pass ends the game
        if random.integers(2) and hangs_on(passed, point):
            position = passed
        found.append((position, point))
    return found


def missed_by(options: str, positions: list[tuple[Position, int]]) -> list[tuple[Position, int]]:
    """The positions in which the network plays something else, and what."""
    missed = []
    for position, point in positions:
        action = make_player(f"{NETWORK},{options}", position.game).think(position).action
        if action != point:
            missed.append((position, action))
    return missed


@cache
def settled_boards(count: int, seed: int = 1, size: int = SIZE) -> tuple[Position, ...]:
    """Boards every point of which is one side's for good: ends of games between `greedy`, stones taken off again."""
    game, random, boards = game_with(7.5, "chinese", size), np.random.default_rng(seed), []
    player = make_player("greedy", game, seed=seed)
    while len(boards) < count:
        position = game.after(random.permutation(game.points)[:6].tolist())
        player.new_game()
        while not position.is_over:
            position = position.play(player.think(position).action)
        owned = [settled_points(position, side) for side in (BLACK, WHITE)]
        if min(map(len, owned)) < game.points // 4 or sum(map(len, owned)) < game.points:
            continue
        board = stones_of(position)
        for removed in random.permutation(sorted(board))[: int(random.integers(10, 40))].tolist():
            fewer = {at: side for at, side in board.items() if at != removed}
            without = start_from(game, fewer)
            if [settled_points(without, side) for side in (BLACK, WHITE)] == owned:
                board, position = fewer, without
        boards.append(start_from(game, board))
    return tuple(boards)


def lead_of(position: Position) -> int:
    """Black's lead on the board of a position that is settled."""
    return len(settled_points(position, BLACK)) - len(settled_points(position, WHITE))


def in_game(position: Position, komi: float, rules: str, to_move: int = BLACK) -> Position:
    """The stones of a position in another game."""
    return start_from(game_with(komi, rules, position.game.size), stones_of(position), to_move=to_move)


def test_the_proofs_hold():
    position = start_from(game_with(7.5, "chinese"), stones_in(CUT))
    assert len(settled_points(position, BLACK)) == 36  # the group that is cut off is nobody's yet
    assert len(settled_points(position, WHITE)) == 35
    assert not has_won(position, BLACK)
    assert not has_won(position, WHITE)
    saved, taken = position.play(MIDDLE), with_side(position, WHITE).play(MIDDLE)
    assert [len(settled_points(saved, side)) for side in (BLACK, WHITE)] == [46, 35]
    assert [len(settled_points(taken, side)) for side in (BLACK, WHITE)] == [36, 45]
    assert has_won(saved, BLACK)
    assert has_won(taken, WHITE)
    for end in (saved, taken):
        over = end.play("pass").play("pass")
        assert over.margin == 2 * len(settled_points(end, BLACK)) - 81 - 7.5


def test_it_saves_a_group_and_captures_one_where_that_decides_the_game():
    positions = cut_positions(16, seed=1)
    assert {position.to_move for position, _ in positions} == {BLACK, WHITE}
    assert not missed_by("playouts=100", positions)


@pytest.mark.slow
def test_it_finds_the_only_move_in_two_hundred_positions():
    positions = cut_positions(200, seed=2)
    missed = missed_by("playouts=400", positions)
    print(f"{len(missed)} of {len(positions)} missed")
    assert not missed


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("komi", [0.5, 5.5, 7.5, 9.5])
def test_it_passes_rather_than_fill_its_last_two_eyes(komi, rules):
    """Who leads has nothing left but its eyes: by area black, and by territory white, whose eyes are more."""
    game, side = game_with(komi, rules), WHITE if rules == "japanese" else BLACK
    position = start_from(game, {**stones_in(CUT), MIDDLE: BLACK}, to_move=side)
    eyes = ("b9", "h9") if side == BLACK else ("b4", "b2")  # of one group
    assert position.play("pass").play("pass").winner == side
    for one, other in (eyes, eyes[::-1]):
        captured = position.play(one).play(other)
        assert captured.play("pass").play("pass").winner == 3 - side
    assert make_player(f"{NETWORK},playouts=100", game).think(position).action == game.points


@pytest.mark.parametrize("rules", BY_AREA)
def test_it_ends_a_game_that_is_won(rules):
    """Where the other side has passed and a pass wins, it passes: nothing is surer."""
    for board in settled_boards(8):
        side = BLACK if lead_of(board) > 7.5 else WHITE
        passed = in_game(board, 7.5, rules, 3 - side).play("pass")
        assert passed.play("pass").winner == side
        player = make_player(f"{NETWORK},playouts=100", passed.game)
        assert player.think(passed).action == passed.game.points, passed


@pytest.mark.parametrize("rules", ["chinese", "aga"])
def test_a_settled_game_ends_as_it_stands(rules):
    """Whoever is to move, both pass before all is filled, and who has more points wins."""
    for number, board in enumerate(settled_boards(6)):
        position = in_game(board, 7.5, rules, (BLACK, WHITE)[number % 2])
        player = make_player(f"{NETWORK},playouts=64", position.game)
        while not position.is_over:
            position = position.play(player.think(position).action)
        assert len(position.moves) <= SIZE * SIZE, position
        assert position.winner == (BLACK if lead_of(board) > 7.5 else WHITE), position


def test_its_owners_are_those_of_the_count():
    network, agreed, leads = open_network(PLACE), [], []
    for board in settled_boards(24):
        ownership, lead = network.ownership(in_game(board, 7.5, "chinese"))
        owned = [int(point in settled_points(board, BLACK)) for point in range(board.game.points)]
        agreed.append((ownership > 0) == np.array(owned))
        leads.append(abs(lead * board.game.points - (lead_of(board) - 7.5)))
    share = float(np.mean(agreed))
    print(f"{share:.3f} of the points, the lead off by {np.mean(leads):.1f} points")
    assert share > 0.95
    assert np.mean(leads) < 5


def test_it_knows_what_komi_decides():
    """On settled boards, without a search: who is ahead with a komi that is lower than the lead, and with a higher."""
    right = []
    for board in settled_boards(80):
        lead = lead_of(board)
        for komi in (lead - 2.5, lead + 2.5):
            if 0.5 <= komi <= 9.5:
                position = in_game(board, komi, "chinese")
                _, values = open_network(PLACE, position.game).evaluate([position])
                right.append(bool(values[0] > 0) == (lead > komi))
    print(f"{sum(right)} of {len(right)} right")
    assert sum(right) >= 0.8 * len(right)
    starts = [game_with(komi, "chinese").start() for komi in (0.5, 9.5)]
    small, large = (open_network(PLACE, start.game).evaluate([start])[1][0] for start in starts)
    assert small > large, "an empty board is worth more to black with a small komi"


def check_whole_games(size: int, rules: str) -> None:
    """Every move is legal, and both pass in the end; where suicide is allowed it may be the limit that ends a game."""
    for komi in (0.5, 9.5):
        game = game_with(komi, rules, size)
        report = play_match(game, f"{NETWORK},playouts=8", f"{NETWORK},playouts=8", games=1, seed=1, names=NAMES)
        [result] = report.results
        moves = result.position.moves
        assert game.after(moves).is_over  # refuses what is not legal
        assert rules in ENDLESS or moves[-2:] == (game.points, game.points)


@pytest.mark.parametrize(
    "rules", [pytest.param(each, marks=pytest.mark.slow) if each in ENDLESS else each for each in RULES]
)
def test_it_plays_whole_games_under_every_ruleset(rules):
    check_whole_games(SIZE, rules)


@pytest.mark.parametrize(("size", "rules"), [(7, "chinese"), (7, "japanese")])
def test_it_plays_whole_games_on_other_boards(size, rules):
    check_whole_games(size, rules)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_it_plays_whole_games_on_a_large_board_under_every_ruleset(rules):
    check_whole_games(13, rules)


@pytest.mark.slow
@pytest.mark.parametrize("size", [7, 9, 13])
def test_it_beats_who_only_takes_and_saves(size):
    report = play_match(game_with(7.5, "chinese", size), f"{NETWORK},playouts=100", "greedy", games=4, opening_plies=2)
    assert report.total.wins >= 3
