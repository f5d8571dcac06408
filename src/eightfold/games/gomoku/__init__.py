"""Gomoku in its four rules: freestyle, standard, renju and caro. Start with `rules.py`."""
