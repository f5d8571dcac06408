"""No symmetry that a game does not have is ever applied to it: Hex has two of the eight, and every turn is recorded.

All turning of boards and policies ends in a few functions of `eightfold.symmetry`. Here they note which symmetries
they carry out, while everything that turns anything works on positions of Hex. `test_game_symmetries.py` looks at
the answers instead, with drop four.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from eightfold.games import Game, Position, make_game
from eightfold.learning.commands import train_run
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import MODES, NetworkEvaluator, planes_seen
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.symmetry import audit, orbit, stabiliser, transform_states
from eightfold.symmetry.group import ALL, sources
from refusals import refusal
from tiny_runs import tiny

SIZE = 4
HALF_TURN = 2
HAS = {0, HALF_TURN}


@pytest.fixture
def game(examples, monkeypatch) -> Game:
    monkeypatch.syspath_prepend(str(examples))
    return make_game(f"python:hex,size={SIZE}", trusted=True)


class Recorder:
    """The symmetries that were carried out, by where."""

    def __init__(self) -> None:
        self.seen: dict[str, set[int]] = {}

    def note(self, where: str, ids: Any) -> None:
        self.seen.setdefault(where, set()).update(int(g) for g in np.unique(np.asarray(ids)))

    @property
    def all(self) -> set[int]:
        return set().union(*self.seen.values())


def members(table: np.ndarray) -> list[int]:
    """Which symmetries the rows of a table [K, N * N or one more] are."""
    size = int(np.sqrt(table.shape[1]))
    known = {tuple(row): g for g, row in enumerate(sources(size).tolist())}
    return [known[tuple(row[: size * size])] for row in table.tolist()]


@pytest.fixture
def recorder(monkeypatch) -> Iterator[Recorder]:
    """Puts a note-taker in front of every function that turns something."""
    found = Recorder()
    transform, slap = (importlib.import_module(f"eightfold.symmetry.{name}") for name in ("transform", "slap"))
    turn_rows, turn_moves, gathered = transform._turn_rows, transform._turn_moves, transform._gathered
    canonical, average, single = slap._canonical, slap._average_turns, transform.check_symmetry

    def noting_rows(source, ids, *rest):
        found.note("rows", ids)
        return turn_rows(source, ids, *rest)

    def noting_moves(moves, ids, *rest):
        found.note("moves", ids)
        return turn_moves(moves, ids, *rest)

    def noting_gathered(array, size, ids):
        found.note("tensors", ids)
        return gathered(array, size, ids)

    def noting_canonical(source, table, *rest):
        found.note("canonical", members(table))
        return canonical(source, table, *rest)

    def noting_average(policies, masks, table, means):
        used = np.bitwise_or.reduce(masks[: len(policies)]) if len(policies) else 0
        found.note("frames", [g for k, g in enumerate(members(table)) if used >> k & 1])
        return average(policies, masks, table, means)

    def noting_single(sym_id):
        found.note("single", single(sym_id))
        return single(sym_id)

    monkeypatch.setattr(transform, "_turn_rows", noting_rows)
    monkeypatch.setattr(transform, "_turn_moves", noting_moves)
    monkeypatch.setattr(transform, "_gathered", noting_gathered)
    monkeypatch.setattr(transform, "check_symmetry", noting_single)
    monkeypatch.setattr(slap, "_canonical", noting_canonical)
    monkeypatch.setattr(slap, "_average_turns", noting_average)
    yield found
    assert found.all <= HAS, found.seen


class AnyNetwork:
    """Random weights on every plane and point."""

    def __init__(self, planes: int, actions: int) -> None:
        self._weights = np.random.default_rng(3).normal(0, 0.1, (planes * SIZE * SIZE, actions + 1)).astype(np.float32)

    def run(self, planes):
        answer = planes.reshape(len(planes), -1) @ self._weights
        return answer[:, :-1], np.tanh(answer[:, -1])


def evaluator(game: Game, mode: str) -> NetworkEvaluator:
    network = AnyNetwork(planes_seen(game.encoder("last-move")[1], mode), game.actions)
    return NetworkEvaluator(network, encoder="last-move", symmetry=mode, symmetries=game.symmetries)


def some_positions(game: Game, count: int) -> list[Position]:
    random, positions = np.random.default_rng(1), list[Position]()
    while len(positions) < count:
        position = game.start()
        while not position.is_over:
            positions.append(position)
            position = position.play(int(random.choice(position.legal_moves)))
    return positions[:count]


def planes_of(positions: list[Position]) -> np.ndarray:
    return np.stack([position.encode("last-move") for position in positions])


TURNING = {"augment", "slap", "slap-cc", "random", "average"}


@pytest.mark.parametrize("mode", MODES)
def test_batches_and_evaluations_in_every_mode(mode, game, recorder):
    positions = some_positions(game, 200)
    planes = planes_of(positions)
    policies = np.random.default_rng(2).dirichlet(np.ones(game.actions), len(planes)).astype(np.float32)
    maker = BatchMaker(mode, random=np.random.default_rng(1), symmetries=game.symmetries)
    maker.make(Batch(planes, policies, np.zeros(len(planes), np.float32)))
    assert recorder.all == (HAS if mode in TURNING else set())
    before = len(recorder.seen)
    evaluator(game, mode).evaluate(planes)
    if mode in ("slap", "random", "average"):
        assert recorder.all == HAS
        assert len(recorder.seen) >= before
    if mode in ("slap", "average"):
        cached = CachedEvaluator(evaluator(game, mode), capacity=1000, key="orbit")
        cached.evaluate(planes)
        cached.evaluate(planes)


@pytest.mark.parametrize("lazy", [True, False])
def test_the_buffer(lazy, game, recorder, tmp_path):
    policy = np.full(game.actions, 1 / game.actions, np.float32)
    examples = [(p.encode("last-move"), policy, 0.0, divmod(p.last_move, SIZE)) for p in some_positions(game, 40)[1:9]]
    with DataBuffer(tmp_path / "b", 1000, lazy_augmentation=lazy, seed=1, symmetries=game.symmetries) as buffer:
        buffer.add_data(examples)
        assert len(buffer) == len(examples) * (1 if lazy else len(HAS))
        buffer.sample_batch(100)
    assert recorder.all == HAS


def test_canonical_forms_orbits_audits_and_the_eight_sides_of_the_page(game, recorder):
    pytest.importorskip("fastapi")
    from eightfold.web.eightfold_view import eight_sides

    for position in some_positions(game, 12)[1:]:
        planes = position.encode("last-move")
        assert stabiliser(planes, game.symmetries) <= HAS
        assert 1 <= len(orbit(planes, game.symmetries)) <= 2
        answer = eight_sides(position)
        assert answer["symmetries"] == sorted(HAS)
        assert set(answer["canonical"]) <= HAS
    mean = evaluator(game, "average")
    report = audit(
        board_size=SIZE,
        transform_state=lambda planes, g: transform_states(planes[None], [g])[0],
        network=lambda planes: mean.evaluate(planes),
        states=planes_of(some_positions(game, 5)),
        group=game.symmetries,
        tolerance=1e-3,
    )
    assert report.ok, str(report)
    assert recorder.all == HAS


def test_the_recorder_would_see_a_forbidden_turn(game, recorder):
    planes = planes_of(some_positions(game, 3))
    transform_states(planes, [0, 1, 2])
    BatchMaker("slap", random=np.random.default_rng(1), symmetries=ALL).make(
        Batch(planes, np.full((3, game.actions), 1 / 16, np.float32), np.zeros(3, np.float32))
    )
    assert recorder.seen["rows"] == {0, 1, 2}
    assert recorder.seen["canonical"] == set(ALL)
    recorder.seen.clear()


def test_a_network_with_all_eight_built_in_is_refused(game):
    said = refusal(lambda: make_network("isn", Shape(planes=4, size=SIZE, symmetries=game.symmetries)))
    assert said == "network isn has all eight symmetries built in; the game has only: half turn"


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_whole_training_run_in_every_mode(mode, game, recorder, tmp_path):
    """Self-play, the buffer, batches, validation and evaluation, all in this process."""
    changes = (f"game={game.text}", f"symmetry={mode}", "games=16", "training.games_a_round=4", "training.batch_size=8")
    train_run(tiny(*changes), tmp_path / "run")
    assert recorder.all == (HAS if mode in TURNING or mode == "augment-eager" else set())
