"""A played game, small enough to send between machines, and the samples that it becomes.

A `PlayedGame` holds what self-play found out and nothing that the rules tell again: moves, the policies and values of
the searches, the result. Whoever needs positions or planes replays it. `to_bytes` is zlib over

    numbers (HEAD) | game and settings as text | moves | plies | values | a bit for each action | policies' entries
    and where moves were scored, the same again: | a bit for each action | scores' entries

and `from_bytes` believes nothing: what is cut, damaged or made up is refused in one line, and moves that the rules
forbid are refused by `replay`.

Shapes: P moves, T positions that were searched in full, A actions.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eightfold.core.errors import EightfoldError
from eightfold.core.jit import Ints
from eightfold.core.specialise import specialise
from eightfold.games.game import Game, Position
from eightfold.games.state import BLACK, DRAW, LAST, SIDE, WHITE
from eightfold.learning.data.sample import NO_MOVE, Batch, Sample, one_hot_rows

REPLAYING = "eightfold.learning.data.replaying"
MAGIC, WITH_SCORES = b"8fg1", b"8fg2"
HEAD = struct.Struct("<HHQHBHHH")  # lengths of both texts, seed, opening, result, moves, sampled positions, actions
LARGEST = 64 << 20  # bytes of a game, unpacked


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedGame:
    """One finished game, of self-play or of an advisor."""

    moves: tuple[int, ...]  # P
    opening: int  # moves at its start that were random
    result: int  # BLACK, WHITE or DRAW
    plies: NDArray[np.int64]  # [T] moves before each position that becomes a sample
    policies: NDArray[np.float32]  # [T, A] what the search found there
    root_values: NDArray[np.float32]  # [T] what it expected, for the side to move
    game: str = ""  # its text
    seed: int = 0  # of the player
    settings: str = ""  # `settings_digest` of how it was played
    scores: NDArray[np.float32] | None = None  # [T, A] what every move was worth, nan where nobody looked

    def replay(self, game: Game) -> list[Position]:
        """The positions after 0 to P moves; an error for a move that the rules forbid."""
        if self.game and self.game != game.text:
            raise EightfoldError(f"a game of {self.game} came to a run of {game.text}")
        positions = [game.start()]
        for move in self.moves:
            positions.append(positions[-1].play(move))
        return positions

    def replay_states(self, game: Game) -> Ints:  # [P + 1, L]
        """The same as rows of numbers, in a fraction of the time."""
        start, moves = game.start().state, np.array(self.moves, np.int64)
        states = np.empty((len(moves) + 1, len(start)), np.int64)
        states[0] = start
        replay_moves = specialise(REPLAYING, game.rules).replay_moves
        legal = replay_moves(states, moves, np.empty(game.actions, np.int64)) if self.game in ("", game.text) else -1
        if legal < len(moves):
            return np.array([position.state for position in self.replay(game)])  # which says why not
        return states

    # ---- bytes ----------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        game, settings = self.game.encode(), self.settings.encode()
        chosen = self.policies != 0
        parts = [
            HEAD.pack(
                len(game), len(settings), self.seed, self.opening, self.result, len(self.moves), *self.policies.shape
            ),
            game,
            settings,
            np.array(self.moves, "<u2").tobytes(),
            self.plies.astype("<u2").tobytes(),
            self.root_values.astype("<f4").tobytes(),
            np.packbits(chosen, axis=1).tobytes(),
            self.policies[chosen].astype("<f4").tobytes(),
        ]
        if self.scores is None:
            return MAGIC + zlib.compress(b"".join(parts))
        scored = np.isfinite(self.scores)
        parts += [np.packbits(scored, axis=1).tobytes(), self.scores[scored].astype("<f4").tobytes()]
        return WITH_SCORES + zlib.compress(b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes) -> PlayedGame:
        """The game that `to_bytes` made these bytes of."""
        try:
            magic = data[: len(MAGIC)]
            if magic not in (MAGIC, WITH_SCORES):
                raise ValueError("it does not begin as one")
            unpacking = zlib.decompressobj()
            body = unpacking.decompress(data[len(MAGIC) :], LARGEST)
            if not unpacking.eof or unpacking.unused_data:
                raise ValueError("it has another length")
            return cls._read(body, with_scores=magic == WITH_SCORES)
        except (ValueError, struct.error, zlib.error) as error:
            raise EightfoldError(f"{len(data)} bytes are not a played game: {error}") from None

    @classmethod
    def _read(cls, body: bytes, *, with_scores: bool) -> PlayedGame:
        game_bytes, settings_bytes, seed, opening, result, count, sampled, actions = HEAD.unpack_from(body)
        place = HEAD.size

        def take(size: int) -> bytes:
            nonlocal place
            place += size
            if place > len(body):
                raise ValueError("it has another length")
            return body[place - size : place]

        game, settings = take(game_bytes).decode(), take(settings_bytes).decode()
        moves = np.frombuffer(take(2 * count), "<u2")
        plies = np.frombuffer(take(2 * sampled), "<u2").astype(np.int64)
        values = np.frombuffer(take(4 * sampled), "<f4").astype(np.float32)

        def take_sparse(elsewhere: float) -> NDArray[np.float32]:  # [T, A]
            mask = np.frombuffer(take(sampled * -(-actions // 8)), np.uint8).reshape(sampled, -(-actions // 8))
            chosen = np.unpackbits(mask, axis=1, count=actions).view(np.bool_)
            entries = np.full((sampled, actions), elsewhere, np.float32)
            entries[chosen] = np.frombuffer(take(4 * int(chosen.sum())), "<f4")
            return entries

        policies = take_sparse(0)
        scores = take_sparse(np.nan) if with_scores else None
        if place != len(body):
            raise ValueError("it has another length")
        ascending = bool((np.diff(plies) > 0).all()) and (sampled == 0 or plies[-1] < count)
        if not (ascending and opening <= count and result in (BLACK, WHITE, DRAW) and (moves < actions).all()):
            raise ValueError("its numbers do not fit each other")
        if not (np.isfinite(values).all() and (np.abs(values) <= 1).all() and np.isfinite(policies).all()):
            raise ValueError("its values are not numbers from -1 to 1")
        if scores is not None and np.isinf(scores).any():
            raise ValueError("its scores are not numbers")
        return cls(
            scores=scores,
            moves=tuple(moves.tolist()),
            opening=opening,
            result=result,
            plies=plies,
            policies=policies,
            root_values=values,
            game=game,
            seed=seed,
            settings=settings,
        )


def settings_digest(*settings: Any) -> str:
    """A short text that equal settings (dataclasses) share, and other ones hardly ever."""
    text = json.dumps([asdict(each) for each in settings], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def batch_of(
    games: Sequence[PlayedGame],
    replayed: Sequence[Ints],
    game: Game,
    *,
    encoder: str,
    value_mix: float = 0.0,
    discount: float = 1.0,
    auxiliary: bool = False,
    next_moves: bool = False,
) -> Batch:
    """The samples of games, in the board's own frame; `replayed` are what `replay_states` gave.

    A value target is the result of the game, mixed with what the search expected by the share `value_mix`. The
    result counts less by the factor `discount` for every move that is left to play after the sample's own.
    """
    chosen = np.concatenate([states[played.plies] for played, states in zip(games, replayed, strict=True)])  # [T, L]
    counts = [len(played.plies) for played in games]
    left = np.concatenate([len(played.moves) - 1 - played.plies for played in games])
    results = np.repeat([played.result for played in games], counts)
    number, planes = game.encoder(encoder)
    states = np.empty((len(chosen), planes, game.size, game.size), np.float32)  # [T, C, N, N]
    game.kernels.encode_batch(chosen, number, states)
    sides, last = chosen[:, SIDE], chosen[:, LAST]
    outcomes = np.where(results == DRAW, 0, np.where(sides == results, 1, -1)).astype(np.float32)
    outcomes *= np.float32(discount) ** left.astype(np.float32)
    values = (1 - value_mix) * outcomes + value_mix * np.concatenate([played.root_values for played in games])
    on_board = (last >= 0) & (last < game.points)  # not at the start and not after a pass
    moves = np.where(on_board[:, None], np.stack(np.divmod(last, game.size), axis=1), NO_MOVE)  # [T, 2]
    ownership, scores = None, None
    if auxiliary:
        counted = [_final_count(game, states[-1]) for states in replayed]
        owners = np.repeat(np.array([owners for owners, _ in counted]), counts, axis=0)  # [T, N * N]
        margins = np.repeat([margin for _, margin in counted], counts)
        own, other = owners == sides[:, None], owners == BLACK + WHITE - sides[:, None]
        ownership = own.astype(np.float32) - other.astype(np.float32)
        scores = (np.where(sides == BLACK, margins, -margins) / game.points).astype(np.float32)
    policies = np.concatenate([played.policies for played in games])
    following = None
    if next_moves:
        replies = np.concatenate([_replies(played) for played in games])
        following = one_hot_rows(replies, game.actions)
    return Batch(states, policies, values.astype(np.float32), moves, ownership, scores, following)


def samples_of(
    played: PlayedGame,
    positions: list[Position],
    *,
    encoder: str,
    value_mix: float = 0.0,
    discount: float = 1.0,
    auxiliary: bool = False,
    next_moves: bool = False,
) -> list[Sample]:
    """The samples of one game, one by one; `positions` are what `replay` gave."""
    if len(played.plies) == 0:
        return []
    batch = batch_of(
        [played],
        [np.array([position.state for position in positions])],
        positions[0].game,
        encoder=encoder,
        value_mix=value_mix,
        discount=discount,
        auxiliary=auxiliary,
    )
    states, policies, values, moves = batch
    replies = _replies(played).tolist() if next_moves else [-1] * len(batch)
    return [
        Sample(
            state=states[k],
            policy=policies[k],
            value=float(values[k]),
            last_move=None if moves[k, 0] < 0 else (int(moves[k, 0]), int(moves[k, 1])),
            ownership=None if batch.ownership is None else batch.ownership[k].astype(np.int8),
            score=None if batch.scores is None else float(batch.scores[k]),
            next_move=None if replies[k] < 0 else replies[k],
        )
        for k in range(len(batch))
    ]


def _replies(played: PlayedGame) -> Ints:  # [T]
    """What the opponent played after the move of each sampled position; -1 where that move ended the game."""
    return np.array([*played.moves, -1, -1], np.int64)[played.plies + 1]


def _final_count(game: Game, last: Ints) -> tuple[NDArray[np.int8], float]:
    """Who owns each point of a game that is over [N * N]: BLACK, WHITE or nobody; and black's lead."""
    state, owners = last.copy(), np.zeros(game.points, np.int8)
    game.kernels.ownership(state, owners)
    return owners, float(game.rules.margin_of(state))
