"""How plots look: colours and what Matplotlib is told; equal data give equal bytes."""

from __future__ import annotations

# Okabe & Ito's colours, which colour-blind people can tell apart, without the yellow that white paper swallows.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
STYLE = {
    "svg.hashsalt": "eightfold",  # else names inside the file are random
    "svg.fonttype": "none",  # text stays text
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "legend.frameon": False,
}
