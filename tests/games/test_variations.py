"""Trees of moves: what SGF holds comes in, and goes out the same."""

from __future__ import annotations

import random

import pytest

from eightfold.games.game import make_game
from eightfold.games.records.record import GameRecord
from eightfold.games.records.sgf import read_sgf
from eightfold.games.records.variations import ROOT, MoveTree, read_tree, write_tree
from refusals import refusal


def shape(tree, node=ROOT):
    return [(tree[child].move, shape(tree, child)) for child in tree[node].children]


def test_variations_are_read_in_their_order():
    tree = read_tree("(;GM[4]SZ[9];B[ee](;W[ff];B[aa])(;W[dd])(;W[cc]))", most_nodes=100)
    assert shape(tree) == [(40, [(50, [(0, [])]), (30, []), (20, [])])]


def test_what_the_rules_forbid_in_a_side_line_is_left_out():
    tree = read_tree("(;GM[4]SZ[9];B[ee](;W[ff])(;W[ee];B[aa])(;W[zz]))", most_nodes=100)
    assert shape(tree) == [(40, [(50, [])])]
    tree = read_tree("(;GM[4]SZ[9];B[ee](;W[ff])(;B[dd];B[cc])(;W[aa];W[bb]))", most_nodes=100)
    assert shape(tree) == [(40, [(50, []), (0, [])])]
    assert "already has the stone" in refusal(lambda: read_tree("(;GM[4]SZ[9];B[ee];W[ee])", most_nodes=100))


def test_setup_stones_come_first():
    tree = read_tree("(;GM[4]SZ[9]AB[ee][aa]AW[ff](;W[bb])(;W[cc]))", most_nodes=100)
    [(first, [(second, [(third, ends)])])] = shape(tree)
    assert (first, second, third) == (40, 50, 0)
    assert ends == [(10, []), (20, [])]


def test_only_the_first_game_of_a_text_is_taken():
    tree = read_tree("(;GM[4]SZ[9];B[ee]) (;GM[1];B[aa])", most_nodes=100)
    assert tree.main_line() == [40]
    assert "Go is GM[1]" in refusal(lambda: read_tree("(;GM[7];B[aa]) (;GM[4]SZ[9];B[ee])", most_nodes=100))


@pytest.mark.parametrize("text", ["gomoku:size=9", "go:size=4", "go:size=9,handicap=3"])
@pytest.mark.parametrize("seed", range(5))
def test_any_tree_goes_out_and_comes_in_again(text, seed):
    choice, game = random.Random(seed), make_game(text)
    tree = MoveTree(GameRecord(game=game.text, moves=(), black="a]b", result="B+R"), most_nodes=500)
    nodes = [ROOT]
    for _ in range(120):
        node = choice.choice(nodes)
        position = game.after(tree.moves(node))
        if not position.is_over:
            nodes.append(tree.add(node, choice.choice(position.legal_moves.tolist())))
    text = write_tree(tree)
    again = read_tree(text, most_nodes=500)
    assert shape(again) == shape(tree)
    assert again.record.black == "a]b"
    [record] = read_sgf(text)
    assert list(record.moves) == tree.main_line()
    assert record.result == "B+R"


def test_removing_takes_all_that_follows_and_numbers_are_not_used_again():
    tree = MoveTree(GameRecord(game="gomoku:size=9", moves=(1, 2, 3)), most_nodes=10)
    assert sorted(tree.remove(2)) == [2, 3]
    assert tree.add(1, 7) == 4
    assert tree.add(1, 7) == 4, "the same move is the same node"
    assert tree.line(1) == [0, 1, 4]
    assert "cannot be removed" in refusal(lambda: tree.remove(ROOT))
    assert "no node 2" in refusal(lambda: tree[2])


def test_limits():
    text = "(;GM[4]SZ[25]" + "".join(f"(;B[a{c}])" for c in "abcdefgh") + ")"
    assert len(read_tree(text, most_nodes=9)) == 9
    assert "more than 8 positions" in refusal(lambda: read_tree(text, most_nodes=8))


def test_go_has_passes_setup_stones_and_variations():
    text = "(;GM[1]SZ[5]AB[aa][bb]AW[cc]PL[W];W[dd](;B[];W[])(;B[ee](;W[tt])(;B[da])))"
    tree = read_tree(text, most_nodes=100)
    passed = 25
    assert shape(tree) == [(18, [(passed, [(passed, [])]), (24, [(passed, [(3, [])])])])], "B[ee];B[da]: white passed"
    assert read_tree(write_tree(tree), most_nodes=100).record.setup == tree.record.setup


def test_passes_that_were_taken_back_are_left_out_of_side_lines_too():
    tree = read_tree("(;GM[1]SZ[5];B[cc](;W[dd])(;W[];B[];W[bb];B[aa]))", most_nodes=100)
    passes = [25, 25]
    line = [tree[node].move for node in tree.line(2)]
    assert line == [-1, 12, 18]
    others = shape(tree)[0][1]
    assert (6, [(0, [])]) in others, "white's b4 goes on from c3 as if nobody had passed"
    assert (passes[0], [(passes[1], [])]) in others, "and the passes are a line of their own"


def test_dead_stones_are_kept_with_the_end_of_their_line():
    text = "(;GM[1]SZ[5]RU[Chinese];B[cc];W[aa];B[];W[]TB[aa][ab][ba])"
    tree = read_tree(text, most_nodes=100)
    [end] = tree.dead
    assert (tree.dead[end], tree[end].move) == ((0,), 25)
    written = write_tree(tree)
    assert read_tree(written, most_nodes=100).dead == tree.dead
    assert "W[]TB[aa]" in written
    tree.remove(end)
    assert tree.dead == {}


def test_dead_stones_of_a_position_without_moves_are_kept_too():
    tree = read_tree("(;GM[1]SZ[5]AB[aa]AW[bb]TW[aa][ba][ab])", most_nodes=100)
    assert tree.dead == {ROOT: (0,)}
    assert read_tree(write_tree(tree), most_nodes=100).dead == tree.dead
