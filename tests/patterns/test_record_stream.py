"""Records as a stream: every packing, every kind of trouble; each game is counted, or skipped and named."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.games.records import read_sgf
from eightfold.patterns.records import stream
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.skipped import Reason, Skipped
from eightfold.patterns.records.sources import record_files
from eightfold.patterns.records.stream import RecordReader, blocks, stream_games
from self_made_records import go, sgf_lines

GOOD = "(;GM[1]FF[4]SZ[9];B[ee];W[ec];B[gg];W[])"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def read(
    path: Path, text: bytes | str, game: str = "go", size: int | None = None, block_bytes: int = stream.BLOCK
) -> tuple[list[tuple[int, list[int]]], list[Skipped]]:
    """The games that are counted and those that are not."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    reader, games, skipped = RecordReader(RecordedGames(game, size=size)), [], list[Skipped]()
    for block in blocks([path], block_bytes=block_bytes):
        found = reader.read(block)
        skipped += found.skipped
        games += [
            (size, found.moves[first:last].tolist())
            for size, first, last in zip(found.sizes.tolist(), found.first, found.last, strict=True)
        ]
    return games, skipped


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("block_bytes", [100, stream.BLOCK])
def test_the_moves_are_those_of_the_full_reader(tmp_path: Path, packed: str, block_bytes: int) -> None:
    lines = sgf_lines(go(9), 12) + sgf_lines(go(5), 3)
    text = "\n".join(lines).encode()
    games, skipped = read(tmp_path / f"games.sgf{packed}", PACKERS[packed](text), block_bytes=block_bytes)
    records = read_sgf(text)
    assert not skipped
    assert [moves for _, moves in games] == [list(record.moves) for record in records]
    assert [size for size, _ in games] == [9] * 12 + [5] * 3


def test_gomoku(tmp_path: Path) -> None:
    lines = sgf_lines(make_game("gomoku:size=15,rule=renju"), 5, most=30)
    games, skipped = read(tmp_path / "renju.sgf", "\n".join(lines), "gomoku:rule=renju")
    assert not skipped
    assert [moves for _, moves in games] == [list(record.moves) for record in read_sgf("\n".join(lines))]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1]SZ[9];B[ee];W[e", Reason.TRUNCATED),
        ("(;GM[1]SZ[9];B[ee];W[ec]", Reason.TRUNCATED),
        (b"(;GM[1]SZ[9]PB[\xe9ric];B[ee];W[ec])", Reason.NOT_UTF8),
        ("once upon a time", Reason.NOT_SGF),
        ("(;GM[1]SZ[9];B[ee] what is this ;W[ec])", Reason.NOT_SGF),
        ("(;GM[4]SZ[15];B[hh];W[ii])", Reason.OTHER_GAME),
        ("(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee];B[ec])", Reason.SETUP),
        ("(;GM[1]SZ[9]HA[2];W[ee];B[ec])", Reason.SETUP),
        ("(;GM[1]SZ[9];B[ee];W[ec];AW[aa];B[gg])", Reason.SETUP),
        ("(;GM[1]SZ[9];B[ee];B[ec];W[gg])", Reason.SETUP),
        ("(;GM[1]SZ[9];W[ee];B[ec];W[gg])", Reason.SETUP),
        ("(;GM[1]SZ[3];B[bb];W[aa])", Reason.SIZE),
        ("(;GM[1]SZ[99];B[bb];W[aa])", Reason.SIZE),
        ("(;GM[1]SZ[9:13];B[bb];W[aa])", Reason.SIZE),
        ("(;GM[1]SZ[9];B[ee];W[ee])", Reason.ILLEGAL),
        ("(;GM[1]SZ[9];B[ee];W[jj])", Reason.ILLEGAL),
        ("(;GM[1]SZ[9];B[ee];W[?!])", Reason.ILLEGAL),
        ("(;GM[1]SZ[9];B[ba];W[ee];B[ab];W[aa])", Reason.ILLEGAL),  # suicide
        ("(;GM[1]SZ[9])", Reason.NO_MOVES),
        ("(;GM[1]SZ[9];B[];W[])", Reason.NO_MOVES),
    ],
)
def test_a_bad_game_is_skipped_and_named(tmp_path: Path, text: bytes | str, reason: Reason) -> None:
    data = text.encode() if isinstance(text, str) else text
    games, skipped = read(tmp_path / "bad.sgf", b"\n".join([GOOD.encode(), data, GOOD.encode()]))
    assert [each.reason for each in skipped] == [reason]
    assert "line 2" in skipped[0].where
    assert skipped[0].where.startswith(str(tmp_path / "bad.sgf"))
    assert games == [(9, [40, 22, 60, 81])] * 2


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[1]SZ[9](;B[ee](;W[ec];B[cc])(;W[gg]))(;B[aa]))", [40, 22, 20]),  # the first branch everywhere
        ("(;GM[1]SZ[9]\n;B[ee]\n(;W[ec])\n(;W[gg]))", [40, 22]),
        ("( ; GM[1] SZ[9]\n ; B [ee] ; W[ec] )", [40, 22]),
        ("(;GaMe[1]SiZe[9];B[ee];White[ec])", [40, 22]),
        ("(;SZ[9];B[ee];W[ec])", [40, 22]),  # no GM
        ("(;GM[1]SZ[9]C[a \\] b ( ; \\\\];B[ee];W[ec])", [40, 22]),
        ("(;GM[1]SZ[9];B[ee];W[tt];B[ec])", [40, 81, 22]),
        ("(;GM[1]SZ[9];B[ee];W[];B[];W[ec];B[gg])", [40, 22, 60]),  # passes that were taken back
        ("(;GM[1]SZ[9];B[ee];W[ec];W[gg])", [40, 22, 81, 60]),  # a colour that moves twice: the other passed
        ("(;GM[1]SZ[9]HA[0];B[EE];W[ec])", [40, 22]),
        ("(;GM[1]SZ[9]PB[José 趙治勲];B[ee];W[ec])", [40, 22]),
        ("\ufeff(;GM[1]SZ[9];B[ee];W[ec])", [40, 22]),
        ("(;GM[1]CA[GBK]SZ[9]PB[趙];B[ee];W[ec])".encode("gbk"), [40, 22]),
        ("(;GM[1]SZ[9]AB[]KM[375];B[ee];W[ec])", [40, 22]),
    ],
)
def test_what_is_unusual_is_read(tmp_path: Path, text: bytes | str, moves: list[int]) -> None:
    games, skipped = read(tmp_path / "odd.sgf", text)
    assert not skipped
    assert games == [(9, moves)]


