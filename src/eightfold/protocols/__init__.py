"""The protocols room: Eightfold as an engine for other programs, and other programs as players.

Public: `gomocup.session.serve` and `gtp.session.serve` are the engines, `gomocup.player.GomocupPlayer` and
`gtp.player.GtpPlayer` the players `gomocup:` and `gtp:`. Both protocols share what is here: `engine.py` (a game, a
player and a clock), `session.py` (lines in, answers out, while the player thinks), `clock.py`, `default_player.py`,
and for players `program_player.py` and `process.py`. Start reading at `engine.py`.
"""
