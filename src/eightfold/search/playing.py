"""How a network plays for points: the settings of a search that go with its weights, as one text.

A run writes them into the description of its network, and whoever lets it play or measures it takes them from there.
What a text does not say is as in `PLAYING`; a network from before there were such texts plays so too.

    >>> playing_text(PLAYING)
    'exploration=1.25,unvisited=0.2,threats=100,contempt=0.0'
    >>> read_playing("exploration=5,threats=0").unvisited
    0.2
"""

from __future__ import annotations

from eightfold.core.settings import allowed_for
from eightfold.core.specs import Option, read_options
from eightfold.search.forest import SearchSettings

# Measured, see docs/training-log.md.
PLAYING = SearchSettings(exploration=1.25, unvisited=0.2, threats=100)
# The published evaluator's (Suen & Alonso), whatever the network was trained with.
PAPER = SearchSettings(exploration=5.0, unvisited=-1.0, threats=0, contempt=0.0)


def _option(name: str, help: str) -> Option:
    """What a search allows, as an option with a default and a meaning of its own."""
    allowed = allowed_for(SearchSettings, name)
    return Option(name=name, default=getattr(PLAYING, name), help=help, least=allowed.least, most=allowed.most)


OPTIONS = (
    _option("exploration", "exploration"),
    _option("unvisited", "how much less than its position an unvisited move counts; below 0: as a draw"),
    _option("threats", "nodes to spend on proving a forced win; 0: only wins on the spot are seen"),
    _option("contempt", "how much worse than even a draw is"),
)


def playing_text(settings: SearchSettings) -> str:
    """The text of what matters in play."""
    return ",".join(f"{option.name}={getattr(settings, option.name)}" for option in OPTIONS)


def read_playing(text: str) -> SearchSettings:
    """The settings of a text; an error in one line if it is none."""
    values = read_options(text, OPTIONS, "how a network plays")
    return SearchSettings(
        exploration=float(values["exploration"]),
        unvisited=float(values["unvisited"]),
        threats=int(values["threats"]),
        contempt=float(values["contempt"]),
    )
