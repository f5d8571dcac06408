"""How games of a match begin: random moves, balanced ones, a list of one's own. Start with `source.py`."""
