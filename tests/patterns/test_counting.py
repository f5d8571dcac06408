"""Counting move by move gives what coding every legal point at every move gives, to the last unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.core.specialise import specialise
from eightfold.games.game import Game, make_game
from eightfold.games.state import RESULT
from eightfold.patterns.combine import combine
from eightfold.patterns.library import Library
from eightfold.patterns.placements import lay_out
from eightfold.patterns.tally import MATCH_BITS, MATCHES, empty_tally, places_for, take_out
from eightfold.patterns.templates import Template, placements, read_names
from self_made_records import go, random_moves

SMLARGE = read_names(["3x3"])
LARGE = read_names(["3x3", "4x4-centre-b", "4x4-centre-d", "4x4-edge-b"])  # all ten would take gigabytes


def listed(games: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lengths = np.array([len(moves) for moves in games], np.int64)
    last = np.cumsum(lengths)
    return np.array([move for moves in games for move in moves], np.int64), last - lengths, last


def counted(game: Game, games: Sequence[Sequence[int]], templates: tuple[Template, ...], combined: bool) -> np.ndarray:
    kernels = specialise("eightfold.patterns.counting", game.rules)
    layout, tally = lay_out(templates, game.size), empty_tally(templates, combined=combined)
    board = kernels.make_board(game.spec.state_length(game.size), game.size, layout)
    moves, first, last = listed(games)
    positions = kernels.count_games(
        board, kernels.make_waiting(), game.size, np.array(game.numbers, np.int64), moves, first, last,
        layout, places_for(templates, combined=combined), tally,
    )  # fmt: skip
    assert positions == (moves < game.points).sum()
    return tally


def counted_plainly(
    game: Game, games: Sequence[Sequence[int]], templates: tuple[Template, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """By the reference."""
    plain = specialise("eightfold.benchmarks.reference.patterns", game.rules)
    points = np.full((len(templates), game.points, max(t.digits for t in templates)), -1, np.int32)
    for k, template in enumerate(templates):
        points[k, :, : template.digits] = placements(template, game.size)
    base = np.cumsum([0, *(template.codes for template in templates[:-1])])
    matches, plays = np.zeros((2, sum(template.codes for template in templates)), np.int64)
    state = np.zeros(game.spec.state_length(game.size), np.int64)
    moves, first, last = listed(games)
    options = np.array(game.numbers, np.int64)
    plain.count_plainly(state, game.size, options, moves, first, last, points, base, matches, plays)
    return matches, plays


def assert_same(game: Game, games: Sequence[Sequence[int]], templates: tuple[Template, ...]) -> None:
    tally, (matches, plays) = counted(game, games, templates, False), counted_plainly(game, games, templates)
    assert matches.sum() > 0
    assert np.array_equal(tally & MATCHES, matches)
    assert np.array_equal(tally >> MATCH_BITS, plays)


@settings(max_examples=25)
@given(size=st.integers(4, 9), seed=st.integers(0, 10**6), most=st.integers(1, 250))
def test_random_games_of_go(size: int, seed: int, most: int) -> None:
    """On small boards they are full of captures, kos, points of suicide and passes."""
    assert_same(go(size), [random_moves(go(size), seed, most), random_moves(go(size), seed + 1, most)], SMLARGE)


@pytest.mark.parametrize("template", ["4x4-centre-a", "4x4-edge-b", "4x4-corner"])
def test_large_templates(template: str) -> None:
    assert_same(go(7), [random_moves(go(7), seed, 150) for seed in range(3)], read_names([template, "3x3-edge"]))


def test_suicide_where_it_is_allowed() -> None:
    game = make_game("go:size=5,ko=simple,suicide=allowed")
    games = [random_moves(game, seed, 200) for seed in range(20)]
    assert_same(game, games, SMLARGE)


@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_gomoku(rule: str) -> None:
    game = make_game(f"gomoku:size=9,rule={rule}")
    assert_same(game, [random_moves(game, seed, 81) for seed in range(6)], SMLARGE)


@pytest.mark.slow
def test_a_game_that_declares_nothing_more_than_it_must(examples, monkeypatch) -> None:
    """`replay` and `forbidden` have defaults, so patterns of any game can be counted."""
    monkeypatch.syspath_prepend(str(examples))
    game = make_game("python:drop_four", trusted=True)
    assert not hasattr(game.rules, "replay")
    assert_same(game, [random_moves(game, seed, 30) for seed in range(4)], SMLARGE)


def test_a_ko_may_not_be_retaken() -> None:
    """Black takes at c4; in the next position c4's neighbour, where white stood, is no candidate for white."""
    game = go(5)
    names = ["b3", "c3", "c4", "d4", "c2", "d2", "a1", "e3", "d3"]  # black's d3 takes white's c3
    moves = [game.action(name) for name in names]
    state = game.start().state.copy()
    scratch = np.zeros(game.actions, np.int64)
    for move in moves:
        assert game.rules.replay(state, move, scratch) >= 0
    assert game.rules.replay(state.copy(), game.action("c3"), scratch) == -1
    assert_same(game, [[*moves, game.action("a5"), game.action("a3"), game.action("c3")]], SMLARGE)


