"""The Gomocup protocol: `session.py` and `engine.py` for managers, `player.py` for engines of others."""
