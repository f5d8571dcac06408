"""Self-play that begins with balanced openings: on the CPU, with the kernels of a GPU, in a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eightfold.config import load_preset, with_changes
from eightfold.games import make_game
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.loop import Training
from eightfold.learning.opening_book import LEAST_ROWS, ROWS, OpeningBook, wants_book
from eightfold.learning.selfplay import SelfPlay

GAME = "gomoku:size=6,win=4"
SETTINGS = SelfPlayConfig(
    parallel_games=4, playouts=4, opening_share=1.0, opening_stones=5, opening_balance=0.3, opening_anywhere=True
)


class Side:
    """An evaluator that likes its stones on one side of the board; how much can be changed."""

    encoder = "last-move"
    steepness = 1.0

    def evaluate(self, planes):
        likes = np.linspace(-1, 1, planes.shape[-1])[:, None]
        values = np.tanh(self.steepness * ((planes[:, 0] - planes[:, 1]) * likes).sum(axis=(1, 2)))
        return np.zeros((len(planes), planes[0, 0].size), np.float32), values.astype(np.float32)

    def value(self, position):
        return float(self.evaluate(position.encode(self.encoder)[None])[1][0])


def test_a_book_holds_what_the_network_calls_balanced_and_is_made_anew():
    game, side = make_game(GAME), Side()
    book = OpeningBook(game, SETTINGS, side, seed=(1,))
    assert LEAST_ROWS < len(book) < ROWS
    assert book.share == len(book) / ROWS
    first = [tuple(book.openings.moves_of(row)) for row in range(len(book))]
    assert all(abs(side.value(game.after(moves))) <= 0.3 for moves in first)
    assert {len(moves) for moves in first} == set(range(6))
    side.steepness = 1000.0  # now hardly anything is balanced
    book.renew()
    assert len(book) >= LEAST_ROWS
    second = [tuple(book.openings.moves_of(row)) for row in range(len(book))]
    assert set(second) != set(first)
    side.steepness = 0.0
    book.renew()
    assert book.share > 0.9, "all that is not won by force"


def test_games_begin_with_rows_of_the_book_and_without_one_as_ever():
    game, side = make_game(GAME), Side()
    book = OpeningBook(game, SETTINGS, side, seed=(1,))
    rows = {tuple(book.openings.moves_of(row)) for row in range(len(book))}

    def openings(settings: SelfPlayConfig, book: OpeningBook | None) -> list[tuple[int, ...]]:
        random = np.random.default_rng(5)
        games = SelfPlay(game, side, settings=settings, random=random, book=book).play(12)
        return [each.moves[: each.opening] for each in games]

    assert set(openings(SETTINGS, book)) <= rows
    assert openings(replace(SETTINGS, opening_balance=0.0), None) == openings(SETTINGS, None)
    assert not set(openings(SETTINGS, None)) <= rows
    alone = openings(replace(SETTINGS, opening_share=0.5), book)
    assert () in alone
    assert any(alone)


@pytest.mark.parametrize("change", [{"opening_balance": 0.0}, {"opening_share": 0.0}, {"opening_stones": 0}])
def test_there_is_no_book_where_nothing_is_to_be_balanced(change):
    assert wants_book(SETTINGS)
    assert not wants_book(replace(SETTINGS, **change))


def play_on_the_host() -> None:
    """The kernels of a GPU take their openings from the table that they are given."""
    from eightfold.core.rng import make_random
    from eightfold.learning.actors.gpu import ways_of
    from eightfold.search.game_forest import PERIOD, GameForest, Host
    from eightfold.search.openings import draw_openings

    game, side = make_game("gomoku:size=4,win=3"), Side()
    settings = replace(SETTINGS, playouts=2, opening_stones=3)
    book = draw_openings(game, 5, least=2, most=3, random=make_random(1))
    rows = {tuple(book.moves_of(row)) for row in range(5)}
    forest = GameForest(
        game, settings, ways_of(settings, game), encoder="last-move", trees=4, rows=4, seed=(1,), machine=Host()
    )

    def openings() -> set[tuple[int, ...]]:
        """Of the next four games that end."""
        found: list[tuple[int, ...]] = []
        while len(found) < 4:
            forest.hand_over()
            for _ in range(PERIOD):
                forest.step()
                logits, values = side.evaluate(forest.planes)
                forest.logits[:], forest.values[:, 0] = logits, values
            forest.tend()
            for ended in forest.collect(forest.look()()):
                moves = [int(move) for move in ended.moves]
                assert game.after(moves).result == ended.result
                found.append(tuple(moves[: ended.opening]))
        return set(found)

    assert not openings() <= rows, "no book is given yet"
    forest.open_with(book)
    openings()  # those that were under way
    openings()
    assert openings() <= rows


def test_the_kernels_of_a_gpu_open_with_the_book(run_python):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    run_python(code + "import test_opening_book; test_opening_book.play_on_the_host()", NUMBA_DISABLE_JIT="1")


def test_a_run_balances_its_openings_with_its_own_network(tmp_path):
    changes = [
        "game=gomoku:size=5,win=4",
        "network=resnet:blocks=1,filters=8",
        "minutes=0",
        "games=8",
        "selfplay.parallel_games=4",
        "selfplay.playouts=8",
        "selfplay.opening_stones=3",
        "selfplay.opening_balance=0.2",
        "training.batch_size=16",
        "training.games_a_round=4",
        "training.replay_ratio=2",
        "training.window=200",
        "evaluation.every_minutes=0",
    ]
    training = Training(with_changes(load_preset(TrainConfig(), "quick"), changes), tmp_path / "run")
    made = training.players.book.openings.moves.copy()
    entries: list[dict[str, object]] = []
    training.train(entries.append)
    training.close()
    shares = [entry["balanced_openings"] for entry in entries if "balanced_openings" in entry]
    assert shares
    assert all(0 < share <= 1 for share in shares)
    assert not np.array_equal(made, training.players.book.openings.moves), "new weights, a new book"
