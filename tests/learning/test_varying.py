"""Runs whose games differ in komi and rules: drawn, recorded, stored and learned from, on a CPU and by GPU kernels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from eightfold.config import load_preset, with_changes
from eightfold.games.game import make_game
from eightfold.games.go.planes import ENCODERS
from eightfold.games.state import BLACK
from eightfold.learning.actors.gpu import played_game, ways_of
from eightfold.learning.check import check_config
from eightfold.learning.config import SelfPlayConfig, TrainConfig
from eightfold.learning.data.kept import read_kept
from eightfold.learning.loop import Training
from eightfold.learning.selfplay import SelfPlay
from eightfold.learning.varying import games_of_selfplay
from eightfold.search.game_forest import GameForest, Host
from refusals import refusal

GAMES = ["go:size=5,komi=0.5", "go:size=5,komi=9.5,rules=japanese", "go:size=5,komi=-3,rules=tromp-taylor"]
TEXTS = [make_game(text).text for text in GAMES]


def plain_rules(position) -> list[float]:
    """The four numbers of the encoder `rules`, from what a game says of itself."""
    values = position.game.values
    territory = values["rules"] == "japanese"
    black, white = position.prisoners if territory else (0, 0)
    lead = black - white - values["komi"]
    own = lead if position.to_move == BLACK else -lead
    return [own / 16, float(territory), float(values["ko"] != "simple"), float(values["suicide"] == "allowed")]


class Uniform:
    """An evaluator that knows nothing."""

    encoder, channels = "rules", ENCODERS["rules"]

    def evaluate(self, planes, draw_symmetries=None):
        return np.zeros((len(planes), 26), np.float32), np.zeros((len(planes), 2), np.float32)


@pytest.mark.parametrize(
    "text", [*GAMES, "go:size=5,rules=aga", "go:size=5,rules=new-zealand", "go:size=5,ko=simple", "go:size=5,komi=0"]
)
def test_the_encoder_shows_komi_and_rules_behind_what_liberties_shows(text):
    random = np.random.default_rng(5)
    position = make_game(text).start()
    while not position.is_over and len(position.moves) < 60:
        planes = position.encode("rules")
        assert planes.shape == (ENCODERS["rules"], 5, 5)
        np.testing.assert_array_equal(planes[:-4], position.encode("liberties"))
        for plane, number in zip(planes[-4:], plain_rules(position), strict=True):
            assert (plane == np.float32(number)).all()
            assert np.float16(number) == number, "the buffer keeps it exactly"
        moves = [move for move in position.legal_moves if move != 25] or [25]
        position = position.play(int(random.choice(moves)))
    assert len(position.moves) > 20


def test_games_of_another_board_or_family_are_refused():
    game = make_game(GAMES[0])
    assert games_of_selfplay(game, " ") == (game,)
    assert [each.text for each in games_of_selfplay(game, " | ".join(GAMES))] == TEXTS
    for text, said in (
        ("go:size=7", "go:size=7"), ("gomoku:size=5", "gomoku:size=5"), ("go:size=5 |", "unknown game ''"),
    ):  # fmt: skip
        assert said in refusal(lambda text=text: games_of_selfplay(game, text))
    varied = with_changes(load_preset(TrainConfig(), "go-9"), ["game=go:size=5", f"selfplay.games={' | '.join(GAMES)}"])
    for change, said in (
        ("selfplay.cache=100", "knows positions and not their rules"),
        ("selfplay.opening_balance=0.5", "values openings under one set of rules"),
    ):
        config = with_changes(varied, [change])
        assert said in refusal(lambda config=config: check_config(config))


def settings(**others) -> SelfPlayConfig:
    return SelfPlayConfig(
        parallel_games=8, playouts=4, root="gumbel", gumbel_moves=4, opening_share=0.5, opening_stones=2,
        games=" | ".join(GAMES), **others,
    )  # fmt: skip


def test_self_play_draws_all_games_and_says_which():
    game = make_game(GAMES[0])
    selfplay = SelfPlay(game, Uniform(), settings=settings(), random=np.random.default_rng(2))
    games = selfplay.play(24)
    assert {played.game for played in games} == set(TEXTS)
    for played in games:
        last = played.replay(make_game(played.game))[-1]
        assert last.is_over
        assert last.result == played.result, "by its own komi"


def test_the_kernels_of_a_gpu_draw_them_too():
    game = make_game(GAMES[0])
    chosen = settings()
    forest = GameForest(
        game, chosen, ways_of(chosen, game), encoder="rules", trees=8, rows=8, seed=(3,), machine=Host(),
        variants=games_of_selfplay(game, chosen.games),
    )  # fmt: skip
    finished = []
    for _ in range(4000):
        forest.hand_over()
        forest.step()
        forest.logits[:] = 0
        forest.values[:] = 0
        forest.tend()
        finished += forest.collect(forest.look()())
        if len(finished) >= 8:
            break
    assert {each.game.text for each in finished} == set(TEXTS)
    for each in finished:
        played = played_game(each, 1, "")
        last = played.replay(make_game(played.game))[-1]
        assert last.is_over
        assert last.result == played.result


def test_a_run_learns_from_all_of_them_and_goes_on(tmp_path):
    changes = [f"game={GAMES[0]}", "network=resnet:blocks=1,filters=8,auxiliary=1", "encoder=rules", "games=16",
               "minutes=0", "selfplay.parallel_games=8", "selfplay.playouts=4", "selfplay.fast_playouts=2",
               "training.batch_size=16", "training.games_a_round=8", f"selfplay.games={' | '.join(GAMES)}",
               "backend=torch", "training.validation_every=0", "training.replay_ratio=1"]  # fmt: skip
    config = with_changes(load_preset(TrainConfig(), "go-9"), changes)
    training = Training(config, tmp_path / "run")
    training.train()
    stored = training.buffer.read(np.arange(len(training.buffer)))
    territory = stored.states[:, -3, 0, 0]
    assert set(territory) == {0.0, 1.0}
    komi = {abs(float(number)) * 16 for number in stored.states[territory == 0][:, -4, 0, 0]}
    assert komi == {0.5, 3.0}
    training.close()
    lines = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_bytes().splitlines()]
    assert {line.get("game", TEXTS[0]) for line in lines} == set(TEXTS)
    for line in lines:
        kept = read_kept(json.dumps(line))
        assert kept.positions(training.game)[-1].result == kept.result
        assert read_kept(json.dumps(kept.as_dict())) == kept
    again = Training(config, tmp_path / "run")
    assert again.progress.games == training.progress.games
    again.close()


def test_a_kept_game_of_another_board_is_passed_over():
    kept = read_kept('{"moves": [1], "opening": 0, "result": 3, "game": "go:size=7"}')
    assert kept.positions(make_game(GAMES[0])) is None
    strange = read_kept('{"moves": [1], "opening": 0, "result": 3, "game": "python:evil"}')
    assert strange.positions(make_game(GAMES[0])) is None
    assert read_kept('{"moves": [1], "opening": 0, "result": 3, "game": 7}') is None
