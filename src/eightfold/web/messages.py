"""The messages of a browser: one small schema for each type. The server accepts nothing else.

Every text, list and number has a limit, so that a message costs little before the server acts on it. A message that
fits no schema is answered with one line that says what is wrong.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from eightfold.core.errors import EightfoldError
from eightfold.games.records.sgf_tree import LETTERS

LARGEST_MESSAGE = 256 << 10  # characters
LARGEST_SGF = 200_000
LARGEST_ACTION = len(LETTERS) ** 2
MOST_MOVES = 2500  # of a game: more than the longest of Go
LONGEST_ERROR = 200

LONGEST_NAME = 400  # of a game or a player: a network's place is part of it

Key = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Node = Annotated[int, Field(ge=0, le=1_000_000)]
Action = Annotated[int, Field(ge=0, le=LARGEST_ACTION)]


class Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Seat(Message):
    """Who plays a colour: `human`, or the key of a menu entry and the number of a level."""

    player: Key
    level: Annotated[int, Field(ge=0, le=63)] = 0


class New(Message):
    """Start a game, perhaps with moves that are already played."""

    type: Literal["new"]
    game: Annotated[str, Field(max_length=LONGEST_NAME)]
    black: Seat
    white: Seat
    moves: Annotated[list[Action], Field(max_length=MOST_MOVES)] = []
    playing: bool = True
    opening: Literal["free", "swap2"] = "free"  # with swap2, who has black now places the first stones


class Resume(Message):
    """Continue a game after the connection was lost, or watch it."""

    type: Literal["resume"]
    id: Annotated[str, Field(min_length=8, max_length=64)]


class Play(Message):
    type: Literal["play"]
    action: Action


class Choose(Message):
    """Choose a colour, or to place two more stones, in a game that begins with swap2."""

    type: Literal["choose"]
    choice: Literal["black", "white", "more"]


class Undo(Message):
    type: Literal["undo"]


class Hint(Message):
    type: Literal["hint"]


class Resign(Message):
    type: Literal["resign"]


class MarkDead(Message):
    """Mark a group as dead, or as alive again, when both sides have passed."""

    type: Literal["mark_dead"]
    action: Action


class SuggestDead(Message):
    """Mark the stones that are most likely dead."""

    type: Literal["suggest_dead"]


class Agree(Message):
    """Agree to the score."""

    type: Literal["agree"]


class Select(Message):
    """Show another node of the tree; players pause meanwhile."""

    type: Literal["select"]
    node: Node


class Remove(Message):
    """Remove a variation from the tree."""

    type: Literal["remove"]
    node: Annotated[int, Field(ge=1, le=1_000_000)]


class Seats(Message):
    """Change who plays, and whether players answer moves."""

    type: Literal["seats"]
    black: Seat
    white: Seat
    playing: bool = True


class Analyse(Message):
    """Let a player think about whatever position is shown, or stop it."""

    type: Literal["analyse"]
    on: bool
    by: Seat | None = None


class Review(Message):
    """Let a player evaluate every position of the line that is shown."""

    type: Literal["review"]
    by: Seat


class Eightfold(Message):
    """Show the position from its eight sides, with a network's policies if one is named."""

    type: Literal["eightfold"]
    network: Key | None = None
    as_played: bool = True  # with the network's symmetry mode; else the bare network


class Maps(Message):
    """Show what a source predicts for every point: ownership, eyes, captures."""

    type: Literal["maps"]
    source: Key


class Patterns(Message):
    """Show how likely the points are by a library of patterns, and the shapes of one point."""

    type: Literal["patterns"]
    library: Key
    measure: Key
    point: Action | None = None


class Load(Message):
    type: Literal["load"]
    sgf: Annotated[str, Field(min_length=1, max_length=LARGEST_SGF)]


class Save(Message):
    type: Literal["save"]


class Ping(Message):
    type: Literal["ping"]


AnyMessage = (
    New
    | Resume
    | Play
    | Choose
    | Undo
    | Hint
    | Resign
    | MarkDead
    | SuggestDead
    | Agree
    | Select
    | Remove
    | Seats
    | Analyse
    | Review
    | Eightfold
    | Maps
    | Patterns
    | Load
    | Save
    | Ping
)
_reader: TypeAdapter[AnyMessage] = TypeAdapter(Annotated[AnyMessage, Field(discriminator="type")])


def read_message(text: str) -> AnyMessage:
    """The message of a text, every part of it checked."""
    if len(text) > LARGEST_MESSAGE:
        raise EightfoldError(f"a message of {len(text)} characters is too long; at most {LARGEST_MESSAGE} are read")
    try:
        return _reader.validate_json(text)
    except ValidationError as error:
        raise EightfoldError(_one_line(error)) from None
    except (ValueError, RecursionError) as error:
        raise EightfoldError(f"not a message: {str(error)[:LONGEST_ERROR]}") from None


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    said = f"{place}: {first['msg']}" if place else first["msg"]
    return f"not a message: {said}"[:LONGEST_ERROR]
