"""Games of a run on a GPU, as far as they go without one: the machine is the CPU, and kernels are plain Python."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from eightfold.core.cuda import why_no_cuda
from eightfold.games import make_game
from eightfold.learning.actors.gpu import _compile_trouble, _memory_in_words, ways_of, why_not
from eightfold.learning.config import SelfPlayConfig, TrainConfig


def play_on_the_host() -> None:
    """Games with a network of PyTorch's become samples."""
    import torch

    from eightfold.learning.actors.gpu import GamesOnMachine, played_game
    from eightfold.learning.data.record import PlayedGame, samples_of
    from eightfold.nets.inference.device_evaluator import DeviceEvaluator
    from eightfold.nets.store.description import Description
    from eightfold.search.game_forest import Host

    game = make_game("gomoku:size=4,win=3")
    description = Description(network="a1", game=game.text, encoder="last-move", symmetry="slap", playing="")
    torch.manual_seed(1)
    evaluator = DeviceEvaluator(description.make(), description.shape(), encoder="last-move", batch=2, symmetry="slap")
    settings = SelfPlayConfig(playouts=4, opening_stones=1)
    games = GamesOnMachine(game, settings, Host(), evaluator, trees=3, seed=(1, 0))
    finished = []
    while len(finished) < 3:
        games.period()
        finished += games.collect(games.look())
    assert games.forest.simulations > 0
    assert evaluator.is_sound
    for each in finished:
        played = PlayedGame.from_bytes(played_game(each, 1, "digest").to_bytes())
        positions = played.replay(game)
        assert positions[-1].result == played.result
        assert len(samples_of(played, positions, encoder="last-move")) == len(played.plies) > 0


def test_games_with_a_network_become_samples(run_python):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    run_python(code + "import test_gpu_games; test_gpu_games.play_on_the_host()", NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"selfplay": SelfPlayConfig(threat_nodes=10)}, "selfplay.threat_nodes"),
        ({"selfplay": SelfPlayConfig(leaf_threat_nodes=10)}, "selfplay.leaf_threat_nodes"),
        ({"selfplay": SelfPlayConfig(leaves="random")}, "leaves=random"),
        ({"selfplay": SelfPlayConfig(cache=100)}, "selfplay.cache"),
        ({"backend": "openvino"}, "backend=openvino"),
    ],
)
def test_what_a_gpu_does_not_offer_is_named(changes, word):
    assert word in why_not(replace(TrainConfig(device="cuda"), **changes))


def test_without_numba_cuda_a_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba_cuda", None)
    monkeypatch.setattr("eightfold.core.cuda.is_installed", lambda module: module != "numba_cuda")
    assert why_no_cuda() == why_not(TrainConfig(device="cuda")) != ""
    assert "eightfold[cuda]" in why_no_cuda()


def test_random_stones_lie_where_they_may():
    settings = SelfPlayConfig(opening_anywhere=False)
    assert ways_of(settings, make_game("gomoku:size=5,win=4"))["opening_points"] == [6, 7, 8, 11, 12, 13, 16, 17, 18]
    everywhere = replace(settings, opening_anywhere=True)
    np.testing.assert_array_equal(ways_of(everywhere, make_game("gomoku:size=3"))["opening_points"], range(9))


def where_and_why(trouble: Exception) -> str:
    said = str(_compile_trouble(trouble, make_game("gomoku:size=3")))
    assert said.endswith("; docs/new-game.md says what kernels leave alone")
    return said.removeprefix("gomoku cannot be compiled for a GPU ").rpartition(";")[0]


def test_an_error_of_the_compiler_names_the_innermost_line():
    text = (
        'Failed in cuda mode\nNo views\n\nFile "mine.py", line 17:\ndef play():\n\nFile "caller.py", line 3:\ndef f():'
    )
    assert where_and_why(Exception(text)) == "(mine.py, line 17): No views"


def test_an_error_that_names_lines_of_the_compiler_alone_names_the_line_all_the_same():
    class Inference:
        loc = SimpleNamespace(filename="mine.py", line=66)

        def resolve(self):
            raise TypeError('No implementation of zeros for:\n\n >>> zeros(4)\n File "lib/numba/np/arrays.py", line 9:')

    with pytest.raises(TypeError) as caught:
        Inference().resolve()
    assert where_and_why(caught.value) == "(mine.py, line 66): No implementation of zeros for: >>> zeros(4)"


def test_memory_that_somebody_else_took_is_one_line():
    """So the games are played on the CPU instead, by `players_here`."""
    import torch

    from refusals import refusal

    def take_it():
        with _memory_in_words(4096):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.\nOf the allocated memory ...")

    said = refusal(take_it)
    assert "4,096 games" in said
    assert "selfplay.gpu_games" in said
