"""Game records: round trips, what is tolerated, what every error says, and files made to do harm."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, DRAW, ONGOING, WHITE, make_game
from eightfold.games.records import psq, sgf, sgf_tree
from eightfold.games.records.files import read_records, write_records
from eightfold.games.records.record import LARGEST_FILE, GameRecord, RecordError, as_text
from patience import finished
from refusals import refusal

SGF = "(;GM[4]FF[4]SZ[9]PB[ann]PW[bob];B[ee];W[ef];B[df])"
PSQ = "Piskvorky 9x9, 0:0, 0\n5,5,1200\n5,6,30\n4,6,0\nann\nbob\n-1\n"
MOVES = (40, 49, 48)  # both of the above

GAMES = [
    "gomoku:size=15",
    "gomoku:size=3",
    "gomoku:size=4,win=3",
    "gomoku:size=8,rule=standard",
    "gomoku:size=9,win=4",
    "gomoku:size=20,win=6,rule=standard",
    "gomoku:size=25",
    "gomoku:size=15,rule=renju",
    "gomoku:size=8,rule=renju",
    "gomoku:size=9,rule=caro",
    "gomoku:size=7,win=4,rule=caro-exact",
]
PSQ_GAMES = [
    "gomoku:size=3",
    "gomoku:size=9,rule=standard",
    "gomoku:size=15",
    "gomoku:size=20",
    "gomoku:size=25",
    "gomoku:size=9,rule=renju",
    "gomoku:size=15,rule=caro",
    "gomoku:size=8,rule=caro-exact",
]


def random_moves(game_text: str, seed: int, most: int) -> tuple[int, ...]:
    """A legal game: random moves near each other, so that rows come about and games end."""
    generator = random.Random(seed)
    position = make_game(game_text).start()
    while not position.is_over and position.ply < most:
        legal = position.legal_moves.tolist()
        position = position.play(generator.choice(legal[: max(1, len(legal) // 3)]))
    return position.moves


def one_line(text: str) -> bool:
    return len(text.splitlines()) == 1


def fault(data: bytes | str, path: Path) -> str:
    """The error that a file gives: always a RecordError of one line that names the file."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(RecordError) as caught:
        read_records(path)
    message = str(caught.value)
    assert one_line(message), message
    assert str(path) in message
    assert len(message) < 400 + len(str(path))
    return message


# ---- round trips ------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=20).map(str.strip)
names = texts.map(lambda text: " ".join(text.split()))
results = st.sampled_from(["", "B+", "W+", "B+R", "W+T", "B+F", "B+5", "Draw"])


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(GAMES),
    seed=st.integers(0, 10**6),
    most=st.integers(0, 60),
    black=texts,
    white=texts,
    result=results,
    event=texts,
    date=texts,
    comment=st.lists(texts, max_size=3).map("\n".join).map(str.strip),
)
def test_sgf_round_trip(game: str, seed: int, most: int, **info: str) -> None:
    record = GameRecord(game=make_game(game).text, moves=random_moves(game, seed, most), **info)
    text = sgf.write_sgf([record, record])
    assert sgf.read_sgf(text) == sgf.read_sgf(text.encode()) == [record, record]


@settings(max_examples=60, deadline=None)
@given(
    game=st.sampled_from(PSQ_GAMES),
    seed=st.integers(0, 10**6),
    most=st.integers(0, 60),
    black=names.filter(lambda name: not name[:1].isdigit() and name[:1] not in "+-"),
    white=names.filter(lambda name: not name[:1].isdigit() and name[:1] not in "+-"),
    milliseconds=st.lists(st.integers(0, 10**9), min_size=60, max_size=60),
)
def test_psq_round_trip(game: str, seed: int, most: int, black: str, white: str, milliseconds: list[int]) -> None:
    moves = random_moves(game, seed, most)
    seconds = tuple(time / 1000 for time in milliseconds[: len(moves)])
    record = GameRecord(game=make_game(game).text, moves=moves, black=black, white=white, seconds=seconds)
    text = psq.write_psq([record])
    (read,) = psq.read_psq(text.replace("\n", "\r\n").encode())
    assert (read.game, read.moves, read.black, read.white) == (record.game, moves, black, white)
    assert read.seconds == (seconds if any(seconds) else ())
    assert read.result == {ONGOING: "", DRAW: "Draw", BLACK: "B+", WHITE: "W+"}[record.position().result]


