"""The examples of the documentation do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from eightfold.arena import play_match
from eightfold.benchmarks.reference.mcts import PlainMcts, PlainRandom
from eightfold.core.errors import EightfoldError
from eightfold.core.rng import make_random
from eightfold.games import make_game
from eightfold.search import AlphaBeta, Mcts
from eightfold.studies.frame import load_study, run_study
from eightfold.studies.store import stage_results
from eightfold.symmetry import destinations

DOCS = Path(__file__).parents[2] / "docs"


class PlainSquares:
    """The rules of squares once more: every square of the board looked at after every move."""

    def __init__(self, size: int) -> None:
        self.size, self.side, self.result = size, 1, 0
        self.stones: dict[tuple[int, int], int] = {}

    def copy(self) -> PlainSquares:
        other = PlainSquares(self.size)
        other.stones, other.side, other.result = dict(self.stones), self.side, self.result
        return other

    def legal(self) -> list[int]:
        points = [] if self.result else range(self.size**2)
        return [move for move in points if divmod(move, self.size) not in self.stones]

    def play(self, move: int) -> None:
        self.stones[divmod(move, self.size)] = self.side
        if any(all(self.stones.get(corner) == self.side for corner in square) for square in self.squares()):
            self.result = self.side
        elif len(self.stones) == self.size**2:
            self.result = 3
        self.side = 3 - self.side

    def squares(self) -> list[list[tuple[int, int]]]:
        span = range(self.size)
        return [
            [(row, column), (row + side, column), (row, column + side), (row + side, column + side)]
            for row in span
            for column in span
            for side in range(1, self.size - max(row, column))
        ]


class SquaresMcts(PlainMcts):
    """The default rollout asks for the legal moves before every move."""

    def rollout(self, game) -> int:
        while not game.result:
            moves = game.legal()
            game.play(moves[self.random.below(len(moves))])
        return game.result


@pytest.fixture
def squares(examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    return make_game("python:squares,size=5", trusted=True)


def test_squares_follows_its_rules_over_many_random_games(squares):
    random = np.random.default_rng(1)
    endings = set()
    for _ in range(300):
        position, plain = squares.start(), PlainSquares(5)
        while not plain.result:
            assert position.legal_moves.tolist() == plain.legal()
            move = int(random.choice(plain.legal()))
            position = position.play(move)
            plain.play(move)
            assert int(position.state[4]) == plain.result
        endings.add(plain.result)
    assert endings >= {1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_the_search_on_squares_is_the_plain_search(squares, seed):
    result = Mcts(squares, Mcts.Options(playouts=300), seed=seed).think(squares.start())
    root = SquaresMcts(5.0, PlainRandom(int(make_random(seed)[0]))).run(PlainSquares(5), 300)
    visits = np.zeros(25, np.int64)
    for child in root.children:
        visits[child.move] = child.visits
    np.testing.assert_array_equal(result.visits, visits)


def test_squares_gets_orbit_keys_and_encoding_for_nothing(squares):
    moves = [0, 7, 13, 22]
    key = squares.after(moves).orbit_key
    for g in range(8):
        assert squares.after([int(destinations(5)[g, move]) for move in moves]).orbit_key == key
    own, opponent, last, colour = squares.after(moves).encode("last-move")
    assert np.flatnonzero(own).tolist() == [0, 13]
    assert np.flatnonzero(opponent).tolist() == [7, 22]
    assert np.flatnonzero(last).tolist() == [22]
    assert colour.all()


def test_a_player_that_needs_more_says_so(squares):
    with pytest.raises(EightfoldError, match="alphabeta needs a game that scores moves"):
        AlphaBeta(squares)


def test_the_own_player_of_the_docs_plays_a_match(examples, monkeypatch):
    monkeypatch.chdir(examples)
    report = play_match(make_game("gomoku:size=7"), "python:copycat:Copycat", "random", games=4, seed=3)
    for result in report.results:
        moves = result.position.moves
        mine = range(0 if result.first_named_is_black else 1, len(moves), 2)
        copied = 0
        for ply in mine:
            image = int(destinations(7)[2, moves[ply - 1]]) if ply else -1
            if ply and image not in moves[:ply]:
                assert moves[ply] == image
                copied += 1
        assert copied >= 4


def test_code_shown_in_the_docs_is_the_code_in_the_examples(examples):
    shown = re.findall(
        r"```python\n(.*?)```", (DOCS / "players.md").read_text() + (DOCS / "new-game.md").read_text(), re.S
    )
    sources = [without_comments(path.read_text()) for path in examples.glob("*.py")]
    checked = [block for block in shown if ">>>" not in block]
    assert len(checked) >= 3
    for block in checked:
        assert any(without_comments(block) in source for source in sources), block


def without_comments(code: str) -> str:
    """Code without docstrings and comments, blank lines squeezed."""
    code = re.sub(r'^\s*""".*?"""\n', "", code, flags=re.S | re.M)
    lines = [re.sub(r"\s*#.*", "", line).rstrip() for line in code.splitlines()]
    return "\n".join(line for line in lines if line)


def test_the_study_of_the_documentation_runs_and_is_quoted_as_it_is(examples, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    study = load_study("python:playouts")
    report = run_study(study, tmp_path, small=True).read_text(encoding="utf-8")
    rows = stage_results(tmp_path, "playouts", ["matches"])["matches"]
    assert [(row["playouts"], row["seed"]) for row in rows] == [(n, seed) for n in (5, 50) for seed in range(3)]
    for playouts in (5, 50):
        mean = np.mean([row["score"] for row in rows if row["playouts"] == playouts])
        assert f"| {playouts} | {mean:.1%} | " in report
    assert (tmp_path / "score.svg").exists()
    assert (tmp_path / "matches.csv").exists()
    source = (examples / "playouts.py").read_text(encoding="utf-8")
    _, _, page = (DOCS / "studies.md").read_text(encoding="utf-8").partition("## A study of one's own")
    quoted = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(quoted) == 3
    assert all(piece in source for piece in quoted)
