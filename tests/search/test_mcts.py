"""The player `mcts`: its two styles, and which options belong to which."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from eightfold.arena.players import make_player
from eightfold.games import make_game
from eightfold.patterns.codes import LOW, encode_digits, orbit
from eightfold.patterns.combine import combine
from eightfold.patterns.files import save_library
from eightfold.patterns.library import Library, table_from_counts
from eightfold.patterns.templates import templates_with
from eightfold.search.pattern_weights import LEAST, shape_weights
from refusals import refusal

# What `mcts` did before it had styles: three moves of a game at 400 playouts, and a digest of their visits.
BEFORE = [
    ("gomoku:size=8", [], 0, [9, 15, 28], "8599322578d8"),
    ("gomoku:size=8", ["d4", "e5"], 7, [43, 36, 33], "032c74ff00b9"),
    ("go:size=9", [], 0, [69, 40, 6], "582830cf07cf"),
    ("go:size=9", [], 7, [1, 38, 47], "8115b34880d3"),
    ("go:size=5,komi=0.5", ["c3", "c2"], 0, [7, 16, 11], "8acebff19133"),
]


@pytest.mark.parametrize(("text", "moves", "seed", "actions", "digest"), BEFORE)
def test_the_plain_style_visits_what_mcts_visited_before_it_had_styles(text, moves, seed, actions, digest):
    game = make_game(text)
    player, position = make_player("mcts:style=plain,playouts=400", game, seed=seed), game.after(moves)
    played, visits = [], hashlib.blake2b(digest_size=6)
    for _ in range(3):
        result = player.think(position)
        assert result.visits is not None
        played.append(int(result.action))
        visits.update(result.visits.astype("<i8").tobytes())
        position = position.play(result.action)
    assert played == actions
    assert visits.hexdigest() == digest


def test_the_style_is_the_full_one_where_the_game_offers_it():
    go, gomoku = make_game("go:size=5"), make_game("gomoku:size=5")

    def visits(text, game):
        return make_player(text, game, seed=1).think(game.start()).visits.tolist()

    assert visits("mcts:playouts=40", go) == visits("mcts:playouts=40,style=full", go)
    assert visits("mcts:playouts=40", go) != visits("mcts:playouts=40,style=plain", go)
    assert visits("mcts:playouts=40", gomoku) == visits("mcts:playouts=40,style=plain", gomoku)


@pytest.mark.parametrize(
    ("text", "game", "said"),
    [
        ("mcts:style=plain,rave=100", "go:size=5", "rave= belongs to the full style, and style=plain was asked for"),
        ("mcts:style=plain,captures=no", "go:size=5", "captures= belongs to the full style"),
        ("mcts:threads=2", "gomoku:size=5", "threads= belongs to the full style, and gomoku offers no such playouts"),
        ("mcts:style=full", "gomoku:size=5", "style=full needs playouts with knowledge, which gomoku does not offer"),
        ("mcts:style=half", "go:size=5", "known: auto, plain, full"),
        ("mcts:rave=-1", "go:size=5", "rave=-1.0 is not a number from 0 to 1,000,000,000"),
        ("mcts:priors=some", "go:size=5", "known: visits, puct, off"),
        ("mcts:patterns=nowhere.npy", "go:size=5", "nowhere.npy"),
    ],
)
def test_options_that_do_not_fit_are_answered_in_one_line(text, game, said):
    answer = refusal(lambda: make_player(text, make_game(game)))
    assert said in answer
    assert "\n" not in answer


def test_a_pattern_library_gives_weights_to_all_turned_shapes(tmp_path):
    matches, plays = np.full(LOW, 100), np.full(LOW, 2)
    often, seldom = encode_digits([1, 2, 0, 0, 0, 0, 0, 0]), encode_digits([2, 2, 2, 0, 0, 0, 0, 0])
    for code, count in ((often, 50), (seldom, 1)):
        plays[orbit("3x3-centre", code)] = count
    tables = {template.name: table_from_counts(matches, plays) for template in templates_with((3,))}
    library = Library(game="go", combined=False, tables=tables)
    for found in (library, combine(library)):
        weights = shape_weights(found)
        turned = orbit("3x3-centre", often)
        assert weights[0, turned] == pytest.approx(weights[0, often])
        assert weights[0, often] > 10 > LEAST
        assert np.count_nonzero(weights[0]) == len(turned), "all others are played too seldom"
    save_library(combine(library), tmp_path / "own.patterns")
    game = make_game("go:size=5")

    def visits(patterns):
        player = make_player(f"mcts:playouts=200,patterns={patterns}", game, seed=1)
        return player.think(game.after(["c3"])).visits.tolist()

    assert visits(tmp_path / "own.patterns") != visits("off")
    save_library(replace(library, game="gomoku"), tmp_path / "other.patterns")
    assert "has patterns of gomoku; the game is go" in refusal(lambda: visits(tmp_path / "other.patterns"))
