"""One meaning of how a network plays: it is stored with the network, and whoever lets it play or measures it obeys."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
import torch

from eightfold.arena import gauntlet, make_player
from eightfold.config import load_preset, with_changes
from eightfold.games import make_game
from eightfold.learning.check import play_settings
from eightfold.learning.commands import evaluate_run
from eightfold.learning.config import EvaluationConfig, SelfPlayConfig, TrainConfig
from eightfold.learning.evaluation import Evaluation
from eightfold.learning.loop import Training
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description, load_description
from eightfold.nets.store.places import find_network, shipped_networks
from eightfold.nets.store.policy_value import PolicyValueNetwork, find_exported
from eightfold.search.settings import SearchSettings
from refusals import refusal

GAME = "gomoku:size=5,win=4,rule=freestyle"
RUN = [
    f"game={GAME}",
    "network=resnet:blocks=1,filters=8",
    "games=4",
    "selfplay.parallel_games=4",
    "training.games_a_round=4",
    "selfplay.playouts=8",
    "selfplay.proof_nodes=3",
    "evaluation.exploration=7.5",
    "evaluation.playouts=24",
]
STORED = "exploration=7.5,fpu_reduction=-1.0,proof_nodes=3,threat_nodes=0,leaf_threat_nodes=0,contempt=0.0"
PLAYED = SearchSettings(exploration=7.5, fpu_reduction=-1.0, proof_nodes=3)


def make_run(folder, *changes: str) -> Training:
    training = Training(with_changes(load_preset(TrainConfig(), "suen-alonso"), [*RUN, *changes]), folder)
    training.save()
    return training


def search_of(text: str) -> SearchSettings:
    """How the player of a text searches, apart from how many leaves at a time."""
    player = make_player(text, make_game(GAME))
    return player._search.settings


def games_of(evaluation: Evaluation) -> list[tuple[int, ...]]:
    return [result.position.moves for match in evaluation.mcts.values() for result in match.results]


@pytest.mark.parametrize(
    "changes", [(), ("symmetry=random", "seed=3"), ("selfplay.root=gumbel", "selfplay.contempt=0.5")]
)
def test_a_run_and_evaluate_measure_the_same(changes, tmp_path):
    training = make_run(tmp_path / "run", *changes)
    noted = training.evaluate(6)["evaluation"]
    training.close()
    seed = training.config.seed
    again = evaluate_run(tmp_path / "run", games=6, playouts=24, seed=seed, as_paper=False)
    assert games_of(again) == games_of(training.evaluation), "game for game"
    assert again.as_dict() == noted
    assert noted["playing"] == STORED
    assert noted["playouts"] == 24
    assert noted["mcts"]["games"] == 18
    for tier in (1000, 3000, 5000):
        found = noted[f"mcts-{tier}"]
        assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 6
        assert found["opponent"] == f"mcts:style=plain,playouts={tier}"


def test_the_player_net_plays_the_games_of_an_evaluation(tmp_path):
    """Measured is what plays: the same settings, down to the leaves in a batch."""
    make_run(tmp_path / "run").close()
    measured = evaluate_run(tmp_path / "run", games=4, playouts=40, seed=2, as_paper=False)
    texts = [f"net:{tmp_path / 'run'},playouts=40", *(f"mcts:style=plain,playouts={tier}" for tier in measured.mcts)]
    matches = gauntlet(make_game(GAME), texts[0], texts[1:], games=4, seed=2)
    assert [result.position.moves for match in matches for result in match.results] == games_of(measured)


def test_a_network_may_look_further_for_threats_than_its_self_play():
    config = replace(TrainConfig(), selfplay=SelfPlayConfig(threat_nodes=30))
    assert play_settings(config).threat_nodes == 30
    further = replace(config, evaluation=EvaluationConfig(threat_nodes=500))
    assert play_settings(further).threat_nodes == 500
    assert play_settings(replace(config, evaluation=EvaluationConfig(threat_nodes=0))).threat_nodes == 0


def test_what_a_run_saves_is_how_its_network_plays_everywhere(tmp_path):
    pytest.importorskip("onnx")
    from eightfold.nets.store.export import export_onnx

    make_run(tmp_path / "run").close()
    assert json.loads((tmp_path / "run" / "checkpoint" / "network.json").read_text())["playing"] == STORED
    file = export_onnx(tmp_path / "run").path
    for place in (tmp_path / "run", file):
        assert search_of(f"net:{place}") == PLAYED
        assert search_of(f"net:{place},exploration=2,contempt=0.5") == replace(PLAYED, exploration=2.0, contempt=0.5)
        assert search_of(f"net:{place},fpu_reduction=0.1,proof_nodes=0") == replace(
            PLAYED, fpu_reduction=0.1, proof_nodes=0
        )
    said = refusal(lambda: make_player(f"net:{file},exploration=-1", make_game(GAME)))
    assert "exploration=-1.0 is not a number from 0" in said


def test_as_paper_is_the_papers_search_whatever_is_stored(tmp_path):
    make_run(tmp_path / "run").close()
    measured = evaluate_run(tmp_path / "run", games=4, playouts=20, seed=1, as_paper=True)
    assert (
        measured.playing
        == "exploration=5.0,fpu_reduction=-1.0,proof_nodes=0,threat_nodes=0,leaf_threat_nodes=0,contempt=0.0"
    )
    assert all(match.as_second.games == 0 and match.as_first.games == 4 for match in measured.mcts.values())
    make_run(tmp_path / "other", "evaluation.exploration=5", "selfplay.proof_nodes=0").close()
    player = NetPlayer(make_game(GAME), str(tmp_path / "other"), NetOptions(playouts=20), leaves_a_game=1, seed=1)
    tiers = [f"mcts:style=plain,playouts={tier}" for tier in measured.mcts]
    plain = gauntlet(make_game(GAME), player, tiers, games=4, seed=1, first_always_black=True)
    assert [result.position.moves for match in plain for result in match.results] == games_of(measured)


def test_a_network_that_does_not_say_how_it_plays_plays_as_networks_did(tmp_path):
    onnx = pytest.importorskip("onnx")
    from eightfold.nets.store.export import export_onnx

    torch.manual_seed(1)
    description = Description(network="resnet:blocks=1,filters=8", game=GAME, encoder="last-move", symmetry="none")
    save_checkpoint(tmp_path, description.make(), description)
    file = export_onnx(tmp_path).path
    older = {key: value for key, value in asdict(description).items() if key != "playing"}
    (tmp_path / "network.json").write_text(json.dumps(older))
    model = onnx.load(str(file))
    kept = [pair for pair in model.metadata_props if pair.key != "playing"]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    onnx.save(model, str(file))
    for place in (tmp_path, file):
        assert search_of(f"net:{place}") == SearchSettings(exploration=1.25, fpu_reduction=0.2, proof_nodes=100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exploration=lots", "exploration='lots' is not a number"),
        ("contempt=2", "contempt=2.0 is not a number from 0 to 1"),
        ("proof_nodes=-1", "proof_nodes=-1 is not a whole number"),
        ("speed=3", "unknown option of how the network plays 'speed'"),
        (3, "playing is 3, not a text"),
    ],
)
def test_a_strange_way_to_play_is_refused_in_one_line(text, said, tmp_path):
    onnx = pytest.importorskip("onnx")
    from eightfold.nets.store.export import export_onnx

    description = Description(network="resnet:blocks=1,filters=8", game=GAME, encoder="last-move", symmetry="none")
    save_checkpoint(tmp_path, description.make(), description)
    file = export_onnx(tmp_path).path
    (tmp_path / "network.json").write_text(json.dumps({**asdict(description), "playing": text}))
    found = refusal(lambda: make_player(f"net:{tmp_path}", make_game(GAME)))
    assert said in found
    assert str(tmp_path) in found
    if isinstance(text, str):
        model = onnx.load(str(file))
        for pair in model.metadata_props:
            pair.value = text if pair.key == "playing" else pair.value
        onnx.save(model, str(file))
        assert said in refusal(lambda: make_player(f"net:{file}", make_game(GAME)))


@pytest.mark.parametrize("name", shipped_networks(PolicyValueNetwork))
def test_a_shipped_network_says_how_it_plays_in_both_its_forms(name):
    from eightfold.nets.store.onnx_metadata import read_metadata

    folder = find_network(name)[1].parent
    stored = json.loads((folder / "network.json").read_text())["playing"]
    assert read_metadata(find_exported(name).read_bytes())["playing"] == stored
    assert load_description(folder).play_settings().exploration > 0
