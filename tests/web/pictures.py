"""The pictures of docs/page.md and docs/new-game.md, small, from those of screenshots.py and its neighbours.

python tests/web/screenshots.py SHOTS && python tests/web/screenshots_go.py SHOTS
python tests/web/screenshots_own_games.py SHOTS && python tests/web/pictures.py SHOTS

Needs Pillow, which other packages bring along.
"""

from __future__ import annotations

import sys
from pathlib import Path

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SHOWN = (
    "play-light",
    "analyse-light",
    "eightfold-dark",
    "go-count-light",
    "go-patterns-light",
    "play-phone",
    "othello",
    "hex",
)
WIDTH, COLOURS = 860, 256


def shrink(shots: Path) -> None:
    from PIL import Image

    IMAGES.mkdir(exist_ok=True)
    for name in SHOWN:
        with Image.open(shots / f"{name}.png") as picture:
            width = min(WIDTH, picture.width)
            small = picture.convert("RGB").resize(
                (width, picture.height * width // picture.width), Image.Resampling.LANCZOS
            )
            small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
                IMAGES / f"{name}.png", optimize=True
            )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    shrink(Path(sys.argv[1]))
