"""The tables and figures that Wei et al. print, entry by entry, against what follows from the geometry."""

from __future__ import annotations

import numpy as np

from eightfold.patterns.codes import encode_digits
from eightfold.patterns.paper_order import paper_codes, recombination_table, ring_then_rest
from eightfold.patterns.templates import ROTATIONS, TEMPLATES, Template
from eightfold.symmetry.group import turn

# As printed (section 4.2). Row 6 repeats row 2: an error, see below.
PRINTED_3X3 = [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [2, 4, 7, 1, 6, 0, 3, 5],
    [7, 6, 5, 4, 3, 2, 1, 0],
    [5, 3, 0, 6, 1, 7, 4, 2],
    [5, 6, 7, 3, 4, 0, 1, 2],
    [0, 3, 5, 1, 6, 2, 4, 7],
    [7, 6, 5, 4, 3, 2, 1, 0],
    [7, 4, 2, 6, 1, 5, 3, 0],
]
PRINTED_4X4 = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
    [0, 3, 5, 1, 6, 2, 4, 7, 14, 13, 12, 11, 10, 9, 8],
    [5, 3, 0, 6, 1, 7, 4, 2, 14, 13, 12, 11, 10, 9, 8],
    [2, 1, 0, 4, 3, 7, 6, 5, 8, 9, 10, 11, 12, 13, 14],
    [2, 4, 7, 1, 6, 0, 3, 5, 14, 13, 12, 11, 10, 9, 8],
    [5, 6, 7, 3, 4, 0, 1, 2, 8, 9, 10, 11, 12, 13, 14],
    [7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14],
    [7, 4, 2, 6, 1, 5, 3, 0, 14, 13, 12, 11, 10, 9, 8],
]
# Figures 8 to 10 and 15 to 17: four rotations of each template, the blocks side by side, ? the anchor.
FIGURES = {
    "3x3-centre": "567 035 210 742 | 3?4 1?6 4?3 6?1 | 012 247 765 530",
    "3x3-edge": "567 025 1?0 741 | 234 ?36 432 63? | 0?1 147 765 520",
    "3x3-corner": "567 ?25 10? 74A | 234 036 432 630 | ?01 147 765 52?",
    "4x4-centre-a": "BCDE 047B 3210 EA63 | 789A 1?8C 65?4 D952 | 4?56 259D A987 C8?1 | 0123 36AE EDCB B740",
    "4x4-edge-a": "BCDE 037B 21?0 EA62 | 789A ?48C 6543 D951 | 3456 159D A987 C84? | 0?12 26AE EDCB B730",
    "4x4-edge-b": "BCDE 037B 2?10 EA62 | 789A 148C 6543 D95? | 3456 ?59D A987 C841 | 01?2 26AE EDCB B730",
}


def test_the_recombination_table_of_3x3_but_for_one_row() -> None:
    derived = list(recombination_table("3x3-centre").values())
    wrong = [number for number, row in enumerate(PRINTED_3X3) if row in PRINTED_3X3[:number] or row not in derived]
    assert wrong == [6]
    (missing,) = [row for row in derived if row not in PRINTED_3X3]
    assert missing == [2, 1, 0, 4, 3, 7, 6, 5]


def test_the_recombination_table_of_the_4x4_centre_is_right() -> None:
    assert sorted(recombination_table("4x4-centre").values()) == sorted(PRINTED_4X4)


def drawn(template: Template, rotation: int) -> list[str]:
    """A rotated block, its digits in base 16."""
    block = [["?"] * template.side for _ in range(template.side)]
    anchor = turn(*template.anchor, template.side, rotation)
    for digit, (down, right) in enumerate(template.offsets(rotation)):
        block[anchor[0] + down][anchor[1] + right] = f"{digit:X}"
    return ["".join(row) for row in block]


def test_the_figures_of_the_templates_but_for_one_digit() -> None:
    wrong = []
    for name, figure in FIGURES.items():
        rows = [line.split() for line in figure.split(" | ")]
        for number, rotation in enumerate(ROTATIONS):
            for row, line in enumerate(drawn(TEMPLATES[name], rotation)):
                printed = rows[row][number]
                wrong += [(name, p, ours) for p, ours in zip(printed, line, strict=True) if p != ours]
    assert wrong == [("3x3-corner", "A", "1")]  # figure 10 prints 10


def test_the_four_rotations_of_the_centre_are_its_four_templates() -> None:
    for rotation, letter in enumerate("abcd"):
        assert TEMPLATES[f"4x4-centre-{letter}"].rotations == (rotation,)


def test_codes_in_the_order_of_the_table() -> None:
    """A stone two points above and one to the left of the anchor is the first of the L."""
    template = TEMPLATES["4x4-centre-a"]
    assert ring_then_rest(template)[8] == (-2, -1)
    digit = template.offsets(0).index((-2, -1))
    ours = encode_digits([int(place == digit) for place in range(15)])
    assert paper_codes("4x4-centre-a", np.array([ours])).tolist() == [3**8]
    assert paper_codes("4x4-edge-a", np.array([ours])).tolist() == [ours]
    assert paper_codes("3x3-centre", np.arange(6561)).tolist() == list(range(6561))
