"""What a network is, apart from its weights. Nothing here needs PyTorch.

A network lies in a folder, a checkpoint's or a shipped one's: `network.json` describes it, `network.safetensors`
holds its weights, and `network.onnx`, where it is there, the whole of it for programs without PyTorch
(`eightfold export`). Read next: `checkpoint.py` for the second, `exported.py` for the third, `open.py` for all.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from eightfold.core.errors import EightfoldError, shown
from eightfold.core.extras import need
from eightfold.core.notes import tell_once
from eightfold.games.game import Game, make_game
from eightfold.nets.inference.evaluator import check_mode, planes_seen
from eightfold.nets.shape import Shape
from eightfold.search.settings import PLAYING, PlaySettings, read_play_settings
from eightfold.symmetry.orbit import LARGEST_BOARD

if TYPE_CHECKING:
    from torch import nn

WEIGHTS, DESCRIPTION, CARD, EXPORTED = "network.safetensors", "network.json", "card.md", "network.onnx"
SIZES = re.compile(r"([0-9]+)-([0-9]+)")
FORMER = re.compile(r"(?<=[:,])foresight(?==)")  # an option's name in earlier versions


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a network is, apart from its weights."""

    network: str  # its text
    game: str
    encoder: str
    symmetry: str
    playing: str = PLAYING.text  # how it plays: see `search/settings.py`
    usual_on: str = ""  # boards on which a shipped network plays where nobody is chosen, as in 7-13; "": all it plays

    def play_settings(self) -> PlaySettings:
        """Of the search with which it plays outside of self-play."""
        return read_play_settings(self.playing)

    def usual_sizes(self) -> range:
        """The sizes of boards that `usual_on` names."""
        sizes = SIZES.fullmatch(self.usual_on)
        if sizes is None and self.usual_on:
            raise EightfoldError(f"usual_on is {shown(self.usual_on)}, not two sizes of boards such as 7-13")
        return range(LARGEST_BOARD + 1) if sizes is None else range(int(sizes[1]), int(sizes[2]) + 1)

    def shape(self) -> Shape:
        try:
            game = make_game(self.game)
        except EightfoldError as error:
            raise EightfoldError(f"what the network was trained for: {error}") from None
        _, planes = game.encoder(self.encoder)
        seen = planes_seen(planes, check_mode(self.symmetry))
        passes, ownership = game.actions - game.points, game.has_ownership
        return Shape(planes=seen, size=game.size, passes=passes, ownership=ownership, symmetries=game.symmetries)

    def make(self) -> nn.Module:
        """A network of this kind with fresh weights."""
        need("torch", purpose="a network to be trained")
        from eightfold.nets.networks import make_network

        return make_network(self.network, self.shape())

    def fitted_to(self, game: Game, *, who: object, any_size: bool) -> Description:
        """The description for another game; an error if the network does not play it.

        Where it was not trained for the very game, somebody is told so, once.
        """
        check_fits(self.game, game, who=who, any_size=any_size)
        others = differences(make_game(self.game), game)
        if others:
            tell_once(
                f"{who} was trained for {self.game}; it plays {game.text} all the same ({', '.join(sorted(others))})"
            )
        return replace(self, game=game.text)


def check_fits(trained: str, game: Game, *, who: object, any_size: bool) -> None:
    """An error unless a network that was trained for a game plays this one; `who`: what the error calls it."""
    if not plays(trained, game, any_size=any_size):
        raise EightfoldError(f"{who} was trained for {trained}, not for {game.text}")


def plays(trained: str, game: Game, *, any_size: bool) -> bool:
    """Whether a network that was trained for a game plays this one: the same family, differing only in what it bears.

    That is what the game's `networks_tolerate` lists (in Go the komi, the rules and the handicap, in Gomoku the rule),
    and with `any_size`, whose weights fit every board, the size.
    """
    if trained == game.text:
        return True
    own = make_game(trained)
    borne = own.spec.networks_tolerate | ({"size"} if any_size else set())
    return own.spec is game.spec and differences(own, game) <= borne


def distance(trained: str, game: Game) -> tuple[int, int]:
    """How far a game is from the one that a network was trained for and that `plays` allows it: small is near.

    First by how much the boards differ in size, then by how many other options do.
    """
    own = make_game(trained)
    return abs(own.size - game.size), len(differences(own, game) - {"size"})


def differences(one: Game, other: Game) -> set[str]:
    """The options in which two games of a family differ."""
    return {name for name, value in one.values.items() if other.values[name] != value}


def load_description(folder: Path) -> Description:
    path = folder / DESCRIPTION
    try:
        description = Description(**json.loads(path.read_text(encoding="utf-8")))
        for key, value in asdict(description).items():
            if not isinstance(value, str):
                raise ValueError(f"{key} is {shown(value)}, not a text")
        return checked(description)
    except OSError as error:
        raise EightfoldError(f"{folder} holds no network: {path.name}: {error.strerror}") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise EightfoldError(f"{path} is not a network's description: {' '.join(str(error).split())}") from None


def checked(description: Description) -> Description:
    """A stored description, the names of earlier versions replaced; an error if it says a strange way to play."""
    playing = description.play_settings().text
    description.usual_sizes()
    return replace(description, network=present_network(description.network), playing=playing)


def present_network(text: str) -> str:
    """A stored network's text with the names that its options have now.

    >>> present_network("resnet:blocks=3,foresight=1")
    'resnet:blocks=3,auxiliary=1'
    """
    return FORMER.sub("auxiliary", text)
