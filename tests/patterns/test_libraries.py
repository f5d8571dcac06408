"""Libraries: combined by summing, stored and mapped, damaged files refused."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.patterns.codes import canonical, code_tables, orbit
from eightfold.patterns.combine import combine, orbit_sizes
from eightfold.patterns.features import FEATURES as KNOWN_FEATURES
from eightfold.patterns.files import FRONT, MAGIC, VERSION, load_library, save_library
from eightfold.patterns.library import Library, Table, counts_from_table, table_from_counts
from eightfold.patterns.rating import rate_library
from eightfold.patterns.templates import TEMPLATES, templates_of
from launching import eightfold
from refusals import refusal


def random_table(name: str, patterns: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, TEMPLATES[name].codes, patterns)).astype(np.uint32)
    matches = rng.integers(1, 1000, len(codes))
    return Table(codes=codes, matches=matches, plays=matches // rng.integers(1, 9, len(codes)))


@pytest.fixture(scope="module")
def raw() -> Library:
    tables = {name: random_table(name, 3000, seed) for seed, name in enumerate(TEMPLATES)}
    return Library(game="go", combined=False, tables=tables, about={"games": 7})


def test_combining_sums_what_is_equivalent(raw: Library) -> None:
    combined = combine(raw)
    assert list(combined.tables) == list(dict.fromkeys(t.pattern_class for t in TEMPLATES.values()))
    for name, table in combined.tables.items():
        expected: dict[int, list[int]] = {}
        for template in templates_of(name):
            part = raw.tables[template.name]
            for code, matches, plays in zip(part.codes, part.matches, part.plays, strict=True):
                sums = expected.setdefault(min(orbit(template.name, int(code))), [0, 0])
                sums[0] += int(matches)
                sums[1] += int(plays)
        assert table.codes.tolist() == sorted(expected)
        assert table.matches.tolist() == [expected[code][0] for code in sorted(expected)]
        assert table.plays.tolist() == [expected[code][1] for code in sorted(expected)]
        sources = [raw.tables[template.name] for template in templates_of(name)]
        assert table.matches.sum() == sum(part.matches.sum() for part in sources)
        assert table.plays.sum() == sum(part.plays.sum() for part in sources)
    with pytest.raises(EightfoldError, match="already"):
        combine(combined)


def test_a_self_symmetric_pattern_counts_once() -> None:
    """The empty 3x3 pattern looks the same from all sides: its counts are its own, not eight times as many."""
    table = Table(codes=np.array([0], np.uint32), matches=np.array([10]), plays=np.array([3]))
    combined = combine(Library(game="go", combined=False, tables={"3x3-centre": table})).tables["3x3-centre"]
    assert (combined.codes.tolist(), combined.matches.tolist(), combined.plays.tolist()) == ([0], [10], [3])


def test_orbit_sizes(raw: Library) -> None:
    for name, table in combine(raw).tables.items():
        first = templates_of(name)[0].name
        some = slice(0, 200)
        assert orbit_sizes(name, table)[some].tolist() == [len(orbit(first, int(code))) for code in table.codes[some]]


def test_counts_and_tables() -> None:
    table = random_table("3x3-edge", 500, 1)
    again = table_from_counts(*counts_from_table(table, 6561))
    for column in ("codes", "matches", "plays"):
        assert np.array_equal(getattr(again, column), getattr(table, column))


def test_a_file_gives_back_what_was_stored(raw: Library, tmp_path: Path) -> None:
    path = tmp_path / "raw.patterns"
    large = Table(
        codes=np.array([5], np.uint32), matches=np.array([2**40]), plays=np.array([1]), gammas=np.array([0.5])
    )
    library = Library(
        game="go",
        combined=False,
        tables={**raw.tables, "3x3-centre": large},
        features={"atari": np.array([1.5, 0.25])},
        about={"games": 7, "sources": ["größer.sgf"]},
    )
    save_library(library, path)
    opened = load_library(path)
    assert (opened.game, opened.combined, opened.about) == (library.game, False, library.about)
    assert opened.features["atari"].tolist() == [1.5, 0.25]
    assert opened.sides == (3, 4)
    for name, table in library.tables.items():
        for column in ("codes", "matches", "plays", "gammas"):
            stored, known = getattr(opened.tables[name], column), getattr(table, column)
            assert (stored is None) == (known is None)
            assert known is None or stored.tolist() == known.tolist()
    assert opened.has_elo
    assert opened.look_up(TEMPLATES["3x3-centre"], 5).elo == pytest.approx(400 * np.log10(0.5))


def test_looking_up_a_pattern(raw: Library) -> None:
    combined, template = combine(raw), TEMPLATES["4x4-edge-b"]
    code = int(raw.tables[template.name].codes[11])
    alone, together = raw.look_up(template, code), combined.look_up(template, code)
    assert (alone.code, alone.matches) == (code, int(raw.tables[template.name].matches[11]))
    assert together.code == canonical(code_tables(template.name), code)
    assert together.matches >= alone.matches
    unseen = next(c for c in range(10_000) if raw.tables[template.name].find(c) is None)
    assert raw.look_up(template, unseen).matches == 0
    with pytest.raises(EightfoldError, match="4x4-corner"):
        Library(game="go", combined=False, tables={}).look_up(TEMPLATES["4x4-corner"], 0)


@pytest.mark.parametrize("damage", ["empty", "cut", "header", "column", "version", "foreign"])
def test_a_damaged_file_is_refused_in_one_line(raw: Library, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "library.patterns"
    save_library(raw, path)
    data = bytearray(path.read_bytes())
    if damage == "empty":
        data = bytearray()
    elif damage == "cut":
        data = data[:-200]
    elif damage == "header":
        data[40] ^= 1
    elif damage == "column":
        data[-100] ^= 1
    elif damage == "version":
        data[8] = 9
    else:
        data[:8] = b"(;GM[1]F"
    path.write_bytes(bytes(data))
    with pytest.raises(EightfoldError, match=r"library\.patterns") as raised:
        load_library(path)
    assert "\n" not in str(raised.value)
    assert str(raised.value).count("library.patterns") == 1


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EightfoldError, match="No such file"):
        load_library(tmp_path / "none.patterns")
    with pytest.raises(EightfoldError, match="known"):
        Library(game="go", combined=True, tables={"4x4-edge-a": random_table("4x4-edge-a", 5, 0)})


WRONG = ["a code too large", "codes out of order", "codes that are no whole numbers", "columns of different lengths"]


WRONG += ["feature", "a game that gives a terminal orders", "strengths that are no numbers", "levels below nothing"]


@pytest.mark.parametrize("wrong", WRONG)
def test_right_checksums_do_not_excuse_wrong_contents(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "library.patterns"
    game, codes, plays, gammas, features = "go", np.array([3, 5]), np.array([1, 1]), None, {}
    if wrong == "a code too large":
        codes = np.array([3, 6561])
    elif wrong == "codes out of order":
        codes = np.array([5, 3])
    elif wrong == "codes that are no whole numbers":
        codes = np.array([-5.0, 3.5])
    elif wrong == "columns of different lengths":
        plays = np.array([1])
    elif wrong == "strengths that are no numbers":
        gammas = np.array([1.0, np.nan])
    elif wrong == "levels below nothing":
        features = {"distance": -np.ones(KNOWN_FEATURES["distance"].levels + 1)}
    elif wrong == "a game that gives a terminal orders":
        game = "go\x1b[2J"
    else:
        features = {"distance": np.ones(3)}
    table = Table(codes=codes, matches=np.array([9, 9]), plays=plays, gammas=gammas)
    save_library(Library(game=game, combined=True, tables={"3x3-edge": table}, features=features), path)
    with pytest.raises(EightfoldError, match="makes no sense"):
        load_library(path)


@pytest.mark.parametrize(
    "header",
    [
        "[" * 100_000,
        '{"columns": [{"table": "3x3-edge", "column": "codes", "type": "<u4", "offset": Infinity, "length": 1}]}',
        '{"columns": [3]}',
        "[]",
    ],
)
def test_a_header_that_makes_no_sense_is_one_line(tmp_path: Path, header: str) -> None:
    path, text = tmp_path / "library.patterns", header.encode()
    path.write_bytes(FRONT.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text + bytes(64))
    assert "makes no sense" in refusal(lambda: load_library(path))


def test_what_a_library_says_of_its_records_names_no_code(raw: Library, tmp_path: Path) -> None:
    """Only what the user typed may; a library may be a stranger's."""
    (tmp_path / "theirs.py").write_text("import pathlib\npathlib.Path('ran').write_text('')\n")
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9];B[ee])")
    for number, settings in enumerate(({"game": "python:theirs"}, [1])):
        path = tmp_path / f"{number}.patterns"
        save_library(replace(raw, about={"settings": settings}), path)
        done = eightfold("patterns", "predict", str(path), "game.sgf", cwd=tmp_path)
        assert done.returncode == (2 if number == 0 else 0), done.stderr
        assert ("code of somebody's own" in done.stderr) == (number == 0)
        assert "Traceback" not in done.stderr
    stranger = load_library(tmp_path / "0.patterns")
    assert "code of somebody's own" in refusal(lambda: rate_library(stranger, [tmp_path / "game.sgf"]))
    assert not (tmp_path / "ran").exists()
