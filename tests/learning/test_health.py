"""The health of real runs: collapsed and redundant self-play is named, healthy self-play is not."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from eightfold.games import make_game
from eightfold.learning.health import HEALTHY, TOO_FEW, Health, run_health
from eightfold.learning.health_pictures import BESIDE, REPEATED, TYPICAL, pictures
from eightfold.learning.health_report import health_words
from eightfold.learning.loop import Training
from eightfold.learning.monitors import COLLAPSED, MEMORY, REDUNDANT
from launching import eightfold
from refusals import refusal
from tiny_runs import tiny

GAMES = 130
SIX = "game=gomoku:size=6,win=4"
DULL = ["selfplay.noise=0", "selfplay.opening_share=0", "selfplay.temperature=0", "selfplay.final_temperature=0"]


def train(folder: Path, *changes: str) -> Path:
    """Self-play with an untrained network, real games of it."""
    many = [f"games={GAMES}", f"training.games_a_round={GAMES}", "selfplay.parallel_games=65", "selfplay.full_share=1"]
    training = Training(tiny(*many, *changes), folder)
    training.train()
    training.close()
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("health")
    return {
        # One playout a move: neither side sees what the other threatens.
        "cold": train(folder / "cold", SIX, *DULL, "selfplay.playouts=1"),
        # Always the most visited move of tic-tac-toe: a few games again and again.
        "dull": train(folder / "dull", *DULL, "selfplay.playouts=8"),
        "healthy": train(folder / "healthy", SIX, "seed=1", "selfplay.playouts=16", "selfplay.opening_share=0.5"),
    }


def write_run(folder: Path, lines: list[object], game: str = "gomoku:size=6,win=4") -> Path:
    folder.mkdir()
    (folder / "config.toml").write_text(f'game = "{game}"\n')
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "games.jsonl").write_text("".join(f"{text}\n" for text in texts))
    return folder


def random_game(seed: int) -> dict[str, object]:
    random, position = np.random.default_rng(seed), make_game("gomoku:size=6,win=4").start()
    while not position.is_over:
        position = position.play(int(random.choice(position.legal_moves)))
    return {"moves": list(position.moves), "opening": 0, "result": position.result}


RANDOM = [random_game(seed) for seed in range(60)]
SHORT = {"moves": [0, 12, 1, 13, 2, 14, 3], "opening": 0, "result": 1}


def states(health: Health) -> list[str]:
    return [part.state for part in health.slices]


@pytest.mark.slow
def test_collapsed_and_redundant_runs_are_named_and_a_healthy_one_is_not(runs):
    found = {name: run_health(run) for name, run in runs.items()}
    assert states(found["cold"]) == [COLLAPSED]
    assert states(found["dull"]) == [REDUNDANT]
    assert states(found["healthy"]) == [HEALTHY]
    cold, dull, healthy = (found[name].slices[0] for name in ("cold", "dull", "healthy"))
    assert cold.figures["game_length"] < 0.8 * healthy.figures["game_length"]
    assert dull.times > 0.1 * dull.looked_at
    assert dull.figures["distinct_games"] < 0.5 < healthy.figures["distinct_games"]


@pytest.mark.slow
def test_the_typical_game_has_the_usual_result_and_length(runs):
    [part] = run_health(runs["healthy"]).slices
    lines = [json.loads(line) for line in (runs["healthy"] / "games.jsonl").read_text().splitlines()]
    wins = [sum(line["result"] == result for line in lines) for result in (1, 2, 3)]
    typical = part.typical
    assert typical.kept.result == 1 + int(np.argmax(wins))
    lengths = sorted(len(line["moves"]) for line in lines if line["result"] == typical.kept.result)
    assert len(typical.kept.moves) == lengths[(len(lengths) - 1) // 2]
    assert lines[typical.number - 1]["moves"] == list(typical.kept.moves)


def test_the_slices_of_a_run_that_collapses_and_recovers(tmp_path):
    run = write_run(tmp_path / "run", [*[SHORT] * 120, *RANDOM, *RANDOM, *RANDOM[:50], *[SHORT] * 70])
    health = run_health(run, slices=3)
    assert [(part.first, part.last) for part in health.slices] == [(1, 120), (121, 240), (241, 360)]
    assert states(health)[0] == f"{COLLAPSED} and {REDUNDANT}"
    assert health.slices[0].typical.kept.moves == tuple(SHORT["moves"])
    assert (health.slices[0].times, health.slices[2].times) == (120, 70)
    assert health.sickest is health.slices[0]
    words = list(health_words(health))
    assert words[0].startswith("games 1–120: collapsed self-play: games of 7.0 moves after any random stones, 100% won")
    assert any(line.startswith("games 241–360: redundant self-play: one game is 70 of 120") for line in words)


def test_long_slices_are_judged_in_parts_as_training_judges_its_last_games(tmp_path):
    """Random games are different within a part, though each comes again later in the slice."""
    run = write_run(tmp_path / "run", [random_game(seed) for seed in range(MEMORY)] * 8)
    [part] = run_health(run, slices=1).slices
    assert (part.last, part.looked_at) == (8 * MEMORY, 3 * MEMORY)
    assert part.state == HEALTHY
    assert part.figures["distinct_games"] > 0.95
    mixed = write_run(tmp_path / "mixed", [SHORT] * MEMORY + [random_game(seed) for seed in range(MEMORY)])
    [part] = run_health(mixed, slices=1).slices
    assert part.state == f"{COLLAPSED} and {REDUNDANT}"
    assert all("(in 1 of 2 parts)" in finding.what for finding in part.findings)


def test_a_file_of_a_stranger_is_data(tmp_path):
    games = ([1, 1], [True], [999_999_999_999], ["a1"], [-1], 3)
    nonsense: list[object] = [{"moves": moves, "opening": 0, "result": 1} for moves in games]
    nonsense += ["{", "[]", "[" * 100_000, {"moves": [1], "opening": 5, "result": 1}, {"moves": []}]
    run = write_run(tmp_path / "run", [*nonsense, *RANDOM])
    health = run_health(run)
    assert (health.games, health.unreadable, states(health)) == (60 + len(nonsense), len(nonsense), [TOO_FEW])
    assert list(health_words(health)) == ["60 games: too few to say; 100 are enough"]
    nothing = run_health(write_run(tmp_path / "nothing", nonsense))
    assert (states(nothing), pictures([nothing])) == ([TOO_FEW], {})
    theirs = write_run(tmp_path / "theirs", RANDOM, game="python:os")
    assert "code of somebody's own" in refusal(lambda: run_health(theirs))


def test_runs_that_cannot_be_looked_at_are_refused_in_a_line(tmp_path):
    assert "is not the folder of a run" in refusal(lambda: run_health(tmp_path / "none"))
    empty = write_run(tmp_path / "empty", [])
    assert refusal(lambda: run_health(empty)) == f"{empty} has kept no games yet"
    (empty / "games.jsonl").unlink()
    assert refusal(lambda: run_health(empty)) == f"{empty} keeps no games: it has no games.jsonl"
    (empty / "config.toml").write_text("game = 3\n")
    assert "does not name a game" in refusal(lambda: run_health(empty))
    (empty / "config.toml").write_text("game = [\n")
    assert "config.toml" in refusal(lambda: run_health(empty))


@pytest.mark.slow
def test_sick_games_are_drawn_beside_healthy_ones(runs, tmp_path):
    done = eightfold("games", *(str(runs[name]) for name in ("dull", "healthy")), "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "redundant self-play: one game is" in done.stdout
    assert "self-play is healthy from the first game to the last" in done.stdout
    words = {name: _words(tmp_path / "out" / name) for name in (TYPICAL, REPEATED, BESIDE)}
    assert words[TYPICAL].index("dull, games 1–") < words[TYPICAL].index("healthy, games 1–")
    assert "redundant" in words[BESIDE]
    assert "healthy, games 1–" in words[BESIDE]
    assert "times in" in words[REPEATED]
    alone = pictures([run_health(runs["healthy"])])
    assert BESIDE not in alone


@pytest.mark.slow
def test_the_report_as_json_and_its_refusals(runs, tmp_path):
    done = eightfold("games", str(runs["cold"]), "--json", cwd=tmp_path)
    [run] = json.loads(done.stdout)["runs"]
    assert (run["run"], run["slices"][0]["state"]) == ("cold", COLLAPSED)
    assert run["slices"][0]["warnings"][0].startswith("collapsed self-play: ")
    refused = eightfold("games", "nowhere", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("eightfold: nowhere is not the folder of a run")
    assert refused.stderr.count("\n") == 1
    (tmp_path / "file").write_text("")
    assert eightfold("games", str(runs["cold"]), "-o", "file", cwd=tmp_path).stderr.startswith("eightfold: cannot make")


def _words(path: Path) -> str:
    return "\n".join(text.text or "" for text in ET.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text"))
