"""The soft policy and the opponent's next move as further targets: in records, buffer, batches, losses and networks."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from eightfold.config import load_preset, with_changes
from eightfold.games.game import make_game
from eightfold.games.state import BLACK
from eightfold.learning.config import TrainConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.record import PlayedGame, batch_of, samples_of
from eightfold.learning.data.sample import Batch, Sample, one_hot_rows
from eightfold.learning.loop import Training
from eightfold.learning.losses import Teaching
from eightfold.learning.runs.metrics import read_metrics
from eightfold.learning.trainer import Trainer
from eightfold.nets.auxiliary import has_auxiliary, heads_of
from eightfold.nets.networks import folded, make_network, network_text
from eightfold.nets.shape import Shape
from eightfold.nets.store.checkpoint import load_checkpoint
from eightfold.nets.store.export import export_onnx
from eightfold.parts import NETWORKS
from eightfold.symmetry.group import COUNT
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states
from refusals import refusal

SIZE, PLANES, ROWS = 5, 4, 16
NETS = [
    "resnet:blocks=1,filters=8,auxiliary=soft+next",
    "densenet:layers=1,growth=4,auxiliary=soft+next",
    "a1:auxiliary=soft+next",
    "equivariant:blocks=1,width=16,auxiliary=soft+next",
    "slap-net:inner=[resnet:blocks=1,filters=8,auxiliary=soft+next]",
    "isn:layers=2,trivial=8,symmetrical=1,diagonal=1,chiral=1,faithful=2,heads=8,auxiliary=soft+next",
]


def shape(passes=0, ownership=False):
    return Shape(planes=PLANES, size=SIZE, passes=passes, ownership=ownership)


def batch(rows=ROWS, seed=3, known=True):
    random = np.random.default_rng(seed)
    moves = random.integers(0, SIZE * SIZE, rows) if known else np.full(rows, -1)
    return Batch(
        (random.random((rows, PLANES, SIZE, SIZE)) < 0.3).astype(np.float32),
        random.dirichlet(np.full(SIZE * SIZE, 0.2), rows).astype(np.float32),
        random.uniform(-1, 1, rows).astype(np.float32),
        np.full((rows, 2), -1),
        next_moves=one_hot_rows(moves, SIZE * SIZE),
    )


def played():
    """Seven moves of Gomoku; four positions were searched, the last of them before the last move."""
    moves = (24, 25, 31, 17, 38, 10, 45)
    policies = np.random.default_rng(1).dirichlet(np.ones(49), 4).astype(np.float32)
    return PlayedGame(
        moves=moves, opening=0, result=BLACK, plies=np.array([0, 2, 5, 6]), policies=policies,
        root_values=np.zeros(4, np.float32),
    )  # fmt: skip


def test_every_network_has_these_heads():
    assert {text.partition(":")[0] for text in NETS} == set(NETWORKS)


@pytest.mark.parametrize("text", NETS)
def test_heads_answer_for_every_action_and_are_left_out_of_what_plays(text):
    torch.manual_seed(2)
    network = make_network(text, shape(passes=1)).eval()
    planes = torch.rand(3, PLANES, SIZE, SIZE)
    with torch.inference_mode():
        policy, values = network(planes)
        seen = network.with_auxiliary(planes)
    assert torch.equal(policy, seen.policy)
    assert torch.equal(values, seen.values)
    assert seen.ownership is seen.scores is None
    assert seen.soft_policy.shape == seen.next_move.shape == (3, SIZE * SIZE + 1)
    assert not torch.equal(seen.soft_policy, seen.next_move)
    assert heads_of(network) == ("soft", "next")
    assert not has_auxiliary(folded(network))


@pytest.mark.parametrize(
    "text", [text for text in NETS if text.partition(":")[0] in ("equivariant", "isn", "slap-net")]
)
def test_in_networks_that_turn_with_the_board_the_heads_do_too(text):
    torch.manual_seed(4)
    network = make_network(text, shape(passes=1)).double().eval()
    planes = np.repeat(np.random.default_rng(6).random((1, PLANES, SIZE, SIZE)), COUNT, axis=0).astype(np.float32)
    ids = np.arange(COUNT)
    with torch.inference_mode():
        seen = network.with_auxiliary(torch.from_numpy(transform_states(planes, ids)).double())
    for logits in (seen.soft_policy, seen.next_move):
        back = transform_policies(logits.numpy(), SIZE, inverse_ids(ids))
        assert np.ptp(back[0]) > 1e-3, "not all the same"
        np.testing.assert_allclose(back, np.repeat(back[:1], COUNT, axis=0), atol=1e-10)


def test_options_are_read_in_any_order_and_written_in_one():
    for text, written in (
        ("auxiliary=1", "1"), ("auxiliary=points", "1"), ("auxiliary=0", "0"), ("blocks=2", "0"),
        ("auxiliary=next+soft", "soft+next"), ("auxiliary=next+points", "points+next"),
    ):  # fmt: skip
        assert f"resnet:auxiliary={written}," in network_text(f"resnet:{text}")
    for text, said in (
        ("auxiliary=2", "unknown auxiliary head '2'"), ("auxiliary=soft+soft", "names a head twice"),
        ("auxiliary=", "unknown auxiliary head ''"),
    ):  # fmt: skip
        assert said in refusal(lambda text=text: network_text(f"resnet:{text}"))
    said = refusal(lambda: make_network("resnet:auxiliary=points+soft", shape()))
    assert "auxiliary=points+soft is for games that are decided by points" in said


def test_the_next_move_of_a_sample_is_the_reply_to_its_own():
    game, one = make_game("gomoku:size=7"), played()
    made = batch_of([one, one], [one.replay_states(game)] * 2, game, encoder="last-move", next_moves=True)
    replies = [25, 17, 45, -1]  # the last move was the game's last
    np.testing.assert_array_equal(made.next_moves, one_hot_rows(np.array(replies * 2), 49))
    samples = samples_of(one, one.replay(game), encoder="last-move", next_moves=True)
    assert [sample.next_move for sample in samples] == [25, 17, 45, None]
    assert batch_of([one], [one.replay_states(game)], game, encoder="last-move").next_moves is None


@pytest.mark.parametrize("place", ["disk", "memory"])
@pytest.mark.parametrize("lazy", [True, False])
def test_a_buffer_keeps_next_moves_and_turns_them_with_the_board(place, lazy, tmp_path):
    path = tmp_path / "b" if place == "disk" else None
    with DataBuffer(path, lazy_augmentation=lazy, seed=1, next_moves=True) as buffer:
        stones = np.random.default_rng(1).random((40, SIZE * SIZE)) < 0.5
        for number in range(40):
            # The first plane has one stone, on the move that is played next.
            move = None if number % 5 == 4 else number % (SIZE * SIZE)
            state = np.zeros((2, SIZE, SIZE), np.float32)
            state.reshape(2, -1)[1] = stones[number]
            if move is not None:
                state.reshape(2, -1)[0, move] = 1
            policy = np.full(SIZE * SIZE, 1 / (SIZE * SIZE))
            buffer.add_data([Sample(state, policy, 0.0, None, 0, {"n": number}, next_move=move)])
        kept = buffer.read(np.arange(len(buffer)))
        drawn = buffer.sample_batch(64)
        for found in (kept, drawn):
            np.testing.assert_array_equal(found.next_moves, found.states[:, 0].reshape(len(found), -1))
        assert set(kept.next_moves.sum(axis=1)) == {0.0, 1.0}
        assert json.loads(buffer._store.extra(buffer.variants * 7)) == {"n": 7}
        said = refusal(lambda: buffer.add_data([Sample(state, policy, 0.0, None, next_move=25)]))
        assert said == "a next move is an action from 0 to 24; got [25]"


def test_an_earlier_buffer_is_read_without_next_moves_and_goes_on_with_them(tmp_path):
    made, place = batch(), tmp_path / "b"
    with DataBuffer(place, 100) as buffer:
        buffer.add_batch(made, note="first")
        assert buffer._store.meta["format"] == 3, "as earlier versions read it"
        assert buffer.read([0]).next_moves is None
    with DataBuffer(place, next_moves=True) as buffer:
        assert buffer.note == "first"
        assert not buffer.read(np.arange(ROWS)).next_moves.any()
        buffer.add_batch(made)
    with DataBuffer(place, next_moves=True) as buffer:
        whole = buffer.read(np.arange(2 * ROWS))
        assert not whole.next_moves[:ROWS].any()
        np.testing.assert_array_equal(whole.next_moves[ROWS:], made.next_moves)
        np.testing.assert_array_equal(whole.policies, np.concatenate([made.policies] * 2))
    with DataBuffer(place) as buffer:  # and who does not ask for them does not see them
        assert buffer.read(np.arange(2 * ROWS)).next_moves is None


@pytest.mark.parametrize("mode", ["none", "augment", "slap", "slap-cc", "random", "average"])
def test_batches_of_every_mode_turn_next_moves_as_they_turn_states(mode):
    random = np.random.default_rng(1)
    states = np.zeros((32, PLANES, SIZE, SIZE), np.float32)
    moves = random.integers(0, SIZE * SIZE, 32)
    states[:, 0] = one_hot_rows(moves, SIZE * SIZE).reshape(32, SIZE, SIZE)
    states[:, 1] = random.random((32, SIZE, SIZE)) < 0.4
    following = one_hot_rows(moves, SIZE * SIZE)
    stored = Batch(states, following, np.zeros(32, np.float32), None, next_moves=following)
    made = BatchMaker(mode, random=random).make(stored)
    np.testing.assert_array_equal(made.next_moves, made.policies)
    if mode != "slap":  # which takes the mean over all turns that lead to the same board
        np.testing.assert_array_equal(made.next_moves.reshape(32, SIZE, SIZE), made.states[:, 0])


def test_the_soft_policy_is_the_policy_at_a_high_temperature():
    policies = torch.tensor([[0.0, 0.2, 0.8], [1.0, 0.0, 0.0]])
    plain = np.array([0.0, 0.2**0.25, 0.8**0.25])
    soft = Teaching().soft(policies).numpy()
    np.testing.assert_allclose(soft, [plain / plain.sum(), [1, 0, 0]], rtol=1e-6)
    np.testing.assert_allclose(Teaching(soft_policy_temperature=1).soft(policies), policies)


@pytest.mark.parametrize(("text", "waits"), [*((text, True) for text in NETS), (NETS[0], False)])
def test_both_targets_are_learned_and_their_weights_matter(text, waits):
    torch.manual_seed(1)
    settings = {"precision": "fp32", "l2": 0.0, "clip_quantile": 0.0, "waits": waits}
    trainer = Trainer(make_network(text, shape()), 1e-2, **settings, next_move_weight=1.0)
    made = batch()
    made.states[:, 0] = made.next_moves.reshape(ROWS, SIZE, SIZE)  # the reply can be seen
    first = trainer.step(made)
    for _ in range(40):
        last = trainer.step(made)
    assert last.next_move < first.next_move - 0.3
    assert last.soft_policy < first.soft_policy
    assert last.ownership == last.score == 0
    weights = {"soft_policy_weight": 0.0, "next_move_weight": 0.0}
    deaf = Trainer(make_network(text, shape()), 5e-3, **settings, **weights)
    before = [parameter.clone() for parameter in deaf.model.auxiliary.parameters()]
    deaf.step(made)
    assert all(torch.equal(one, other) for one, other in zip(before, deaf.model.auxiliary.parameters(), strict=True))


@pytest.mark.parametrize("waits", [True, False])
def test_samples_without_a_next_move_do_not_count(waits):
    torch.manual_seed(1)
    network = make_network(NETS[0], shape())
    trainer = Trainer(network, 1e-3, precision="fp32", waits=waits)
    made, unknown = batch(), batch(known=False)
    half = replace(made, next_moves=np.where(np.arange(ROWS)[:, None] < 8, made.next_moves, 0).astype(np.float32))
    told = trainer.losses(half).next_move
    expected = trainer.losses(made.part(slice(0, 8))).next_move
    assert told == pytest.approx(expected, rel=1e-5)
    assert trainer.losses(unknown).next_move == 0
    assert np.isfinite(trainer.step(unknown)).all()
    assert trainer.step(replace(made, next_moves=None)).next_move == 0


def test_a_run_learns_both_goes_on_and_exports_without_them(tmp_path):
    changes = ["game=gomoku:size=6,win=4", "network=resnet:blocks=1,filters=8,auxiliary=soft+next", "games=24",
               "minutes=0", "selfplay.parallel_games=8", "selfplay.playouts=8", "selfplay.fast_playouts=4",
               "training.batch_size=16", "training.games_a_round=8", "evaluation.every_minutes=0",
               "training.average_weights=10", "backend=torch", "training.replay_ratio=4"]  # fmt: skip
    config = with_changes(load_preset(TrainConfig(), "quick"), changes)
    training = Training(config, tmp_path / "run")
    training.train()
    stored = training.buffer.sample_stored(64)
    assert set(stored.next_moves.sum(axis=1)) <= {0.0, 1.0}
    assert stored.next_moves.any()
    training.close()
    told = [entry for entry in read_metrics(tmp_path / "run") if "policy_loss" in entry][-1]
    assert {"soft_policy_loss", "next_move_loss"} <= set(told)
    assert "ownership_loss" not in told
    again = Training(config, tmp_path / "run")
    assert len(again.buffer) > 0
    again.close()
    assert heads_of(load_checkpoint(tmp_path / "run" / "checkpoint")[0]) == ("soft", "next")
    assert export_onnx(tmp_path / "run", tmp_path / "n.onnx").content.difference is not None