@pytest.mark.parametrize("extension", [".sgf", ".psq", ".SGF"])
def test_files_round_trip(tmp_path: Path, extension: str) -> None:
    record = GameRecord(game=make_game("gomoku:size=9").text, moves=MOVES, black="Änne 五", white="b]o\\b")
    write_records(tmp_path / f"game{extension}", [record])
    assert read_records(tmp_path / f"game{extension}") == [record]
    assert os.listdir(tmp_path) == [f"game{extension}"]


def test_a_written_file_is_plain_sgf_and_other_lengths_go_into_a_private_property() -> None:
    usual = GameRecord(game="gomoku:size=9", moves=MOVES)
    other = GameRecord(game="gomoku:size=9,win=4", moves=MOVES)
    assert "EIGHTFOLD" not in sgf.write_sgf([usual])
    assert "RU[freestyle]" in sgf.write_sgf([usual])
    assert "EIGHTFOLD[gomoku:size=9,win=4,rule=freestyle]" in sgf.write_sgf([other])
    assert sgf.write_sgf([usual, other]).count("\n") == 2


def test_the_position_of_a_record() -> None:
    position = GameRecord(game="gomoku:size=9", moves=MOVES).position()
    assert position.moves == MOVES
    assert str(position).count("X") == 2


# ---- what is tolerated in SGF -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        SGF,
        f"From: ann\nSubject: a game (see below)\n\n{SGF}\n-- \nbob :-)",
        "\ufeff" + SGF,
        "( ; GM [4]\r\n SZ\t[9]\n;\n B\n[ ee ] ; W[ef]\n\n;B[df]  )",
        "(;GaMe[4]SiZe[9];Black[ee];White[ef];Black[df])",
        "(;gm[4]sz[9];b[ee];w[ef];b[df])",
        "(;SZ[9];B[ee];W[ef];B[df])",
        "(;GM[4]SZ[9:9];B[ee];W[ef];B[df])",
        "(;GM[4]SZ[9];B[e5];W[E4];B[D4])",
        "(;GM[4]SZ[9];B[EE];W[EF];B[DF])",
        "(;GM[4]SZ[9];B[ee];W[ef];B[df];W[])",
        "(;GM[4]SZ[9];B[ee];W[ef];B[df];W[tt];B[])",
        "(;GM[4]SZ[9];B[ee]BL[12.5];W[ef]C[good];B[df]TR[aa][bb]XX[?])",
        "(;GM[4]SZ[9];B[ee](;W[ef];B[df])(;W[aa];B[bb]))",
        "(;GM[4]SZ[9](;B[ee](;W[ef](;B[df]))))",
        "(;GM[4]SZ[9];B[ee]W[ef];B[df])",
        "(;GM[4]SZ[9]AB[ee]AW[ef];B[df])",
        "(;GM[4]SZ[9]AB[ee][df]AW[ef])",
        "(;GM[4]SZ[9]AB[ee]AB[df];AW[ef]AE[])",
        "(;GM[4]SZ[9]RU[anything];B[ee];W[ef];B[df])",
        "(;GM[4]SZ[9]C[a \\] and (;B[aa\\] ];B[ee];W[ef];B[df])",
    ],
)
def test_tolerated_sgf(text: str) -> None:
    (record,) = sgf.read_sgf(text)
    assert record.moves == MOVES
    assert record.game == "gomoku:size=9,win=5,rule=freestyle"
    assert sgf.read_sgf(text.encode()) == [record]


