"""Gomoku that declares no symmetry: the same rules, but its positions share no keys with their variants.

Searches bound to it (`eightfold.core.specialise`) have one entry for every variant of a position, which is what the
study `orbits` compares with. Everything else is `eightfold.games.gomoku.rules`.
"""

from __future__ import annotations

from dataclasses import replace

from eightfold.games.gomoku import rules

globals().update({name: value for name, value in vars(rules).items() if not name.startswith("__")})

GAME = replace(rules.GAME, symmetries=(0,))