def test_variations_are_told(tmp_path: Path) -> None:
    path = tmp_path / "tree.sgf"
    path.write_text(f"(;SZ[9];B[ee](;W[ec])(;W[gg]))\n{GOOD}\n(;SZ[9](;B[ee];W[ec]))")
    [block] = blocks([path])
    assert RecordReader(RecordedGames("go")).read(block).variations == 1


def test_other_sizes_are_left_out(tmp_path: Path) -> None:
    text = "\n".join([GOOD, "(;SZ[13];B[ee];W[ec])", GOOD])
    for size, kept in ((9, 2), (13, 1)):
        games, skipped = read(tmp_path / "sizes.sgf", text, size=size)
        assert {size for size, _ in games} == {size}
        assert (len(games), [each.reason for each in skipped]) == (kept, [Reason.SIZE] * (3 - kept))
    with pytest.raises(EightfoldError, match="2x2"):
        RecordedGames("go:size=2")


@pytest.mark.parametrize("packed", [".gz", ".xz", ".zst"])
def test_a_file_that_stops_in_the_middle(tmp_path: Path, packed: str) -> None:
    """What can be unpacked is read; the rest is named, and the next file is read too."""
    text = "\n".join(sgf_lines(go(9), 400)).encode()
    broken, whole = tmp_path / f"a.sgf{packed}", tmp_path / "b.sgf"
    data = PACKERS[packed](text)
    broken.write_bytes(data[: len(data) * 9 // 10])
    whole.write_text(GOOD)
    reader, skipped, sizes = RecordReader(RecordedGames("go")), list[Skipped](), list[int]()
    for block in blocks(record_files([tmp_path])):
        found = reader.read(block)
        skipped += found.skipped
        sizes += found.sizes.tolist()
    assert skipped[-1].reason is Reason.DAMAGED
    assert str(broken) in skipped[-1].where
    assert {each.reason for each in skipped} <= {Reason.DAMAGED, Reason.TRUNCATED}
    assert 1 < len(sizes) < 401


def test_any_bytes_are_read_without_an_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    good = "\n".join(sgf_lines(go(9), 5)).encode()
    for _ in range(150):
        data = bytearray(good)
        for _ in range(rng.integers(1, 8)):
            at = int(rng.integers(len(data)))
            if rng.random() < 0.5:
                data[at] = int(rng.choice(list(b"()[];\\\nBW\x00\xff")))
            else:
                del data[at : at + int(rng.integers(1, 40))]
        games, skipped = read(tmp_path / "fuzz.sgf", bytes(data))
        assert len(games) + len(skipped) > 0


def test_a_place_in_the_stream_is_one_number(tmp_path: Path) -> None:
    """Any part of the records, games and trouble alike, and however the text is cut into blocks."""
    first, second = tmp_path / "a.sgf", tmp_path / "b.sgf"
    lines = sgf_lines(go(9), 10)
    first.write_text("\n".join([*lines[:4], "no game", *lines[4:]]))
    second.write_text("\n".join(lines))
    assert sum(block.entries for block in blocks([first, second])) == 21
    everything = list(stream_games([tmp_path], RecordedGames("go")))
    assert len(everything) == 20
    for skip, games, counted in ((0, 4, 4), (3, 3, 2), (5, 6, 6), (4, 1, 0), (11, 100, 10)):
        part = list(stream_games([first, second], RecordedGames("go"), skip=skip, limit=games))
        assert len(part) == counted
        begin = skip if skip <= 4 else skip - 1
        for (size, moves), (expected_size, expected) in zip(part, everything[begin:], strict=False):
            assert size == expected_size
            assert np.array_equal(moves, expected)


def test_folders(tmp_path: Path) -> None:
    for name in ("b/2.sgf", "b/1.SGF", "a.sgf.gz", "c/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(GOOD)
    assert [path.name for path in record_files([tmp_path])] == ["a.sgf.gz", "1.SGF", "2.sgf"]
    assert record_files([tmp_path / "c/notes.txt"]) == [tmp_path / "c/notes.txt"]
    for paths, words in (([tmp_path / "c"], "no records"), ([tmp_path / "d"], "no such file"), ([], "give files")):
        with pytest.raises(EightfoldError, match=words):
            record_files(paths)


def test_rules_of_records() -> None:
    assert RecordedGames("gomoku:rule=renju").on_board(15) == make_game("gomoku:size=15,rule=renju")
    with pytest.raises(EightfoldError, match="ko=simple"):
        RecordedGames("go:ko=positional")
