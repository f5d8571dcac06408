"""The player `pattern`: legal moves by probabilities, no filled eyes, a pass when nothing is left, Gomoku as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eightfold.arena.match import play_match
from eightfold.arena.players import make_player
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.patterns.files import save_library
from eightfold.patterns.library import Library, Table
from eightfold.patterns.shipped import shipped_library
from eightfold.patterns.templates import templates_with


def some_library(game: str, *, gammas: bool = False) -> Library:
    """Counts of no game in particular."""
    random = np.random.default_rng(0)
    tables = {}
    for template in templates_with((3,)):
        codes = np.arange(0, template.codes, 2, dtype=np.uint32)
        matches = random.integers(10, 1000, len(codes))
        strengths = random.uniform(0.1, 10, len(codes)) if gammas else None
        tables[template.name] = Table(codes=codes, matches=matches, plays=matches // 9, gammas=strengths)
    return Library(game=game, combined=False, tables=tables)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("libraries")
    for game in ("go", "gomoku"):
        save_library(some_library(game, gammas=game == "go"), folder / f"{game}.patterns")
    return {game: folder / f"{game}.patterns" for game in ("go", "gomoku")}


@pytest.mark.parametrize("text", ["go:size=5", "go:size=2", "gomoku:size=6,win=4", "gomoku:size=7,rule=renju"])
@pytest.mark.parametrize("method", ["auto", "bayes"])
def test_it_plays_legal_games_to_the_end(places: dict[str, Path], text: str, method: str) -> None:
    game = make_game(text)
    player = make_player(f"pattern:library={places[game.name]},method={method}", game, seed=1)
    position = game.start()
    while not position.is_over:
        result = player.think(position)
        assert position.legal_mask[result.action]
        assert result.policy.shape == (game.actions,)
        assert result.policy.sum() == pytest.approx(1, abs=1e-5)
        assert not result.policy[~position.legal_mask].any()
        assert result.policy[result.action] > 0
        position = position.play(result.action)


def test_equal_seeds_play_equal_games_and_forks_are_players_of_their_own(places: dict[str, Path]) -> None:
    report = play_match(
        make_game("gomoku:size=6,win=4"), f"pattern:library={places['gomoku']}", "random", games=4, seed=3
    )
    again = play_match(
        make_game("gomoku:size=6,win=4"), f"pattern:library={places['gomoku']}", "random", games=4, seed=3
    )
    assert [r.position.moves for r in report.results] == [r.position.moves for r in again.results]
    assert report.distinct_games == 4


def test_temperature_sharpens(places: dict[str, Path]) -> None:
    game = make_game("go:size=5")
    position = game.after(["b2", "d4", "c3"])
    policies = {
        t: make_player(f"pattern:library={places['go']},temperature={t}", game).think(position).policy
        for t in (0, 0.5, 1, 3)
    }
    peaks = [policies[t].max() for t in (0, 0.5, 1, 3)]
    assert peaks == sorted(peaks, reverse=True)
    assert policies[0].max() == pytest.approx(1 / np.sum(policies[0] > 0))
    assert policies[0.5] == pytest.approx(policies[1] ** 2 / np.sum(policies[1] ** 2), rel=1e-4)


def test_it_fills_no_own_eye_and_passes_when_nothing_else_is_left(places: dict[str, Path]) -> None:
    game = make_game("go:size=5")
    # Black's wall on the fourth row leaves white a row in which every stone can be taken; black has two eyes.
    black = ["a2", "b2", "c2", "d2", "e2", "b1", "d1", "a3", "b3", "c3", "d3", "e3", "a4", "b4", "c4", "d4", "e4"]
    moves = [move for stone in black for move in (stone, "pass")]
    position = game.after(moves)
    player = make_player(f"pattern:library={places['go']}", game)
    result = player.think(position)
    eyes = [game.action(name) for name in ("a1", "c1", "e1")]
    assert not result.policy[eyes].any()
    assert result.policy[: game.points].sum() == pytest.approx(1)
    whole = game.after([*moves, "a5", "pass", "b5", "pass", "d5", "pass"])  # c5 and e5 are eyes too
    result = player.think(whole)
    assert result.action == game.points
    assert result.policy[game.points] == 1


def test_libraries_that_do_not_fit_are_refused(places: dict[str, Path], tmp_path: Path) -> None:
    go, gomoku = make_game("go:size=9"), make_game("gomoku:size=9")
    with pytest.raises(EightfoldError, match="has patterns of gomoku; the game is go"):
        make_player(f"pattern:library={places['gomoku']}", go)
    with pytest.raises(EightfoldError, match="cannot open the pattern library"):
        make_player(f"pattern:library={tmp_path / 'none.patterns'}", go)
    with pytest.raises(EightfoldError, match="has no strengths to judge by"):
        make_player(f"pattern:library={places['gomoku']},method=elo", gomoku)
    with pytest.raises(EightfoldError, match="'method' of player pattern 'magic'; known: auto, bayes, elo"):
        make_player("pattern:method=magic", gomoku)


def test_shipped_libraries_are_found_by_the_game_in_their_header(places: dict[str, Path], tmp_path: Path) -> None:
    folder = places["go"].parent
    found = shipped_library(make_game("gomoku:size=6"), folder)
    assert found is not None
    assert found.game == "gomoku"
    assert shipped_library(make_game("go:size=9"), tmp_path) is None