def test_a_missing_size_is_fifteen_and_letters_run_from_the_top_left() -> None:
    (record,) = sgf.read_sgf("(;GM[4];B[ha];W[a15];B[ab])")
    assert record.game.startswith("gomoku:size=15,")
    assert record.moves == (7, 0, 15)


def test_tt_is_a_point_on_a_large_board() -> None:
    (record,) = sgf.read_sgf("(;GM[4]SZ[20];B[tt];W[aa])")
    assert record.moves == (399, 0)


@pytest.mark.parametrize("between", ["", "\n", "\r\n\r\n", " and then \n"])
def test_many_games_in_one_file(tmp_path: Path, between: str) -> None:
    path = tmp_path / "many.sgf"
    path.write_text(between.join([SGF, "(;SZ[5];B[aa])", SGF]))
    assert [record.moves for record in read_records(path)] == [MOVES, (0,), MOVES]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("B+", "B+"), ("b+R", "B+R"), ("W+Resign", "W+R"), ("W+T", "W+T"), ("W+Time", "W+T"), ("B+5", "B+5"),
        ("0", "Draw"), ("Draw", "Draw"), ("draw", "Draw"), ("Black wins", "B+"), ("W+Forfeit", "W+F"),
        ("?", ""), ("Void", ""), ("", ""), ("1-0", ""),
    ],
)  # fmt: skip
def test_results_have_one_spelling(given: str, expected: str) -> None:
    assert sgf.read_sgf(f"(;GM[4]RE[{given}];B[aa])")[0].result == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("standard", "standard"),
        ("Exactly Five", "standard"),
        ("1", "standard"),
        ("0", "freestyle"),
        ("Renju (RIF)", "renju"),
        ("4", "renju"),
        ("caro", "caro"),
        ("8", "caro"),
        ("caro, exactly five", "caro-exact"),
        ("9", "caro-exact"),
        ("", "freestyle"),
    ],
)
def test_rules(given: str, expected: str) -> None:
    assert sgf.read_sgf(f"(;GM[4]RU[{given}];B[aa])")[0].game == f"gomoku:size=15,win=5,rule={expected}"


def test_game_info_and_escapes() -> None:
    (record,) = sgf.read_sgf("(;GM[4]EV[a\nb]DT[2001-02-03]C[one\r\ntwo \\\nstill two: \\\\ \\[\\]];B[hh]C[not this])")
    assert (record.event, record.date) == ("a b", "2001-02-03")
    assert record.comment == "one\ntwo still two: \\ []"


@pytest.mark.parametrize(
    ("charset", "codec", "name"),
    [
        ("UTF-8", "utf-8", "名人"),
        ("GB2312", "gbk", "連珠"),  # a character that only the wider charset has
        ("gb18030", "gb18030", "片冈"),
        ("Shift_JIS", "shift_jis", "ソ表"),  # their second byte is a backslash
        ("windows-1251", "cp1251", "Сушков"),
        ("ISO-8859-1", "latin-1", "Jörg"),
        ("no-such-charset", "utf-8", "Jörg"),
        ("unicode_escape", "utf-8", "Jörg"),
        (None, "utf-8", "五"),
        (None, "latin-1", "Jörg"),
        (None, "utf-8-sig", "五"),
        ("GBK", "utf-8-sig", "五"),  # the mark counts for more than the label
        (None, "utf-16", "五"),
    ],
)
def test_charsets(charset: str | None, codec: str, name: str) -> None:
    label = f"CA[{charset}]" if charset else ""
    assert sgf.read_sgf(f"(;GM[4]{label}PB[{name}];B[hh])".encode(codec))[0].black == name


def test_bytes_that_the_charset_does_not_have_do_not_stop_the_reading() -> None:
    assert sgf.read_sgf(b"(;GM[4]CA[UTF-8]PB[J\xf6rg];B[hh])")[0].black == "J\ufffdrg"


