"""The page comes first: it is served while the games are still loading, and a wrong start is one line."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from eightfold.web.lobby import Lobby
from eightfold.web.serve import check_watched
from patience import LONG, finished
from refusals import refusal
from web.serving import get, served

WITHOUT = """
import sys
sys.modules["uvicorn"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "uvicorn" else find(name)
from eightfold.web.serve import serve
try:
    serve(port=0, browser=False)
except ValueError as error:
    print(error)
"""

LIGHT = """
import sys
import eightfold.web.app, eightfold.web.serve
print(sorted({"numba", "torch", "numpy"} & set(sys.modules)))
"""


def test_the_page_is_served_while_the_games_still_load():
    loading: Future[Lobby] = Future()
    loading.set_running_or_notify_cancel()
    with served(loading) as address:
        assert get(address, "/")[0] == get(address, "/main.js")[0] == 200
        answers = []
        asking = threading.Thread(target=lambda: answers.append(get(address, "/api/menu")), daemon=True)
        asking.start()
        assert not answers
        loading.set_result(Lobby(workers=1, pace=0, seed=1))
        asking.join(LONG)
        assert answers[0][0] == 200
        assert answers[0][1]["default_game"].startswith("gomoku")


def test_what_serves_the_page_imports_no_numba_and_no_torch(run_python):
    assert run_python(LIGHT).strip() == "[]"


def test_a_missing_library_is_named_with_its_extra(run_python):
    assert run_python(WITHOUT).strip() == 'the page needs Uvicorn: pip install "eightfold[web]"'


def test_what_can_be_no_run_is_refused_and_what_may_become_one_is_not(tmp_path):
    for name in ("file.md", "games/1.sgf", "begun/config.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "empty").mkdir()
    for name in ("begun", "empty", "nowhere"):
        check_watched(tmp_path / name)
    for name in ("file.md", "games"):
        assert refusal(lambda name=name: check_watched(tmp_path / name)) == (
            f"--run {tmp_path / name} is no run's folder: it has neither config.toml nor metrics.jsonl"
        )


def test_a_wrong_player_ends_the_command_before_anything_opens(run_python):
    said = finished(
        lambda: run_python("""
from eightfold.web.serve import serve
try:
    serve(port=0, browser=False, players=["fly"])
except ValueError as error:
    print(error)
""")
    )
    assert said.startswith("unknown player 'fly'")
