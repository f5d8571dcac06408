"""GTP, the Go Text Protocol: `session.py` and `engine.py` for controllers, `player.py` for engines of others."""
