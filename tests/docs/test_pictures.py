"""The pictures that the documentation shows are there, and small."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
MOST = 600_000  # bytes, all together
PNG = b"\x89PNG\r\n\x1a\n"
SVG = "{http://www.w3.org/2000/svg}svg"


def test_every_picture_is_there_and_none_is_left_over():
    shown = {
        (page.parent / link).resolve()
        for page in DOCS.glob("*.md")
        for link in re.findall(r"\]\((images/[^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert len(shown) >= 4
    assert shown == {path.resolve() for path in (DOCS / "images").iterdir()}
    assert all(path.suffix == ".svg" or path.read_bytes().startswith(PNG) for path in shown)
    assert all(ET.parse(path).getroot().tag == SVG for path in shown if path.suffix == ".svg")
    assert sum(path.stat().st_size for path in shown) < MOST
