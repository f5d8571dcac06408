"""A guard against hanging. How long things take is measured by `eightfold bench`, never asserted here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

LONG = 120.0  # seconds: kernels may have to be compiled first, on a busy machine
Result = TypeVar("Result")


def finished(job: Callable[[], Result], seconds: float = LONG) -> Result:
    """What a job gives that must come to an end; one that hangs fails instead of holding up all other tests."""
    results: list[Result] = []
    troubles: list[BaseException] = []

    def work() -> None:
        try:
            results.append(job())
        except BaseException as trouble:
            troubles.append(trouble)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"this did not end within {seconds:g} s"
    if troubles:
        raise troubles[0]
    return results[0]
