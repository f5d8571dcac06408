"""`eightfold patterns show` as a user meets it: pictures in the terminal, a page, JSON, and one line for bad input."""

from __future__ import annotations

import json

import pytest

from eightfold.patterns.files import save_library
from launching import eightfold
from patterns.libraries import combined_library, random_games_library


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    save_library(random_games_library(), folder / "raw.patterns")
    save_library(combined_library(), folder / "combined.patterns")
    return folder


def show(folder, *arguments, **environment):
    return eightfold("patterns", "show", *arguments, cwd=folder, **environment)


def test_pictures_lie_side_by_side_as_far_as_the_terminal_is_wide(folder):
    wide = show(folder, "combined.patterns", "--template", "3x3", "--top", "6", "--sort", "matches", COLUMNS="100")
    assert wide.returncode == 0, wide.stderr
    lines = wide.stdout.splitlines()
    assert lines[0].startswith("go, combined, ")
    assert ", 4 games, 120 moves; by matches" in lines[0]
    assert max(map(len, lines)) <= 100
    [first] = [line for line in lines if line.startswith("1. ")]
    assert "3. 3x3-" in first
    assert first.startswith("1. 3x3-centre 0 "), "the empty middle is what is seen most often"
    below = lines[lines.index(first) + 1 :]
    assert [line[:7] for line in below[:3]] == ["─┼─┼─┼─", "─┼─◆─┼─", "─┼─┼─┼─"]
    assert " of " in below[5]
    assert below[6].startswith("orbit 1 ")
    narrow = show(folder, "combined.patterns", "--template", "3x3", "--top", "6", "--sort", "matches", COLUMNS="30")
    assert max(map(len, narrow.stdout.splitlines()[3:])) <= 30
    assert sum("─◆─" in line for line in narrow.stdout.splitlines()) == sum(line.count("─◆─") for line in lines)


def test_one_code_is_shown_with_its_whole_orbit(folder):
    done = show(folder, "combined.patterns", "--template", "4x4-corner", "--code", "3", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "4x4-corner, code 3"
    assert "8 ways to lie on a board" in done.stdout
    assert done.stdout.count("◆") == 8
    alike = show(folder, "combined.patterns", "--template", "3x3-centre", "--code", "0")
    assert "looks the same from all sides" in alike.stdout


def test_json_is_one_object(folder):
    done = show(folder, "raw.patterns", "--template", "3x3-corner", "--sort", "plays", "--top", "3", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["game"], told["combined"], told["sort"], len(told["patterns"])) == ("go", False, "plays", 3)
    table, first = random_games_library().tables["3x3-corner"], told["patterns"][0]
    place = table.codes.tolist().index(first["code"])
    assert (first["matches"], first["plays"]) == (table.matches[place], table.plays[place])
    assert first["plays"] == table.plays.max()
    assert told["about"] == {"games": 4, "moves": 120}
    assert first["elo"] is None
    assert first["interval"][0] <= first["posterior"] == first["plays"] / first["matches"] <= first["interval"][1]
    assert first["rows"][2][0] == "?"
    assert first["orbit"] in (4, 8)


def test_a_page_is_written_whole(folder, tmp_path):
    page = tmp_path / "shapes.html"
    done = show(folder, "combined.patterns", "--top", "4", "--html", str(page))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{page}: 4 patterns\n"
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert text.endswith("</html>\n")
    assert text.count('<li class="card">') == 4 * 4, "four orders, Elo among them"
    one = show(folder, "combined.patterns", "--template", "3x3-edge", "--code", "5", "--html", str(page))
    assert one.returncode == 0, one.stderr
    assert page.read_text("utf-8").count('<li class="card">') == 1


def test_without_a_file_the_shipped_library_is_shown(folder):
    done = show(folder, "--top", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("go, ")
    assert done.stdout.count("◆") == 3, "two patterns, and the line that explains the signs"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["raw.patterns", "--template", "5x5"], "unknown template '5x5'; known: 3x3, 4x4"),
        (["raw.patterns", "--sort", "elo"], "this library has no Elo ratings; order it by posterior, plays, matches"),
        (["raw.patterns", "--sort", "best"], "unknown order of patterns 'best'; known: posterior, elo"),
        (["raw.patterns", "--template", "3x3-edge", "--code", "6561"], "6561 is no code of 3x3-edge"),
        (["raw.patterns", "--template", "3x3-edge", "--code", "-1"], "-1 is no code of 3x3-edge"),
        (["raw.patterns", "--code", "1"], "say with --template which pattern 1 is meant: 3x3-centre, "),
        (["absent.patterns"], "cannot open the pattern library absent.patterns"),
        (["damaged.patterns"], "damaged.patterns is a damaged pattern library"),
        (["raw.patterns", "--html", "nowhere/page.html"], "No such file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(folder, arguments, said):
    whole = (folder / "raw.patterns").read_bytes()
    (folder / "damaged.patterns").write_bytes(whole[:-64] + bytes(b ^ 1 for b in whole[-64:]))
    done = show(folder, *arguments)
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
