"""A disk that fills up ends a run with one line; what was kept is whole, and the run goes on once there is room."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import lmdb
import numpy as np
import pytest
from test_training import SMALL, small

from eightfold.core import line_file as lines_module
from eightfold.core.files import replace_files
from eightfold.core.line_file import LineFile
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.lmdb_store import LmdbStore
from eightfold.learning.loop import Training
from eightfold.learning.runs import atomic_save as save_module
from eightfold.learning.runs import metrics as metrics_module
from eightfold.learning.runs.metrics import read_metrics
from eightfold.nets.store.checkpoint import load_checkpoint
from launching import eightfold
from refusals import refusal


def games_of(run: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (run / "games.jsonl").read_text().splitlines()]


@pytest.fixture
def finished(tmp_path):
    """A run of a few games, with a checkpoint."""
    training = Training(small(), tmp_path / "run")
    training.train()
    training.close()
    return tmp_path / "run"


def goes_on(run: Path, games: list[dict[str, object]], samples: int) -> None:
    """A run that met a full disk still has what it had, and trains again."""
    assert games_of(run)[: len(games)] == games
    load_checkpoint(run / "checkpoint")
    training = Training(small(f"games={len(games_of(run)) + 6}"), run)
    assert len(training.buffer) >= samples
    training.train()
    training.close()
    assert len(games_of(run)) >= len(games) + 6
    assert read_metrics(run)[-1]["games"] >= len(games) + 6
    assert not list(run.rglob("*.draft"))


def fails_after(monkeypatch, module, nth: int) -> None:
    """Let the nth file that a module opens for writing be on a disk with no room, after a few bytes."""
    opened = 0
    really = open

    class Full:
        def __init__(self, file) -> None:
            self._file = file

        def __getattr__(self, name):
            return getattr(self._file, name)

        def __enter__(self):
            return self

        def __exit__(self, *error) -> None:
            self._file.close()

        def write(self, data) -> int:
            self._file.write(bytes(data)[:10])
            self._file.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def guarded(path, mode="r", *arguments, **options):
        nonlocal opened
        file = really(path, mode, *arguments, **options)
        if "r" in mode:
            return file
        opened += 1
        return Full(file) if opened == nth else file

    monkeypatch.setattr(module, "open", guarded, raising=False)


@pytest.mark.parametrize(("nth", "name"), [(1, "metrics.jsonl"), (2, "games.jsonl")])
def test_lines_that_do_not_fit(nth, name, finished, monkeypatch):
    games = games_of(finished)
    with monkeypatch.context() as patched:
        fails_after(patched, lines_module, nth)
        training = Training(small("games=1000"), finished)
        samples = len(training.buffer)
        said = refusal(training.train)
        training.close()
    assert f"{name}: No space left on device" in said
    goes_on(finished, games, samples)


def test_a_checkpoint_that_does_not_fit_leaves_the_old_one(finished, monkeypatch):
    before = {path.name: path.read_bytes() for path in (finished / "checkpoint").iterdir()}
    training = Training(small("games=1000"), finished)
    training.progress.steps += 1
    assert len(before) == 6
    for nth in range(1, 7):
        with monkeypatch.context() as patched:
            fails_after(patched, save_module, nth)
            assert "No space left on device" in refusal(training.save)
        assert {path.name: path.read_bytes() for path in (finished / "checkpoint").iterdir()} == before
    training.close()


def test_a_buffer_that_does_not_fit(finished, monkeypatch):
    games = games_of(finished)
    training = Training(small("games=1000"), finished)
    samples = len(training.buffer)

    class Cursor:
        def putmulti(self, *arguments, **options):
            raise lmdb.DiskError("mdb_put: No space left on device")

    class Transaction:
        def __enter__(self):
            return self

        def __exit__(self, *error) -> None:
            pass

        def cursor(self):
            return Cursor()

    class Environment:
        def __init__(self, real) -> None:
            self._real = real

        def begin(self, write=False, **options):
            return Transaction() if write else self._real.begin(**options)

        def close(self) -> None:
            self._real.close()

    store = training.buffer._store
    assert isinstance(store, LmdbStore)
    monkeypatch.setattr(store, "_environment", Environment(store._environment))
    assert f"cannot write the buffer {finished / 'buffer'}: No space left on device" in refusal(training.train)
    training.close()
    goes_on(finished, games, samples)


def test_a_map_that_is_full_keeps_what_was_there(tmp_path):
    example = (np.zeros((2, 5, 5)), np.full(25, 0.04), 1.0, None)
    with DataBuffer(tmp_path / "b") as buffer:
        buffer.add_data([example] * 50)
        assert isinstance(buffer._store, LmdbStore)
        buffer._store._environment.set_mapsize(1 << 17)
        assert "Environment mapsize limit reached" in refusal(lambda: buffer.add_data([example] * 5000))
        assert len(buffer) == 50
        buffer.sample_batch(64)
    with DataBuffer(tmp_path / "b") as buffer:
        buffer.add_data([example])
        assert len(buffer) == 51


def test_a_line_is_whole_or_not_there(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        fails_after(patched, lines_module, 1)
        lines = LineFile(tmp_path / "lines")
        assert "lines: No space left on device" in refusal(lambda: lines.add("a line that is longer than ten bytes"))
        lines.close()
    assert (tmp_path / "lines").read_bytes() == b""
    (tmp_path / "lines").write_bytes(b"whole\ncut o")
    lines = LineFile(tmp_path / "lines")
    lines.add("next")
    lines.close()
    assert (tmp_path / "lines").read_bytes() == b"whole\nnext\n"


def test_files_are_replaced_together_or_not_at_all(tmp_path):
    (tmp_path / "first").write_bytes(b"old")
    assert "cannot write" in refusal(lambda: replace_files({tmp_path / "first": b"new", tmp_path / "no" / "x": b""}))
    assert [path.name for path in tmp_path.iterdir()] == ["first"]
    assert (tmp_path / "first").read_bytes() == b"old"


def command(run: Path, *changes: str) -> list[str]:
    settings = [part for change in (*SMALL, "evaluation.final_games=2", *changes) for part in ("--set", change)]
    return [sys.executable, "-m", "eightfold", "train", "quick", "--run", str(run), *settings]


@pytest.mark.parametrize("limit", [10_000, 60_000])  # bytes that a file may have: the network has 12,000
def test_a_command_that_may_not_write_says_so_in_one_line(limit, finished):
    games = games_of(finished)
    with DataBuffer(finished / "buffer", 300, encoder="last-move") as buffer:
        samples = len(buffer)
    arguments = command(finished, "games=100000", "training.window=100000")[3:]
    done = eightfold(*arguments, file_size=limit)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("eightfold: cannot write ")
    assert sum(line.startswith("eightfold: ") for line in done.stderr.splitlines()) == 1
    goes_on(finished, games, samples)


def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not _may_mount(), reason="this system does not let us mount a small disk of our own")
def test_a_disk_that_is_really_full(tmp_path):
    """On a file system of half a megabyte, which later grows."""
    disk = tmp_path / "disk"
    disk.mkdir()
    full = " ".join(f"'{part}'" for part in command(disk / "run", "games=100000", "training.window=100000"))
    after = " ".join(f"'{part}'" for part in command(disk / "run", "games=1", "training.window=100000"))
    script = f"""
        mount -t tmpfs -o size=500k none {disk} || exit 1
        {full} 2>{tmp_path}/said
        echo $? >{tmp_path}/code
        cp {disk}/run/games.jsonl {tmp_path}/before
        mount -o remount,size=20m {disk}
        {after}
        echo $? >{tmp_path}/after
        cp -r {disk}/run {tmp_path}/run
    """
    subprocess.run(["unshare", "-rm", "sh", "-c", script], check=True, capture_output=True, timeout=300)
    said = (tmp_path / "said").read_text()
    assert (tmp_path / "code").read_text() == "2\n"
    assert "No space left on device" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert (tmp_path / "after").read_text() == "0\n"
    before = (tmp_path / "before").read_text()
    assert before.endswith("\n")
    assert (tmp_path / "run" / "games.jsonl").read_text().startswith(before)
    load_checkpoint(tmp_path / "run" / "checkpoint")


def test_the_thread_of_tensorboard_is_heard_of_once(capsys):
    writer = type("Writer", (threading.Thread,), {"__module__": "tensorboard.summary.writer"})()
    full, bug = OSError(errno.ENOSPC, "No space left on device"), ValueError("a bug")
    for error, thread, told in ((full, writer, False), (bug, writer, True), (full, threading.Thread(), True)):
        metrics_module._thread_failed(threading.ExceptHookArgs((type(error), error, None, thread)))
        assert (str(error) in capsys.readouterr().err) == told
