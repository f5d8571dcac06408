"""The jobs of docs/library.md: each is short, and runs as it is printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
JOBS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL))
SAYS = {
    "Play a game": r"the winner is [12]|draw",
    "Search a position": r"^[a-j][1-9]|pass",
    "Search many positions at once with a network": r"(?:[a-h][1-8] -?\d.*\n){8}",
    "Train": r"gomoku:size=5",
    "Match": r"^\d+ \d+ \d+\n",
}


def test_the_page_has_the_five_jobs_and_each_is_short():
    assert set(JOBS) == set(SAYS)
    for job, code in JOBS.items():
        assert len([line for line in code.splitlines() if line.strip()]) < 10, job


@pytest.mark.parametrize("job", SAYS)
def test_a_job_runs(job, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(JOBS[job], f"docs/library.md: {job}", "exec"), {"__name__": "job"})
    assert re.search(SAYS[job], capsys.readouterr().out, re.MULTILINE)
