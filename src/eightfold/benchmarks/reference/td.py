"""TD(λ) self-play of Blair in plain Python: sets of points, dictionaries, torch for gradients, no batches.

Positions and captures are those of `reference.isn`; repetition is found by remembering every board. Random numbers are
drawn one for each move, as the kernels draw them, so that both play the same games.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from eightfold.benchmarks.reference.isn import (
    BLACK,
    EMPTY,
    WHITE,
    Point,
    as_board,
    neighbours,
    plain_classes,
    plain_outputs,
    plain_play,
    plain_reward,
)
from eightfold.core.rng import Random, random_below

FINE = 1 << 30
NAMES = ("Z+", "Z°", "Z•", "A°+", "A•+", "A°", "A•")
PRESENT = {EMPTY: ("Z+", "A°+", "A•+"), WHITE: ("Z°", "A°"), BLACK: ("Z•", "A•")}

Target = dict[str, float]  # of one point, by the name of an output


@dataclass
class PlainGame:
    """Everything of a game: the start and the position after each move."""

    boards: list[NDArray[Any]] = field(default_factory=list)  # [N, N]
    classes: list[NDArray[np.uint8]] = field(default_factory=list)
    outputs: list[NDArray[np.float64]] = field(default_factory=list)  # [7, N, N]
    moves: list[int] = field(default_factory=list)


def plain_game(network: Any, size: int, *, beta: float, c: float, s: float, longest: int, random: Random) -> PlainGame:
    """One game by the network against itself: positional superko, no suicide, two passes or `longest` moves."""
    game = PlainGame()
    board, colour = np.zeros((size, size), np.int8), BLACK
    _see(game, network, board, np.zeros((7, size, size)))
    while len(game.moves) < longest and game.moves[-2:] != [size * size] * 2:
        candidates: list[tuple[int, NDArray[Any], int]] = []
        for action in range(size * size):
            if board.flat[action] == EMPTY:
                after, captured = plain_play(board, divmod(action, size), colour)
                if captured >= 0 and not any((after == old).all() for old in game.boards):
                    candidates.append((action, after, captured))
        candidates.append((size * size, board, 0))
        sign = 1 if colour == WHITE else -1
        worth = [
            sign * _board_value(network, after, game.outputs[-1], c, s) + c * captured
            for _, after, captured in candidates
        ]
        chances = [math.exp(beta * (value - max(worth))) for value in worth]
        left = sum(chances) * int(random_below(random, FINE)) / FINE
        for chance, (action, after, _) in zip(chances, candidates, strict=True):  # noqa: B007
            left -= chance
            if left < 0:
                break
        board, colour = after, BLACK + WHITE - colour
        game.moves.append(action)
        _see(game, network, board, game.outputs[-1])
    return game


def _see(game: PlainGame, network: Any, board: NDArray[Any], before: NDArray[Any]) -> None:
    game.boards.append(board)
    game.classes.append(plain_classes(board, before))
    game.outputs.append(plain_outputs(network, game.classes[-1]))


def _board_value(network: Any, board: NDArray[Any], before: NDArray[Any], c: float, s: float) -> float:
    outputs = plain_outputs(network, plain_classes(board, before))
    return sum(plain_reward(int(board[point]), outputs[:, *point], c, s) for point in np.ndindex(*board.shape))


def final_target(board: NDArray[Any], point: Point) -> Target:
    """Table IV for a point of the last position: of its own state alone."""
    stones = as_board(board)
    if stones[point] == WHITE:
        return {"Z°": 1.0, "A°": 0.0}
    if stones[point] == BLACK:
        return {"Z•": 0.0, "A•": 0.0}
    reached, region, waiting = set(), {point}, [point]
    while waiting:
        for near in neighbours(stones, waiting.pop()):
            if stones[near] != EMPTY:
                reached.add(stones[near])
            elif near not in region:
                region.add(near)
                waiting.append(near)
    if reached == {WHITE}:
        return {"Z+": 1.0, "A°+": 1.0, "A•+": 0.0}
    if reached == {BLACK}:
        return {"Z+": 0.0, "A°+": 0.0, "A•+": 1.0}
    return {"Z+": 0.5, "A°+": 0.0, "A•+": 0.0}


def told_before(was: int, now: int, target: Target, c: float, *, clip: bool = True) -> Target:
    """What is said of a point in its state after a move, in the outputs of its state before the move."""
    if was == now:
        told = dict(target)
    elif was == EMPTY and now == WHITE:
        told = {"Z+": target["Z°"], "A°+": 0.0, "A•+": target["A°"]}
    elif was == EMPTY:
        told = {"Z+": target["Z•"], "A°+": target["A•"], "A•+": 0.0}
    elif was == WHITE:
        alive = 2 * target["Z+"] / (2 + c)
        told = {"Z°": alive, "A°": c * (alive - 1) - (target["A°+"] - target["A•+"] - c)}
    else:
        taken = (c + 2 * target["Z+"]) / (2 + c)
        told = {"Z•": taken, "A•": target["A°+"] - target["A•+"] + c - c * taken}
    return {name: min(1.0, max(0.0, value)) for name, value in told.items()} if clip else told


def plain_targets(game: PlainGame, c: float, trace: float, *, clip: bool = True) -> list[dict[Point, Target]]:
    """For every position and point what its outputs should have said; `trace` is λ."""
    last = game.boards[-1]
    targets = [{point: final_target(last, point) for point in np.ndindex(*last.shape)}]
    for ply in range(len(game.boards) - 1, 0, -1):
        now, was, said = game.boards[ply], game.boards[ply - 1], game.outputs[ply]
        earlier: dict[Point, Target] = {}
        for point, target in targets[0].items():
            mixed = {
                name: trace * value + (1 - trace) * said[NAMES.index(name), *point] for name, value in target.items()
            }
            earlier[point] = told_before(int(was[point]), int(now[point]), mixed, c, clip=clip)
        targets.insert(0, earlier)
    return targets


def plain_update(
    network: Any, game: PlainGame, *, c: float, trace: float, rate: float, decay: float, linear: bool
) -> None:
    """One game's training: cross entropy, gradients from torch, weights changed once."""
    from eightfold.isn.network import one_hot

    targets = plain_targets(game, c, trace)
    planes = one_hot(torch.from_numpy(np.stack(game.classes))).to(next(network.parameters()).dtype)
    said = network(planes)  # [T, 7, N, N]
    loss = torch.zeros((), dtype=said.dtype)
    for ply, points in enumerate(targets):
        for point, target in points.items():
            for name, aim in target.items():
                value = said[ply, NAMES.index(name), point[0], point[1]]
                loss = loss - aim * torch.log(value) - (1 - aim) * torch.log(1 - value)
    network.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if parameter.grad is not None and (not linear or name.startswith("shortcut")):
                parameter.mul_(decay).sub_(parameter.grad, alpha=rate)
