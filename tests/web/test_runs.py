"""Runs are read while they are written."""

from __future__ import annotations

import json

from eightfold.web.runs import MOST_POINTS, WatchedRun


def add(path, *entries):
    with open(path, "a") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)


def test_a_run_that_has_not_begun_is_empty(tmp_path):
    run = WatchedRun(tmp_path / "run")
    assert run.summary() == {"name": "run"}
    assert run.curves(0)["entries"] == []
    assert run.games()["games"] == []


def test_new_lines_are_seen_and_half_ones_are_waited_for(tmp_path):
    run, path = WatchedRun(tmp_path), tmp_path / "metrics.jsonl"
    add(path, {"minutes": 1}, {"minutes": 2})
    first = run.curves(0)
    assert [entry["minutes"] for entry in first["entries"]] == [1, 2]
    with open(path, "a") as file:
        file.write('{"minutes":')
    assert run.curves(first["next"])["entries"] == []
    with open(path, "a") as file:
        file.write(" 3}\n")
    assert run.curves(first["next"])["entries"] == [{"minutes": 3}]


def test_nonsense_in_a_file_is_left_out(tmp_path):
    run = WatchedRun(tmp_path)
    (tmp_path / "metrics.jsonl").write_text('x\n[1]\n{"minutes": 1, "loss": NaN}\n\xff\n', encoding="latin-1")
    assert run.curves(0)["entries"] == [{"minutes": 1}]
    (tmp_path / "games.jsonl").write_text('{"moves": "x"}\nnull\n{"moves": [1], "opening": 0, "result": 3}\n')
    [game] = run.games()["games"]
    assert game.pop("error").startswith("unknown game ''")
    assert game == {"moves": [1], "opening": 0, "result": 3}
    (tmp_path / "config.toml").write_text('game = "gomoku:size=3,win=3"')
    (tmp_path / "games.jsonl").write_text('{"moves": [1, 1], "opening": 0, "result": 3}\n')
    assert "move b3 is not legal" in run.games()["games"][0]["error"]


def test_a_game_is_replayed_by_its_own_rules(tmp_path):
    run = WatchedRun(tmp_path)
    (tmp_path / "config.toml").write_text('game = "go:size=9"')
    kept = {"moves": [40], "opening": 0, "result": 1}
    add(tmp_path / "games.jsonl", kept, kept | {"game": "go:size=9,handicap=2"})
    handicapped, plain = run.games()["games"]
    assert (plain["start"].count("1"), handicapped["start"].count("1")) == (0, 2)
    assert handicapped["changes"] == [[[40, 2]]], "white began"


def test_a_long_run_is_thinned_but_keeps_every_evaluation(tmp_path):
    run, path = WatchedRun(tmp_path), tmp_path / "metrics.jsonl"
    add(path, *({"minutes": k} for k in range(10_000)), {"minutes": 1, "evaluation": {}})
    curves = run.curves(0)
    assert len(curves["entries"]) <= MOST_POINTS + 1
    assert curves["next"] == 10_001
    assert "evaluation" in curves["entries"][-1]


def test_nodes_of_a_cluster_are_told_once(tmp_path):
    run, path = WatchedRun(tmp_path), tmp_path / "metrics.jsonl"
    add(path, *({"minutes": k, "nodes": [{"node": "a", "actors": k}]} for k in range(3)), {"minutes": 3})
    entries = run.curves(0)["entries"]
    assert [entry.get("nodes") for entry in entries] == [None, None, [{"node": "a", "actors": 2}], None]
    assert "nodes" in run._entries[0], "what was read is as it was"


def test_a_run_that_began_again_is_told(tmp_path):
    run, path = WatchedRun(tmp_path), tmp_path / "metrics.jsonl"
    add(path, *({"minutes": k} for k in range(10)))
    assert run.curves(0)["next"] == 10
    path.write_text('{"minutes": 0}\n')
    assert run.curves(10)["restarted"]
    assert run.curves(0)["entries"] == [{"minutes": 0}]
