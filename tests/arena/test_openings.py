"""Where the openings of matches come from: lists of one's own, and balanced ones by a network or a search."""

from __future__ import annotations

import itertools

import pytest

import eightfold
from eightfold.arena.match import play_match
from eightfold.arena.openings.balanced import LIMIT
from eightfold.arena.openings.lists import read_openings
from eightfold.arena.openings.source import opening_source
from eightfold.arena.tournaments.play import tournament
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.records import GameRecord, write_records
from refusals import refusal

GAME = make_game("gomoku:size=8")


def test_a_list_has_moves_as_people_write_them_or_steps_from_the_middle(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# mine\n\ne4 F3 d5  # a comment\ne4, f3, d5\n0,0, 1,1, -1,-1\n", encoding="utf-8")
    found = read_openings(file, GAME)
    assert [position.moves for position in found] == [(36, 45, 27)] * 3
    odd = make_game("gomoku:size=15")
    file.write_text("0,0, 7,-7\n")
    assert [odd.name_of(move) for move in read_openings(file, odd)[0].moves] == ["h8", "o15"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("e4 e4", "line 1: move e4 is not legal"),
        ("\n0,0, 9,9", "line 2: (row 13, column 13) is off"),
        ("0,0, 1", "line 1: '0,0, 1' is not a line of moves"),
        ("1 - 2, 3", "line 1: '1 - 2, 3' is not a line of moves"),
        ("zz", "line 1: 'zz' is not a point"),
        ("a1 a2 b1 b2 c1 c2 d1 d2 e1", "line 1: the game is over after this opening (black wins)"),
        ("# nothing\n", "holds no openings"),
        (b"\xff\xfe", "is no text"),
        (None, "cannot read openings from"),
    ],
)
def test_what_is_no_opening_is_named_with_its_line(text, complaint, tmp_path):
    file = tmp_path / "openings.txt"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(EightfoldError) as error:
        read_openings(file, GAME)
    assert complaint in str(error.value)


def test_records_are_openings_too(tmp_path):
    for number, moves in enumerate([(0, 1, 2), (9, 8)]):
        write_records(tmp_path / f"{number}.sgf", [GameRecord(game=GAME.text, moves=moves)])
    (tmp_path / "notes.md").write_text("not one")
    assert [position.moves for position in read_openings(tmp_path, GAME)] == [(0, 1, 2), (9, 8)]
    with pytest.raises(
        EightfoldError, match=r"0\.sgf, game 1: a game of gomoku:size=8.* is no opening of gomoku:size=9"
    ):
        read_openings(tmp_path, make_game("gomoku:size=9"))


@pytest.mark.parametrize(
    ("text", "game", "complaint"),
    [
        ("(;GM[1]SZ[9]KM[0.5]RU[Chinese]HA[2]AB[cg][gc];W[ee];B[dd])", "go:size=9,komi=0.5", "it does not begin as go"),
        ("(;GM[1]SZ[9]PL[W];W[ee];B[dd])", "go:size=9", "it does not begin as go:size=9"),
        ("(;GM[1]SZ[8];B[ee];W[dd])", "gomoku:size=8", "is no opening of gomoku:size=8"),
        ("(;GM[4]SZ[9];B[ee];W[dd])", "gomoku:size=8", "is no opening of gomoku:size=8"),
    ],
)
def test_a_record_that_begins_otherwise_is_refused(text, game, complaint, tmp_path):
    (tmp_path / "opening.sgf").write_text(text)
    assert complaint in refusal(lambda: read_openings(tmp_path, make_game(game)))


