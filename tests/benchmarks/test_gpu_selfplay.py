"""`eightfold bench selfplay --device cuda`, as far as it goes without a GPU, and made small where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from eightfold.benchmarks import gpu_selfplay, network_rate, run_benchmarks
from eightfold.benchmarks.like_trained import PERPLEXITY, SPREAD, _positions, like_trained, perplexity
from eightfold.games import make_game
from eightfold.nets.store.description import Description
from refusals import refusal


@pytest.mark.parametrize(("text", "network"), [("gomoku:size=6", "a1"), ("go:size=5", "resnet:blocks=2,filters=8")])
@torch.no_grad()
def test_fresh_networks_answer_like_trained_ones(text, network):
    game = make_game(text)
    torch.manual_seed(1)
    made = Description(network=network, game=text, encoder="last-move", symmetry="none").make()
    planes, legal = _positions(game, "last-move", 1)
    fresh = perplexity(made.eval()(planes)[0], legal)
    logits, values = like_trained(made, game, "last-move", seed=1)(planes)
    assert fresh > 1.5 * PERPLEXITY
    assert perplexity(logits, legal) == pytest.approx(PERPLEXITY, rel=0.01)
    values = values if values.dim() == 1 else values[:, 0]
    assert float(values.std()) == pytest.approx(SPREAD, rel=0.05)
    assert abs(float(values.mean())) < 0.01


def test_the_shipped_network_is_one_of_them():
    """Its weights are those of six blocks of 64, on a larger board."""
    case = gpu_selfplay.CASES["resnet_15x15"]
    wanted = case.wanted("cpu")
    assert wanted.network(torch.zeros(1, 4, 15, 15))[0].shape == (1, wanted.game.actions)
    assert wanted.config.selfplay.proof_nodes == gpu_selfplay.PROOF_NODES


def split_on_the_host() -> None:
    from eightfold.learning.actors.gpu import GamesOnMachine
    from eightfold.learning.config import SelfPlayConfig
    from eightfold.nets.inference.device_evaluator import DeviceEvaluator
    from eightfold.search.game_forest import Host

    game = make_game("gomoku:size=4,win=3")
    description = Description(network="a1", game=game.text, encoder="last-move", symmetry="none")
    evaluator = DeviceEvaluator(description.make(), description.shape(), encoder="last-move", batch=2)
    games = GamesOnMachine(game, SelfPlayConfig(playouts=6), Host(), evaluator, trees=3, seed=(1, 0))
    parts, filled, depth = gpu_selfplay.split([games], device="cpu", periods=4)
    assert list(parts) == [*gpu_selfplay.STEP, "moves", "handing_over", "host"]
    assert min(parts.values()) > 0
    assert 0 < filled <= 1
    assert 0 < depth <= game.points
    assert games.forest.plies > 0


def test_the_parts_of_a_step_are_timed_while_games_go_on(run_python):
    code = f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}\n"
    run_python(code + "import test_gpu_selfplay; test_gpu_selfplay.split_on_the_host()", NUMBA_DISABLE_JIT="1")


def test_what_cannot_be_measured_is_refused_in_one_line():
    assert "--baseline goes with --device" in refusal(lambda: run_benchmarks("selfplay", baseline=True))
    assert "--baseline goes with" in refusal(lambda: run_benchmarks("isn", device="cuda", baseline=True))
    if not torch.cuda.is_available():
        assert "cuda" in refusal(lambda: run_benchmarks("selfplay", device="cuda", progress=False))


@pytest.mark.gpu(kernels=True)
def test_on_a_gpu_every_figure_is_there(monkeypatch):
    monkeypatch.setattr(gpu_selfplay, "BASELINE_SECONDS", 0.5)
    monkeypatch.setattr(network_rate, "SLICE", 0.0)
    case = gpu_selfplay.Case(game="gomoku:size=6,win=4", network="a1", playouts=20, games=64, least=1, least_share=1e-9)
    listed = gpu_selfplay.measure("small", case, device="cuda", warm_up=1, seconds=1, baseline=True)
    figures = {figure.key.removeprefix("small_"): figure.value for figure in listed}
    assert figures.pop("games_per_s") >= 0, "none may end in that second"
    assert min(figures.values()) > 0
    assert figures["share_of_network"] == pytest.approx(figures["simulations_per_s"] / figures["network_alone_per_s"])
    assert figures["rows_filled"] <= 1
    assert {"network_us", "trees_us", "moves_us", "handing_over_us", "host_us", "step_us"} <= set(figures)
    assert {"games_per_s", "moves_per_s", "mean_depth", "compile_s", "record_s", "times_trees_on_cpu"} <= set(figures)
