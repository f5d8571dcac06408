"""Runs that are killed at random moments: no game lacks its samples, weights are young, counters never go back.

All samples that are stored are compared, in order, with what the moves in games.jsonl say they must be: the window is
larger than the run. The slow test kills a hundred times, in all symmetry modes and in TD(λ) training.
"""

from __future__ import annotations

import json
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eightfold.config import with_changes
from eightfold.games import make_game
from eightfold.games.state import DRAW, SIDE
from eightfold.isn.store import NETWORK, read_isn
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.td.config import TdConfig
from eightfold.learning.td.loop import TdTrainer
from eightfold.nets.inference.evaluator import MODES
from eightfold.symmetry.transform import transform_batch
from launching import Launch, LaunchServer, server

GAME = "gomoku:size=5,win=4"
BATCH, PER_SAMPLE = 32, 4
VALIDATION = 100  # every so many games one is kept from training: few, since all of them must stay on any machine
SELF_PLAY = [
    f"game={GAME}", "network=resnet:blocks=1,filters=8", "minutes=0", "games=1000000", "selfplay.parallel_games=6",
    "selfplay.playouts=12", "selfplay.full_share=1.0", "selfplay.opening_stones=3", "selfplay.value_mix=0.0",
    "selfplay.temperature=0.0", "selfplay.final_temperature=0.0", f"training.batch_size={BATCH}",
    "training.games_a_round=6", f"training.replay_ratio={PER_SAMPLE}", "training.window=1000000",
    f"training.validation_every={VALIDATION}", "evaluation.every_minutes=0", "backend=torch",
]  # fmt: skip
TD = ["game=go:size=3,komi=0.5", "games=100000000", "linear_games=50", "learning_rate=1e-4", "snapshot_every=1000"]
PATIENCE = 240  # seconds that a busy machine may take to start


@dataclass
class Killer:
    """Kills a run again and again, and looks at what is left each time."""

    server: LaunchServer
    run: Path
    arguments: list[str]
    random: np.random.Generator
    kills: int = 0
    oldest: float = 0.0  # seconds between the newest weights on disk and a kill
    before: dict[str, float] = field(default_factory=dict)

    @property
    def progress_path(self) -> Path:
        folder = self.run if self.arguments[0] == "train-isn" else self.run / "checkpoint"
        return folder / "progress.json"

    def begin(self) -> tuple[Launch, float]:
        """A launch, and when its training began."""
        launch, patience = self.server.launch(*self.arguments), time.monotonic() + PATIENCE
        while " into " not in launch.said and "going on with" not in launch.said:
            assert "eightfold:" not in launch.said, launch.said
            assert "Traceback" not in launch.said, launch.said
            assert time.monotonic() < patience
            time.sleep(0.02)
        return launch, time.time()

    def kill(self, seconds: float) -> None:
        if self.random.random() < 0.1:  # at any moment of the start
            launch = self.server.launch(*self.arguments)
            began = time.time()
            time.sleep(seconds / 2)
        else:
            launch, began = self.begin()
            time.sleep(seconds)
        now = time.time()
        launch.kill()
        self.kills += 1
        if self.progress_path.exists():
            self.oldest = max(self.oldest, now - max(began, self.progress_path.stat().st_mtime))
        self.check_counters()

    def stop(self) -> None:
        launch, _ = self.begin()
        time.sleep(1.0)
        launch.signal(signal.SIGTERM)
        assert launch.wait() == 0, launch.said
        assert "stopped and saved" in launch.said
        self.check_counters()

    def check_counters(self) -> None:
        if self.progress_path.exists():
            saved = json.loads(self.progress_path.read_text())
            for name in ("games", "samples", "steps", "seconds", "moves"):
                assert saved.get(name, 0) >= self.before.get(name, 0), f"{name} went back"
            self.before = saved
        entries = read_metrics(self.run)
        for name in ("games", "samples", "steps", "minutes"):
            values = [entry[name] for entry in entries if name in entry]
            assert values == sorted(values), f"{name} went back in metrics.jsonl"


@dataclass
class Replayed:
    """What the samples of a game must be."""

    states: np.ndarray  # [T, C, N, N]
    values: np.ndarray  # [T]
    moves: list[int]  # that were played from them

    @classmethod
    def of(cls, line: dict[str, Any]) -> Replayed:
        game, rows = make_game(GAME), []
        position = game.start()
        for ply, move in enumerate(line["moves"]):
            if ply >= line["opening"]:
                rows.append(position.state.copy())
            position = position.play(move)
        number, planes = game.encoder("last-move")
        states = np.empty((len(rows), planes, game.size, game.size), np.float32)
        game.kernels.encode_batch(np.array(rows), number, states)
        result = line["result"]
        values = [0.0 if result == DRAW else 1.0 if row[SIDE] == result else -1.0 for row in rows]
        return cls(states, np.array(values, np.float32), line["moves"][line["opening"] :])


