"""Tournaments: a folder of games that can be stopped, continued and joined by more players. Start with `play.py`."""
