"""Self-play with each way to spend the playouts at a root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from eightfold.config import load_preset, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.state import DRAW
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.record import PlayedGame
from eightfold.learning.loop import Training
from eightfold.learning.selfplay import SelfPlay


class Guess:
    """An evaluator with an opinion, so that targets are not all alike."""

    encoder = "last-move"

    def evaluate(self, planes):
        logits = planes[:, :2].sum(axis=1).reshape(len(planes), -1)[:, ::-1] + np.linspace(0, 1, planes[0, 0].size)
        return logits.astype(np.float32), np.tanh(planes[:, 0, 1].sum(axis=1) - planes[:, 1, 2].sum(axis=1))


def play(search: SelfPlayConfig, *, seed: int = 3, **settings) -> list[PlayedGame]:
    selfplay = SelfPlay(
        make_game("gomoku:size=5,win=4"),
        Guess(),
        settings=replace(search, parallel_games=4, playouts=24, opening_share=0.5, opening_stones=2, **settings),
        random=np.random.default_rng(seed),
    )
    return selfplay.play(12)


WAYS = {
    "puct": SelfPlayConfig(exploration=1.25),
    "gumbel": SelfPlayConfig(root="gumbel", gumbel_moves=8, count_reused_visits=False),
    "gumbel, kept visits count": SelfPlayConfig(root="gumbel", gumbel_moves=8),
    "forced": SelfPlayConfig(exploration=1.25, forced_playouts=2.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_games_are_legal_and_targets_are_policies(way):
    game = make_game("gomoku:size=5,win=4")
    games = play(WAYS[way])
    assert len({played.moves for played in games}) > 6, "noise and openings make games differ"
    for played in games:
        position = game.after(played.moves)  # refuses what is not legal
        assert position.is_over
        assert played.plies.tolist() == list(range(played.opening, len(played.moves)))
        assert len(played.root_values) == len(played.policies) == len(played.plies)
        np.testing.assert_allclose(played.policies.sum(axis=1), 1, atol=1e-5)
        for ply, policy in enumerate(played.policies, start=played.opening):
            assert set(np.flatnonzero(policy)) <= set(game.after(played.moves[:ply]).legal_moves)
        assert (np.abs(played.root_values) <= 1).all()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_seed_plays_the_same_games(way):
    first, second = play(WAYS[way]), play(WAYS[way])
    for one, other in zip(first, second, strict=True):
        assert one.moves == other.moves
        np.testing.assert_array_equal(one.policies, other.policies)
        np.testing.assert_array_equal(one.root_values, other.root_values)
        assert one.to_bytes() == other.to_bytes()


def test_random_stones_may_lie_anywhere():
    for everywhere in (False, True):
        selfplay = SelfPlay(
            make_game("gomoku:size=8"),
            Guess(),
            settings=SelfPlayConfig(parallel_games=1, playouts=2, opening_share=1.0, opening_anywhere=everywhere),
            random=np.random.default_rng(1),
        )
        stones = {stone for _ in range(300) for stone in selfplay._random_opening(selfplay.game)}
        at_the_edge = {stone for stone in stones if 0 in divmod(stone, 8) or 7 in divmod(stone, 8)}
        assert len(at_the_edge) == (28 if everywhere else 0)


def test_gumbel_search_chooses_the_moves_itself_and_cheap_searches_have_no_noise():
    hot, cold = (play(WAYS["gumbel"], temperature=temperature) for temperature in (1.0, 0.0))
    assert [played.moves for played in hot] == [played.moves for played in cold]
    mixed = play(WAYS["gumbel"], fast_playouts=6, full_share=0.5)
    assert sum(len(played.plies) for played in mixed) < sum(len(played.moves) - played.opening for played in mixed)


@pytest.mark.parametrize(
    "changes", [["selfplay.root=gumbel", "selfplay.gumbel_moves=4"], ["selfplay.forced_playouts=2"]]
)
def test_a_run_trains_with_each_option(changes, tmp_path):
    small = [
        "game=gomoku:size=5,win=4",
        "network=resnet:blocks=1,filters=8",
        "minutes=0",
        "games=8",
        "selfplay.parallel_games=4",
        "selfplay.playouts=12",
        "selfplay.full_share=1.0",
        "selfplay.opening_stones=2",
        "training.batch_size=16",
        "training.games_a_round=4",
        "training.replay_ratio=2",
        "training.window=200",
        "evaluation.every_minutes=0",
    ]
    training = Training(with_changes(load_preset(TrainConfig(), "quick"), [*small, *changes]), tmp_path / "run")
    training.train()
    training.close()
    assert training.players.selfplay.search.settings.root == ("gumbel" if "root" in changes[0] else "puct")
    assert training.progress.games >= 8
    assert training.progress.steps > 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            ["selfplay.root=gumbal"],
            "unknown selfplay.root in --set 'gumbal' (did you mean 'gumbel'?); known: puct, gumbel",
        ),
        (["selfplay.gumbel_moves=0"], "--set: selfplay.gumbel_moves = 0 is too small; 1 or more is needed"),
        (["selfplay.forced_playouts=-1"], "--set: selfplay.forced_playouts = -1 is too small; 0 or more is needed"),
        (
            ["selfplay.root=gumbel", "selfplay.forced_playouts=2"],
            "forced_playouts = 2.0 goes with root = puct; root = gumbel needs 0",
        ),
    ],
)
def test_wrong_options_are_refused_before_a_folder_is_made(changes, said, tmp_path):
    with pytest.raises(EightfoldError) as caught:
        Training(with_changes(TrainConfig(), changes), tmp_path / "run")
    assert str(caught.value) == said
    assert not (tmp_path / "run").exists()


def test_games_end_where_nobody_can_win_any_more():
    game = make_game("gomoku:size=4,win=4")
    played = SelfPlay(
        game,
        Guess(),
        settings=SelfPlayConfig(parallel_games=4, playouts=8, opening_share=0.0, proof_nodes=20),
        random=np.random.default_rng(3),
    ).play(12)
    dead = [
        one for one in played if len(one.moves) < game.points and game.after(one.moves).result not in (BLACK, WHITE)
    ]
    assert dead, "some games were over early"
    assert all(game.rules.is_dead(game.after(one.moves).state) and one.result == DRAW for one in dead)


def test_a_win_proven_by_threats_is_the_result():
    """Where a root was proven won, the game is won, even if its winner does not see the proof again."""
    game = make_game("gomoku:size=8")
    settings = SelfPlayConfig(parallel_games=8, playouts=6, opening_share=1.0, proof_nodes=5, threat_nodes=400)
    played = SelfPlay(game, Guess(), settings=settings, random=np.random.default_rng(5)).play(40)
    room, by_threats, early = game.threat_room(400), 0, 0
    for one in played:
        for ply, value in zip(one.plies, one.root_values, strict=True):
            if value == 1:
                position = game.after(one.moves[:ply])
                assert one.result == position.to_move
                game.rules.find_threats(position.state.copy(), 400, room)
                by_threats += game.rules.threat_proof(room).kind == "threats"
        early += one.result in (BLACK, WHITE) and not game.after(one.moves).is_over
    assert by_threats > 10
    assert early < len(played)
