"""More connections than a process may hold: who is inside plays on, the others hear a sentence, the log stays short."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import connect

from eightfold.web.admission import LOG_INTERVAL, REFUSAL, Admission, file_limit
from patience import LONG, finished
from web.serving import Client

resource = pytest.importorskip("resource")
FILES, CLIENTS = 96, 250


@contextlib.contextmanager
def small_server(errors: Path) -> Iterator[str]:
    """A server that may open few files; its address."""
    with errors.open("w") as target:
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "eightfold", "serve", "--port", "0", "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=target,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
        assert process.stdout is not None
        try:
            found = re.search(r"http://(\S+?);", process.stdout.readline())
            assert found is not None, errors.read_text()
            yield found[1]
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def test_past_the_file_limit_some_are_refused_and_the_others_play_on(tmp_path):
    errors, inside, refusals, cut = tmp_path / "stderr", [], [], 0
    with small_server(errors) as address, contextlib.ExitStack() as stack:
        first = Client(stack.enter_context(connect(f"ws://{address}/game", open_timeout=LONG)))
        first.new()
        for _ in range(CLIENTS):
            try:
                inside.append(stack.enter_context(connect(f"ws://{address}/game", open_timeout=LONG)))
            except InvalidStatus as error:
                refusals.append((error.response.status_code, error.response.body.decode()))
            except (InvalidHandshake, ConnectionClosed, OSError, EOFError):
                cut += 1
        assert inside
        assert refusals
        assert len(inside) + len(refusals) + cut == CLIENTS
        assert set(refusals) == {(503, REFUSAL)}
        first.ask("play", action=24)
        Client(inside[-1]).new()
        for socket in inside:
            socket.close()
        finished(lambda: _comes_in(address))
    told = errors.read_text()
    assert "Traceback" not in told
    assert "refused: this process may open 96 files" in told
    assert len(told.splitlines()) < 10, told


def _comes_in(address: str) -> None:
    while True:
        try:
            with connect(f"ws://{address}/game", open_timeout=LONG) as socket:
                Client(socket).new()
                return
        except (InvalidHandshake, ConnectionClosed, OSError, EOFError):
            continue  # the others are not all gone yet


def test_one_line_tells_of_many_refusals(caplog):
    at = [0.0]
    admission = Admission(100, now=lambda: at[0])
    with caplog.at_level(logging.WARNING, "eightfold.web"):
        for _ in range(1000):
            admission.count_refusal()
        at[0] += LOG_INTERVAL
        admission.count_refusal()
    assert [record.message.split(" refused")[0] for record in caplog.records] == [
        "a connection was",
        "1000 connections were",
    ]


def test_an_accept_that_fails_is_a_refusal_and_other_trouble_is_told(caplog):
    loop, admission = asyncio.new_event_loop(), Admission(100)
    try:
        with caplog.at_level(logging.WARNING):
            for _ in range(5):
                admission.handle_loop_error(loop, {"message": "accept", "exception": OSError(24, os.strerror(24))})
        assert len(caplog.records) == 1
        admission.handle_loop_error(loop, {"message": "something else", "exception": RuntimeError("else")})
        assert "something else" in caplog.records[-1].message
    finally:
        loop.close()


def test_a_reserve_is_kept_and_without_a_limit_everybody_comes_in():
    admission = Admission(1024)
    assert admission.admits(1024 - admission.reserve - 1)
    assert not admission.admits(1024 - admission.reserve)
    assert not admission.is_exhausted(1024 - admission.reserve)
    assert admission.is_exhausted(1023)
    assert Admission(None).admits(1_000_000)
    assert file_limit() is None or file_limit() > 0
