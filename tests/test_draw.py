"""`eightfold draw`: records as a picture, and one line for what cannot be drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from launching import eightfold

TWO = "(;GM[4]SZ[9]PB[ann]PW[bob]RE[B+];B[ee];W[ef];B[dd])\n(;GM[1]SZ[9]KM[5.5];B[cc];W[])\n"


@pytest.fixture
def records(tmp_path):
    (tmp_path / "two.sgf").write_text(TWO)
    (tmp_path / "one.psq").write_text("Piskvorky 9x9, 0:0, 0\n5,5,1200\n6,4,30\nann\nbob\n-1\n")
    return tmp_path


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_games_of_several_files_are_one_picture(records):
    done = eightfold("draw", "two.sgf", "one.psq", "-o", "out.svg", cwd=records)
    assert (done.returncode, done.stdout) == (0, "out.svg\n"), done.stderr
    said = words((records / "out.svg").read_text("utf-8"))
    assert [said.count(each) for each in ("ann – bob", "black – white", "2\u00a0pass")] == [2, 1, 1]


def test_a_position_of_one_game_goes_to_stdout(records):
    done = eightfold("draw", "two.sgf", "--game", "1", "--move", "2", cwd=records)
    said = words(done.stdout)
    assert "move 2 of 3" in said
    assert said[-2:] == ["1", "2"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["none.sgf"], "none.sgf: no such file"),
        (["two.sgf", "-o", "two.sgf"], "the picture is SVG: name a file that ends in .svg, not two.sgf"),
        (["two.sgf", "--game", "3"], "two.sgf holds 2 games; --game 3 is not one of them"),
        (["two.sgf", "--game", "2", "--move", "3"], "game 2 of two.sgf has 2 moves; --move 3 is beyond its end"),
        (["bad.sgf"], "bad.sgf: game 1 (line 1): move 2, 'W[ee]': e5 already has the stone of move 1"),
        (["many.sgf"], "many.sgf holds 61 games, and a picture has room for 60; choose one with --game"),
        (["two.sgf", "-o", "no/such.svg"], "cannot write no/such.svg: there is no folder no; make it first"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(records, arguments, line):
    (records / "bad.sgf").write_text("(;GM[4]SZ[9];B[ee];W[ee])")
    (records / "many.sgf").write_text("(;GM[4]SZ[9];B[ee])" * 61)
    done = eightfold("draw", *arguments, cwd=records)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"eightfold: {line}")
    assert (records / "two.sgf").read_text() == TWO
