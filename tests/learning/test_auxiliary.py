"""Ownership and score of the end of a game as further targets: in records, buffer, batches, losses and networks."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from eightfold.arena.players import make_player
from eightfold.config import load_preset, with_changes
from eightfold.games.game import make_game
from eightfold.games.state import BLACK
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.batches import BatchMaker
from eightfold.learning.data.buffer import DataBuffer
from eightfold.learning.data.record import samples_of
from eightfold.learning.data.sample import Batch, Sample
from eightfold.learning.loop import Training
from eightfold.learning.selfplay import SelfPlay
from eightfold.learning.trainer import Trainer
from eightfold.nets.auxiliary import has_auxiliary
from eightfold.nets.inference.backends import make_backend
from eightfold.nets.inference.evaluator import NetworkEvaluator
from eightfold.nets.networks import folded
from eightfold.nets.store.checkpoint import load_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.export import export_onnx
from eightfold.nets.store.open import open_network
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.parts import NETWORKS
from eightfold.symmetry.group import COUNT
from eightfold.symmetry.transform import inverse_ids, transform_policies, transform_states
from refusals import refusal

GAME = "go:size=5,komi=0.5"
WITH_AUXILIARY = [
    "resnet:blocks=1,filters=8,auxiliary=1",
    "densenet:layers=1,growth=4,auxiliary=1",
    "a1:auxiliary=1",
    "equivariant:blocks=1,width=16,auxiliary=1",
    "slap-net:inner=[resnet:blocks=1,filters=8,auxiliary=1]",
    "isn:layers=2,trivial=8,symmetrical=1,diagonal=1,chiral=1,faithful=2,heads=8,auxiliary=1",
]


def description(network="resnet:blocks=1,filters=8,auxiliary=1", symmetry="augment", game=GAME):
    return Description(network=network, game=make_game(game).text, encoder="liberties", symmetry=symmetry)


def example(number, points=25):
    random = np.random.default_rng(number)
    size = int(points**0.5)
    policy = random.random(points + 1).astype(np.float32)
    owners = random.integers(-1, 2, points).astype(np.int8)
    state = (random.random((3, size, size)) < 0.3).astype(np.float32)
    value = float(number % 3 - 1)
    return Sample(state, policy, value, (1, 2), 1, {"n": number}, ownership=owners, score=number / 100)


def plain(number):
    """The same without auxiliary targets, in the buffer's public form."""
    sample = example(number)
    return sample.state, sample.policy, sample.value, sample.last_move


@pytest.mark.parametrize("place", ["disk", "memory"])
def test_owners_and_scores_are_kept_exactly(place, tmp_path):
    with DataBuffer(tmp_path / "b" if place == "disk" else None, auxiliary=True, seed=1) as buffer:
        buffer.add_data([example(number) for number in range(40)])
        batch = buffer.read(np.arange(40))
        for number in range(40):
            sample = example(number)
            assert (batch.states[number] == sample.state).all()
            assert (batch.policies[number] == sample.policy).all()
            assert (batch.ownership[number] == sample.ownership).all()
            assert batch.scores[number] == np.float32(sample.score)
        assert json.loads(buffer._store.extra(7)) == {"n": 7}


@pytest.mark.parametrize("lazy", [True, False])
def test_owners_turn_with_the_board(lazy):
    buffer = DataBuffer(None, lazy_augmentation=lazy, auxiliary=True, seed=2)
    sample = example(3)
    # The ownership is the first plane: whatever transforms the one must transform the other.
    buffer.add_data([replace(sample, ownership=sample.state[0].ravel().astype(np.int8))])
    batch = buffer.sample_batch(64)
    assert (batch.ownership.reshape(64, 5, 5) == batch.states[:, 0]).all()
    assert len({ownership.tobytes() for ownership in batch.ownership}) > 4


