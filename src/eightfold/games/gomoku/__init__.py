"""Gomoku in its five rules: freestyle, standard, renju, caro and caro-exact. Start with `rules.py`."""
