"""The web room: a server for one page on which people play, analyse and watch training.

Public: `serve.serve` starts the server and `page_process.page_process` the page of a training run. Everything else
belongs to the server. Read `app.py` for what it answers, `lobby.py` for all games, `table.py` for one game with its
viewers, `session.py` for the state of that game, and `messages.py` for what a browser may send. `page/` is what
browsers load: plain HTML, CSS and JavaScript modules.
"""