def test_the_parser_keeps_trees_of_any_game() -> None:
    ((line, root),) = sgf_tree.parse_trees("\n\n(;GM[1]SZ[9]AB[aa][bb];B[];W[cc](;B[dd])(;B[ee];W[ff]))")
    assert line == 3
    assert root.properties == {"GM": ["1"], "SZ": ["9"], "AB": ["aa", "bb"]}
    (white,) = root.children[0].children
    assert [child.first("B") for child in white.children] == ["dd", "ee"]
    assert len(list(root.main_line())) == 4


# ---- what is tolerated in psq -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        PSQ,
        PSQ.replace("\n", "\r\n"),
        PSQ.replace("\n", "  \n\n"),
        "\ufeff\n\n" + PSQ,
        "Piskvorky 9x9, 11:11, 1\n5,5,1200\n5,6,30\n4,6,0\nbob\nann\n0\n",  # the second player began
        "piskvorky 9 X 9\n5, 5, 1200\n 5 ,6,30.0\n4,6\nann\nbob\n",
        PSQ + "1,Freestyle\nanything\n",
        PSQ.replace("-1\n", "0,1,Freestyle\n"),
    ],
)
def test_tolerated_psq(text: str) -> None:
    (record,) = psq.read_psq(text)
    assert record == GameRecord(
        game="gomoku:size=9,win=5,rule=freestyle", moves=MOVES, seconds=(1.2, 0.03, 0.0), black="ann", white="bob"
    )


def test_psq_without_names_or_times_or_moves() -> None:
    (record,) = psq.read_psq("Piskvorky 15x15, 0:0, 0\n1,2\n15,15\n-1\n")
    assert (record.moves, record.seconds, record.black, record.white) == ((15, 224), (), "", "")
    assert psq.read_psq("Piskvorky 15x15, 0:0, 0")[0].moves == ()


def test_psq_with_paths_as_names_in_latin_1() -> None:
    (record,) = psq.read_psq("Piskvorky 15x15, 0:0, 0\n1,2,3\nC:\\AI\\pbrain-x.exe\nJörg\n-1\n".encode("latin-1"))
    assert (record.black, record.white) == ("C:\\AI\\pbrain-x.exe", "Jörg")


@pytest.mark.parametrize(
    ("line", "rule"),
    [("0,1,Renju", "renju"), ("1,CARO", "caro"), ("0,caro-exact", "caro-exact"), ("1,Swap2", "freestyle")],
)
def test_psq_with_other_rules(line: str, rule: str) -> None:
    assert psq.read_psq(PSQ + line)[0].game == f"gomoku:size=9,win=5,rule={rule}"


def test_psq_with_several_games_and_the_standard_rule() -> None:
    first, second = psq.read_psq(PSQ + "2,Standard\n" + PSQ)
    assert (first.game, second.game) == tuple(f"gomoku:size=9,win=5,rule={rule}" for rule in ("standard", "freestyle"))


@pytest.mark.parametrize("extension", ["sgf", "psq", "txt", ""])
@pytest.mark.parametrize("content", [SGF, PSQ])
def test_the_content_decides_before_the_extension(tmp_path: Path, content: str, extension: str) -> None:
    path = tmp_path / f"game.{extension}"
    path.write_text(content)
    assert read_records(path)[0].moves == MOVES


# ---- errors -----------------------------------------------------------------------------------------

