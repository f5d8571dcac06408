"""What a refusal must be, for all tests: an `EightfoldError` of one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eightfold.core.errors import EightfoldError


def refusal(call: Callable[[], Any]) -> str:
    """The message with which a call is refused."""
    with pytest.raises(EightfoldError) as caught:
        call()
    text = str(caught.value)
    assert text
    assert "\n" not in text, "an error is one line"
    return text
