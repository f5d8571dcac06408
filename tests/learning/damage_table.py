"""Every file of a run, damaged in every way: what is said, the exit code, and what is kept.

    python tests/learning/damage_table.py          # prints the table; a few minutes

`test_damage.py` holds each row to the rules: no traceback, no signal, one line for a refusal; a run that goes on
says what it lost, and has its weights.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[:2]]

from launching import LaunchServer  # noqa: E402


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _scribble(path: Path) -> None:
    """Some bytes in every kilobyte become others; of a large file the beginning stays, so that it looks whole."""
    data = bytearray(path.read_bytes() or b"?")
    random = np.random.default_rng(7)
    for first in range(8192 if len(data) > 12000 else 0, len(data), 1024):
        start = first + int(random.integers(0, min(900, max(1, len(data) - first))))
        part = data[start : start + 24]
        data[start : start + 24] = bytes(byte ^ int(random.integers(1, 256)) for byte in part)
    path.write_bytes(bytes(data))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut in half": _cut,
    "emptied": lambda path: path.write_bytes(b""),
    "scribbled": _scribble,
    "removed": lambda path: path.unlink(),
}

SELF_PLAY = [
    "game=gomoku:size=5,win=4", "network=resnet:blocks=1,filters=8", "minutes=0", "selfplay.parallel_games=6",
    "selfplay.playouts=12", "selfplay.full_share=1.0", "selfplay.opening_stones=2", "training.batch_size=32",
    "training.games_a_round=6", "training.replay_ratio=2", "training.window=3000", "training.validation_every=5",
    "evaluation.every_minutes=0", "evaluation.final_games=1", "backend=torch",
]  # fmt: skip
TD = ["game=go:size=3,komi=0.5", "linear_games=0", "learning_rate=1e-3", "snapshot_every=4"]
KINDS = {
    "self-play": ("train", SELF_PLAY, 12, 6),
    "td": ("train-isn", TD, 12, 4),
}


@dataclass
class Row:
    kind: str
    file: str
    damage: str
    code: int
    said: list[str]
    kept: str  # steps or games of the weights, and what else is there after the command
    curve_is_whole: bool  # metrics.jsonl has every line that it had before the damage

    @property
    def line(self) -> str:
        return f"| {self.kind} | {self.file} | {self.damage} | {self.code} | {self.kept} | {' / '.join(self.said)} |"


class Damages:
    """A finished run of each kind, and copies of it that are damaged and launched."""

    def __init__(self, folder: Path, server: LaunchServer) -> None:
        self._folder, self._server, self._number = folder, server, 0
        for kind, (_, _, games, _) in KINDS.items():
            code, said = self._launch(kind, folder / kind, games, 0)
            assert code == 0, said

    def files(self, kind: str) -> list[str]:
        run = self._folder / kind
        return sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.is_file())

    def row(self, kind: str, file: str, damage: str) -> Row:
        self._number += 1
        run = Path(shutil.copytree(self._folder / kind, self._folder / f"damaged-{self._number}"))
        before, curve = self._state(kind, run), (run / "metrics.jsonl").read_bytes()
        DAMAGES[damage](run / file)
        config = (run / "config.toml").read_bytes() if (run / "config.toml").exists() else None
        code, said = self._launch(kind, run, KINDS[kind][3], KINDS[kind][2])
        if code:
            now = (run / "config.toml").read_bytes() if (run / "config.toml").exists() else None
            assert now == config, "a refusal writes nothing"
            kept = "as it was"
        else:
            after = self._state(kind, run)
            assert after["games"] >= before["games"], "counters never go back"
            kept = ", ".join(f"{name} {before[name]}->{after[name]}" for name in after)
        lines = [line.replace(f"{run}/", "") for line in said.splitlines()]
        told = [line for line in lines if code or _is_notice(line)]
        metrics = run / "metrics.jsonl"
        whole = metrics.exists() and metrics.read_bytes().startswith(curve)
        shutil.rmtree(run)
        return Row(kind, file, damage, code, told, kept, whole)

    def _launch(self, kind: str, run: Path, games: int, before: int) -> tuple[int, str]:
        """Train for so many games more."""
        command, settings, _, _ = KINDS[kind]
        endless = 1_000_000 if kind == "self-play" else before + games  # at its end it would measure its strength
        changes = [part for change in (*settings, f"games={endless}") for part in ("--set", change)]
        launch = self._server.launch(command, "quick" if kind == "self-play" else "paper", "--run", str(run), *changes)
        patience = time.monotonic() + 120
        first = _lines(run / "games.jsonl")
        while kind == "self-play" and _alive(launch.process) and time.monotonic() < patience:
            if "min " in launch.said and _lines(run / "games.jsonl") - first >= games:
                launch.signal(signal.SIGTERM)
                break
            time.sleep(0.05)
        return launch.wait(), launch.said

    def _state(self, kind: str, run: Path) -> dict[str, int]:
        progress = json.loads((run / ("checkpoint" if kind == "self-play" else "") / "progress.json").read_text())
        names = ("games", "samples", "steps") if kind == "self-play" else ("games", "moves")
        return {name: progress[name] for name in names}


def _is_notice(line: str) -> bool:
    words = ("is missing", "is damaged", "is gone", "lacks", "is older")
    return any(word in line for word in words)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, LaunchServer(Path(folder)) as server:
        damages = Damages(Path(folder), server)
        print("| run | file | damage | exit | kept | said |\n|---|---|---|---|---|---|")
        for kind in KINDS:
            for file in damages.files(kind):
                for damage in DAMAGES:
                    print(damages.row(kind, file, damage).line, flush=True)


if __name__ == "__main__":
    main()