def test_combined_while_reading_is_the_same_as_combined_afterwards() -> None:
    game, games = go(9), [random_moves(go(9), seed, 200) for seed in range(8)]
    raw = Library(
        game="go",
        combined=False,
        tables=take_out([counted(game, games, LARGE, False)], LARGE, combined=False, before={}),
    )
    tables = take_out([counted(game, games, LARGE, True)], LARGE, combined=True, before={})
    after = combine(raw)
    assert list(after.tables) == list(tables)
    for name, table in after.tables.items():
        assert np.array_equal(table.codes, tables[name].codes)
        assert np.array_equal(table.matches, tables[name].matches)
        assert np.array_equal(table.plays, tables[name].plays)


def test_tallies_are_taken_out_and_summed() -> None:
    """Two tallies and what was there before: the sum, and words that hold more than 32 bits of matches."""
    many = 2**36
    tally = empty_tally(SMLARGE, combined=True)
    tally[0] = many + (5 << MATCH_BITS)
    first = take_out([tally], SMLARGE, combined=True, before={})
    assert not tally.any()
    tally[0] = many
    other = empty_tally(SMLARGE, combined=True)
    other[0] = 7 + (1 << MATCH_BITS)
    second = take_out([tally, other], SMLARGE, combined=True, before=first)["3x3-centre"]
    assert (second.codes.tolist(), second.matches.tolist(), second.plays.tolist()) == ([0], [2 * many + 7], [6])


@settings(max_examples=20)
@given(size=st.integers(2, 7), seed=st.integers(0, 10**6), suicide=st.sampled_from(["forbidden", "allowed"]))
def test_replaying_go_is_playing_it(size: int, seed: int, suicide: str) -> None:
    """The quick replay of records changes the same points as `play`, and refuses what is not legal."""
    game = make_game(f"go:size={size},ko=simple,suicide={suicide}")
    played, replayed = game.start().state.copy(), game.start().state.copy()
    boards, changed, moves = (
        np.zeros((2, size, size), np.int8),
        np.zeros(game.actions, np.int64),
        np.zeros(game.actions, np.int64),
    )
    board = np.zeros(size * size, np.int64)
    for move in random_moves(game, seed, 120):
        if played[RESULT]:
            break
        legal = set(moves[: game.rules.legal(played, moves)].tolist())
        for other in range(-1, game.points + 2):
            assert (game.rules.replay(replayed.copy(), other, changed) >= 0) == (other in legal)
        forbidden = {int(game.rules.forbidden(state, moves)) for state in (played, replayed)}
        assert len(forbidden) == 1
        game.rules.play(played, move)
        for entry in changed[: game.rules.replay(replayed, move, changed)].tolist():
            assert board[entry >> 2] != entry & 3
            board[entry >> 2] = entry & 3
        for state, stones in zip((played, replayed), boards, strict=True):
            game.rules.stones(state, stones)
        assert np.array_equal(boards[0], boards[1])
        assert np.array_equal(boards[0].ravel(), board)
