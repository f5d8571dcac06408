"""The frame of studies: what is measured again and what is not, stopping anywhere, and reports from kept numbers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from eightfold.core.settings import setting
from eightfold.studies import STUDIES
from eightfold.studies.frame import Stage, Study, load_study, run_study, write_report
from eightfold.studies.grid import grid
from refusals import refusal


@dataclass(frozen=True, kw_only=True)
class Settings:
    sides: int = setting(6, "of a die", least=2, most=100)
    seeds: int = setting(2, "dice", least=1, most=100)
    factor: int = setting(1, "what their sum is multiplied with", least=1, most=100)


class Dice:
    """A study of two stages that notes what it measures."""

    def __init__(self) -> None:
        self.thrown: list[tuple[int, int]] = []
        self.summed = 0
        self.study = Study(
            name="dice",
            title="Dice",
            introduction="",
            settings=Settings(),
            small=("seeds=1",),
            stages=(
                Stage(
                    name="throws",
                    settings=("sides", "seeds"),
                    measure=self.throws,
                    section=lambda report, rows: report.csv("throws", rows),
                ),
                Stage(
                    name="sum",
                    settings=("factor",),
                    after=("throws",),
                    measure=self.sum,
                    section=lambda report, found: report.text(f"sum {found}"),
                ),
            ),
        )

    def throws(self, work):
        cases = grid({"sides": [work.settings.sides], "seed": range(work.settings.seeds)})
        return [{**case, "eyes": eyes} for case, eyes in zip(cases, work.parts(self.throw, cases), strict=True)]

    def throw(self, part, *, sides, seed):
        self.thrown.append((sides, seed))
        return (7 * seed + 3) % sides + 1

    def sum(self, work):
        self.summed += 1
        return work.settings.factor * sum(row["eyes"] for row in work.results["throws"])


def results(folder: Path) -> dict:
    stages = json.loads((folder / "results.json").read_text(encoding="utf-8"))["stages"]
    return {name: entry["result"] for name, entry in stages.items()}


def test_a_study_measures_each_thing_once(tmp_path):
    dice = Dice()
    report = run_study(dice.study, tmp_path)
    assert report == tmp_path / "README.md"
    assert results(tmp_path)["sum"] == 4 + 5
    assert "sum 9" in report.read_text(encoding="utf-8")
    assert (tmp_path / "throws.csv").read_text(encoding="utf-8") == "sides,seed,eyes\n6,0,4\n6,1,5\n"
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    run_study(dice.study, tmp_path)
    assert (dice.thrown, dice.summed) == ([(6, 0), (6, 1)], 1)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_only_what_depends_on_a_change_is_measured_again(tmp_path):
    dice = Dice()
    run_study(dice.study, tmp_path)
    dice.thrown.clear()
    run_study(dice.study, tmp_path, changes=["factor=10"])
    assert (dice.thrown, results(tmp_path)["sum"]) == ([], 90)
    run_study(dice.study, tmp_path, changes=["seeds=3"])
    assert dice.thrown == [(6, 2)], "more seeds cost the new ones"
    assert results(tmp_path)["sum"] == 4 + 5 + 6
    summed = dice.summed
    run_study(dice.study, tmp_path)
    assert (dice.thrown, dice.summed) == ([(6, 2)], summed), "earlier settings are kept"
    assert results(tmp_path)["sum"] == 9


def test_a_new_version_is_measured_again(tmp_path):
    dice = Dice()
    run_study(dice.study, tmp_path)
    throws, total = dice.study.stages
    newer = replace(dice.study, stages=(replace(throws, version=2), total))
    run_study(newer, tmp_path)
    assert (dice.thrown, dice.summed) == ([(6, 0), (6, 1)] * 2, 2)


def test_files_count_by_what_they_hold(tmp_path):
    dice, file = Dice(), tmp_path / "weights"
    throws, total = dice.study.stages
    study = replace(dice.study, stages=(throws, replace(total, inputs=lambda work: [file])))
    for content, summed in ((b"a", 1), (b"a", 1), (b"b", 2), (b"a", 2)):
        file.write_bytes(content)
        os.utime(file, ns=(0, ord(content)))
        run_study(study, tmp_path / "study")
        assert dice.summed == summed


def test_a_stage_sees_only_what_its_key_covers(tmp_path):
    dice = Dice()
    throws, total = dice.study.stages
    blind = replace(throws, measure=lambda work: work.settings.factor)
    with pytest.raises(AttributeError, match="does not name the setting 'factor'"):
        run_study(replace(dice.study, stages=(blind, total)), tmp_path)
    apart = replace(total, after=())
    with pytest.raises(KeyError, match="throws"):
        run_study(replace(dice.study, stages=(throws, apart)), tmp_path)


def test_parts_survive_the_failure_of_a_later_one(tmp_path):
    dice = Dice()
    plain = dice.throw

    def throw(part, *, sides, seed):
        if seed == 1:
            raise KeyboardInterrupt
        return plain(part, sides=sides, seed=seed)

    dice.throw = throw
    with pytest.raises(KeyboardInterrupt):
        run_study(dice.study, tmp_path)
    assert dice.thrown == [(6, 0)]
    dice.throw = plain
    run_study(dice.study, tmp_path)
    assert dice.thrown == [(6, 0), (6, 1)]


SLOW = """
    import time
    from dataclasses import dataclass
    from pathlib import Path
    from eightfold.core.settings import setting
    from eightfold.studies.frame import Stage, Study

    @dataclass(frozen=True, kw_only=True)
    class Settings:
        parts: int = setting(6, "", least=1, most=100)

    def count(part, *, number):
        print(number, flush=True)
        while number == 2 and not Path("go on").exists():  # it is stopped here, however busy the machine is
            time.sleep(0.02)
        return number

    STUDY = Study(name="slow", title="Slow", introduction="", settings=Settings(), small=(), stages=(
        Stage(
            name="count", measure=lambda work: work.parts(count, [{"number": n} for n in range(work.settings.parts)]),
            section=lambda report, found: report.text(str(found)),
        ),
    ))
