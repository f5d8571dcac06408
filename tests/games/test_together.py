"""What the lanes of a warp do together is what one lane does alone: for all rules of the games that ship.

Three times: compiled, with one lane; as plain Python with 32 lanes that are threads (`tests/warp.py`); on a GPU.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asking import blank_answers, by_one_lane, differences, question, save
from eightfold.core.cuda import teach_cuda
from eightfold.core.lanes import WARP
from eightfold.games import Game, make_game
from eightfold.games.state import ONGOING, PLY, RESULT

NODES = 12
GOMOKU = [
    ("gomoku:size=7,win=4", "last-move"),
    ("gomoku:size=8,rule=standard", "history"),
    ("gomoku:size=7,rule=renju", "threat"),
    ("gomoku:size=7,win=4,rule=caro", "threat"),
    ("gomoku:size=9,rule=caro-exact", "last-move"),
]
GO = [
    ("go:size=3,rules=tromp-taylor,komi=0.5", "liberties"),
    ("go:size=4,rules=japanese,komi=1", "history"),
    ("go:size=5,rules=new-zealand", "alphazero"),
    ("go:size=4,rules=chinese,komi=0", "last-move"),
    ("go:size=3,rules=japanese,komi=2.5", "rules"),
]
GAMES = GOMOKU + GO
EXAMPLES = [("gomoku:size=15", "threat"), ("gomoku:size=15,rule=renju", "threat"), ("go:size=9", "liberties"), *GAMES]


def positions(game: Game, count: int, seed: int) -> tuple[Any, Any]:
    """Positions of random games, at every stage, and a legal move of each: stones close together, and passes."""
    random, moves = np.random.default_rng(seed), np.empty(game.actions, np.int64)
    states, chosen = [], []
    while len(states) < count:
        state, games = game.start().state.copy(), []
        favourite = random.permutation(game.actions)
        while state[RESULT] == ONGOING:
            legal = moves[: game.rules.legal(state, moves)].tolist()
            near = sorted(legal, key=lambda move: favourite[move])[: max(3, len(legal) // 3)]
            passes = game.spec.has_pass and random.random() < 0.1 + 0.4 * (state[PLY] > 2 * game.points)
            move = legal[-1] if passes else int(random.choice(near))
            games.append((state.copy(), move))
            game.rules.play(state, move)
        for k in random.permutation(len(games))[:2].tolist():
            states.append(games[k][0])
            chosen.append(games[k][1])
        states.append(games[-1][0])  # its move ends the game
        chosen.append(games[-1][1])
    return np.array(states[:count]), np.array(chosen[:count])


def of_every_kind(case: dict[str, Any]) -> list[int]:
    """One position of every kind: won at once, won by force, dead, its move ends the game, and so on; three of none."""
    answers, results = case["answers"], case["states"][:, RESULT]
    kinds = [
        (found >= 0, deeper >= 0, dead, result)
        for (_, found, deeper, dead), result in zip(answers, results, strict=True)
    ]
    quiet = [k for k, kind in enumerate(kinds) if not any(kind)]
    return sorted({*(kinds.index(kind) for kind in kinds), *quiet[:3]})


@pytest.mark.parametrize(("spec", "encoder"), GAMES)
def test_one_lane_by_the_way_of_many(spec, encoder):
    game = make_game(spec)
    number, _ = game.encoder(encoder)
    states, moves = positions(game, 60, 1)
    expected, found = by_one_lane(game, states, moves, NODES, number), blank_answers(game, states, number)
    scratch, ask = np.zeros(game.scratch, np.int64), question(game.kernels)
    for k, move in enumerate(moves.tolist()):
        rows = found["answers"][k], found["moves"][k], found["planes"][k]
        ask(found["states"][k], move, NODES, number, scratch, *rows, 1)
    assert differences(expected, found) == []
    assert (expected["states"][:, RESULT] != ONGOING).any()


IMITATION = """
import sys
sys.path.insert(0, {tests!r})
from warp import imitate_warp
warp = imitate_warp(5)
import numpy as np
from asking import blank_answers, differences, load, question
from eightfold.core.lanes import WARP
from eightfold.games import make_game
for spec, expected in zip({specs!r}, load({path!r})):
    game, states, moves, encoder = make_game(spec), *(expected.pop(name) for name in ("before", "move", "encoder"))
    found, ask, scratch = blank_answers(game, states, encoder), question(game.kernels), np.zeros(game.scratch, np.int64)
    for k, move in enumerate(moves.tolist()):
        rows = found["answers"][k], found["moves"][k], found["planes"][k]
        warp.run(ask, found["states"][k], move, {nodes}, int(encoder), scratch, *rows, WARP)
    print(spec, differences(expected, found))