FIVE = ";B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea]"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(;GM[4]SZ[9];B[ee]", ["line 1", "ends inside a game", "1 ')' missing"]),
        ("(;GM[4]\n(;B[ee]\n", ["line 3", "2 ')' missing"]),
        ("(;GM[4]SZ[9]\n;B[ee", ["line 2", "'B[ee'", "never closed with ']'"]),
        ("(;GM[4]SZ[9]\n;B[ee][ff", ["line 2", "'[ff'", "never closed"]),
        ("(;GM[4]SZ;B[ee])", ["line 1", "'SZ;B[ee])'", "no value"]),
        ("(;GM[4](;[ee]))", ["'[ee]))'", "without a property"]),
        ("(;GM[4];B[ee];5)", ["'5)'", "does not belong"]),
        (f"{SGF}\n(;GM[4]SZ[9];B[ee];W[ej])", ["game 2 (line 2)", "move 2", "'W[ej]'", "off a 9x9 board"]),
        ("(;GM[4]SZ[9];B[j1])", ["move 1", "'B[j1]'", "a1 to i9"]),
        ("(;GM[4]SZ[9];B[e\n5x])", ["move 1", "'B[e\\n5x]'", "B[ee]"]),
        ("(;GM[4]SZ[9];B[ee];W[ef];B[ee])", ["move 3", "'B[ee]'", "e5", "stone of move 1"]),
        ("(;GM[4]SZ[9];B[ee];B[ef])", ["move 2", "'B[ef]'", "white's turn"]),
        ("(;GM[4]SZ[9];W[ee])", ["move 1", "'W[ee]'", "black's turn"]),
        ("(;GM[4]SZ[9];B[ee];W[];B[ef])", ["move 2", "'W[]'", "no pass"]),
        ("(;GM[4]SZ[9];B[ee];W[tt];B[ef])", ["move 2", "'W[tt]'", "no pass"]),
        ("(;GM[4]SZ[9];B[ee][ef])", ["move 1", "2 points"]),
        (f"(;GM[4]SZ[9]{FIVE};W[hh])", ["move 10", "'W[hh]'", "black wins with move 9", "rule=freestyle"]),
        (
            "(;GM[4]SZ[9]RU[renju];B[ed];W[aa];B[ef];W[ia];B[de];W[ai];B[fe];W[ii];B[ee])",
            ["move 9", "'B[ee]'", "move e5 is not legal: black may not make a double three"],
        ),
        ("(;GM[4]SZ[9]AB[ee][ef];W[gg])", ["2 black and 0 white setup stones", "as many of each"]),
        ("(;GM[4]SZ[9]AB[ee]AW[ee])", ["move 2", "'AW[ee]'", "stone of move 1"]),
        ("(;GM[4]SZ[9];B[ee];AW[ef])", ["AW", "after move 1"]),
        ("(;GM[4]SZ[9]AE[ee])", ["AE", "move by move"]),
        ("(;GM[7];B[aa])", ["'GM[7]'", "Go is GM[1]", "Gomoku is GM[4]"]),
        ("(;GM[4]SZ[15:12];B[aa])", ["SZ[15:12]", "not a square board", "SZ[12]"]),
        ("(;GM[4]SZ[big];B[aa])", ["'SZ[big]'", "SZ[15]"]),
        ("(;GM[4]SZ[99];B[aa])", ["size=99", "from 3 to 25"]),
        ("(;GM[4]EIGHTFOLD[python:os];B[aa])", ["EIGHTFOLD", "'python:os'", "code of somebody's own"]),
        ("(;GM[4]EIGHTFOLD[go:size=9];B[aa])", ["EIGHTFOLD", "'go:size=9'", "not a game of GM[4]"]),
        ("(;GM[4]SZ[9]EIGHTFOLD[gomoku:size=8];B[aa])", ["SZ[9]", "size=8", "do not agree"]),
        ("(;GM[4]SZ[9]EIGHTFOLD[gomoku:sise=8];B[aa])", ["'sise'", "did you mean 'size'"]),
        ("hello", ["no SGF game", "'(;'", "Piskvorky"]),
        ("", ["is empty", "'(;'"]),
        (" \r\n", ["is empty"]),
        (b"\x00\x01\x02(;GM[4])", ["is not text", "byte 1 "]),
    ],
)
def test_sgf_errors(tmp_path: Path, text: str | bytes, said: list[str]) -> None:
    message = fault(text, tmp_path / "bad.sgf")
    for part in said:
        assert part in message, message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Piskvorky\n1,1,0\n", ["line 1", "'Piskvorky'", "'Piskvorky 15x15, 0:0, 0'"]),
        ("Piskvorky 20x15, 0:0, 0\n1,1,0\n", ["20x15", "not a square board", "15x15"]),
        ("Piskvorky 30x30, 0:0, 0\n1,1,0\n", ["size=30", "from 3 to 25"]),
        (PSQ.replace("5,6,30", "10,6,30"), ["game 1 (line 1)", "line 3", "'10,6,30'", "1 to 9"]),
        (PSQ.replace("5,6,30", "5,0,30"), ["line 3", "'5,0,30'", "1 to 9"]),
        (PSQ.replace("5,6,30", "5,x,30"), ["line 3", "'5,x,30'", "8,8,1200"]),
        (PSQ.replace("5,6,30", "x,5,30"), ["line 3", "'x,5,30'", "8,8,1200"]),
        (PSQ.replace("4,6,0", "5,5,0"), ["move 3", "'5,5,0'", "e5", "stone of move 1"]),
        (PSQ.replace("4,6,0", "4,6,0\n" + "9" * 5000 + ",1"), ["line 5", "'9999", "..."]),
        ("nothing of the kind\n1,1,1", ["no psq game", "'nothing of the kind'", "Piskvorky"]),
        ("", ["is empty"]),
        (b"Piskvorky 9x9\n\0\0", ["is not text", "byte 15 "]),
    ],
)
def test_psq_errors(tmp_path: Path, text: str | bytes, said: list[str]) -> None:
    message = fault(text, tmp_path / "bad.psq")
    for part in said:
        assert part in message, message


