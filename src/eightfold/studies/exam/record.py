"""The exam as a file: positions as the moves that lead there, and what is right in each; NumPy's .npz, without pickle.

A file is believed only as far as its hash goes: that of all it holds, which stands in it and is counted again when it
is read. Then every move is played by the rules.

Shapes: P positions, A actions, C planes, N board size, M moves of the longest game.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.files import replace_file
from eightfold.games.game import Game, Position, make_game

# Who says what is right: a search, or a proof that the side to move wins or loses, or that nobody can win any more.
SEARCHED, WON, LOST, DEAD = 0, 1, 2, 3
ENDING = ".npz"
_NONE = -1  # behind the last move of a game
_ARRAYS = {"moves": np.int16, "policies": np.float32, "values": np.float32, "kinds": np.int8}
_TEXTS = ("game", "about", "hash")
# What reading a damaged archive, or numbers that are something else, may end in.
_DAMAGE = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
    OverflowError,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Exam:
    """Positions with their answers, all from the side to move."""

    game: Game
    positions: tuple[Position, ...]  # [P]
    policies: NDArray[np.float32]  # [P, A], each adding up to 1
    values: NDArray[np.float32]  # [P], -1 to 1
    kinds: NDArray[np.int8]  # [P]: SEARCHED, WON, LOST or DEAD
    about: Mapping[str, Any]  # how it was made

    def __len__(self) -> int:
        return len(self.positions)

    @functools.cached_property
    def hash(self) -> str:
        """Of everything in it: equal exams have equal ones on all machines."""
        return _hash(self.game.text, _about(self.about), self._arrays())

    @functools.cached_property
    def legal(self) -> NDArray[np.bool_]:
        """[P, A]"""
        return np.stack([position.legal_mask for position in self.positions])

    @functools.cached_property
    def asks_for_a_move(self) -> NDArray[np.bool_]:
        """[P]: where some moves are better than others. In a lost or dead position none is."""
        return (self.kinds == SEARCHED) | (self.kinds == WON)

    def planes(self, encoder: str) -> NDArray[np.float32]:
        """[P, C, N, N]: what a network with this encoder sees."""
        number, planes = self.game.encoder(encoder)
        seen = np.empty((len(self), planes, self.game.size, self.game.size), np.float32)
        self.game.kernels.encode_batch(np.stack([position.state for position in self.positions]), number, seen)
        return seen

    def count(self, kind: int) -> int:
        return int((self.kinds == kind).sum())

    def bytes(self) -> bytes:
        """The file; equal exams give equal ones."""
        file = io.BytesIO()
        texts = {"game": self.game.text, "about": _about(self.about), "hash": self.hash}
        np.savez_compressed(file, allow_pickle=False, **self._arrays(), **{n: np.array(t) for n, t in texts.items()})
        return file.getvalue()

    def _arrays(self) -> dict[str, NDArray[Any]]:
        moves = np.full((len(self), max(position.ply for position in self.positions)), _NONE, np.int16)  # [P, M]
        for row, position in zip(moves, self.positions, strict=True):
            row[: len(position.moves)] = position.moves
        return {"moves": moves, "policies": self.policies, "values": self.values, "kinds": self.kinds}


def write_exam(exam: Exam, folder: Path) -> Path:
    """The file of an exam in a folder, by its hash."""
    path = folder / f"exam-{exam.hash}{ENDING}"
    replace_file(path, exam.bytes())
    return path


def read_exam(path: Path | str) -> Exam:
    """The exam of a file, after a look at all of it."""
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in _ARRAYS}
            game, about, told = (str(file[name]) for name in _TEXTS)
        if any(arrays[name].dtype != kind for name, kind in _ARRAYS.items()) or _hash(game, about, arrays) != told:
            raise ValueError("its hash is another")
        return _checked(make_game(game), arrays, json.loads(about))
    except FileNotFoundError:
        raise EightfoldError(f"there is no exam {path}; a study that has one writes it into its folder") from None
    except IsADirectoryError:
        raise EightfoldError(f"{path} is a folder; name the file exam-HASH{ENDING} in it") from None
    except OSError as error:
        raise EightfoldError(f"cannot read the exam {path}: {error.strerror or error}") from None
    except _DAMAGE as error:
        why = f": {error}" if "pickle" not in str(error) else ""  # NumPy would tell how to load it unsafely
        raise EightfoldError(f"{path} is no exam, or is damaged{why}; take a copy that is whole") from None


def _checked(game: Game, arrays: dict[str, NDArray[Any]], about: Any) -> Exam:
    moves, policies, values, kinds = arrays.values()
    count = len(moves)
    if count == 0 or policies.shape != (count, game.actions) or values.shape != (count,) or kinds.shape != (count,):
        raise ValueError(f"its arrays do not fit {game.text}")
    exam = Exam(
        game=game,
        positions=tuple(game.after([int(move) for move in row if move != _NONE]) for row in moves),
        policies=policies,
        values=values,
        kinds=kinds,
        about=dict(about),
    )
    if any(position.is_over for position in exam.positions):
        raise ValueError("a game in it is over")
    sound = np.isfinite(policies).all() and (policies >= 0).all() and (np.abs(values) <= 1).all()
    if not sound or not np.allclose(policies.sum(axis=1), 1, atol=1e-3) or policies[~exam.legal].any():
        raise ValueError("a policy or a value in it is none")
    return exam


def _about(about: Mapping[str, Any]) -> str:
    return json.dumps(about, sort_keys=True)


def _hash(game: str, about: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for text in _parts(game, about, arrays):
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.hexdigest()


def _parts(game: str, about: str, arrays: Mapping[str, NDArray[Any]]) -> Sequence[bytes]:
    """Everything as bytes, the numbers in one order on all machines."""
    numbers = [(name, arrays[name].astype(np.dtype(kind).newbyteorder("<"))) for name, kind in _ARRAYS.items()]
    return [game.encode(), about.encode(), *(part for name, a in numbers for part in (_shape(name, a), a.tobytes()))]


def _shape(name: str, array: NDArray[Any]) -> bytes:
    return f"{name} {array.shape}".encode()
