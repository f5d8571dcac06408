"""The protocols room: one engine core, the protocols that speak to it, and other programs as players.

Start reading at `engine.py`; `gomocup.py` is the protocol of Gomoku programs, `gomocup_player.py` its other side.
"""