ORDERS = "\x1b[2J\x07 \x9b31mHonin\x7fbo"


def test_names_give_a_terminal_no_orders(tmp_path: Path) -> None:
    [record] = sgf.read_sgf(f"(;GM[4]SZ[9]PB[{ORDERS}]PW[b\tc]C[a\x1b[2J\nb];B[ee])")
    assert (record.black, record.white, record.comment) == ("[2J 31mHoninbo", "b\tc", "a[2J\nb")
    [record] = psq.read_psq(f"Piskvorky 15x15, 0:0, 0\n8,8,0\n{ORDERS}\nb\n")
    assert record.black == "[2J 31mHoninbo"
    path = tmp_path / "game.sgf"
    write_records(path, [replace(record, white=ORDERS)])
    assert read_records(path)[0].white == "[2J 31mHoninbo"


@pytest.mark.parametrize("number", ["1" * 5000, "٤", "-1", "4" * 10])
def test_numbers_that_no_game_has_are_one_line(number: str) -> None:
    text = f"(;GM[4]SZ[9];B[ee])(;GM[{number}]EIGHTFOLD[go:size=9];B[aa])"
    assert "is not a game that is read" in refusal(lambda: sgf.read_sgf(text))
    refused: list[RecordError] = []
    assert len(sgf.read_sgf(text, refused=refused)) == len(refused) == 1


@pytest.mark.parametrize("behind", ["(;GM[4]SZ[9];B[ee];W[ee])", "(;GM[4", "nonsense"])
def test_the_first_game_alone_can_be_read(tmp_path: Path, behind: str) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(f"(;GM[4]SZ[9];B[ee]){behind}")
    assert [record.moves for record in read_records(path, first=True)] == [(40,)]
    path.write_text("(;GM[4]SZ[9];B[ee];W[ee])(;GM[4]SZ[9];B[ee])")
    assert "game 1 (line 1)" in refusal(lambda: read_records(path, first=True))


def test_games_that_cannot_be_read_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "many.sgf"
    path.write_text(f"{SGF}\n(;GM[2])\n{SGF}\n(;GM[4]B[aa")
    refused: list[RecordError] = []
    assert len(read_records(path, refused=refused)) == 2
    assert ["game 2 (line 2)" in str(refused[0]), "line 4" in str(refused[1])] == [True, True]
    assert all(str(path) in str(error) and one_line(str(error)) for error in refused)


def test_text_of_another_kind(tmp_path: Path) -> None:
    assert "holds no game record" in fault("[Event 'chess']\n1. e4", tmp_path / "game.pgn")


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for path, said in [
        (tmp_path, "is a folder"),
        (tmp_path / "none.sgf", "no such file"),
        (tmp_path / ("x" * 300), "cannot be read"),
        (tmp_path / "a\nb.sgf", "no such file"),
        ("a\0b.sgf", "not a path"),
    ]:
        with pytest.raises(RecordError, match=said) as caught:
            read_records(path)
        assert one_line(str(caught.value))


