"""Ctrl-C and SIGTERM for commands that take long: the first lets them save and end, the second does not wait."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


class Interrupted(BaseException):
    """Raised by a `stop` to leave something that takes long and loses nothing."""


SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[list[int]]:
    """Call `stop` at the first signal, and end the block if that raises `Interrupted`; the list holds its number."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # only there can signals be heard
        yield heard
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        stop()

    for number in SIGNALS:
        signal.signal(number, hear)
    try:
        with contextlib.suppress(Interrupted):
            yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
