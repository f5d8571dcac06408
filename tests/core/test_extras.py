"""Libraries that are not in the base install: what people are told to type installs them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from eightfold.core.extras import EXTRAS, missing_extra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def packages(requirements: list[str]) -> set[str]:
    """Their names, as modules are written."""
    return {re.split(r"[\[<>=; ]", requirement)[0].replace("-", "_") for requirement in requirements}


@pytest.mark.parametrize("module", EXTRAS)
def test_the_extra_that_is_named_brings_the_library(module):
    extra = EXTRAS[module][1]
    brought = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    assert module in packages(brought)
    assert (f'pip install "eightfold[{extra}]"' if extra else f"pip install {module}") in str(missing_extra(module))


def test_the_base_does_without_pytorch_and_the_page():
    assert not packages(PROJECT["dependencies"]) & {"torch", "lmdb", "fastapi", "uvicorn", "matplotlib", "onnx"}