def test_a_buffer_from_before_is_still_read_and_never_mixed_up(tmp_path):
    with DataBuffer(tmp_path / "old", seed=1) as buffer:
        buffer.add_data([plain(1)])
    with DataBuffer(tmp_path / "old", seed=1) as buffer:
        assert buffer.read([0]).ownership is None
    assert "made without ownership and scores" in refusal(lambda: DataBuffer(tmp_path / "old", auxiliary=True))
    with DataBuffer(tmp_path / "new", auxiliary=True) as buffer:
        buffer.add_data([example(1)])
    assert "made with ownership and scores" in refusal(lambda: DataBuffer(tmp_path / "new"))
    with DataBuffer(tmp_path / "new", auxiliary=True) as buffer:
        assert "has ownership and score" in refusal(lambda: buffer.add_data([plain(1)]))
        short = replace(example(1), ownership=np.zeros(24, np.int8))
        assert "a number for each of 25 points" in refusal(lambda: buffer.add_data([short]))
        assert len(buffer) == 1


@pytest.mark.parametrize("mode", ["none", "augment", "slap", "slap-cc", "random", "average"])
def test_batches_of_every_mode_turn_owners_as_they_turn_states(mode):
    random = np.random.default_rng(1)
    states = np.zeros((32, 14, 5, 5), np.float32)
    states[:, 0] = random.random((32, 5, 5)) < 0.4
    states[:, 1] = (random.random((32, 5, 5)) < 0.4) * (1 - states[:, 0])
    owners = (states[:, 0] - states[:, 1]).reshape(32, 25)
    policies = np.full((32, 26), 1 / 26, np.float32)
    stored = Batch(states, policies, np.zeros(32, np.float32), None, owners, owners[:, 0])
    batch = BatchMaker(mode, random=random).make(stored)
    assert (batch.scores == owners[:, 0]).all()
    assert (batch.ownership.reshape(32, 5, 5) == batch.states[:, 0] - batch.states[:, 1]).all()


@pytest.mark.parametrize("root", ["puct", "gumbel"])
@pytest.mark.parametrize("network", WITH_AUXILIARY)
def test_self_play_counts_its_games(root, network):
    game, made = make_game(GAME), description(network)
    backend = make_backend("torch", made.make(), made.shape(), threads=1)
    selfplay = SelfPlay(
        game,
        NetworkEvaluator(backend, encoder="liberties", symmetry="augment"),
        settings=SelfPlayConfig(parallel_games=4, playouts=8, root=root, opening_share=0.0, noise=0.0),
        random=np.random.default_rng(1),
    )
    for played in selfplay.play(4):
        position = game.after(played.moves)
        owners = np.zeros(25, np.int8)
        game.rules.ownership(position.state.copy(), owners)
        positions = played.replay(game)
        samples = samples_of(played, positions, encoder="liberties", auxiliary=True)
        assert len(samples) == len(played.plies) > 0
        for ply, sample in zip(played.plies, samples, strict=True):
            side = positions[ply].to_move
            assert ((sample.ownership == 1) == (owners == side)).all()
            assert ((sample.ownership == 0) == (owners == 0)).all()
            assert sample.score * 25 == pytest.approx(position.margin if side == BLACK else -position.margin)


@pytest.mark.parametrize("network", WITH_AUXILIARY)
def test_auxiliary_targets_are_learned_and_its_weights_matter(network):
    torch.manual_seed(1)
    made = description(network)
    random = np.random.default_rng(3)
    states = np.zeros((64, 14, 5, 5), np.float32)
    states[:, 0] = random.random((64, 5, 5)) < 0.5
    states[:, 1] = 1 - states[:, 0]
    owners = (states[:, 0] - states[:, 1]).reshape(64, 25)
    policies = np.full((64, 26), 1 / 26, np.float32)
    batch = Batch(states, policies, np.zeros(64, np.float32), None, owners, owners.mean(axis=1))
    trainer = Trainer(made.make(), 1e-2, precision="fp32", l2=0, clip_quantile=0)
    first = trainer.step(batch)
    for _ in range(150):
        last = trainer.step(batch)
    assert last.ownership < first.ownership / 4
    assert last.score < first.score
    deaf = Trainer(made.make(), 1e-2, precision="fp32", l2=0, clip_quantile=0, ownership_weight=0, score_weight=0)
    before = [parameter.clone() for parameter in deaf.model.auxiliary.parameters()]
    deaf.step(batch)
    assert all(torch.equal(one, other) for one, other in zip(before, deaf.model.auxiliary.parameters(), strict=True))


def test_every_network_has_auxiliary_heads():
    assert {text.partition(":")[0] for text in WITH_AUXILIARY} == set(NETWORKS)


