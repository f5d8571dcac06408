"""A played game travels as a few kilobytes, comes out as it was, and becomes the samples that the rules say."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pytest
from test_selfplay import WAYS, play

from eightfold.games import make_game
from eightfold.games.state import BLACK, DRAW, WHITE
from eightfold.learning.config import SelfPlayConfig
from eightfold.learning.data.record import HEAD, MAGIC, PlayedGame, samples_of, settings_digest
from refusals import refusal

GAME = "gomoku:size=5,win=4"


def full_board(visits: int, seed: int = 1) -> PlayedGame:
    """A drawn game over all points of 8x8, every position searched with so many visits."""
    random = np.random.default_rng(seed)
    game = make_game("gomoku:size=8,win=8")
    position, policies = game.start(), np.zeros((64, 64), np.float32)
    while not position.is_over:
        legal = position.legal_moves
        policies[position.ply, legal] = random.multinomial(visits, random.dirichlet(np.full(len(legal), 0.3))) / visits
        position = position.play(int(random.choice(legal)))
    assert position.ply == 64
    return PlayedGame(
        moves=position.moves,
        opening=0,
        result=DRAW,
        plies=np.arange(64),
        policies=policies,
        root_values=random.uniform(-1, 1, 64).astype(np.float32),
        game=game.text,
        seed=2**63 - 1,
        settings=settings_digest(SelfPlayConfig()),
    )


def assert_same(one: PlayedGame, other: PlayedGame) -> None:
    for name in ("moves", "opening", "result", "game", "seed", "settings"):
        assert getattr(one, name) == getattr(other, name)
    for name in ("plies", "policies", "root_values"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype


@pytest.mark.parametrize("way", WAYS)
def test_a_game_comes_out_of_its_bytes_as_it_was(way):
    for played in play(WAYS[way], fast_playouts=4, full_share=0.5):
        assert played.game == make_game(GAME).text
        assert played.settings
        assert_same(PlayedGame.from_bytes(played.to_bytes()), played)
    assert_same(PlayedGame.from_bytes(full_board(400).to_bytes()), full_board(400))


def test_sixty_four_moves_are_a_few_kilobytes():
    sizes = {visits: len(full_board(visits).to_bytes()) for visits in (128, 400)}
    assert sizes[128] < 4_000
    assert sizes[400] < 6_000
    planes = 64 * 4 * 8 * 8 * 4  # bytes of what is not carried
    assert sizes[400] < planes / 10


def test_other_settings_have_another_digest():
    digests = {settings_digest(SelfPlayConfig(playouts=playouts)) for playouts in (64, 128, 64)}
    assert len(digests) == 2
    assert all(len(digest) == 16 for digest in digests)


@pytest.mark.parametrize("result", [BLACK, WHITE, DRAW])
@pytest.mark.parametrize("mix", [0.0, 0.3])
def test_samples_are_what_the_rules_and_the_search_say(result, mix):
    played = replace(play(WAYS["puct"], full_share=0.5, fast_playouts=4)[0], result=result)
    game = make_game(GAME)
    samples = samples_of(played, played.replay(game), encoder="last-move", value_mix=mix)
    assert len(samples) == len(played.plies) > 0
    for k, (ply, sample) in enumerate(zip(played.plies.tolist(), samples, strict=True)):
        position = game.after(played.moves[:ply])
        np.testing.assert_array_equal(sample.state, position.encode("last-move"))
        np.testing.assert_array_equal(sample.policy, played.policies[k])
        outcome = 0 if result == DRAW else 1 if position.to_move == result else -1
        assert sample.value == pytest.approx((1 - mix) * outcome + mix * float(played.root_values[k]), abs=1e-6)
        assert sample.last_move == (divmod(played.moves[ply - 1], 5) if ply else None)
        assert sample.ownership is None


def test_a_pass_is_on_no_point():
    played = PlayedGame(
        moves=(25, 25),
        opening=0,
        result=WHITE,
        plies=np.arange(2),
        policies=np.full((2, 26), 1 / 26, np.float32),
        root_values=np.zeros(2, np.float32),
    )
    positions = played.replay(make_game("go:size=5,komi=0.5"))
    assert [sample.last_move for sample in samples_of(played, positions, encoder="liberties")] == [None, None]


def test_bytes_that_are_no_game_are_refused_in_one_line():
    played, random = full_board(128), np.random.default_rng(5)
    whole = played.to_bytes()
    assert "it does not begin as one" in refusal(lambda: PlayedGame.from_bytes(b""))
    assert "another length" in refusal(lambda: PlayedGame.from_bytes(whole + b"x"))
    for size in range(4, len(whole), 97):
        refusal(lambda size=size: PlayedGame.from_bytes(whole[:size]))
    for _ in range(200):
        spoilt = bytearray(whole)
        spoilt[int(random.integers(len(whole)))] ^= int(random.integers(1, 256))
        refusal(lambda spoilt=spoilt: PlayedGame.from_bytes(bytes(spoilt)))
    body = zlib.decompress(whole[len(MAGIC) :])
    for cut in (0, HEAD.size - 1, HEAD.size, len(body) - 1):
        data = MAGIC + zlib.compress(body[:cut])
        refusal(lambda data=data: PlayedGame.from_bytes(data))
    endless = MAGIC + zlib.compress(bytes(80 << 20))
    assert "another length" in refusal(lambda: PlayedGame.from_bytes(endless))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"opening": 65}, "do not fit each other"),
        ({"result": 7}, "do not fit each other"),
        ({"plies": np.arange(64)[::-1]}, "do not fit each other"),
        ({"plies": np.arange(1, 65)}, "do not fit each other"),
        ({"moves": (64, *full_board(8).moves[1:])}, "do not fit each other"),
        ({"root_values": np.full(64, np.nan, np.float32)}, "not numbers from -1 to 1"),
        ({"policies": np.full((64, 64), np.inf, np.float32)}, "not numbers from -1 to 1"),
    ],
)
def test_a_game_that_cannot_be_is_refused(changes, said):
    data = replace(full_board(8), **changes).to_bytes()
    assert said in refusal(lambda: PlayedGame.from_bytes(data))


def test_moves_that_the_rules_forbid_and_games_of_another_run_are_refused():
    played = full_board(8)
    game = make_game(played.game)
    twice = replace(played, moves=(played.moves[0], *played.moves[:-1]))
    assert "is not legal" in refusal(lambda: twice.replay(game))
    said = refusal(lambda: played.replay(make_game("gomoku:size=8")))
    assert said == "a game of gomoku:size=8,win=8,rule=freestyle came to a run of gomoku:size=8,win=5,rule=freestyle"
