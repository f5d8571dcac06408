"""The player `net`: which boards its network may play, and what a draw is worth to it."""

from __future__ import annotations

import pytest
import torch

from eightfold.arena.players import make_player
from eightfold.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets.checkpoint import Description, find_checkpoint, save_checkpoint, shipped_networks


def make_checkpoint(folder, network: str) -> str:
    torch.manual_seed(1)
    description = Description(
        network=network, game="gomoku:size=5,win=4,rule=freestyle", encoder="last-move", symmetry="none"
    )
    save_checkpoint(folder, description.make(), description)
    return f"net:{folder},playouts=20"


def test_a_pooled_network_plays_boards_it_was_not_trained_on(tmp_path):
    text = make_checkpoint(tmp_path, "resnet:blocks=1,filters=8")
    for size in (4, 5, 9):
        game = make_game(f"gomoku:size={size},win=4")
        position = game.start()
        player = make_player(text, game, seed=1)
        for _ in range(4):
            position = position.play(player.think(position).action)


@pytest.mark.parametrize(
    ("network", "game"),
    [
        ("a1", "gomoku:size=6,win=4"),
        ("resnet:blocks=1,filters=8", "gomoku:size=6,win=5"),
        ("resnet:blocks=1,filters=8", "gomoku:size=5,win=4,rule=standard"),
    ],
)
def test_another_game_is_refused(network, game, tmp_path):
    text = make_checkpoint(tmp_path, network)
    with pytest.raises(EightfoldError, match="was trained for gomoku:size=5,win=4,rule=freestyle, not for"):
        make_player(text, make_game(game))


def test_contempt_is_an_option_with_a_range(tmp_path):
    text = make_checkpoint(tmp_path, "resnet:blocks=1,filters=8")
    game = make_game("gomoku:size=5,win=4")
    make_player(f"{text},contempt=0.8", game).think(game.start())
    with pytest.raises(EightfoldError, match="contempt"):
        make_player(f"{text},contempt=2", game)


def test_a_name_that_is_neither_folder_nor_shipped_is_answered_with_what_there_is():
    with pytest.raises(EightfoldError, match="nothing-like-it holds no network") as refused:
        find_checkpoint("nothing-like-it")
    assert all(name in str(refused.value) for name in shipped_networks())
