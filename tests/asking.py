"""All that a search on a GPU asks of a game, in one function: for one lane, for a warp, for an imitated warp."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from eightfold.core.lanes import lane_of, wait_for_lanes
from eightfold.games import Game

LISTED, FOUND, FOUND_DEEPER, DEAD, ANSWERS = 0, 1, 2, 3, 4


def question(kernels: Any) -> Callable[..., None]:
    """The function, for the kernels of a game."""
    legal, encode, play = kernels.legal_together, kernels.encode_together, kernels.play_together
    find_win, is_dead = kernels.find_win_together, kernels.is_dead_together

    def ask(state, move, nodes, encoder, scratch, answers, moves, planes, lanes):  # type: ignore[no-untyped-def]
        listed = legal(state, moves, lanes)
        found = find_win(state, 0, scratch, lanes)
        deeper = find_win(state, nodes, scratch, lanes)
        dead = is_dead(state, lanes)
        if lane_of(lanes) == 0:
            answers[0], answers[1], answers[2], answers[3] = listed, found, deeper, dead
        encode(state, encoder, planes, lanes)
        wait_for_lanes(lanes)
        play(state, move, lanes)

    return ask


def by_one_lane(game: Game, states: Any, moves: Any, nodes: int, encoder: int) -> dict[str, Any]:
    """What the kernels for one lane say; arrays as `ask` fills them, a row for each state."""
    rules, defaults, scratch = game.rules, game.kernels, np.zeros(game.scratch, np.int64)
    out = blank_answers(game, states, encoder)
    for k, move in enumerate(moves.tolist()):
        state = out["states"][k]
        out["answers"][k, LISTED] = rules.legal(state, out["moves"][k])
        out["answers"][k, FOUND] = defaults.find_win(state, 0, scratch)
        out["answers"][k, FOUND_DEEPER] = defaults.find_win(state, nodes, scratch)
        out["answers"][k, DEAD] = defaults.is_dead(state)
        rules.encode(state, encoder, out["planes"][k])
        rules.play(state, move)
    return out


def blank_answers(game: Game, states: Any, encoder: int) -> dict[str, Any]:
    count, channels = len(states), list(game.spec.encoders.values())[encoder]
    return {
        "states": states.copy(),
        "answers": np.zeros((count, ANSWERS), np.int64),
        "moves": np.zeros((count, game.actions), np.int64),
        "planes": np.zeros((count, channels, game.size, game.size), np.float32),
    }


def differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Where two sets of answers differ; of the lists of moves only what is listed counts."""
    told = []
    for name, right in expected.items():
        for k, row in enumerate(right):
            stop = expected["answers"][k, LISTED] if name == "moves" else None
            if not np.array_equal(row[:stop], found[name][k][:stop]):
                told.append(f"{name} of position {k}")
    return told


def save(path: Path, cases: list[dict[str, Any]]) -> None:
    np.savez(path, **{f"{k} {name}": value for k, case in enumerate(cases) for name, value in case.items()})


def load(path: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = []
    with np.load(path) as file:
        for key in file:
            number, name = key.split()
            cases += [{} for _ in range(int(number) + 1 - len(cases))]
            cases[int(number)][name] = file[key]
    return cases
