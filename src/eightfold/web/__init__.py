"""The web room: a server for one page on which people play, analyse and watch training.

Read next: `serve.py` starts it, `app.py` says what it answers, `table.py` is one game with those who look on,
`session.py` what is known of that game. Nothing here is imported before somebody asks for the page.
"""
