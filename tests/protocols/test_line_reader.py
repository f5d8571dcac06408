"""Lines of a pipe, in whatever pieces they come."""

from __future__ import annotations

import os
import threading

from hypothesis import given
from hypothesis import strategies as st

from eightfold.protocols.line_reader import LONGEST, decode_ascii, read_lines


def through_a_pipe(data: bytes, pieces: list[int]) -> list[str]:
    source, target = os.pipe()

    def write() -> None:
        rest = data
        for size in pieces:
            os.write(target, rest[:size])
            rest = rest[size:]
        while rest:
            rest = rest[os.write(target, rest[: 1 << 15]) :]
        os.close(target)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return list(read_lines(source))
    finally:
        thread.join()
        os.close(source)


@given(st.binary(max_size=2000), st.lists(st.integers(1, 200), max_size=8))
def test_pieces_do_not_matter(data, pieces):
    expected = [decode_ascii(line) for line in data.split(b"\n")]
    if not data.split(b"\n")[-1]:
        expected.pop()
    assert through_a_pipe(data, pieces) == expected


def test_an_endless_line_is_cut_and_the_next_one_is_whole():
    for length in (LONGEST, LONGEST + 1, 70_000, 300_000):
        lines = through_a_pipe(b"a" * length + b"\r\nSTART 15\r\n", [])
        assert [len(line) for line in lines] == [LONGEST, 8]
        assert lines[1] == "START 15"


@given(st.binary(max_size=200))
def test_a_line_is_printable_ascii(data):
    text = decode_ascii(data)
    assert text.isascii()
    assert not text or text.isprintable()