def test_records_that_cannot_be_written(tmp_path: Path) -> None:
    good = GameRecord(game="gomoku:size=9", moves=MOVES)
    for name, records, said in [
        ("game.txt", [good], "unknown extension '.txt'; known: .sgf, .psq"),
        ("game", [good], "unknown extension ''; known: .sgf, .psq"),
        ("game.sgf", [], "no games to write"),
        ("game.psq", [good, good], "one game, not 2"),
        ("game.psq", [GameRecord(game="gomoku:size=9,win=4", moves=MOVES)], "win=4"),
        ("game.psq", [GameRecord(game="gomoku:size=9", moves=MOVES, black="7,7,0")], "'7,7,0'"),
        ("game.psq", [GameRecord(game="gomoku:size=9", moves=MOVES, white="-1")], "'-1'"),
        (
            "game.sgf",
            [good, GameRecord(game="gomoku:size=9", moves=(1, 1))],
            "game 2: move 2: b9 already has the stone of move 1",
        ),
        ("game.sgf", [GameRecord(game="gomoku:size=9", moves=(81,))], "game 1: move 1: move 81"),
        ("game.sgf", [GameRecord(game="chess", moves=())], "unknown game 'chess'"),
        ("no/such/game.sgf", [good], "cannot be written: No such file"),
    ]:
        with pytest.raises(RecordError, match=re.escape(said)) as caught:
            write_records(tmp_path / name, records)
        assert one_line(str(caught.value))
        assert str(tmp_path / name) in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_times_must_fit_the_moves() -> None:
    with pytest.raises(RecordError, match="2 times for 3 moves"):
        GameRecord(game="gomoku", moves=MOVES, seconds=(1.0, 2.0))
    with pytest.raises(RecordError, match="move 2: nan"):
        GameRecord(game="gomoku", moves=MOVES, seconds=(1.0, float("nan"), 2.0))


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("old")

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ("pathlib.Path.write_bytes", "os.replace"):
        with monkeypatch.context() as patched:
            patched.setattr(place, fail)
            with pytest.raises(RecordError, match=r"game\.sgf: cannot be written: No space left"):
                write_records(path, [GameRecord(game="gomoku", moves=(1,))])
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["game.sgf"]


# ---- files made to do harm --------------------------------------------------------------------------


def error_of(read: Callable[[], list[GameRecord]]) -> str:
    """What a reader says to bad input; any other exception is a bug and comes through."""
    try:
        for record in read():
            record.position()
    except EightfoldError as error:
        return str(error)
    return "none"


def read_anything(data: bytes, path: Path) -> None:
    """Every reader gives records or one line of error."""
    path.write_bytes(data)
    refused: list[RecordError] = []
    assert one_line(error_of(lambda: sgf.read_sgf(data)))
    assert one_line(error_of(lambda: psq.read_psq(data)))
    assert one_line(error_of(lambda: read_records(path)))
    assert one_line(error_of(lambda: read_records(path, refused=refused)))
    assert all(one_line(str(error)) for error in refused)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=300), start=st.sampled_from([b"", b"(;", b"(;GM[4]SZ[", b"Piskvorky ", b"\xff\xfe"]))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes, start: bytes) -> None:
    read_anything(start + data, tmp_path_factory.getbasetemp() / "any.sgf")


SAMPLES = [
    SGF.encode(),
    f"{SGF}\n(;GM[4]CA[GBK]EIGHTFOLD[gomoku:size=9,win=4]AB[aa]AW[bb]C[a\\]b];B[h5](;W[])(;W[cc]))".encode(),
    PSQ.encode(),
    (PSQ.replace("\n", "\r\n") + "2,Standard\r\n").encode(),
]


