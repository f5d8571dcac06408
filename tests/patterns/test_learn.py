"""Learning: the same library on any number of threads, stopped, killed and resumed; what people are told."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.games.game import make_game
from eightfold.patterns import learn, tally
from eightfold.patterns.combine import combine
from eightfold.patterns.files import load_library
from eightfold.patterns.learn import LearningStopped, Progress, learn_library
from eightfold.patterns.library import Library
from eightfold.patterns.partial import PartialFile
from launching import eightfold
from patience import LONG
from self_made_records import go, sgf_lines

BAD = "(;GM[1]SZ[9];B[ee];W[ee])"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with 60 games and three that are bad."""
    folder = tmp_path_factory.mktemp("records")
    lines = sgf_lines(go(9), 60, most=60)
    (folder / "a.sgf").write_text("\n".join([*lines[:20], BAD, *lines[20:40]]))
    (folder / "b.sgf").write_text("\n".join([BAD, *lines[40:], BAD]))
    return folder


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some ten blocks, so that there is something between the first and the last."""
    real = learn.blocks
    monkeypatch.setattr(learn, "blocks", lambda *args, **options: real(*args, **options, block_bytes=2000))


def assert_equal(one: Library, other: Library) -> None:
    assert (one.game, one.combined, list(one.tables), one.about) == (
        other.game,
        other.combined,
        list(other.tables),
        other.about,
    )
    for name, table in one.tables.items():
        for column in ("codes", "matches", "plays"):
            assert np.array_equal(getattr(table, column), getattr(other.tables[name], column)), (name, column)


def test_what_a_library_tells_of_itself(records: Path) -> None:
    library = learn_library([records], templates=["3x3"])
    about = library.about
    assert (about["sources"], about["games"], about["sizes"]) == (["a.sgf", "b.sgf"], 60, {"9": 60})
    assert about["skipped"] == {"illegal move": 3}
    assert "game 21 (line 21)" in about["skipped_first"][0]
    assert about["settings"]["game"] == "go:ko=simple"
    positions = sum(int(table.plays.sum()) for table in library.tables.values())
    assert 0 < positions <= about["moves"]  # a play for each move but the passes


def test_combining_while_reading_and_afterwards(records: Path) -> None:
    names = ["3x3", "4x4-edge"]
    raw = learn_library([records], templates=names, combined=False)
    while_reading = learn_library([records], templates=names)
    after = combine(raw)
    assert sorted(raw.tables) == ["3x3-centre", "3x3-corner", "3x3-edge", "4x4-edge-a", "4x4-edge-b"]
    for name, table in while_reading.tables.items():
        for column in ("codes", "matches", "plays"):
            assert np.array_equal(getattr(table, column), getattr(after.tables[name], column))


@pytest.mark.usefixtures("small_blocks")
def test_threads_make_no_difference(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = learn_library([records], templates=["3x3"], threads=1)
    assert_equal(one, learn_library([records], templates=["3x3"], threads=3))
    monkeypatch.setattr(learn, "MOST_POSITIONS", 500)  # tallies are emptied all the time
    assert_equal(one, learn_library([records], templates=["3x3"], threads=2))


def test_no_word_of_a_tally_can_overflow() -> None:
    """By as many positions as are counted before it is emptied, on the largest board."""
    assert tally.MOST_POSITIONS * tally.TEMPLATES_IN_CLASS < 2 ** (63 - tally.MATCH_BITS) + 1
    assert tally.MOST_POSITIONS * tally.TEMPLATES_IN_CLASS * 25 * 25 <= tally.ONE_PLAY


@pytest.mark.usefixtures("small_blocks")
def test_parts_of_the_records_add_up(records: Path) -> None:
    whole = learn_library([records], templates=["3x3"]).tables["3x3-centre"]
    first = learn_library([records], templates=["3x3"], games=25).tables["3x3-centre"]
    rest = learn_library([records], templates=["3x3"], skip=25).tables["3x3-centre"]
    assert whole.matches.sum() == first.matches.sum() + rest.matches.sum()
    assert whole.plays.sum() == first.plays.sum() + rest.plays.sum()
    one = learn_library([records], templates=["3x3"], games=25)
    assert (one.about["games"], one.about["skipped"]) == (24, {"illegal move": 1})


@pytest.mark.usefixtures("small_blocks")
def test_stopped_and_resumed(records: Path, tmp_path: Path) -> None:
    output, log = tmp_path / "go.patterns", tmp_path / "skipped.txt"
    whole = learn_library([records], templates=["3x3"], log=log)
    written = log.read_text()
    assert len(written.splitlines()) == 3
    log.write_text("from before")
    stops, done = 0, None
    while done is None:
        stop = threading.Event()
        start = stops

        def tell(progress: Progress, stop: threading.Event = stop) -> None:
            stop.set()

        try:
            done = learn_library([records], templates=["3x3"], threads=1, output=output, log=log, stop=stop, tell=tell)
        except LearningStopped:
            stops = start + 1
            assert PartialFile.beside(output).path.exists()
    assert stops > 2
    assert_equal(whole, done)
    assert log.read_text() == written


def test_unfinished_work_of_another_command(records: Path, tmp_path: Path) -> None:
    output = tmp_path / "go.patterns"
    stop = threading.Event()
    stop.set()
    with pytest.raises(LearningStopped):
        learn_library([records], templates=["3x3"], output=output, stop=stop)
    kept = PartialFile.beside(output).path.read_bytes()
    with pytest.raises(EightfoldError, match="whose skip differ"):
        learn_library([records], templates=["3x3"], output=output, skip=2)
    assert PartialFile.beside(output).path.read_bytes() == kept
    PartialFile.beside(output).path.write_bytes(kept[:-40])
    with pytest.raises(EightfoldError, match="damaged"):
        learn_library([records], templates=["3x3"], output=output)


def test_renju(tmp_path: Path) -> None:
    """The same templates on another game; what black may not play is no candidate."""
    path = tmp_path / "renju.sgf"
    path.write_text("\n".join(sgf_lines(make_game("gomoku:size=15,rule=renju"), 6, most=40)))
    library = learn_library([path], game="gomoku:rule=renju", templates=["3x3"])
    assert (library.game, library.about["games"]) == ("gomoku", 6)
    with pytest.raises(EightfoldError, match="no game could be counted: 6 another game"):
        learn_library([path], templates=["3x3"])


# ---- the command ------------------------------------------------------------------------------------


def run(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return eightfold("patterns", *map(str, words), cwd=cwd)


def test_the_commands(records: Path, tmp_path: Path) -> None:
    raw, combined, output = tmp_path / "raw.patterns", tmp_path / "combined.patterns", tmp_path / "go.patterns"
    done = run("learn", records, "-o", output, "--templates", "3x3", "--json")
    assert done.returncode == 3, done.stderr  # some were skipped
    assert json.loads(done.stdout)["skipped"] == {"illegal move": 3}
    done = run("learn", records / "a.sgf", "-o", raw, "--templates", "3x3", "--raw", "--games", "20")
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 games" in done.stdout
    done = run("combine", raw, "-o", combined)
    assert done.returncode == 0, done.stderr
    assert load_library(combined).combined
    done = run("export", combined, "--order", "paper")
    exported = json.loads(done.stdout)
    assert (exported["order"], list(exported["tables"])) == ("paper", ["3x3-centre", "3x3-edge", "3x3-corner"])
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["learn", "nowhere.sgf", "-o", "x.patterns"], "nowhere.sgf: no such file"),
        (["learn", "bad.sgf", "-o", "x.patterns"], "no game could be counted: 1 illegal move; the first: bad.sgf"),
        (["learn", "bad.sgf", "-o", "no/x.patterns"], "cannot write no/x.patterns"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--templates", "5x5"], "unknown template '5x5'"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--game", "chess"], "unknown game 'chess'"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--size", "3"], "3x3"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--templates", ","], "no template is named"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--log", "bad.sgf"], "the log bad.sgf is one of the records"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--log", "no/log"], "cannot write no/log"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--elo", "--features", "bogus"], "unknown feature 'bogus'"),
        (["learn", "bad.sgf", "-o", "x.patterns", "--features", "all"], "--features are learned with --elo"),
        (["combine", "bad.sgf", "-o", "x.patterns"], "bad.sgf is no pattern library"),
        (["export", "bad.sgf", "--format", "xml"], "unknown format 'xml'"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, words: list[str], line: str) -> None:
    (tmp_path / "bad.sgf").write_text(BAD)
    done = run(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.patterns"))
    assert (tmp_path / "bad.sgf").read_text() == BAD


def test_a_broken_link_is_a_damaged_file(tmp_path: Path, records: Path) -> None:
    (tmp_path / "a.sgf").symlink_to(tmp_path / "gone")
    (tmp_path / "b.sgf").write_bytes((records / "a.sgf").read_bytes())
    about = learn_library([tmp_path], templates=["3x3"]).about
    assert about["games"] > 0
    assert about["skipped"]["damaged file"] == 1


def test_classes() -> None:
    done = run("classes", "--json")
    assert json.loads(done.stdout) == {
        "3x3-centre": 954,
        "3x3-edge": 3402,
        "3x3-corner": 3402,
        "4x4-centre": 7_184_295,
        "4x4-edge": 14_348_907,
        "4x4-corner": 7_184_295,
    }


KILLED = """
import sys, time
from pathlib import Path
from eightfold.patterns import learn
from eightfold.patterns.files import save_library
real = learn.blocks
learn.blocks = lambda *args, **options: real(*args, **options, block_bytes=2000)
slow = float(sys.argv[3])
library = learn.learn_library(
    [sys.argv[1]], templates=["3x3"], threads=1, output=Path(sys.argv[2]), save_seconds=0.0,
    tell=lambda progress: time.sleep(slow),
)
save_library(library, Path(sys.argv[2]))
"""


def test_killed_and_resumed(records: Path, tmp_path: Path) -> None:
    """A process that is killed loses no more than what came after the last save, and the next one goes on."""
    output = tmp_path / "go.patterns"
    partial = PartialFile.beside(output).path
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(records), str(output), "0.3"])
    deadline = time.monotonic() + LONG
    while not partial.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert not output.exists()
    before = load_library(partial).about["partial"]["entries"]
    assert 0 < before < 63
    subprocess.run([sys.executable, "-c", KILLED, str(records), str(output), "0"], check=True)
    assert_equal(load_library(output), learn_library([records], templates=["3x3"]))