@pytest.mark.parametrize("size", [5, 6])
def test_the_ownership_of_isn_turns_with_the_board(size):
    """Whatever the weights: owners of a turned board are the turned owners, and the score is the same."""
    torch.manual_seed(5)
    game = f"go:size={size},komi=0.5"
    text = "isn:layers=3,trivial=4,heads=5,auxiliary=1"
    made = Description(network=text, game=game, encoder="liberties", symmetry="none")
    network = made.make().double().eval()
    for parameter in network.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)  # no zero bias, no small head
    planes = np.random.default_rng(6).random((1, made.shape().planes, size, size)).astype(np.float32)
    ids = np.arange(COUNT)
    turned = transform_states(np.repeat(planes, COUNT, axis=0), ids)
    with torch.inference_mode():
        seen = network.with_auxiliary(torch.from_numpy(turned).double())
    owners = transform_policies(seen.ownership.numpy(), size, inverse_ids(ids))
    assert np.ptp(owners[0]) > 0.01, "not all the same"
    np.testing.assert_allclose(owners, np.repeat(owners[:1], COUNT, axis=0), atol=1e-12)
    np.testing.assert_allclose(seen.scores.numpy(), float(seen.scores[0]), atol=1e-12)


@pytest.mark.parametrize("text", WITH_AUXILIARY)
def test_auxiliary_heads_change_nothing_in_play_and_are_left_out_of_what_plays(text):
    torch.manual_seed(2)
    network = description(text).make().eval()
    planes = torch.rand(3, 14, 5, 5)
    with torch.inference_mode():
        policy, values = network(planes)
        seen = network.with_auxiliary(planes)
    assert torch.equal(policy, seen.policy)
    assert torch.equal(values, seen.values)
    assert seen.ownership.shape == (3, 25)
    assert seen.scores.shape == (3,)
    assert not has_auxiliary(folded(network))


@pytest.mark.parametrize("text", WITH_AUXILIARY)
def test_games_without_points_have_nothing_to_foresee(text):
    said = refusal(lambda: Description(
        network=text, game="gomoku:size=7", encoder="last-move", symmetry="none"
    ).make())  # fmt: skip
    assert "games that are decided by points" in said


@pytest.mark.parametrize("text", [WITH_AUXILIARY[0], WITH_AUXILIARY[-1]])
def test_the_preset_trains_plays_exports_and_shows_owners(text, tmp_path):
    changes = ["game=go:size=5,komi=0.5", f"network={text}", "games=12", "minutes=0",
               "selfplay.parallel_games=6", "selfplay.playouts=8", "selfplay.fast_playouts=4", "training.batch_size=32",
               "training.games_a_round=6", "training.validation_every=4"]  # fmt: skip
    config = with_changes(load_preset(TrainConfig(), "go-9"), changes)
    training = Training(config, tmp_path / "run")
    entries = []
    training.train(entries.append)
    stored = training.buffer.sample_stored(64)
    assert set(np.unique(stored.ownership)) <= {-1.0, 0.0, 1.0}
    assert len(stored.part(slice(0, 8)).scores) == 8
    training.close()
    assert any("ownership_loss" in entry for entry in entries)
    again = Training(config, tmp_path / "run")  # goes on with a buffer that has owners
    assert len(again.buffer) > 0
    again.close()
    network, made = load_checkpoint(tmp_path / "run" / "checkpoint")
    assert has_auxiliary(network)
    position = make_game(config.game).after(["c3", "b2"])
    owners, score = open_network(tmp_path / "run", position.game, kind=PolicyValueNetwork).ownership(position)
    turned = make_game(config.game).after(["c3", "d4"])  # the same from the other side
    other, same = open_network(tmp_path / "run", kind=PolicyValueNetwork).ownership(turned)
    assert transform_policies(owners[None], 5, [2])[0] == pytest.approx(other, abs=1e-5)
    assert score == pytest.approx(same, abs=1e-5)
    assert made.network.startswith(text.partition(":")[0])
    file = tmp_path / "go.onnx"
    export_onnx(tmp_path / "run", file)
    player = make_player(f"net:{file},playouts=8", make_game(config.game), seed=1)
    assert position.legal_mask[player.think(position).action]
