"""Damaged runs: one line, or a notice of what was lost; never a traceback, a signal, or silence."""

from __future__ import annotations

import json
import os
import shutil

import lmdb
import numpy as np
import pytest
from damage_table import DAMAGES, KINDS, Damages, Row
from test_buffer import example

from eightfold.core.errors import EightfoldError
from eightfold.learning.data import lmdb_store
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.lmdb_pages import Damaged, read_records
from launching import server
from refusals import refusal

HARMLESS = ("lock", "lock.mdb")  # made anew
REFUSED, GOES_ON, SAID = "refused", "goes on", "goes on and says so"


def expected(kind: str, file: str, damage: str) -> str:
    """What a launch must do."""
    name = file.rpartition("/")[2]
    if name in HARMLESS:
        return GOES_ON
    if name.startswith("events."):
        return GOES_ON
    removed = damage == "removed"
    if kind == "td":
        if name in ("progress.json", "training.safetensors", "config.toml"):
            return REFUSED
        if name in ("network.safetensors",) or file.startswith("snapshots/"):
            return SAID
    elif name == "network.safetensors":
        return REFUSED
    elif name in ("network.json", "card.md"):
        return SAID
    return SAID if removed else REFUSED


@pytest.fixture(scope="module")
def damages(tmp_path_factory):
    return Damages(tmp_path_factory.mktemp("damages"), server())


def check(row: Row, kind: str, file: str, damage: str) -> None:
    assert row.code in (0, 2), row.line
    assert "Traceback" not in row.line
    wanted = expected(kind, file, damage)
    if file == "metrics.jsonl" and row.code == 0 and row.curve_is_whole:
        return  # only lines were lost that the checksums hold too
    assert (row.code == 2) == (wanted == REFUSED), row.line
    if wanted == REFUSED:
        assert len(row.said) == 1, "a refusal is one line"
        assert row.said[0].startswith("eightfold: ")
        assert file.partition("/data.mdb")[0] in row.said[0]
    elif wanted == SAID:
        assert any(file.partition("/data.mdb")[0] in line for line in row.said), row.line
    else:
        assert row.said == [], row.line


CORE = [
    ("self-play", "buffer/data.mdb", "cut in half"),
    ("self-play", "checkpoint/network.safetensors", "scribbled"),
    ("self-play", "checkpoint/training.safetensors", "removed"),
    ("td", "progress.json", "scribbled"),
]


@pytest.mark.parametrize(("kind", "file", "damage"), CORE)
def test_a_damaged_file_is_named(kind, file, damage, damages):
    check(damages.row(kind, file, damage), kind, file, damage)


@pytest.mark.slow
def test_every_file_damaged_in_every_way(damages):
    for kind in KINDS:
        files = damages.files(kind)
        assert len(files) > 8
        for file in files:
            for damage in DAMAGES:
                row = damages.row(kind, file, damage)
                print(row.line)
                check(row, kind, file, damage)


# ---- the buffer's file ----------------------------------------------------------------------------------------------


def filled(path, **options):
    with DataBuffer(path, max_size=200, **options) as buffer:
        for first in range(0, 260, 20):
            buffer.add_data([example(number, size=9) for number in range(first, first + 20)], note=str(first))


def test_the_pages_of_a_file_are_read_as_lmdb_reads_them(tmp_path):
    """Small values and large ones, overwritten and deleted, in many transactions."""
    random = np.random.default_rng(3)
    with lmdb.open(str(tmp_path), map_size=1 << 30, max_dbs=0) as environment:
        for _ in range(60):
            with environment.begin(write=True) as transaction:
                for _ in range(20):
                    key = str(random.integers(0, 400)).encode()
                    if random.random() < 0.3:
                        transaction.delete(key)
                    else:
                        transaction.put(key, random.bytes(int(random.choice([3, 400, 3000, 20000]))))
            with environment.begin() as transaction:
                held = [(bytes(key), bytes(value)) for key, value in transaction.cursor()]
            assert list(read_records(tmp_path / "data.mdb")) == held
    assert len(held) > 100


