"""Published results, measured again: `eightfold experiment NAME`.

An experiment is a module here with a function `run(...)`; it writes its numbers as JSON, its figures as SVG, and a
report made of nothing but these. Read `eightfold.studies.isn` first.
"""

from __future__ import annotations

NAMES = ("isn",)
