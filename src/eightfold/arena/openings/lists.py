"""Openings from a file or a folder of one's own, and how they are written.

A text has an opening on every line, its moves as people write them or, as Gomocup publishes its openings, as steps
from the middle of the board, right and down; what follows a `#` is a comment:

    h8 i9 j7 g8                 moves, black first
    -1,0, 2,-3, 0,1             x and y from the middle: column size // 2, row size // 2

An SGF or psq file, or a folder of such files, gives an opening for every game: all its moves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from eightfold.core.errors import EightfoldError, shown
from eightfold.games.game import Game, Position, make_game
from eightfold.games.records.files import read_records

RECORDS = (".sgf", ".psq")
LARGEST_LIST = 16 << 20  # bytes
STEPS = re.compile(r"[-+\d,\s]+")


def read_openings(place: str | Path, game: Game) -> list[Position]:
    """The openings of a file or a folder, in their order; an error for one that the rules do not allow."""
    path = Path(place)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in RECORDS)
        found = [position for file in files for position in _of_records(file, game)]
    elif path.suffix.lower() in RECORDS:
        found = _of_records(path, game)
    else:
        found = _of_text(path, game)
    if not found:
        raise EightfoldError(f"{place} holds no openings; give a text with one on each line, or SGF files")
    return found


def _of_text(path: Path, game: Game) -> list[Position]:
    try:
        if path.stat().st_size > LARGEST_LIST:
            raise EightfoldError(f"{path} is too large for a list of openings")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise EightfoldError(f"cannot read openings from {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise EightfoldError(f"{path} is no text; a list of openings has one on each line, such as h8 i9 j7") from None
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        moves = line.partition("#")[0].strip()
        if moves:
            try:
                found.append(_opening(read_moves(moves, game), game))
            except EightfoldError as error:
                raise EightfoldError(f"{path}, line {number}: {error}") from None
    return found


def read_moves(text: str, game: Game) -> list[int]:
    """The actions of a line.

    >>> game = make_game("gomoku:size=15")
    >>> read_moves("h8, i9", game) == read_moves("0,0, 1,-1", game)
    True
    """
    words = text.replace(",", " ").split()
    if not STEPS.fullmatch(text):
        return [game.action(word) for word in words]
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        numbers = [0]
    if len(numbers) % 2:
        raise EightfoldError(f"{shown(text)} is not a line of moves: write h8 i9, or steps from the middle 0,0, 1,-1")
    half = game.size // 2
    return [game.action((half + down, half + right)) for right, down in zip(numbers[::2], numbers[1::2], strict=True)]


def _of_records(path: Path, game: Game) -> list[Position]:
    found = []
    for number, record in enumerate(read_records(path), start=1):
        try:
            own = make_game(record.game)
            if own.rules is not game.rules or own.size != game.size:
                raise EightfoldError(f"a game of {record.game} is no opening of {game.text}")
            there, usual = record.start(own), game.start()
            if there.to_move != usual.to_move or not np.array_equal(there.stones, usual.stones):
                raise EightfoldError(f"it does not begin as {game.text} does")
            found.append(_opening(record.moves, game))
        except EightfoldError as error:
            raise EightfoldError(f"{path}, game {number}: {error}") from None
    return found


def _opening(moves: Sequence[int], game: Game) -> Position:
    position = game.after(moves)
    if position.is_over:
        raise EightfoldError(f"the game is over after this opening ({position.outcome})")
    return position


def listed_openings(openings: Sequence[Position], seed: int) -> Iterator[Position]:
    """Openings without end: all of them in an order that the seed shuffles, and then again."""
    order = np.random.default_rng(seed).permutation(len(openings))
    while True:
        for number in order:
            yield openings[number]


def write_openings(openings: Sequence[Position], about: str) -> str:
    """The text of a list."""
    lines = [" ".join(map(each.game.name_of, each.moves)) for each in openings]
    return "\n".join([f"# {about}", *lines]) + "\n"