def test_no_cut_and_no_scribble_of_the_buffer_goes_unnoticed_or_kills(tmp_path):
    filled(tmp_path / "whole")
    whole = (tmp_path / "whole" / "data.mdb").read_bytes()
    with DataBuffer(tmp_path / "whole") as buffer:
        before = buffer.read(np.arange(len(buffer)))
    random = np.random.default_rng(11)
    said: list[str] = []
    for number in range(150):
        spoilt = bytearray(whole)
        if number % 3 == 0:
            spoilt = spoilt[: int(random.integers(0, len(whole)))]
        else:
            start = int(random.integers(0, len(whole)))
            size = int(random.choice([1, 8, 64, 4096]))
            spoilt[start : start + size] = random.bytes(len(spoilt[start : start + size]))
        folder = tmp_path / "spoilt"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "data.mdb").write_bytes(spoilt)
        try:
            buffer = DataBuffer(folder)
        except EightfoldError as error:
            said.append(str(error))
            continue
        with buffer:  # what was hit is not a part of it
            after = buffer.read(np.arange(len(buffer)))
            for one, other in zip(before, after, strict=True):
                np.testing.assert_array_equal(one, other)
            buffer.add_data([example(1, size=9)])
    assert len(said) > 75
    assert all("is damaged" in line or "has format" in line for line in said)


def test_a_single_bit_of_an_example_is_noticed(tmp_path):
    filled(tmp_path / "b")
    path = tmp_path / "b" / "data.mdb"
    with DataBuffer(tmp_path / "b") as buffer, buffer._store._environment.begin() as transaction:
        record = bytes(transaction.get(b"s" + (7).to_bytes(8, "big")))
    changed = bytearray(record)
    changed[5] ^= 4
    path.write_bytes(path.read_bytes().replace(record, bytes(changed)))
    assert "1 of 200 samples are not what they were" in refusal(lambda: DataBuffer(tmp_path / "b"))


def test_a_buffer_without_checksums_gets_them(tmp_path):
    filled(tmp_path / "new")
    with DataBuffer(tmp_path / "new") as buffer:
        order = (buffer.newest + np.arange(200)) % 200
        before = buffer.read(order)
        store = buffer._store
        packed = store._packed(np.arange(200))
        meta, state = {**store.meta, "format": 2}, [store.count, store.next]
    (tmp_path / "old").mkdir()
    environment = lmdb.open(str(tmp_path / "old"), map_size=1 << 30, max_dbs=0)
    with environment.begin(write=True) as transaction:  # as the version before wrote it
        transaction.put(b"meta", json.dumps(meta).encode())
        transaction.put(b"ring", json.dumps(state).encode())
        for slot, record in enumerate(packed):
            transaction.put(lmdb_store._key(slot), record)
    environment.close()
    with DataBuffer(tmp_path / "old") as buffer:
        assert buffer._store.meta["format"] == 3
        after = buffer.read((buffer.newest + np.arange(200)) % 200)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one, other)
    assert not (tmp_path / "old" / ".draft").exists()


@pytest.mark.parametrize("size", [50, 199, 201, 1000])
def test_a_ring_of_another_size_keeps_the_newest_in_order(size, tmp_path, monkeypatch):
    filled(tmp_path / "b")

    def values() -> list[float]:
        with DataBuffer(tmp_path / "b") as buffer:
            count = len(buffer)
            return buffer.read((buffer.newest - count + np.arange(count)) % count).values.tolist()

    before = values()
    assert before == list(range(60, 260))

    class Killed(BaseException):
        pass

    def dies(*arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", dies)
        with pytest.raises(Killed):
            DataBuffer(tmp_path / "b", max_size=size)
    assert values() == before, "a kill on the way changes nothing"
    with DataBuffer(tmp_path / "b", max_size=size) as buffer:
        assert len(buffer) == min(200, size)
        assert buffer.note == "240"
        for first in range(260, 260 + 3 * size, 20):
            buffer.add_data([example(number, size=9) for number in range(first, first + 20)])
        assert len(buffer) == size
    last = values()
    assert last == list(range(int(last[-1]) - size + 1, int(last[-1]) + 1))


def test_damage_is_told_in_a_few_words(tmp_path):
    (tmp_path / "data.mdb").write_bytes(b"x" * 5000)
    with pytest.raises(Damaged, match="its beginning is not LMDB's"):
        list(read_records(tmp_path / "data.mdb"))