"""


def test_threads_as_lanes(tmp_path, run_python):
    cases = []
    for spec, encoder in GAMES:
        game = make_game(spec)
        number, _ = game.encoder(encoder)
        states, moves = positions(game, 200, 2)
        case = by_one_lane(game, states, moves, NODES, number)
        chosen = of_every_kind(case)
        case = {name: value[chosen] for name, value in case.items()}
        cases.append({**case, "before": states[chosen], "move": moves[chosen], "encoder": np.array(number)})
    save(tmp_path / "cases.npz", cases)
    specs = [spec for spec, _ in GAMES]
    code = IMITATION.format(
        tests=str(Path(__file__).parents[1]), path=str(tmp_path / "cases.npz"), specs=specs, nodes=NODES
    )
    assert run_python(code, NUMBA_DISABLE_JIT="1").splitlines() == [f"{spec} []" for spec in specs]


DIVERGING = """
import sys
sys.path.insert(0, {tests!r})
from warp import Diverged, imitate_warp
warp = imitate_warp(0)
from eightfold.core.lanes import WARP, how_many, lane_of, wait_for_lanes

def some_alone(lanes):
    if lane_of(lanes) < 3:
        how_many(True, lanes)

def some_elsewhere(lanes):
    if lane_of(lanes) < 3:
        wait_for_lanes(lanes)
    else:
        wait_for_lanes(lanes)

for function in (some_alone, some_elsewhere):
    try:
        print(warp.run(function, WARP))
    except Diverged as trouble:
        print("diverged")
print(warp.run(lambda lanes: how_many(lane_of(lanes) % 3 == 0, lanes), WARP))
"""


def test_threads_notice_a_lane_that_does_not_come(run_python):
    said = run_python(DIVERGING.format(tests=str(Path(__file__).parents[1])), NUMBA_DISABLE_JIT="1")
    assert said.splitlines() == ["diverged", "diverged", str([11] * WARP)]


@pytest.mark.gpu(kernels=True)
@pytest.mark.parametrize(("spec", "encoder"), EXAMPLES)
def test_a_real_warp(spec, encoder):
    cuda, game = teach_cuda(), make_game(spec)
    number, _ = game.encoder(encoder)
    states, moves = positions(game, 200, 3)
    expected, found = by_one_lane(game, states, moves, 100, number), blank_answers(game, states, number)
    ask = cuda.jit(device=True)(question(game.kernels))

    def over_positions(states, move, nodes, encoder, scratch, answers, moves, planes):  # type: ignore[no-untyped-def]
        k = cuda.grid(1) // WARP
        if k < len(move):
            ask(states[k], move[k], nodes, encoder, scratch[k], answers[k], moves[k], planes[k], WARP)

    there = {name: cuda.to_device(value) for name, value in found.items()}
    scratch = cuda.to_device(np.zeros((len(states), game.scratch), np.int64))
    rows = there["answers"], there["moves"], there["planes"]
    cuda.jit(over_positions)[len(states), WARP](there["states"], cuda.to_device(moves), 100, number, scratch, *rows)
    assert differences(expected, {name: value.copy_to_host() for name, value in there.items()}) == []
