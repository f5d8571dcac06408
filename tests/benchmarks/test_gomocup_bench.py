"""`eightfold bench gomocup`, made small: every limit has its figure."""

from __future__ import annotations

import pytest

from eightfold.benchmarks import gomocup


@pytest.mark.slow
def test_every_limit_has_a_figure_beside_its_bar(monkeypatch):
    monkeypatch.setattr(gomocup, "TURNS", 1)
    monkeypatch.setattr(gomocup, "TURN_LIMITS", (0.2, 0.0))
    monkeypatch.setattr(gomocup, "MATCH", 1.0)
    monkeypatch.setattr(gomocup, "MEMORY_TURN", 0.1)
    figures = gomocup.run().figures
    assert len(figures) == len({figure.key for figure in figures})
    assert {figure.most for figure in figures} >= {0.2, gomocup.AT_ONCE, 1.0, gomocup.FIRST_MOVE, gomocup.MEMORY}
    for figure in figures:
        assert figure.value is not None or figure.note
        assert figure.value is None or figure.value > 0
