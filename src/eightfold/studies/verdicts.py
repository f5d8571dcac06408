"""What a study says of a claim: it holds, it does not, or it cannot be told; and from how much on it says anything."""

from __future__ import annotations

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told"
ENOUGH = 3  # seeds, or pairs of them, at least, before anything is said