def compare(run: Path, mode: str, known: dict[int, Replayed]) -> tuple[int, int]:
    """Every game with its samples, none too many and none too few; how many games and samples that were."""
    lines = [json.loads(line) for line in (run / "games.jsonl").read_bytes().split(b"\n")[:-1]]
    eager = mode == "augment-eager"
    with (
        DataBuffer(run / "buffer", lazy_augmentation=not eager) as buffer,
        DataBuffer(run / "validation") as validation,
    ):
        notes = [json.loads(each.note) for each in (buffer, validation) if each.note]
        newest = max(notes, key=lambda note: note["games"], default={"games": 0})
        assert newest["games"] in (len(lines), len(lines) + 1), "a kill leaves at most one line to be written"
        if newest["games"] > len(lines):
            lines.append(newest["game"])  # the next launch writes it
        numbered = list(enumerate(lines, start=1))
        for each, turns, held_out in ((buffer, 8 if eager else 1, False), (validation, 1, True)):
            games = [
                known.setdefault(number, Replayed.of(line))
                for number, line in numbered
                if (number % VALIDATION == 0) == held_out
            ]
            expected = [sum(len(game.moves) for game in games), len(each) // turns]
            assert expected[0] == expected[1], "as many samples as moves"
            if games:
                _compare_samples(each, games, turns)
        samples = sum(len(known[number].moves) for number, _ in numbered)
    return len(lines), samples


def _compare_samples(buffer: DataBuffer, games: list[Replayed], turns: int) -> None:
    found = buffer.read(np.arange(len(buffer)))
    states, values = (np.concatenate([getattr(game, name) for game in games]) for name in ("states", "values"))
    moves = np.concatenate([game.moves for game in games])
    np.testing.assert_array_equal(found.values[::turns], values)
    np.testing.assert_array_equal(found.states[::turns], states)
    policies = found.policies[::turns]
    np.testing.assert_allclose(policies.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(policies[np.arange(len(moves)), moves], policies.max(axis=1))  # the best was played
    for turn in range(turns):
        ids = np.full(len(moves), turn)
        turned = transform_batch(states, policies, ids)
        np.testing.assert_array_equal(found.states[turn::turns], turned.states)
        np.testing.assert_array_equal(found.policies[turn::turns], turned.policies)


def kill_self_play(server: LaunchServer, run: Path, mode: str, kills: int, seconds: float = 3.0) -> str:
    changes = [part for change in SELF_PLAY for part in ("--set", change)]
    arguments = ["train", "quick", "--run", str(run), "--symmetry", mode, *changes]
    killer = Killer(server, run, arguments, np.random.default_rng([8, len(mode), kills]))
    known: dict[int, Replayed] = {}
    games = samples = 0
    for _ in range(kills):
        killer.kill(killer.random.uniform(0.1, seconds))
        if not (run / "games.jsonl").exists():
            continue
        before = games
        games, samples = compare(run, mode, known)
        assert games >= before, "no finished game is lost"
        _check_credit(killer.before)
    killer.stop()
    games, samples = compare(run, mode, known)
    _check_credit(killer.before)
    assert killer.before["steps"] > 0
    assert (killer.before["games"], len(known)) == (games, games)
    return (
        f"{mode}: {killer.kills} kills, {games} games, {samples} samples compared, {killer.before['steps']} steps,"
        f" weights at most {killer.oldest:.1f} s old"
    )


def _check_credit(saved: dict[str, float]) -> None:
    """Each sample has earned its steps once: those that were taken and those that are owed."""
    if saved:
        earned = saved["credited_samples"] * PER_SAMPLE / BATCH
        assert saved["steps"] + saved["owed"] == pytest.approx(earned, abs=1e-6)


def kill_td(server: LaunchServer, run: Path, kills: int, seconds: float = 3.0) -> str:
    changes = [part for change in TD for part in ("--set", change)]
    arguments = ["train-isn", "paper", "--run", str(run), *changes]
    killer = Killer(server, run, arguments, np.random.default_rng([9, kills]))
    for _ in range(kills):
        killer.kill(killer.random.uniform(0.1, seconds))
    killer.stop()
    games = int(killer.before["games"])
    whole = TdTrainer(with_changes(TdConfig(), TD))
    while whole.progress.games < games:
        whole.update(1)
    found, _ = read_isn(run / NETWORK)
    for name, wanted in whole.network.named_parameters():
        np.testing.assert_array_equal(found.arrays[name], wanted.detach().float().numpy())
    return f"td: {killer.kills} kills, {games} games, the same weights as without, at most {killer.oldest:.1f} s old"


def test_a_killed_run_loses_nothing(tmp_path):
    print(kill_self_play(server(), tmp_path / "run", "augment", 3))


@pytest.mark.slow
def test_a_hundred_kills_lose_nothing(tmp_path):
    for mode in MODES:
        print(kill_self_play(server(), tmp_path / mode, mode, 12), flush=True)
    print(kill_td(server(), tmp_path / "td", 14), flush=True)
    print(kill_self_play(server(), tmp_path / "long", "augment", 2, seconds=45.0), flush=True)
