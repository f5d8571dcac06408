"""The protocols room: one engine core, the protocols that speak to it, and other programs as players.

Start reading at `engine.py`; `gomocup.py` is the protocol of Gomoku programs and `gomocup_player.py` its other side,
`gtp.py` and `gtp_player.py` are those of Go programs. `session.py` reads lines while the player thinks.
"""