"""


@pytest.mark.parametrize(("blow", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_study_that_was_killed_or_stopped_goes_on(tmp_path, blow, code):
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW), encoding="utf-8")
    command = [sys.executable, "-m", "eightfold", "study", "python:slow", "--output", "out"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        begun = [process.stdout.readline().strip() for _ in range(3)]
        process.send_signal(blow)
        _, said = process.communicate(timeout=60)
    assert (begun, process.returncode) == (["0", "1", "2"], code)
    assert "Traceback" not in said
    assert ("the same command goes on" in said) == (blow == signal.SIGINT)
    (tmp_path / "go on").touch()
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert again.stdout.split()[:-1] == ["2", "3", "4", "5"]
    assert str(list(range(6))) in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_the_report_is_written_again_from_the_numbers_alone(tmp_path):
    dice = Dice()
    report = run_study(dice.study, tmp_path)
    text = report.read_bytes()
    for path in (report, tmp_path / "throws.csv", *(tmp_path / "kept").iterdir()):
        path.unlink()
    assert write_report(dice.study, tmp_path).read_bytes() == text
    assert (tmp_path / "throws.csv").exists()
    assert (len(dice.thrown), dice.summed) == (2, 1)
    assert "run the study first" in refusal(lambda: write_report(dice.study, tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "`eightfold study dice`"),
        ({"changes": ["sides=8", "factor=2"]}, "`eightfold study dice --set sides=8 --set factor=2`"),
        ({"small": True}, "`eightfold study dice --small`"),
    ],
)
def test_the_report_says_by_which_command_it_was_made(options, said, tmp_path):
    assert f"Written by {said} from" in run_study(Dice().study, tmp_path, **options).read_text(encoding="utf-8")


def test_a_folder_without_kept_parts_is_taken_as_measured(tmp_path):
    dice = Dice()
    run_study(dice.study, tmp_path)
    for path in (tmp_path / "kept").iterdir():
        path.unlink()
    run_study(dice.study, tmp_path, changes=["factor=2"])
    run_study(dice.study, tmp_path)
    assert (dice.thrown, dice.summed) == ([(6, 0), (6, 1)], 2)


def test_small_numbers_are_not_mixed_with_others(tmp_path):
    dice = Dice()
    run_study(dice.study, tmp_path)
    before = (tmp_path / "results.json").read_bytes()
    assert "choose another --output" in refusal(lambda: run_study(dice.study, tmp_path, small=True))
    assert (tmp_path / "results.json").read_bytes() == before
    run_study(dice.study, tmp_path / "small", small=True)
    assert results(tmp_path / "small")["sum"] == 4


def test_what_cannot_be_run_is_named(tmp_path):
    dice = Dice()
    for content in ('{"study', "[]", '{"study": "other", "stages": {}}'):
        (tmp_path / "results.json").write_text(content, encoding="utf-8")
        assert "does not hold the numbers of the study dice" in refusal(lambda: run_study(dice.study, tmp_path))
        assert (tmp_path / "results.json").read_text(encoding="utf-8") == content
    (tmp_path / "file").touch()
    assert "cannot make the folder" in refusal(lambda: run_study(dice.study, tmp_path / "file" / "out"))
    assert "leave --run out" in refusal(lambda: run_study(dice.study, tmp_path / "out", run=tmp_path))
    assert f"known: {', '.join(STUDIES)}, python:MODULE" in refusal(lambda: load_study("dice"))
    assert "has no STUDY" in refusal(lambda: load_study("python:textwrap"))
    assert not dice.thrown


def test_without_matplotlib_nothing_is_run(tmp_path, monkeypatch):
    dice = Dice()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert 'pip install "eightfold[studies]"' in refusal(lambda: run_study(dice.study, tmp_path / "out"))
    assert not dice.thrown
    assert not (tmp_path / "out").exists()