@settings(max_examples=100, deadline=None)
@given(
    sample=st.sampled_from(SAMPLES),
    cut=st.integers(0, 200),
    flips=st.lists(st.tuples(st.integers(0, 150), st.integers(0, 255)), max_size=4),
)
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, sample: bytes, cut: int, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(sample)
    for place, value in flips:
        data[place % len(data)] = value
    read_anything(bytes(data[:cut]), tmp_path_factory.getbasetemp() / "damaged.psq")


@settings(max_examples=100, deadline=None)
@given(text=st.text("();[]\\:BWAZCaht19 \n,-", max_size=80))
def test_any_syntax(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    base = tmp_path_factory.getbasetemp()
    read_anything(f"(;{text}".encode(), base / "syntax.sgf")
    read_anything(f"Piskvorky 9x9\n{text}".encode(), base / "syntax.psq")


LONG = 300_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(;" * LONG,
        "(;GM[4]" + "(" * LONG,
        "(;GM[4]" + ";" * LONG + ")",
        "(;GM[4]" + ";B[aa]" * LONG + ")",
        "(;GM[4]C" + "[" * LONG,
        "(;GM[4]C[" + "\\" * LONG,
        "(;GM[4]" + " " * LONG + "5",
        "(;GM[4]" + "A" * LONG + ")",
        "(" + " " * LONG + "(" * LONG,
        "(;GM[4]CA[" + " " * LONG + "x",
        "(;GM[4]SZ[9" + " " * LONG + "x];B[aa])",
        "(;GM[4]RE[b" + " " * LONG + "x];B[aa])",
        "(;GM[4]EIGHTFOLD[gomoku:size=" + "9" * LONG + "];B[aa])",
        "(;GM[4]SZ[" + "9" * LONG + "];B[aa])",
        "(;GM[4];B[a" + "9" * LONG + "])",
        "Piskvorky 9x9" + " " * LONG + "x\n1,1,1\n",
        "Piskvorky 9x9\n1,1," + " " * LONG + "x\n",
        "Piskvorky 9x9\n" + "1" * LONG + " " * LONG + "x\n",
        "Piskvorky 9x9\n1," + " , " * LONG + "x\n",
        "Piskvorky 9x9\n" + "1,1,1\n" * LONG,
        "Piskvorky 9x9\n" * (LONG // 20),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_long_and_deep_files_take_no_long_time(text: str) -> None:
    read = psq.read_psq if text.startswith("P") else sgf.read_sgf
    message = finished(lambda: error_of(lambda: read(text.encode())))  # going back and forth would take hours
    assert one_line(message)
    assert len(message) < 400


def test_the_limits_say_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "10000 parentheses" in fault("(;" * 20_000, tmp_path / "deep.sgf")
    assert len(sgf.read_sgf("(;" * 9_000 + ")" * 9_000)) == 1
    monkeypatch.setattr(sgf_tree, "LARGEST_TREE", 100)
    assert "more than 100 nodes" in fault("(" + ";" * 200 + ")", tmp_path / "long.sgf")


def test_a_huge_file_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "huge.sgf"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)  # no bytes on the disk
    with pytest.raises(RecordError, match=r"huge.sgf: is larger than \d+ MB"):
        finished(lambda: read_records(path))


def test_a_users_game_is_written_by_the_number_it_declares(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(examples))
    drop = make_game("python:drop_four,size=5", trusted=True)
    record = GameRecord(game=drop.text, moves=drop.after(["c1", "c2", "b1"]).moves, black="ann")
    text = sgf.write_sgf([record])
    assert "GM[4]" in text
    assert "EIGHTFOLD[python:drop_four,size=5]" in text
    assert sgf.read_sgf(text) == [record]
    squares = make_game("python:squares", trusted=True)
    said = error_of(lambda: sgf.write_sgf([GameRecord(game=squares.text, moves=(0,))]))
    assert "cannot be written as SGF" in said


def test_text_that_is_already_text_is_left_alone() -> None:
    assert as_text("(;)") == "(;)"
