"""Other people's engines on the page: they play, they forfeit with the reason shown, and none is left behind."""

from __future__ import annotations

import os
import shlex
import stat
import sys
import time
from pathlib import Path

import pytest

from eightfold.web.lobby import Lobby
from patience import LONG
from web.serving import GREEDY, client, running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="scripts that can be run")

CRASHING = """#!/bin/sh
echo $$ >> "$(dirname "$0")/started"
read line
echo OK
read line
exit 3
"""


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_engines_play_and_forfeit_on_the_page(tmp_path):
    python = shlex.quote(sys.executable)
    honest = script(
        tmp_path / "honest",
        f'#!/bin/sh\necho $$ >> "{tmp_path}/started"\nexec {python} -m eightfold gomocup --player greedy\n',
    )
    crashing = script(tmp_path / "crashing", CRASHING)
    lobby = Lobby(players=[f"gomocup:seconds=1,{honest}", f"gomocup:{crashing}"], workers=2, pace=0, seed=1)
    with running(lobby) as address:
        with client(address) as page:
            page.new(black={"player": "gomocup:honest", "level": 0}, white=GREEDY)
            state = page.hear("state", lambda s: s["over"])
            assert state["outcome"] in ("black wins", "white wins", "draw")
            assert str(tmp_path) not in str(state), "nobody is told where an engine lies"
        with client(address) as page:
            page.new(black=GREEDY, white={"player": "gomocup:crashing", "level": 0})
            state = page.hear("state", lambda s: s["over"])
            assert state["winner"] == 1
            assert "gomocup:crashing forfeits: it ended with exit code 3" in state["outcome"]
            page.say("save")
            assert "RE[B+F]" in page.hear("sgf")["sgf"]
    processes = [int(line) for line in (tmp_path / "started").read_text().split()]
    assert len(processes) >= 2
    end = time.monotonic() + LONG
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < end, "an engine was left behind"
        time.sleep(0.05)
