"""Renju: published positions, an implementation after the letter of the rules, and what the rest makes of the rule."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.arena import make_player
from eightfold.benchmarks.reference.renju import PlainRenju, PlainRenjuFours
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.core.specialise import DEFAULTS, specialise
from eightfold.games import BLACK, WHITE, Game, Position, make_game
from eightfold.games.state import NO_MOVE, ONGOING, RESULT, SIDE
from eightfold.search import AlphaBeta, Greedy
from eightfold.symmetry import destinations
from renju_positions import CASES, FAULTS, MARKS, STRIPS, Case

RULES = ("freestyle", "standard", "renju", "caro", "caro-exact")

Stones = dict[tuple[int, int], int]


def set_up(game: Game, stones: Stones, to_move: int = BLACK) -> Position:
    """A position with these stones, whatever way led there."""
    state = game.start().state.copy()
    for (row, column), colour in stones.items():
        state[SIDE] = colour
        game.rules.play(state, row * game.size + column)
    state[SIDE], state[RESULT] = to_move, ONGOING
    return Position(game, state, ())


def stones_of(case: Case) -> Stones:
    marked = {(r, c): mark for r, row in enumerate(case.rows()) for c, mark in enumerate(row)}
    return {point: BLACK if mark == "X" else WHITE for point, mark in marked.items() if mark in "XO"}


def faults_of(position: Position) -> dict[tuple[int, int], str]:
    """What the kernels forbid, each point with its fault in the words of the reference."""
    size, found = position.game.size, {}
    for move in position.forbidden_moves.tolist():
        said = position.game.rules.why_forbidden(position.state, move)
        found[divmod(move, size)] = said.removeprefix("black may not make a").removeprefix("n").strip()
    return found


def local_stones(size: int, random: np.random.Generator, black_share: float = 0.65) -> Stones:
    """Stones close together, black's in the majority, so that shapes come about; no five of black's."""
    reach = int(random.integers(5, min(size, 9) + 1))
    top, left = random.integers(0, size - reach + 1, 2)
    stones: Stones = {}
    for point in random.permutation(reach * reach)[: int(random.integers(6, reach * reach * 2 // 3))]:
        where = int(top + point // reach), int(left + point % reach)
        colour = BLACK if random.random() < black_share else WHITE
        after = {**stones, where: colour}
        if all(len(row) < 5 for row in rows_through(after, where)):
            stones = after
    return stones


def rows_through(stones: Stones, point: tuple[int, int]) -> list[list[tuple[int, int]]]:
    rows = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        row = [point]
        for way in (1, -1):
            beside = point[0] + way * down, point[1] + way * right
            while stones.get(beside) == stones[point]:
                row.append(beside)
                beside = beside[0] + way * down, beside[1] + way * right
        rows.append(row)
    return rows


# ---- published positions ----------------------------------------------------------------------------


def test_there_are_enough_published_positions():
    assert len(CASES) + len(STRIPS) >= 40
    assert len({case.name for case in CASES}) == len(CASES)
    assert all({len(row) for row in case.rows()} == {len(case.rows())} == {15} for case in CASES)
    assert all(mark in f"XO.{MARKS}" for case in CASES for row in case.rows() for mark in row)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_published_positions(case):
    game = make_game("gomoku:size=15,rule=renju")
    position = set_up(game, stones_of(case))
    faults = faults_of(position)
    for row, marks in enumerate(case.rows()):
        for column, mark in enumerate(marks):
            fault = faults.get((row, column))
            if mark in FAULTS:
                assert fault == FAULTS[mark], game.name_of(row * 15 + column)
            elif mark == "f":
                assert fault, game.name_of(row * 15 + column)
            elif mark in "aw" or case.complete:
                assert fault is None, game.name_of(row * 15 + column)
            if mark == "w":
                assert position.play((row, column)).result == BLACK
    assert faults == PlainRenju(15).forbidden(stones_of(case))


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_forbidden_points_turn_with_the_board(case):
    game, table = make_game("gomoku:size=15,rule=renju"), destinations(15)
    stones = {row * 15 + column: colour for (row, column), colour in stones_of(case).items()}
    seen = set_up(game, stones_of(case)).forbidden_moves
    for turn in range(8):
        turned = {divmod(int(table[turn, point]), 15): colour for point, colour in stones.items()}
        position = set_up(game, turned)
        assert position.forbidden_moves.tolist() == sorted(table[turn, seen].tolist())
        assert sorted([*position.forbidden_moves, *position.legal_moves]) == [
            point for point in range(225) if not position.stones.flat[point]
        ]


@pytest.mark.parametrize("strip", STRIPS)
def test_published_lines(strip):
    marks = strip.split()
    game = make_game("gomoku:size=25,rule=renju")
    for row, first in ((12, 2), (0, 25 - len(marks))):  # in the middle, and in a corner of the board
        stones = {(row, first + k): BLACK if mark == "X" else WHITE for k, mark in enumerate(marks) if mark in "XO"}
        expected = {(row, first + k): FAULTS[mark] for k, mark in enumerate(marks) if mark in FAULTS}
        assert faults_of(set_up(game, stones)) == expected


# ---- against the reference --------------------------------------------------------------------------


def compare_random_positions(size: int, positions: int, seed: int) -> dict[str, int]:
    game, plain = make_game(f"gomoku:size={size},rule=renju"), PlainRenju(size)
    random, seen = np.random.default_rng([size, seed]), {"overline": 0, "double four": 0, "double three": 0}
    for _ in range(positions):
        stones = local_stones(size, random)
        position = set_up(game, stones)
        expected = plain.forbidden(stones)
        assert faults_of(position) == expected, stones
        assert set_up(game, stones, WHITE).forbidden_moves.size == 0
        for fault in expected.values():
            seen[fault] += 1
    return seen


@pytest.mark.parametrize(("size", "positions"), [(15, 100), (9, 120), (7, 200), (6, 60), (5, 40)])
def test_random_positions_have_the_forbidden_points_of_the_reference(size, positions):
    seen = compare_random_positions(size, positions, 0)
    assert min(seen.values()) >= (5 if size > 6 else 0), seen


@pytest.mark.slow
@pytest.mark.parametrize(("size", "positions"), [(15, 1500), (19, 200), (9, 1500), (8, 1000), (7, 1000)])
def test_thousands_of_random_positions_have_the_forbidden_points_of_the_reference(size, positions):
    seen = compare_random_positions(size, positions, 1)
    assert min(seen.values()) >= 25, seen


@pytest.mark.parametrize(("size", "games"), [(5, 40), (6, 30), (7, 16), (9, 4), (15, 1)])
def test_random_games_go_as_in_the_reference(size, games):
    game, random = make_game(f"gomoku:size={size},rule=renju"), np.random.default_rng(size)
    for _ in range(games):
        position, plain = game.start(), PlainRenju(size)
        while not position.is_over:
            legal = plain.legal()
            assert position.legal_moves.tolist() == legal
            quiet = [move for move in legal if position.play(move).result not in (BLACK, WHITE)] or legal  # long games
            move = int(random.choice(quiet if random.random() < 0.9 else legal))
            position = position.play(move)
            plain.play(move)
            assert position.state[RESULT] == plain.result
        assert position.legal_moves.size == position.forbidden_moves.size == 0


def test_random_games_of_the_search_end_as_often_as_those_by_the_rules():
    """`rollout` draws in its own way: its results must have the distribution of any legal move, each as likely."""
    game = make_game("gomoku:size=6,rule=renju")
    start = game.after(["c3", "a1", "c4", "a6", "d3", "f1", "d4", "f6", "b2", "e5"])
    kernels, many, few = specialise("eightfold.search.kernels.playouts", game.rules), 40_000, 3000
    own, plain = np.zeros(4, np.int64), np.zeros(4, np.int64)
    kernels.random_games(start.state, many, make_random(1), np.zeros(36, np.int64), own)
    random, by_the_rules = make_random(2), specialise(DEFAULTS, game.rules).rollout  # `legal` and `play`
    for _ in range(few):
        plain[by_the_rules(start.state.copy(), random, np.zeros(36, np.int64))] += 1
    assert np.abs(own / many - plain / few).max() < 0.04, (own, plain)


# ---- the end of the game ----------------------------------------------------------------------------


def test_black_wins_with_five_and_not_with_six_and_white_with_both():
    game = make_game("gomoku:size=15,rule=renju")
    six = {(7, column): BLACK for column in (3, 4, 5, 7, 8)}
    position = set_up(game, six)
    with pytest.raises(EightfoldError, match="move g8 is not legal: black may not make an overline"):
        position.play((7, 6))
    assert set_up(game, dict.fromkeys(six, WHITE), WHITE).play((7, 6)).result == WHITE
    five = set_up(game, {(7, column): BLACK for column in (3, 4, 5, 7)})
    assert five.play((7, 6)).result == BLACK


def test_white_may_play_everything():
    cross = {(7, 6): WHITE, (7, 8): WHITE, (6, 7): WHITE, (8, 7): WHITE}
    position = set_up(make_game("gomoku:size=15,rule=renju"), cross, WHITE)
    assert position.legal_mask[7 * 15 + 7]
    assert position.forbidden_moves.size == 0


def test_black_loses_when_only_forbidden_points_are_left():
    game = make_game("gomoku:size=6,rule=renju")
    stones = {(row, column): 1 + (column // 2 + row) % 2 for row in range(6) for column in range(6)}
    stones |= {(0, column): BLACK for column in range(6)}
    del stones[0, 3], stones[5, 5]  # the first would be an overline
    position = set_up(game, stones, WHITE)
    last = position.play((5, 5))
    assert last.winner == WHITE
    assert last.outcome == "white wins"
    scratch = np.empty(game.scratch, np.int64)
    for rules in (game.rules, specialise(DEFAULTS, game.rules)):
        assert rules.find_win(position.state, 0, scratch) == 35
    both_left = set_up(game, stones, BLACK)
    assert both_left.legal_moves.tolist() == [35]
    assert both_left.play(35).outcome == "white to move"


def test_other_rules_forbid_nothing():
    for rule in ("freestyle", "standard", "caro", "caro-exact"):
        game = make_game(f"gomoku:size=15,rule={rule}")
        assert all(set_up(game, stones_of(case)).forbidden_moves.size == 0 for case in CASES)


def test_renju_is_played_to_five():
    for text in ("gomoku:size=4,rule=renju", "gomoku:size=15,win=4,rule=renju", "gomoku:size=9,win=6,rule=renju"):
        with pytest.raises(EightfoldError, match="rule=renju is played to five in a row"):
            make_game(text)
    assert make_game("gomoku:size=5,rule=renju").text == "gomoku:size=5,win=5,rule=renju"


# ---- wins by force ----------------------------------------------------------------------------------


def find(position: Position, nodes: int = 1_000_000) -> int | None:
    state = position.state.copy()
    move = int(position.game.rules.find_win(state, nodes, np.empty(position.game.scratch, np.int64)))
    np.testing.assert_array_equal(state, position.state)
    return None if move == NO_MOVE else move


@pytest.mark.parametrize(("size", "games"), [(7, 10), (8, 4)])
def test_a_chain_of_fours_is_found_exactly_when_there_is_one(size, games):
    game, random, solver = (
        make_game(f"gomoku:size={size},rule=renju"),
        np.random.default_rng(size),
        PlainRenjuFours(size),
    )
    seen = {True: 0, False: 0}
    for _ in range(games):
        position, stones = game.start(), {}
        while not position.is_over:
            by_chain = solver.wins(stones, position.to_move)
            assert (find(position) is not None) == by_chain, position
            seen[by_chain] += 1
            quiet = [
                int(move) for move in position.legal_moves if position.play(int(move)).result not in (BLACK, WHITE)
            ]
            move = int(random.choice(quiet or position.legal_moves))
            stones[divmod(move, size)] = position.to_move
            position = position.play(move)
    assert min(seen.values()) >= 5, seen


@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_dense_positions_have_the_chains_of_the_reference(colour):
    game, random, solver = make_game("gomoku:size=8,rule=renju"), np.random.default_rng(colour), PlainRenjuFours(8)
    chains = 0
    for _ in range(60):
        stones = local_stones(8, random, black_share=0.5)
        position = set_up(game, stones, colour)
        move, at_once = find(position), find(position, 0)
        assert (move is not None) == solver.wins(stones, colour), position
        chains += move is not None and at_once is None
        if move is not None:
            assert position.legal_mask[move]
    assert chains >= 3


def test_a_double_four_is_no_win_for_black_and_one_for_white():
    closed = {(7, 4): 0, (7, 5): 0, (7, 6): 0, (4, 7): 0, (5, 7): 0, (6, 7): 0, (7, 3): 1, (3, 7): 1}
    for rule, attacker, expected in (("standard", BLACK, True), ("renju", BLACK, False), ("renju", WHITE, True)):
        stones = {point: attacker if owner == 0 else 3 - attacker for point, owner in closed.items()}
        # White stones where each line would have to go on, so that nothing but the crossing wins.
        stones |= {(7, 9): 3 - attacker, (9, 7): 3 - attacker}
        found = find(set_up(make_game(f"gomoku:size=15,rule={rule}"), stones, attacker))
        assert (found is not None) == expected, rule


def test_a_four_wins_for_white_if_its_only_parry_is_forbidden():
    case = next(case for case in CASES if case.name.startswith("and after two stones more"))
    stones = stones_of(case)
    assert stones.pop((7, 12)) == WHITE  # the stone that makes the four
    position = set_up(make_game("gomoku:size=15,rule=renju"), stones, WHITE)
    assert find(position, 0) is None
    assert find(position) is not None
    assert not position.play((7, 12)).legal_mask[7 * 15 + 10]
    freestyle = set_up(make_game("gomoku:size=15,rule=freestyle"), stones, WHITE)
    assert find(freestyle) is None


# ---- players, scores and planes ---------------------------------------------------------------------


def test_scores_are_nothing_to_black_where_it_may_not_play_and_keep_up_with_moves():
    game, random = make_game("gomoku:size=8,rule=renju"), np.random.default_rng(4)
    forbidden = 0
    for _ in range(15):
        position = set_up(game, local_stones(8, random))
        scores, fresh = np.zeros((2, 64), np.int64), np.zeros((2, 64), np.int64)
        game.rules.score_moves(position.state, scores)
        while not position.is_over and position.ply < 50:
            legal = position.legal_mask
            if position.to_move == BLACK:
                assert ((scores[0] > 0) == legal).all()
                forbidden += len(position.forbidden_moves)
            else:
                assert ((scores[1] > 0) == legal).all()
            position = position.play(int(random.choice(position.legal_moves)))
            game.rules.rescore_moves(position.state, position.last_move, scores)
            game.rules.score_moves(position.state, fresh)
            np.testing.assert_array_equal(scores, fresh)
    assert forbidden > 10


def test_greedy_and_alphabeta_keep_off_a_point_that_white_wants():
    """White has four in a row; the parry is forbidden to black, who has nothing to do but play elsewhere."""
    case = next(case for case in CASES if case.name.startswith("and after two stones more"))
    game = make_game("gomoku:size=15,rule=renju")
    position = set_up(game, stones_of(case))
    for player in (Greedy(game), AlphaBeta(game, AlphaBeta.Options(depth=2))):
        action = player.think(position).action
        assert position.legal_mask[action]


def plain_negamax(position: Position, depth: int, ply: int, near: int) -> int:
    """Without pruning, a table or scores that are carried along."""
    game = position.game
    win_value = 2 * int(game.rules.best_possible_score(position.state)) + 2000
    if position.is_over:
        return 0 if position.winner is None else ply - win_value
    if depth == 0:
        scores = np.zeros((2, game.actions), np.int64)
        game.rules.score_moves(position.state, scores)
        return int(scores[position.to_move - 1].max() - scores[2 - position.to_move].max())
    moves = candidates(position, near)
    return max(-plain_negamax(position.play(move), depth - 1, ply + 1, near) for move in moves)


def candidates(position: Position, near: int) -> list[int]:
    size, taken = position.game.size, np.argwhere(position.stones)
    legal = [int(move) for move in position.legal_moves]
    close = [move for move in legal if any(max(abs(r - move // size), abs(c - move % size)) <= near for r, c in taken)]
    return close or legal


@pytest.mark.parametrize("rule", ["renju", "caro", "caro-exact"])
def test_alphabeta_has_the_values_of_plain_negamax(rule):
    game, random = make_game(f"gomoku:size=6,rule={rule}"), np.random.default_rng(9)
    for _ in range(6):
        stones = local_stones(6, random)
        position = set_up(game, stones)
        if len(position.legal_moves) < 3:
            continue
        scores = AlphaBeta(game, AlphaBeta.Options(depth=2, near=1)).root_scores(position)
        for move in candidates(position, 1):
            assert scores[move] == -plain_negamax(position.play(move), 1, 1, 1)


@pytest.mark.parametrize("text", ["random", "greedy", "alphabeta:depth=2", "mcts:playouts=60"])
@pytest.mark.parametrize("rule", ["renju", "caro"])
def test_players_play_whole_games(text, rule):
    game = make_game(f"gomoku:size=7,rule={rule}")
    players = [make_player(text, game, seed=seed) for seed in (1, 2)]
    position = game.start()
    while not position.is_over:  # `play` refuses what is not legal
        position = position.play(players[position.ply % 2].think(position).action)


def test_the_threat_plane_does_not_count_what_black_may_not_play():
    case = next(case for case in CASES if case.name == "an overline over a gap")
    stones = stones_of(case)
    gap = next(
        (row, column) for row, marks in enumerate(case.rows()) for column, mark in enumerate(marks) if mark == "6"
    )
    planes = {rule: set_up(make_game(f"gomoku:size=15,rule={rule}"), stones).encode("threat")[4] for rule in RULES}
    assert planes["freestyle"][gap] == 1
    assert planes["renju"][gap] == 0
    cross = set_up(make_game("gomoku:size=15,rule=renju"), {(7, 6): BLACK, (7, 8): BLACK, (6, 7): BLACK, (8, 7): BLACK})
    assert cross.encode("threat")[4][7, 7] == 0
    assert cross.encode("threat")[4][7, 9] == 0.25
    with_white = set_up(cross.game, {(7, 6): BLACK, (7, 8): BLACK, (6, 7): BLACK, (8, 7): BLACK, (6, 6): WHITE})
    assert with_white.encode("threat")[4][7, 7] == 0.25, "white's run of two is still seen"
