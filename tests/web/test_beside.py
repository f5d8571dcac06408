"""The page beside a training run ends with it, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eightfold.web import beside


def test_sigterm_ends_the_page_too(monkeypatch):
    real = subprocess.Popen
    sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
    monkeypatch.setattr(beside, "has_display", lambda: True)
    monkeypatch.setattr(beside.subprocess, "Popen", lambda command: real(sleeping))
    before = signal.getsignal(signal.SIGTERM)
    pages = []

    def serve() -> None:
        with beside.page_beside(Path("run")) as page:
            pages.append(page)
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()

    with pytest.raises(SystemExit) as ended:
        serve()
    assert ended.value.code == 128 + signal.SIGTERM
    assert [page.returncode for page in pages] == [-signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is before
