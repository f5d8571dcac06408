"""The page beside a training run ends with it, however that ends."""

from __future__ import annotations

SERVE = """
import os, signal, subprocess, sys
from pathlib import Path
from eightfold.web import beside

real = subprocess.Popen
beside.has_display = lambda: True
beside.subprocess.Popen = lambda command: real([sys.executable, "-c", "import time; time.sleep(600)"])
before = signal.getsignal(signal.SIGTERM)
try:
    with beside.page_beside(Path("run")) as page:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
except SystemExit as ended:
    print(ended.code, page.returncode, signal.getsignal(signal.SIGTERM) is before)
"""


def test_sigterm_ends_the_page_too(run_python):
    assert run_python(SERVE).split() == ["143", "-15", "True"]
