"""Go records in SGF: round trips, an independent reader, what is tolerated, and what every error says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill

from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.game import Position
from eightfold.games.go.setup import handicap_points
from eightfold.games.points import count
from eightfold.games.records.files import read_records, write_records
from eightfold.games.records.record import GameRecord
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.setup import start_from
from eightfold.symmetry.orbit import LARGEST_BOARD
from refusals import refusal

JAPANESE = "rules=japanese,handicap=0,ko=simple,suicide=forbidden"
GAMES = [
    "go:size=9",
    "go:size=19,komi=6.5,rules=japanese",
    "go:size=13,komi=0.5,handicap=5,rules=aga",
    "go:size=2,komi=0",
    "go:size=7,rules=chinese,ko=simple",
    "go:size=5,rules=new-zealand,komi=-3.5",
    "go:size=25,rules=tromp-taylor",
    "go:size=9,komi=375",
    "go:size=9,komi=0.5,handicap=2,ko=simple",
]


def random_game(start: Position, seed: int, most: int) -> Position:
    random = np.random.default_rng(seed)
    position = start
    while not position.is_over and len(position.moves) < most:
        legal = position.legal_moves
        stone = len(legal) > 1 and random.random() < 0.95
        position = position.play(int(random.choice(legal[:-1]) if stone else legal[-1]))
    return position


def read_one(text: str) -> GameRecord:
    [record] = read_sgf(text)
    return record


# ---- round trips ------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(
    st.sampled_from(GAMES), st.integers(0, 10**6), st.integers(0, 80), st.integers(0, 8), st.booleans(), st.booleans()
)
def test_round_trip(text, seed, most, stones, white_first, with_dead):
    game, random = make_game(text), np.random.default_rng(seed)
    setup, to_move = {}, 0
    if game.size >= 5 and not game.values["handicap"] and stones:
        setup = {int(point): int(random.integers(1, 3)) for point in random.choice(game.points, stones, replace=False)}
        to_move = WHITE if white_first else BLACK
        try:
            position = start_from(game, setup, to_move=to_move)
        except ValueError:  # a group without a liberty
            return
    else:
        position = game.start()
    position = random_game(position, seed, most)
    dead = ()
    if with_dead and position.stones.any():
        dead = count(position, dead=[int(random.choice(np.flatnonzero(position.stones)))]).dead
    moves = position.moves
    record = GameRecord(
        game=game.text,
        moves=moves,
        black="ä]b",
        white="w",
        setup=tuple(sorted(setup.items())),
        to_move=to_move,
        dead=dead,
    )
    again = read_one(write_sgf([record]))
    assert again == record
    np.testing.assert_array_equal(again.position().stones, position.stones)


def test_files_of_both_games_lie_side_by_side(tmp_path):
    records = [
        GameRecord(game=make_game("gomoku:size=9").text, moves=(40, 41)),
        GameRecord(game=make_game("go:size=9").text, moves=(40, 81, 41), black="ann", result="B+3.5"),
    ]
    write_records(tmp_path / "both.sgf", records)
    assert read_records(tmp_path / "both.sgf") == records


def test_what_is_written_is_read_by_sgfmill():
    game = make_game("go:size=9,komi=5.5,handicap=3,rules=japanese")
    position = random_game(game.start(), 5, 40)
    text = write_sgf([GameRecord(game=game.text, moves=position.moves, black="ann", result="W+2.5")])
    theirs = sgfmill.Sgf_game.from_string(text)
    assert (theirs.get_size(), theirs.get_komi(), theirs.get_handicap()) == (9, 5.5, 3)
    assert theirs.get_player_name("b") == "ann"
    assert theirs.get_winner() == "w"
    black, white, _ = theirs.get_root().get_setup_stones()
    assert {(8 - row) * 9 + column for row, column in black} == set(handicap_points(9, 3))
    assert not white
    played = [node.get_move() for node in theirs.get_main_sequence()[1:]]
    expected = [(8 - move // 9, move % 9) if move < 81 else None for move in position.moves]
    assert [point for _, point in played] == expected
    assert [colour for colour, _ in played] == ["wb"[k % 2] for k in range(len(expected))]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([5, 9, 19, 25]), st.integers(1, 60))
def test_what_sgfmill_writes_is_read(seed, size, most):
    game = make_game(f"go:size={size},komi=6.5")
    position = random_game(game.start(), seed, most)
    theirs = sgfmill.Sgf_game(size=size)
    theirs.get_root().set("KM", 6.5)
    theirs.get_root().set("RU", "Chinese")
    for k, move in enumerate(position.moves):
        row, column = divmod(move, size)
        theirs.extend_main_sequence().set_move("bw"[k % 2], (size - 1 - row, column) if move < size * size else None)
    record = read_one(theirs.serialise().decode())
    assert record.game == game.text
    np.testing.assert_array_equal(record.position().stones, position.stones)


# ---- setup, handicap, dead stones -------------------------------------------------------------------


def test_setup_stones_rectangles_and_who_is_to_move():
    record = read_one("(;GM[1]SZ[5]RU[Chinese]KM[0]AB[aa:ba][cc]AW[ee];AE[cc]PL[W])")
    assert record.setup == ((0, BLACK), (1, BLACK), (24, WHITE))
    assert record.start().to_move == WHITE
    assert read_one("(;GM[1]SZ[5]AB[aa]AW[ee]PL[W];B[cc])").start().to_move == BLACK, "who moves is to move"
    assert read_one("(;GM[1]SZ[5];W[cc];B[dd])").start().to_move == WHITE
    assert read_one("(;GM[1]SZ[5]AB[aa][bb];AW[aa];B[cc])").setup == ((0, WHITE), (6, BLACK)), "the later stone lies"


def test_handicap_stones_in_all_their_forms():
    usual = make_game(f"go:size=9,komi=0,{JAPANESE}").text.replace("handicap=0", "handicap=2")
    for text in (
        "(;GM[1]SZ[9]HA[2]AB[cg][gc];W[ee])",
        "(;GM[1]SZ[9]AB[gc][cg];W[ee])",
        "(;GM[1]SZ[9]HA[2];W[ee])",
        "(;GM[1]SZ[9]HA[2];B[gc];B[cg];W[ee])",
        "(;GM[1]SZ[9]HA[2];AB[gc][cg];W[ee])",
    ):
        record = read_one(text)
        assert record.game == usual, text
        assert (record.setup, record.to_move, record.moves) == ((), 0, (40,)), text
    free = read_one("(;GM[1]SZ[9]HA[2];B[dd];B[ff];W[ee])")
    assert free.setup == ((3 * 9 + 3, BLACK), (5 * 9 + 5, BLACK))
    assert free.start().to_move == WHITE
    assert "HA[2]AB[dd][ff]PL[W]" in write_sgf([free]).replace("KM[0]", "")


@pytest.mark.parametrize("text", ["go:size=9,komi=0,rules=japanese", "go:size=9,ko=simple"])
def test_handicap_stones_stay_where_black_moves_first(text):
    stones = "(;GM[1]SZ[9]AB[cg][gc]PL[B])"
    assert read_one(stones).setup == ((24, BLACK), (56, BLACK))
    assert read_one(stones).start().to_move == BLACK
    assert not read_one("(;GM[1]SZ[9]HA[2]PL[B])").start().stones.any(), "there are none if black moves first"
    record = GameRecord(game=make_game(f"{text},handicap=2").text, moves=(40,), to_move=BLACK)
    assert sorted(np.flatnonzero(record.start().stones)) == [24, 56]
    assert read_one(write_sgf([record])) == record


def test_moves_in_a_row_are_no_handicap_with_a_pass_or_beside_white_stones():
    assert read_one("(;GM[1]SZ[9];B[];B[ee];B[dd];W[ef])").moves == (40, 81, 30, 49)
    taken = read_one("(;GM[1]SZ[9]AW[aa];B[ab];B[ba];W[ee])")
    assert (taken.setup, taken.moves) == (((0, WHITE),), (9, 81, 1, 40))
    assert not taken.position().stones[0, 0]


def test_dead_stones_are_those_in_the_other_sides_territory():
    record = read_one("(;GM[1]SZ[5]KM[0];B[bc];W[aa];B[cc];W[];B[cb];W[];B[ca];W[];B[ac];W[];B[]TB[aa][ba][ab][bb])")
    assert record.dead == (0,)
    assert count(record.position(), dead=record.dead).margin == 25 - 5 + 1, "five stones, and one prisoner"
    assert ";B[]TB[aa]" in write_sgf([record])
    assert read_one(write_sgf([record])) == record


# ---- rules, komi, passes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ("", "go:size=19,komi=0,rules=japanese"),
        ("SZ[13]KM[6.5]RU[Chinese]", "go:size=13,komi=6.5,rules=chinese"),
        ("KM[3.75]RU[cn]", "go:komi=7.5,rules=chinese"),
        ("KM[375]RU[chinese rules]", "go:komi=7.5,rules=chinese"),
        ("KM[650]RU[Japanese]", "go:komi=6.5,rules=japanese"),
        ("KM[5,5]", "go:komi=5.5,rules=japanese"),
        ("KM[ 6.5 points ]RU[Korean]", "go:komi=6.5,rules=japanese"),
        ("KM[]RU[AGA]", "go:komi=0,rules=aga"),
        ("KM[7]RU[New Zealand]", "go:komi=7,rules=new-zealand"),
        ("KM[7]RU[tromp_taylor]", "go:komi=7,rules=tromp-taylor"),
        ("KM[0]HA[0]", "go:komi=0,rules=japanese"),
    ],
)
def test_rules_and_komi(properties, text):
    assert read_one(f"(;GM[1]{properties};B[aa])").game == make_game(text).text


def test_komi_or_handicap_make_a_record_go():
    assert read_one("(;SZ[19]KM[6.5];B[pd])").game.startswith("go:size=19,komi=6.5")
    assert read_one("(;SZ[9]HA[2];W[ee])").game.startswith("go:size=9")


@pytest.mark.parametrize(
    ("moves", "read"),
    [
        (";B[ee];W[];B[tt]", (40, 81, 81)),
        (";B[ee];W[];B[];W[]", (40, 81, 81)),  # the third pass is too late
        (";B[ee];W[];B[];W[ef]", (40, 49)),  # the passes were taken back
        (";B[ee];W[ef];W[ff]", (40, 49, 81, 50)),  # black passed in between
        (";B[ee];W[ef];B[];W[];B[];W[ff]", (40, 49, 81, 50)),
        (";B[EE];W[ ef ]", (40, 49)),
        (";B[ee]C[good];N[x];W[ef](;B[gg])(;B[hh])", (40, 49, 60)),
    ],
)
def test_passes_and_turns(moves, read):
    assert read_one(f"(;GM[1]SZ[9]{moves})").moves == read


def test_tt_is_a_point_of_large_boards():
    assert read_one("(;GM[1]SZ[21];B[tt])").moves == (19 * 21 + 19,)
    assert read_one("(;GM[1]SZ[19];B[tt])").moves == (361,)
    assert LARGEST_BOARD == 25
    assert read_one("(;GM[1]SZ[25];B[yy])").moves == (624,)


def test_a_repetition_that_happened_is_read_with_simple_ko():
    cycle = "(;GM[1]SZ[5]RU[Chinese]AB[ba][da][cb]AW[ab][bb]PL[B];B[aa];W[ca];B[ba])"
    assert "ko=simple" in read_one(cycle).game
    assert "ko=positional" in read_one(cycle.replace(";B[ba])", ")")).game


def test_what_the_usual_properties_cannot_say_goes_into_a_private_one():
    assert "EIGHTFOLD" not in write_sgf([GameRecord(game="go:size=9,rules=aga,komi=5.5,handicap=2", moves=(40,))])
    assert "EIGHTFOLD[go:" in write_sgf([GameRecord(game="go:size=9,ko=simple", moves=(40,))])


# ---- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(;GM[1]SZ[9];B[ej])", ["game 1 (line 1)", "move 1", "'B[ej]'", "off a 9x9 board"]),
        ("(;GM[1]SZ[9];B[ee];W[e5])", ["move 2", "'W[e5]'", "not a point", "such as ee"]),
        ("(;GM[1]SZ[9];B[ee];W[ee])", ["move 2", "'W[ee]'", "e5 already has the stone of move 1"]),
        ("(;GM[1]SZ[9]AW[ee];B[ee])", ["move 1", "'B[ee]'", "e5 already has a stone from the start"]),
        ("(;GM[1]SZ[9];B[ee][ef])", ["move 1", "2 points in one move"]),
        ("(;GM[1]SZ[9]AB[ee]AW[ee])", ["'AW[ee]'", "e5 has a black stone already"]),
        ("(;GM[1]SZ[9]AB[ej])", ["'AB[ej]'", "off a 9x9 board"]),
        ("(;GM[1]SZ[9]AB[aa:zz])", ["'AB[aa:zz]'", "off a 9x9 board"]),
        ("(;GM[1]SZ[9]AB[tt])", ["'AB[tt]'", "off a 9x9 board"]),
        ("(;GM[1]SZ[9]AB[e5])", ["'AB[e5]'", "not a point"]),
        ("(;GM[1]SZ[9];B[ee];AB[aa])", ["AB changes the board after move 1", "before the first"]),
        ("(;GM[1]SZ[9]AB[aa]AW[ba][ab])", ["leave a group without a liberty"]),
        ("(;GM[1]SZ[9]AW[ba][ab];B[aa])", ["move 1", "'B[aa]'", "suicide"]),
        ("(;GM[1]RU[House Rules];B[aa])", ["unknown ruleset", "'House Rules'", "Chinese", "Japanese", "Tromp-Taylor"]),
        ("(;GM[1]KM[six];B[aa])", ["'KM[six]'", "KM[6.5]"]),
        ("(;GM[1]KM[6.3];B[aa])", ["komi=6.3", "multiple of 0.5"]),
        ("(;GM[1]SZ[1];B[aa])", ["size=1", "from 2 to 25"]),
        ("(;GM[1]SZ[26];B[aa])", ["size=26", "from 2 to 25"]),
        ("(;GM[1]SZ[19:13];B[aa])", ["SZ[19:13]", "not a square board"]),
        ("(;GM[1]SZ[big];B[aa])", ["'SZ[big]'", "SZ[19]"]),
        ("(;GM[1]EIGHTFOLD[python:os];B[aa])", ["'python:os'", "code of somebody's own"]),
        ("(;GM[1]SZ[9]EIGHTFOLD[go:size=8];B[aa])", ["SZ[9]", "size=8", "do not agree"]),
    ],
)
def test_errors(text, said):
    message = refusal(lambda: read_sgf(text))
    for part in said:
        assert part in message, message
    refused = []
    assert read_sgf(f"{text}\n(;GM[1]SZ[9];B[aa])", refused=refused)[-1].moves == (0,)
    assert len(refused) == 1


def test_a_ko_taken_back_at_once_is_named():
    ko = "(;GM[1]SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb];W[bb])"
    assert "move 2, 'W[bb]': move b4 is not legal: it retakes a ko at once" in refusal(lambda: read_sgf(ko))


@settings(max_examples=200)
@given(st.text("();[]ABWTEPLKMSZGHRU0123579abcdest:\\ \n-.", max_size=80))
def test_whatever_is_in_a_file_the_answer_is_records_and_errors_of_one_line(text):
    refused = []
    records = read_sgf(f"(;GM[1]SZ[5]{text})\n(;GM[1]SZ[5];B[cc])", refused=refused)
    assert all(len(str(error).splitlines()) == 1 for error in refused)
    assert records or refused
