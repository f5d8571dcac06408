"""The player `net`: which boards its network may play, what a draw is worth to it, and how it spends its time."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch

from eightfold.arena.players import make_player
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.nets import player as player_module
from eightfold.nets.player import NetOptions, NetPlayer
from eightfold.nets.store.checkpoint import save_checkpoint
from eightfold.nets.store.description import Description
from eightfold.nets.store.open import open_network
from eightfold.nets.store.places import find_network, shipped_networks
from eightfold.nets.store.policy_value import PolicyValueNetwork
from eightfold.protocols.clock import Clock
from eightfold.search.limits import Limits
from patience import finished


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
    ],
)
def test_another_game_is_refused(network, game, tmp_path):
    text = make_checkpoint(tmp_path, network)
    with pytest.raises(EightfoldError, match="was trained for gomoku:size=5,win=4,rule=freestyle, not for"):
        make_player(text, make_game(game))


def test_an_open_network_is_opened_for_another_board_with_its_own_backend(tmp_path, monkeypatch):
    make_checkpoint(tmp_path, "resnet:blocks=1,filters=8")
    network = open_network(tmp_path, backend="torch:precision=fp32")
    loaded = []
    load = PolicyValueNetwork._load
    monkeypatch.setattr(PolicyValueNetwork, "_load", lambda network: loaded.append(network) or load(network))
    game = make_game("gomoku:size=6,win=4")
    NetPlayer(game, network, NetOptions(playouts=4)).think(game.start())
    assert [(one.game.text, one.backend, one.device) for one in loaded] == [(game.text, "torch:precision=fp32", "cpu")]


def test_contempt_is_an_option_with_a_range(tmp_path):
    text = make_checkpoint(tmp_path, "resnet:blocks=1,filters=8")
    game = make_game("gomoku:size=5,win=4")
    make_player(f"{text},contempt=0.8", game).think(game.start())
    with pytest.raises(EightfoldError, match="contempt"):
        make_player(f"{text},contempt=2", game)


def test_a_name_that_is_neither_folder_nor_shipped_is_answered_with_what_there_is():
    with pytest.raises(EightfoldError, match="nothing-like-it holds no network") as refused:
        find_network("nothing-like-it")
    assert all(name in str(refused.value) for name in shipped_networks())


@pytest.mark.parametrize("name", shipped_networks(PolicyValueNetwork))
def test_a_shipped_network_has_a_card_and_takes_a_win(name):
    network = open_network(name)
    assert "score" in network.card
    game = network.game
    if game.name == "go":  # what it must see there: test_go_9.py
        over = game.after(["pass"])  # white has the komi
        assert make_player(f"net:{name},playouts=20", game).think(over).value == 1
        return
    position = game.after(["c4", "c8", "d4", "e8", "e4", "g8", "f4", "a1"])
    result = make_player(f"net:{name},playouts=20", game).think(position)
    assert game.name_of(result.action) in {"b4", "g4"}
    assert result.value == 1


def test_there_is_a_network_for_the_small_board():
    assert "gomoku-8" in shipped_networks()


@pytest.mark.parametrize("playouts", [1, 2])
def test_a_player_that_looks_at_nothing_plays_its_networks_policy(playouts, tmp_path):
    text = make_checkpoint(tmp_path, "resnet:blocks=1,filters=8").replace("playouts=20", f"playouts={playouts}")
    game = make_game("gomoku:size=5,win=4")
    network = open_network(tmp_path, game)
    for moves in ([], ["c3"], ["c3", "b2", "d4"]):
        position = game.after(moves)
        policies, _ = network.evaluate([position])
        likeliest = int(policies[0].argmax())
        results = [make_player(text, game, seed=seed).think(position) for seed in range(2)]
        assert {result.action for result in results} == {likeliest}
        assert results[0].policy.sum() == pytest.approx(1, abs=1e-5)
        assert results[0].policy.argmax() == likeliest
        assert results[0].visits.sum() == playouts - 1, "what was not looked at is not counted as visited"


def test_a_win_by_threats_is_proven_and_played_without_a_search():
    """Black can cross two twos. The network alone sees nothing proven; with nodes for threats it has the value 1."""
    game = make_game("gomoku:size=8")
    position = game.after(["d4", "a1", "e4", "h1", "c5", "a8", "c6", "h8"])
    plain = make_player("net:gomoku-8,playouts=4,proof_nodes=0", game, seed=1).think(position)
    found = make_player("net:gomoku-8,playouts=4,proof_nodes=0,threat_nodes=3000", game, seed=1).think(position)
    assert abs(plain.value) < 1
    assert (found.value, found.effort, found.policy[found.action]) == (1, 1, 1)
    after = position.play(found.action)
    room = game.threat_room(20_000)
    for reply in after.legal_moves:
        assert game.rules.find_threats(after.play(int(reply)).state.copy(), 20_000, room) >= 0


# ---- time ---------------------------------------------------------------------------------------------------

RATE = 200.0  # simulations that a second is worth below


def player_by_simulations(monkeypatch, game, **options):
    """A player whose clock goes on with its simulations, so that a test does not depend on the machine."""
    player = NetPlayer(game, "gomoku-8", NetOptions(seconds=1.0, memory=40, **options), seed=1)
    player.spent, step = 0, player._search.step

    def counted() -> int:
        found = step()
        player.spent += max(found, 1)  # a step in which the rules settle every leaf takes time too
        return found

    monkeypatch.setattr(player._search, "step", counted)
    monkeypatch.setattr(player_module, "Limits", lambda *given: Limits(*given, now=lambda: player.spent / RATE))
    return player


BLOCKED = ["g5", "c5", "c4", "d5", "d4", "e5", "a8", "f5"]  # white has four, and b5 is the only parry


def test_the_only_move_left_is_played_at_once():
    game = make_game("gomoku:size=8")
    position = game.after(BLOCKED)
    player = make_player("net:gomoku-8,memory=40", game, seed=1)
    result = finished(lambda: player.think(position, seconds=1e6))  # or else in twelve days
    assert game.name_of(result.action) == "b5"
    assert result.effort < 100


def test_whoever_watches_a_position_sees_all_of_its_time():
    game = make_game("gomoku:size=8")
    player = make_player("net:gomoku-8,memory=40", game, seed=1)
    stop, told = threading.Event(), []

    def hear(snapshot):
        told.append(snapshot)
        if len(told) == 2:
            stop.set()

    result = finished(lambda: player.think(game.after(BLOCKED), seconds=1e6, stop=stop, on_progress=hear))
    assert game.name_of(result.action) == "b5"
    assert len(told) == 2 or result.value == -1, "it went on until it was stopped, or until all was proven"


@pytest.mark.parametrize("moves", [["d4"], ["d4", "e5", "d5", "e4"], ["c3", "d4", "e5", "d5", "d3", "e4"]])
def test_a_move_that_no_other_can_catch_up_with_is_the_one_that_all_the_time_gives(moves, monkeypatch):
    game = make_game("gomoku:size=8")
    position = game.after(moves)
    patient = player_by_simulations(monkeypatch, game, early="no").think(position, seconds=1.5)
    early = player_by_simulations(monkeypatch, game).think(position, seconds=1.5)
    assert early.action == patient.action
    assert 1.5 * RATE <= patient.effort <= 1.5 * RATE + 8
    assert early.effort <= patient.effort
    ahead, behind = np.sort(early.visits)[[-1, -2]]
    assert ahead - behind > patient.effort - early.effort - 8


def test_a_game_on_a_clock_takes_its_time_where_it_matters(monkeypatch):
    game = make_game("gomoku:size=8")
    player = player_by_simulations(monkeypatch, game)
    clock, position, spent = Clock(per_game=30.0), game.after(["b2", "g7"]), []
    while not position.is_over and len(spent) < 12:
        before = player.spent
        allowed = clock.allowed()
        result = player.think(position, seconds=allowed)
        spent.append((player.spent - before) / RATE)
        assert spent[-1] <= allowed.most + 8 / RATE
        clock.add_move(spent[-1])
        position = position.play(result.action)
    assert min(spent) < 0.5 * np.mean(spent), "some moves are played at once"
    assert max(spent) > 1.2 * np.mean(spent), "and some get more than others"
    assert clock.used < 30


def test_playouts_are_the_same_whatever_early_says():
    game = make_game("gomoku:size=8")
    position = game.after(["d4", "e5"])
    results = [make_player(f"net:gomoku-8,playouts=100,early={early}", game).think(position) for early in ("yes", "no")]
    np.testing.assert_array_equal(results[0].visits, results[1].visits)
    assert results[0].effort >= 92
