"""`eightfold bench models`, made small: every form of a batch of models beside the plain loop."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import NAMES, models
from eightfold.learning.model_batch import FORMS
from refusals import refusal


def test_a_device_that_is_not_here_is_one_line() -> None:
    assert "unknown device 'abacus'" in refusal(lambda: models.run("abacus"))


@pytest.mark.slow
def test_every_form_stands_beside_the_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "REPEATS_ON_CPU", 1)
    figures = models.run(batch=8).as_dict()
    for form in FORMS[1:]:
        value = figures[f"{form}_fp32_times_plain"]
        assert value is not None
        assert value > 0
    assert "models" in NAMES
