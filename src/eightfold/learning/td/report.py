"""What people see of TD(λ) training: a line every few seconds."""

from __future__ import annotations

from typing import Any


def progress_line(entry: dict[str, Any]) -> str:
    facts = [
        f"{entry['minutes']:6.1f} min",
        f"{entry['games']:8,d} games",
        f"{entry['games_per_s']:6.1f} games/s",
        f"{entry['moves_a_game']:4.0f} moves a game",
        f"{entry['candidates_per_s']:9,.0f} candidates/s",
        f"loss {entry['loss']:.3f}",
        f"rate {entry['learning_rate']:.1e}",
        f"black {entry['black_wins']:.0%}",
    ]
    if "contests" in entry:
        facts.append(f"{entry['accepted']} of {entry['contests']} contests")
    return "  ".join([*facts, "shortcut alone" if entry["linear"] else ""]).rstrip()
