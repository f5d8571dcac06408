"""The games that self-play draws from: a run's own, or several that differ from it in komi and rules.

    selfplay.games = "go:size=9,komi=5.5 | go:size=9,komi=7.5 | go:size=9,komi=6.5,rules=japanese"

Each begins as often as the others; one that is named twice begins twice as often. They may differ from the run's game
in what a network bears with (`GameSpec.networks_tolerate`), and not in size: a batch has boards of one size. What is
different lies in a game's state, so nothing but the start of a game and its record has to know.
"""

from __future__ import annotations

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, make_game
from eightfold.nets.store.description import plays

BETWEEN = "|"


def games_of_selfplay(game: Game, text: str) -> tuple[Game, ...]:
    """The games that the setting `selfplay.games` names, or the run's own."""
    if not text.strip():
        return (game,)
    games = tuple(make_game(part.strip()) for part in text.split(BETWEEN))
    for each in games:
        if not plays(game.text, each, any_size=False):
            borne = ", ".join(sorted(game.spec.networks_tolerate)) or "nothing"
            raise EightfoldError(
                f"selfplay.games: {each.text} is not {game.text} with other rules; what may differ: {borne}"
            )
    return games
