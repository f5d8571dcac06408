"""The page of a training run ends with it, however that ends, and shows what training compiles."""

from __future__ import annotations

SERVE = """
import os, signal, subprocess, sys
from pathlib import Path
from eightfold.web import page_process

real = subprocess.Popen
page_process.has_display = lambda: True
page_process.subprocess.Popen = lambda command, **options: real(
    [sys.executable, "-c", "import time; time.sleep(600)"], **options
)
before = signal.getsignal(signal.SIGTERM)
try:
    with page_process.page_process(Path("run")) as page:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
except SystemExit as ended:
    print(ended.code, page.process.returncode, signal.getsignal(signal.SIGTERM) is before)
"""


def test_sigterm_ends_the_page_too(run_python):
    assert run_python(SERVE).split() == ["143", "-15", "True"]


TOLD = """
import subprocess, sys
from pathlib import Path
from eightfold.core.compiling import BURSTS
from eightfold.web import page_process

real = subprocess.Popen
page_process.has_display = lambda: True
page_process.subprocess.Popen = lambda command, **options: real(
    [sys.executable, "-c", "import sys; print([line.strip() for line in sys.stdin])"], **options
)
with page_process.page_process(Path("run")) as page:
    page.compiles("the rules of gomoku")
    page.compiles("")
    page.process.stdin.close()
    page.wait()
    page.compiles("nothing that matters: the page is closed")
"""


def test_the_page_is_told_what_training_compiles(run_python):
    assert run_python(TOLD).strip() == "['the rules of gomoku', '']"
