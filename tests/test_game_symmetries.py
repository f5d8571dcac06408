"""A game that has only some of the eight symmetries: nothing takes two positions for one that play differently.

The game is drop four of the examples, with gravity: a tower of two stones and two stones side by side are one orbit
under the eight symmetries, and different positions of the game.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, WHITE, Game, GameSpec, Position, make_game
from eightfold.games.state import HASHES
from eightfold.learning.data.batches import BatchMaker, check_symmetries
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.sample import Batch
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.nets.inference.cache import CachedEvaluator
from eightfold.nets.inference.evaluator import MODES, NetworkEvaluator, planes_seen
from eightfold.nets.networks import make_network
from eightfold.nets.shape import Shape
from eightfold.search import AlphaBeta
from eightfold.symmetry import audit, orbit, orbit_key, slap_frames, stabiliser, transform_policies, transform_states
from refusals import refusal

MIRROR = 4  # left and right
SIZE = 5


@pytest.fixture
def drop(examples, monkeypatch) -> Game:
    monkeypatch.syspath_prepend(str(examples))
    return make_game(f"python:drop_four,size={SIZE}", trusted=True)


@pytest.fixture
def tower(drop) -> Position:
    return drop.after(["a1", "a2"])


@pytest.fixture
def side_by_side(drop) -> Position:
    return drop.after(["a1", "b1"])


@pytest.fixture
def mirrored(drop) -> Position:
    return drop.after(["e1", "e2"])  # the tower


class AnyNetwork:
    """A network that knows nothing of symmetry: random weights on every plane and point."""

    def __init__(self, planes: int, actions: int) -> None:
        random = np.random.default_rng(3)
        self._policy = random.normal(0, 0.1, (planes * SIZE * SIZE, actions)).astype(np.float32)
        self._value = random.normal(0, 0.1, planes * SIZE * SIZE).astype(np.float32)
        self.seen = 0

    def run(self, planes):
        flat = planes.reshape(len(planes), -1)
        self.seen += len(planes)
        return flat @ self._policy, np.tanh(flat @ self._value)


def evaluator(game: Game, mode: str) -> NetworkEvaluator:
    planes = planes_seen(game.encoder("last-move")[1], mode)
    return NetworkEvaluator(
        AnyNetwork(planes, game.actions), encoder="last-move", symmetry=mode, symmetries=game.symmetries
    )


def planes_of(*positions: Position) -> np.ndarray:
    return np.stack([position.encode("last-move") for position in positions])


def all_positions(game: Game, plies: int) -> list[Position]:
    positions = layer = [game.start()]
    for _ in range(plies):
        layer = [
            position.play(int(move)) for position in layer if not position.is_over for move in position.legal_moves
        ]
        positions = positions + layer
    return positions


# ---- what a game declares ---------------------------------------------------------------------------------


def test_a_game_says_which_symmetries_it_has(drop):
    assert drop.symmetries == (0, MIRROR)
    assert make_game("gomoku").symmetries == make_game("go:size=9").symmetries == tuple(range(8))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((0, 1), "symmetries [0, 1] are not a subgroup: 1 and then 1 is 2 (rotate 180°), which is missing"),
        ((4,), "symmetries [4] are not a subgroup: 4 and then 4 is 0 (identity), which is missing"),
        ((), "no symmetries at all: the identity, 0, is always one"),
        ((0, 8), "symmetry id 8 is not one of the integers 0 to 7"),
        ("mirror left", "unknown subgroup of the eight symmetries 'mirror left'"),
    ],
)
def test_symmetries_that_are_no_group_are_refused_in_one_line(given, said):
    assert refusal(
        lambda: GameSpec(name="x", summary="", options=int, state_length=int, encoders={}, symmetries=given)
    ).startswith(said)


def test_a_users_game_with_wrong_symmetries_is_refused_in_one_line(examples, tmp_path, monkeypatch):
    text = (examples / "drop_four.py").read_text().replace('"mirror left and right"', "(0, 3)")
    (tmp_path / "tilted_four.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    said = refusal(lambda: make_game("python:tilted_four", trusted=True))
    assert said.startswith("game python:tilted_four: symmetries [0, 3] are not a subgroup")


# ---- keys, tables, monitors -------------------------------------------------------------------------------


def test_orbit_keys_join_what_is_equivalent_and_nothing_else(tower, side_by_side, mirrored):
    assert orbit_key(tower.state[HASHES : HASHES + 8]) == orbit_key(side_by_side.state[HASHES : HASHES + 8])
    assert tower.orbit_key == mirrored.orbit_key != side_by_side.orbit_key
    key = tower.game.kernels.position_key
    assert key(tower.state) == tower.orbit_key
    assert key(side_by_side.state) == side_by_side.orbit_key


def test_keys_of_all_positions_are_those_of_their_classes(drop):
    joined: dict[int, set[bytes]] = {}
    for position in all_positions(drop, 4):
        stones = position.stones
        least = min(stones.tobytes(), np.ascontiguousarray(stones[:, ::-1]).tobytes())
        joined.setdefault(position.orbit_key, set()).add(least)
    assert all(len(classes) == 1 for classes in joined.values())
    assert len(joined) == len({least for classes in joined.values() for least in classes})


def plain_value(position: Position, depth: int, ply: int) -> int:
    """Min-max without pruning and without a table."""
    game = position.game
    win = 2 * int(game.rules.best_possible_score(position.state)) + 2000
    if position.is_over:
        return 0 if position.is_draw else ply - win
    if depth == 0:
        scores = np.zeros((2, game.actions), np.int64)
        game.rules.score_moves(position.state, scores)
        return int(game.kernels.judge_position(position.state, scores))
    return max(-plain_value(position.play(int(move)), depth - 1, ply + 1) for move in position.legal_moves)


def test_the_table_of_alphabeta_serves_no_other_position(drop, tower, side_by_side, mirrored):
    player = AlphaBeta(drop, AlphaBeta.Options(depth=3, near=4))  # one table for all of them
    for position in (tower, side_by_side, mirrored, drop.after(["c1", "c2", "c3"]), drop.after(["c1", "d1", "e1"])):
        scores = player.root_scores(position)
        for move in position.legal_moves.tolist():
            assert scores[move] == -plain_value(position.play(move), 2, 1)


def test_the_monitor_counts_games_as_one_only_if_they_are(drop):
    monitor = SelfPlayMonitor(drop)
    for moves in (["a1", "a2"], ["e1", "e2"], ["a1", "b1"], ["e1", "d1"]):
        monitor.add([drop.after(moves[:ply]) for ply in range(3)], 0, BLACK)
    assert monitor.figures()["distinct_games"] == 0.5


# ---- symmetry modes ---------------------------------------------------------------------------------------


def test_the_canonical_variant_stays_within_the_game(tower, side_by_side, mirrored):
    canonical, ids, frames = slap_frames(planes_of(tower, side_by_side, mirrored), tower.game.symmetries)
    assert set(ids.tolist()) <= {0, MIRROR}
    assert all(frame & ~0b10001 == 0 for frame in frames.tolist())
    np.testing.assert_array_equal(canonical[0], canonical[2])
    assert (canonical[0] != canonical[1]).any()
    middle = tower.game.after(["c1", "c2"]).encode("last-move")
    assert stabiliser(middle, tower.game.symmetries) == {0, MIRROR}
    assert len(orbit(planes_of(tower)[0], tower.game.symmetries)) == 2


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_the_evaluator_keeps_to_the_symmetries(mode, drop, tower, side_by_side, mirrored):
    ask = evaluator(drop, mode)
    logits, values = ask.evaluate(planes_of(tower, side_by_side, mirrored))
    if mode in ("slap", "average"):
        back = transform_policies(logits[2:], SIZE, [MIRROR])
        np.testing.assert_allclose(back[0], logits[0], atol=1e-4)
        assert values[2] == pytest.approx(values[0], abs=1e-5)
    assert abs(values[1] - values[0]) > 1e-3  # and not by chance the same answer for what is different
    if mode == "average":
        assert ask.backend.seen == 2 * 3
    if mode == "random":
        seen = set()
        for _ in range(40):
            seen.add(round(float(ask.evaluate(planes_of(tower))[1][0]), 5))
        plain = AnyNetwork(4, drop.actions).run(transform_states(np.repeat(planes_of(tower), 2, 0), [0, MIRROR]))[1]
        assert seen == {round(float(value), 5) for value in plain}


def test_the_answers_with_slap_are_those_of_the_definition(drop):
    positions = [position for position in all_positions(drop, 3) if not position.is_over]
    planes, network = planes_of(*positions), AnyNetwork(4, drop.actions)
    logits, values = evaluator(drop, "slap").evaluate(planes)
    for k, stack in enumerate(planes):
        variants = {0: stack, MIRROR: stack[:, :, ::-1]}
        best = max(variant.ravel().tolist() for variant in variants.values())
        members = [g for g, variant in variants.items() if variant.ravel().tolist() == best]
        answer, value = network.run(np.array(best, np.float32).reshape(1, *stack.shape))
        back = np.mean([transform_policies(answer, SIZE, [g])[0] for g in members], axis=0)
        np.testing.assert_allclose(logits[k], back, atol=1e-4)
        assert values[k] == pytest.approx(float(value[0]), abs=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_the_batch_maker_keeps_to_the_symmetries(mode, drop, tower):
    count = 400
    states = np.repeat(planes_of(tower), count, 0)
    policies = np.repeat(np.eye(drop.actions, dtype=np.float32)[[drop.action("b1")]], count, 0)
    maker = BatchMaker(mode, random=np.random.default_rng(1), symmetries=drop.symmetries)
    batch = maker.make(Batch(states, policies, np.zeros(count, np.float32)))
    pairs = Counter(
        (int(np.flatnonzero(state[1])[0]), int(np.argmax(policy)))
        for state, policy in zip(batch.states, batch.policies, strict=True)
    )
    home, over = (drop.action("a2"), drop.action("b1")), (drop.action("e2"), drop.action("d1"))
    if mode in ("none", "augment-eager"):
        assert set(pairs) == {home}
    elif mode == "slap":
        assert set(pairs) < {home, over}
        assert len(pairs) == 1
    else:
        assert set(pairs) == {home, over}
        assert min(pairs.values()) > count / 3


def test_a_configuration_draws_only_from_the_symmetries_of_the_game():
    every = tuple(range(8))
    assert check_symmetries(every, "augment", of_game=(0, MIRROR)) == (0, MIRROR)
    assert check_symmetries((MIRROR,), "augment", of_game=(0, MIRROR)) == (MIRROR,)
    said = refusal(lambda: check_symmetries((0, 1), "augment", of_game=(0, MIRROR)))
    assert said == "training.symmetries = [0, 1]: the game does not have 1; it has 0, 4"


@pytest.mark.parametrize("lazy", [True, False])
def test_the_buffer_turns_within_the_symmetries(lazy, drop, tower, tmp_path):
    policy = np.eye(drop.actions, dtype=np.float32)[drop.action("b1")]
    example = (tower.encode("last-move"), policy, 0.0, divmod(tower.last_move, SIZE))
    path = tmp_path / "buffer"
    with DataBuffer(path, 1000, lazy_augmentation=lazy, seed=1, symmetries=drop.symmetries) as buffer:
        buffer.add_data([example] * 20)
        assert len(buffer) == 20 * buffer.variants == (20 if lazy else 40)
        drawn = buffer.sample_batch(200)
        places = {tuple(move) for move in drawn.last_moves.tolist()}
        assert places == {(SIZE - 2, 0), (SIZE - 2, SIZE - 1)}
    if not lazy:
        with pytest.raises(EightfoldError, match=r"under symmetries \[0, 4\], and the game has \[0, 1, 2"):
            DataBuffer(path, None, lazy_augmentation=False)


# ---- caches, networks, audit ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["slap", "average"])
def test_an_orbit_cache_answers_each_class_for_itself(mode, drop):
    positions = [position for position in all_positions(drop, 3) if not position.is_over]
    planes = planes_of(*positions)
    plain_logits, plain_values = evaluator(drop, mode).evaluate(planes)
    cached = CachedEvaluator(evaluator(drop, mode), capacity=10_000, key="orbit")
    for _ in range(2):
        logits, values = cached.evaluate(planes)
        np.testing.assert_allclose(logits, plain_logits, atol=1e-3)
        np.testing.assert_allclose(values, plain_values, atol=1e-4)
    seen = {
        tuple(sorted((p.encode("last-move").tobytes(), p.encode("last-move")[:, :, ::-1].tobytes()))) for p in positions
    }
    assert len(cached) == len(seen)


def test_equivariant_networks_are_refused(drop):
    shape = Shape(planes=4, size=SIZE, symmetries=drop.symmetries)
    said = refusal(lambda: make_network("isn", shape))
    assert said == "network isn has all eight symmetries built in; the game has only: mirror left and right"


def test_an_audit_keeps_to_the_symmetries_of_the_game(drop):
    def turn(planes, g):
        return transform_states(planes[None], [g])[0]

    assert audit(board_size=SIZE, transform_state=turn, group=drop.symmetries).ok
    report = audit(board_size=SIZE, transform_state=turn, group=drop.symmetries, symmetries=range(8))
    assert [finding.symmetry for finding in report.findings] == [1, 2, 3, 5, 6, 7]
    assert report.findings[0].message == (
        "symmetry 1: turns by 'rotate 90° clockwise', which is not a symmetry of the game"
    )
    mean = evaluator(drop, "average")
    sample = planes_of(drop.after(["a1", "a2"]), drop.after(["c1"]))
    report = audit(
        board_size=SIZE,
        network=lambda planes: mean.evaluate(planes),
        states=sample,
        group=drop.symmetries,
        tolerance=1e-3,
    )
    assert report.ok, str(report)
    assert not audit(board_size=SIZE, network=lambda planes: mean.evaluate(planes), states=sample, tolerance=1e-3).ok


# ---- equal positions, results -----------------------------------------------------------------------------


def test_positions_are_equal_by_value(drop):
    game = make_game("gomoku:size=8")
    assert game == make_game("gomoku:win=5,size=8") != make_game("gomoku:size=9")
    one, other = game.after(["a1", "b2", "c3"]), game.after(["c3", "b2", "a1"])
    assert one != other  # the last move is another one, and networks see it
    one, other = game.after(["a1", "b2", "c3", "d4"]), game.after(["c3", "b2", "a1", "d4"])
    assert one == other
    assert len({one, other, game.start(), make_game("gomoku:size=8").start()}) == 2
    assert one.moves != other.moves
    assert game.start() != drop.start()
    assert game.start() != "gomoku"


def test_a_running_game_has_no_winner_and_is_no_draw():
    start = make_game("gomoku:size=3").start()
    assert not start.is_over
    assert not start.is_draw
    assert refusal(lambda: start.winner) == "the game is not over (black to move), so nobody has won or drawn it yet"
    draw = start.game.after([0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert (draw.is_over, draw.is_draw, draw.winner) == (True, True, None)
    won = start.game.after([0, 3, 1, 4, 2])
    assert (won.is_over, won.is_draw, won.winner, won.result) == (True, False, BLACK, BLACK)
    assert won.winner != WHITE