def test_the_seed_shuffles_a_list_and_all_of_it_is_played(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("".join(f"{letter}{number}\n" for letter in "abcd" for number in range(1, 9)))
    orders = [
        [position.moves for position in opening_source(GAME, str(file), seed=seed).take(64)] for seed in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert sorted(order[:32]) == sorted(order[32:]) == sorted({*order})
    assert opening_source(GAME, str(file)).name == f"32 openings of {file}"


def test_balanced_openings_are_so_for_the_network_and_different_ones():
    source = opening_source(GAME, "balanced", plies=5, seed=3)
    positions = source.take(40)
    assert source.name == "5 moves, balanced by gomoku-8 (values from -0.1 to 0.1)"
    _, values = eightfold.load_network("gomoku-8").evaluate(positions)
    assert abs(values).max() <= LIMIT + 1e-3  # another size of batch may change the last digits
    assert len({position.orbit_key for position in positions}) == 40
    assert all(position.ply == 5 and not position.is_over for position in positions)
    for position in positions:
        assert not any(position.play(int(move)).is_over for move in position.legal_moves)
    again = opening_source(GAME, "balanced:gomoku-8", plies=5, seed=3).take(10)
    assert [each.moves for each in again] == [each.moves for each in positions[:10]]
    other = opening_source(GAME, "balanced", plies=5, seed=4).take(10)
    assert not {each.moves for each in other} & {each.moves for each in positions}


def test_where_no_network_is_shipped_a_search_judges_and_few_openings_come_again():
    game = make_game("gomoku:size=4,win=4")  # dead drawn, so all of the three are balanced
    source = opening_source(game, "balanced", plies=1, seed=1)
    assert "balanced by mcts:playouts=" in source.name
    keys = [position.orbit_key for position in source.take(4)]
    assert len(set(keys[:1])) == 1
    assert set(keys) <= {game.after([move]).orbit_key for move in (0, 1, 5)}


@pytest.mark.parametrize(
    ("text", "plies", "complaint"),
    [
        ("balanced", 33, "balanced openings of 33 plies do not fit gomoku:size=8"),
        ("balanced:nowhere", 4, "nowhere holds no network"),
        ("", 4, "openings '' name nothing; give random, balanced"),
        ("nowhere.txt", 4, "cannot read openings from nowhere.txt"),
    ],
)
def test_what_names_no_openings_is_refused(text, plies, complaint):
    with pytest.raises(EightfoldError) as error:
        opening_source(GAME, text, plies=plies)
    assert complaint in str(error.value)


def test_a_match_plays_each_opening_from_both_sides_and_names_them(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_text("e4 f3 d5\nb2 c3\n")
    report = play_match(GAME, "random", "random", games=4, openings=str(file))
    moves = [result.position.moves for result in report.results]
    assert moves[0][:2] == moves[1][:2] != moves[2][:2] == moves[3][:2]
    assert [result.first_named_is_black for result in report.results] == [True, False] * 2
    assert report.opening_plies == 3
    assert report.as_dict()["openings"] == f"2 openings of {file}"
    assert play_match(GAME, "random", "random", games=2, opening_plies=2).openings == "2 random moves"


def test_a_tournament_keeps_its_openings(tmp_path):
    file, folder = tmp_path / "mine.txt", tmp_path / "cup"
    file.write_text("".join(f"e{number} f{number}\n" for number in range(1, 5)))
    given = {"game": GAME.text, "openings": str(file), "seed": 1}
    first = tournament(folder, ["random", "greedy"], games=4, **given)
    kept = (folder / "openings.txt").read_text()
    assert kept.startswith(f"# 4 openings of {file}\n")
    assert str(file) in (folder / "README.md").read_text()
    assert first.as_dict()["openings"] == str(file)
    file.write_text("a1 a2\nb1 b2\n")  # whatever becomes of the list, who joins plays the same openings
    tournament(folder, ["random", "greedy", "alphabeta:depth=1"], games=4)
    assert (folder / "openings.txt").read_text() == kept
    begun = {game.record.moves[:2] for game in tournament(folder).games}
    assert begun == {GAME.after(line.split()).moves for line in kept.splitlines()[1:]}
    with pytest.raises(EightfoldError, match="needs 4 openings and keeps 2; say again where they are from"):
        tournament(folder, ["random", "greedy"], games=8)
    longer = tournament(folder, ["random", "greedy"], games=8, **given)
    assert (folder / "openings.txt").read_text().splitlines()[1:3] == kept.splitlines()[1:]
    for game, other in itertools.pairwise(sorted(longer.games, key=lambda game: (game.pair, game.number))):
        if game.pair == other.pair and game.number % 2 == 0:
            assert game.record.moves[:2] == other.record.moves[:2]
    with pytest.raises(EightfoldError, match="was begun with openings"):
        tournament(folder, ["random", "greedy"], games=4, openings="balanced")
