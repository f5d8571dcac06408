"""The listing of settings, and the page of the documentation that must say the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from eightfold.core.settings import settings_of
from eightfold.learning.listing import CONFIGS, settings_page

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_page_of_the_documentation_is_what_is_declared():
    assert PAGE.read_text(encoding="utf-8") == settings_page(), "eightfold settings --markdown > docs/settings.md"


def eightfold(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "importtime", "-m", "eightfold", "settings", *arguments]
    environment = {**os.environ, "COLUMNS": "80"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("command", CONFIGS)
def test_the_command_lists_every_key_in_a_terminal(command):
    done = eightfold(command)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    for key in (one.name for one in settings_of(CONFIGS[command])):
        assert f"{key} = " in done.stdout
    assert not any(line.endswith("| torch") for line in done.stderr.splitlines()), "nothing heavy for a list"


def test_the_command_prints_the_page_and_refuses_what_has_no_settings():
    assert eightfold("--markdown").stdout == settings_page()
    done = eightfold("play")
    assert done.returncode == 2
    assert "unknown command with settings 'play'; known: train, train-isn" in done.stderr
