"""A run in a few small files: it goes on elsewhere as if it had stayed, and what is damaged is refused in one line."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import lmdb
import numpy as np
import pytest
import torch

from eightfold.learning.data.lmdb_store import META, LmdbReader, _sealed
from eightfold.learning.loop import Training
from eightfold.learning.opponents import evaluated_networks
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.transfer.container import INDEX, Piece, read_pack, write_pack
from eightfold.learning.transfer.pack import pack_run
from eightfold.learning.transfer.records import joined, separated
from eightfold.learning.transfer.unpack import unpack_run
from launching import eightfold
from patience import LONG
from refusals import refusal
from tiny_runs import TINY, tiny

CHANGES = ("games=30", "training.window=1000", "training.batch_size=8")
NAME = re.compile(r"[A-Za-z0-9._-]+")


@pytest.fixture(scope="module")
def _trained(tmp_path_factory):
    run = tmp_path_factory.mktemp("trained") / "run"
    training = Training(tiny(*CHANGES), run)
    training.train()
    training.close()
    return run


@pytest.fixture
def run(_trained, tmp_path):
    return Path(shutil.copytree(_trained, tmp_path / "run"))


@pytest.fixture
def packed(run, tmp_path):
    return pack_run(run, tmp_path / "pack").folder


def records(path: Path) -> list[bytes]:
    with LmdbReader(path) as reader:
        return [record for chunk in reversed(list(reader.newest_first(7))) for record in chunk]


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- there and back -----------------------------------------------------------------------------------------


AUXILIARY = "network=resnet:blocks=1,filters=8,auxiliary=soft+next"


@pytest.mark.parametrize("change", ["symmetry=augment", "symmetry=augment-eager", AUXILIARY])
def test_a_run_goes_on_elsewhere_as_if_it_had_stayed(change, tmp_path):
    run, other, changes = tmp_path / "run", tmp_path / "elsewhere" / "run", (*CHANGES, change)
    training = Training(tiny(*changes), run)
    training.train()
    training.close()
    before = files_of(run)
    report = pack_run(run, tmp_path / "pack")
    assert {name: data for name, data in files_of(run).items() if "lock" not in name} == {
        name: data for name, data in before.items() if "lock" not in name
    }, "nothing in the run is changed"
    unpacked = unpack_run(tmp_path / "pack", other)
    assert report.samples == report.of_samples == unpacked.samples == training.progress.samples
    assert report.games == report.of_games == 30
    for name in ("config.toml", "metrics.jsonl", "games.jsonl", "checkpoint/network.safetensors"):
        assert (other / name).read_bytes() == (run / name).read_bytes(), name
    for name in ("buffer", "validation"):
        assert records(other / name) == records(run / name), name
    here, there = (Training(tiny(*changes, "games=40"), folder) for folder in (run, other))
    assert there.folder.notices == []
    assert there.progress == here.progress
    assert there.folder.games == here.folder.games == 30
    moments = [one.trainer.optimiser.state_dict()["state"] for one in (here, there)]
    assert moments[0].keys() == moments[1].keys()
    assert all(torch.equal(moments[0][k][name], moments[1][k][name]) for k in moments[0] for name in moments[0][k])
    assert here.trainer.clip_history == there.trainer.clip_history
    batch = here.buffer.read(np.arange(8))
    for one in (here, there):
        one._set_up_steps()
        one.trainer.step(one.maker.make(batch))
    weights = [one.network.state_dict() for one in (here, there)]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    games = len(read_metrics(other))
    there.train()
    assert there.progress.games >= 40
    assert len(read_metrics(other)) > games, "the curve goes on"
    for one in (here, there):
        one.close()


def test_a_small_pack_holds_the_newest(tmp_path):
    run = tmp_path / "run"
    training = Training(tiny(*CHANGES), run)
    training.train()
    # As after many games: the buffer and games.jsonl hold far more than the pack may.
    batch = training.buffer.read(np.arange(len(training.buffer)))
    training.buffer.resize(40_000)
    note = training.buffer.note
    rows = np.random.default_rng(1).integers(0, len(batch), (10, 2000))
    for part in rows:
        more = batch.part(part)
        more.policies[:] = np.random.default_rng(int(part[0])).random(more.policies.shape)  # which cannot be made small
        training.buffer.add_batch(more, note=note)
    line = {"moves": [0, 1, 3, 4, 6], "opening": 0, "result": 1}
    training.folder.log_games([{**line, "number": number} for number in range(30_000)])
    training.progress.games += 30_000
    training.progress.samples += rows.size
    training.save()
    training.close()
    report = pack_run(run, tmp_path / "pack", size=0.5, file_size=0.1)
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "pack").iterdir()}
    assert all(NAME.fullmatch(name) for name in sizes)
    assert max(sizes.values()) <= 100_000
    assert 350_000 < sum(sizes.values()) <= 500_000
    assert 0 < report.samples < report.of_samples
    assert 0 < report.games < report.of_games == 30_030
    assert "of games.jsonl the last" in report.lines()[1]
    unpack_run(tmp_path / "pack", tmp_path / "other")
    assert records(tmp_path / "other" / "buffer") == records(run / "buffer")[-report.samples :]
    games = (tmp_path / "other" / "games.jsonl").read_text()
    assert (run / "games.jsonl").read_text().endswith(games)
    assert games.count("\n") == report.games
    other = Training(tiny(*CHANGES, "training.window=40000", "games=30031"), tmp_path / "other")
    assert other.folder.notices == []
    assert (other.progress.games, other.progress.samples) == (30_030, training.progress.samples)
    other.close()


def test_games_after_the_checkpoint_stay_behind(run, tmp_path):
    """As after a kill: the pack is of the moment that the checkpoint vouches for."""
    saved = records(run / "buffer")
    training = Training(tiny(*CHANGES, "games=60"), run)
    before = training.progress.games
    training.players.selfplay.play(6, on_game=training._store)
    training.close()
    assert len(records(run / "buffer")) > len(saved)
    report = pack_run(run, tmp_path / "pack")
    unpack_run(tmp_path / "pack", tmp_path / "other")
    assert records(tmp_path / "other" / "buffer") == saved
    assert report.games == before
    other = Training(tiny(*CHANGES), tmp_path / "other")
    assert other.progress.games == before
    assert other.folder.notices == []
    other.close()


def test_files_that_a_kill_left_as_drafts_are_found(run, tmp_path):
    for name in ("network.safetensors", "progress.json"):
        path = run / "checkpoint" / name
        path.rename(path.with_name(f".{name}.draft"))
    (run / "checkpoint" / "network.safetensors").write_bytes(b"of an earlier save")
    pack_run(run, tmp_path / "pack")
    assert "progress.json" not in {path.name for path in (run / "checkpoint").iterdir()}, "nothing is moved"
    unpack_run(tmp_path / "pack", tmp_path / "other")
    Training(tiny(*CHANGES), tmp_path / "other").close()


def test_metrics_that_waited_for_the_checkpoint_are_there(run, tmp_path):
    lines = (run / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    notes = json.loads((run / "checkpoint" / "checksums.json").read_bytes())["notes"]["metrics.jsonl"]
    (run / "metrics.jsonl").write_bytes(b"".join(lines)[: notes["bytes"]])  # killed before they were written
    pack_run(run, tmp_path / "pack")
    unpack_run(tmp_path / "pack", tmp_path / "other")
    assert (tmp_path / "other" / "metrics.jsonl").read_bytes() == b"".join(lines)


def test_a_buffer_that_an_earlier_version_described_travels_too(run, tmp_path):
    with lmdb.open(str(run / "buffer"), map_size=1 << 30) as environment, environment.begin(write=True) as transaction:
        about = json.loads(transaction.get(META))
        for later in ("crc32", "symmetries", "auxiliary"):
            del about[later]
        transaction.put(META, _sealed({**about, "format": 3, "foresight": False}))
    assert pack_run(run, tmp_path / "pack").samples > 0
    unpack_run(tmp_path / "pack", tmp_path / "other")
    assert records(tmp_path / "other" / "buffer") == records(run / "buffer")
    for folder in (run, tmp_path / "other"):
        Training(tiny(*CHANGES), folder).close()


def test_networks_of_earlier_evaluations_travel_if_they_are_asked_for(tmp_path):
    run = tmp_path / "run"
    training = Training(tiny("games=11", "evaluation.games=0", "evaluation.every_games=2"), run)
    training.train()
    training.close()
    kept = list(evaluated_networks(run))
    assert len(kept) == 3
    assert len(pack_run(run, tmp_path / "without").lines()) == 1
    assert not (unpack_run(tmp_path / "without", tmp_path / "bare").run / "evaluated").exists()
    report = pack_run(run, tmp_path / "pack", networks=2)
    assert "of the networks that the run has kept 2 of 3" in report.lines()
    unpack_run(tmp_path / "pack", tmp_path / "other")
    found = evaluated_networks(tmp_path / "other")
    assert list(found) == [kept[0], kept[-1]]
    for games, folder in found.items():
        assert files_of(folder) == files_of(run / "evaluated" / f"{games:06d}")
    (run / "evaluated" / f"{kept[0]:06d}" / "network.json").unlink()
    said = refusal(lambda: pack_run(run, tmp_path / "again", networks=9))
    assert "No such file or directory; remove it, or take fewer networks" in said
    size = {"size": 0.11, "file_size": 0.1, "networks": 1}
    assert "with 1 kept network alone take" in refusal(lambda: pack_run(run, tmp_path / "again", **size))
    assert not (tmp_path / "again").exists()


@pytest.mark.slow
def test_a_run_that_trains_is_packed_meanwhile_and_goes_on_by_the_command(tmp_path):
    run, pack, other = tmp_path / "run", tmp_path / "pack", tmp_path / "other"
    changes = [word for change in (*TINY, *CHANGES, "games=100000") for word in ("--set", change)]
    command = [sys.executable, "-m", "eightfold", "train", "quick", "--run", str(run), *changes]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as training:
        try:
            begun = time.monotonic()
            while not any("steps" in entry for entry in read_metrics(run)) and time.monotonic() - begun < LONG:
                assert training.poll() is None
                time.sleep(0.2)
            packed = eightfold("pack", str(run), "-o", str(pack))
            assert training.poll() is None
        finally:
            training.send_signal(signal.SIGKILL)
    assert packed.returncode == 0, packed.stderr
    assert packed.stdout.startswith("packed ")
    done = eightfold("unpack", str(pack), str(other))
    assert done.returncode == 0, done.stderr
    words = done.stdout.splitlines()[1].partition("eightfold ")[2].split()
    before = read_metrics(other)
    assert before
    games = json.loads((other / "checkpoint" / "progress.json").read_bytes())["games"]
    more = eightfold(*words, "--games", str(games + 2))
    assert more.returncode == 0, more.stderr
    assert f"going on with {other}" in " ".join(more.stderr.split())
    assert read_metrics(other)[-1]["games"] >= games + 2


# ---- what cannot be done ------------------------------------------------------------------------------------


def refused(*arguments: str) -> str:
    done = eightfold(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_the_commands_refuse_in_one_line(packed, run, tmp_path):
    assert "is there already" in refused("unpack", str(packed), str(run))
    (packed / "part-001.bin").unlink()
    assert "part-001.bin is missing" in refused("unpack", str(packed), str(tmp_path / "other"))
    assert "is not a run" in refused("pack", str(tmp_path))
    assert not (tmp_path / "other").exists()


def damaged(path: Path, *, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 0x55
    path.write_bytes(data)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.999])
@pytest.mark.parametrize("name", [INDEX, "part-001.bin"])
def test_a_damaged_file_is_named_and_nothing_is_written(packed, name, share, tmp_path):
    path = packed / name
    damaged(path, at=int(share * path.stat().st_size))
    before = sorted(tmp_path.iterdir())
    said = refusal(lambda: unpack_run(packed, tmp_path / "other"))
    assert name in said
    assert sorted(tmp_path.iterdir()) == before


def test_cut_files_other_versions_and_other_folders_are_refused(packed, tmp_path):
    other = tmp_path / "other"
    part, index = packed / "part-001.bin", packed / INDEX
    whole = part.read_bytes()
    part.write_bytes(whole[:-1])
    assert "instead of" in refusal(lambda: unpack_run(packed, other))
    part.write_bytes(whole)
    content = json.loads(index.read_bytes())
    index.write_text(json.dumps({**content, "format": 9, "version": "77.0"}))
    said = refusal(lambda: unpack_run(packed, other))
    assert "format 9" in said
    assert "77.0" in said
    index.write_text("[]")
    assert "is damaged" in refusal(lambda: unpack_run(packed, other))
    index.unlink()
    assert "is not a packed run" in refusal(lambda: unpack_run(packed, other))
    assert "is not a packed run" in refusal(lambda: unpack_run(tmp_path / "nowhere", other))
    assert not other.exists()


def test_what_cannot_be_packed_is_refused(run, tmp_path):
    target = tmp_path / "pack"
    assert "alone take" in refusal(lambda: pack_run(run, target, size=0.101, file_size=0.1))
    for size, file_size in ((1, 2), (0, 0), (float("inf"), 1), (1, float("nan"))):
        said = refusal(lambda size=size, file_size=file_size: pack_run(run, target, size=size, file_size=file_size))
        assert "must be the smaller" in said
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "is there already" in refusal(lambda: pack_run(run, tmp_path / "full"))
    damaged(run / "checkpoint" / "training.safetensors", at=500)
    assert "training.safetensors is missing or damaged" in refusal(lambda: pack_run(run, target))
    shutil.rmtree(run / "checkpoint")
    assert "has no checkpoint yet" in refusal(lambda: pack_run(run, target))
    assert not target.exists()


@pytest.mark.parametrize("name", ["metrics.jsonl", "games.jsonl", "buffer/data.mdb", "config.toml"])
def test_a_damaged_run_is_not_packed(packed, name, tmp_path):
    run = tmp_path / "elsewhere"
    unpack_run(packed, run)  # which vouches for all lines; a run that was trained may hold its last ones twice
    path = run / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert path.parts[-1 if "/" not in name else -2] in refusal(lambda: pack_run(run, tmp_path / "again"))
    assert not (tmp_path / "again").exists()


def test_a_run_without_samples_or_games_is_packed_as_it_is(run, tmp_path):
    shutil.rmtree(run / "buffer")
    shutil.rmtree(run / "validation")
    (run / "games.jsonl").unlink()
    assert pack_run(run, tmp_path / "pack").samples == 0
    unpack_run(tmp_path / "pack", tmp_path / "other")
    other = Training(tiny(*CHANGES), tmp_path / "other")
    assert other.progress.games == 30
    assert any("the buffer is gone" in notice for notice in other.folder.notices)
    other.close()


# ---- a stranger's pack --------------------------------------------------------------------------------------


def forged(packed: Path, target: Path, change) -> Path:
    """A pack whose checksums are right and whose content is not."""
    pack = read_pack(packed)
    pieces = [change(piece) for piece in pack.pieces]
    write_pack(target, [piece for piece in pieces if piece is not None], pack.about, part_size=1_000_000)
    return target


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("buffer", b""),
        ("buffer", b"\xff" * 40),
        ("buffer", joined([b"no sample"] * 3)),
        ("buffer.json", b"[]"),
        ("buffer.json", b'{"format": 2}'),
        ("progress.json", b'{"games": -1}'),
        ("config.toml", b"game = 3"),
        ("network.safetensors", None),
    ],
)
def test_content_that_makes_no_run_is_refused(packed, name, data, tmp_path):
    def change(piece: Piece) -> Piece | None:
        if piece.name != name:
            return piece
        return None if data is None else Piece.of(name, data)

    folder = forged(packed, tmp_path / "forged", change)
    before = sorted(tmp_path.iterdir())
    assert "\n" not in refusal(lambda: unpack_run(folder, tmp_path / "other"))
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("games", [b"../../escaped", b"", b"-1", b"9" * 19, "٣".encode()])
def test_networks_whose_number_of_games_is_none_are_refused(packed, games, tmp_path):
    def change(piece: Piece) -> Piece:
        return Piece.of("evaluated", joined([games, b"weights", b"{}"])) if piece.name == "card.md" else piece

    folder = forged(packed, tmp_path / "forged", change)
    assert "a network in it cannot be read" in refusal(lambda: unpack_run(folder, tmp_path / "other"))
    assert not (tmp_path / "other").exists()


def test_names_in_a_pack_are_no_paths_and_sizes_are_kept_to(packed, tmp_path):
    def change(piece: Piece) -> Piece:
        return Piece.of("../../escaped", b"x") if piece.name == "card.md" else piece

    unpack_run(forged(packed, tmp_path / "forged", change), tmp_path / "deep" / "other")
    assert not list(tmp_path.rglob("escaped"))
    large = Piece("metrics.jsonl", Piece.of("", b"0" * 1_000_000).data, 10)
    bomb = forged(packed, tmp_path / "bomb", lambda piece: large if piece.name == "metrics.jsonl" else piece)
    assert "is not what the index says" in refusal(lambda: unpack_run(bomb, tmp_path / "other"))


def test_records_survive_and_are_not_believed():
    random = np.random.default_rng(1)
    for count in (0, 1, 5, 300):
        parts = [random.bytes(int(length)) for length in random.integers(0, 60, count)]
        data = joined(parts)
        assert separated(data) == parts
        for wrong in (data[:-1] if count else b"", data + b"x", data[:3]):
            with pytest.raises(ValueError, match=r"it is cut short|not as long"):
                separated(wrong)
