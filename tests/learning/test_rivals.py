"""Games against a rival: who plays what, what becomes a sample, and how a network that met one plays."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from eightfold.arena.players import make_player
from eightfold.config import TrainConfig, load_preset, with_changes
from eightfold.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.arrange import arranged
from eightfold.games.state import BLACK, DRAW, RIVAL, SIDE, WHITE
from eightfold.learning.loop import Training
from eightfold.learning.monitors import SelfPlayMonitor
from eightfold.learning.rivals import Rivals
from eightfold.learning.selfplay import PlayedGame, SelfPlay, SelfPlaySettings
from eightfold.nets import recognition as recognition_module
from eightfold.nets.checkpoint import Description, save_checkpoint
from eightfold.nets.recognition import Recognition
from eightfold.search.forest import SearchSettings

GAME = "gomoku:size=5,win=4"
SMALL = [
    f"game={GAME}",
    "network=resnet:blocks=1,filters=8",
    "minutes=0",
    "games=12",
    "selfplay.games_at_once=4",
    "selfplay.playouts=12",
    "selfplay.opening_stones=2",
    "selfplay.rival=mcts:playouts=20",
    "training.batch_size=16",
    "training.games_a_round=4",
    "training.samples_per_sample=2",
    "training.window=200",
    "evaluation.every_minutes=0",
]


class Guess:
    """An evaluator that prefers later points, whose opinion is the same for both roles."""

    encoder = "rival"

    def evaluate(self, planes):
        logits = np.tile(np.linspace(0, 2, planes[0, 0].size), (len(planes), 1))
        return logits.astype(np.float32), np.tanh(planes[:, 0, 1].sum(axis=1) - planes[:, 1, 2].sum(axis=1))


def play(rivals: Rivals, *, share: float, games: int = 40, **search) -> list[PlayedGame]:
    selfplay = SelfPlay(
        make_game(GAME),
        Guess(),
        settings=SelfPlaySettings(
            games=8, playouts=16, opening_share=0.7, opening_stones=2, value_mix=0.5, rival_share=share
        ),
        search=SearchSettings(exploration=1.25, noise=0.25, **search),
        random=np.random.default_rng(5),
        rivals=rivals,
    )
    return selfplay.play(games)


@pytest.fixture
def first_free(tmp_path, monkeypatch):
    """A player whose every move is known."""
    (tmp_path / "first_free.py").write_text(
        "class FirstFree:\n    def move(self, position):\n        return int(position.legal_moves[0])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "python:first_free:FirstFree"


def make_rivals(text: str) -> Rivals:
    return Rivals(text, make_game(GAME), games=8, seed=3, threads=2)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_rival_has_one_side_of_its_share_of_the_games(share, first_free):
    game = make_game(GAME)
    games = play(make_rivals(first_free), share=share)
    with_rival = [played for played in games if played.rival]
    assert abs(len(with_rival) / len(games) - share) < 0.3
    assert {played.rival for played in with_rival} == ({BLACK, WHITE} if share else set())
    for played in games:
        assert len(played.values) == len(played.moves) - played.opening, "every move of either is a sample"
        assert (played.states[:, RIVAL] == played.rival).all()
        for k, ply in enumerate(range(played.opening, len(played.moves))):
            side, move = int(played.states[k, SIDE]), played.moves[ply]
            if side != played.rival:
                continue
            assert move == game.after(played.moves[:ply]).legal_moves[0]
            assert played.policies[k, move] == played.policies[k].sum() == 1
            outcome = 0.0 if played.result == DRAW else 1.0 if played.result == side else -1.0
            assert played.values[k] == outcome, "nothing was searched there"


def test_the_network_of_a_game_sees_whose_turn_it_is(first_free):
    game = make_game(GAME)
    number, planes = game.encoder("rival")
    for played in play(make_rivals(first_free), share=0.5):
        shown = np.empty((len(played.states), planes, 5, 5), np.float32)
        game.kernels.encode_batch(played.states, number, shown)
        mine, theirs = shown[:, 4, 0, 0], shown[:, 5, 0, 0]
        np.testing.assert_array_equal(theirs, played.states[:, SIDE] == played.rival)
        np.testing.assert_array_equal(mine + theirs, np.full(len(mine), bool(played.rival)))


@pytest.mark.parametrize(
    "search",
    [{}, {"rival_exploration": 40.0}, {"root": "gumbel", "gumbel_moves": 4, "rival_exploration": 40.0}],
)
def test_the_same_seed_plays_the_same_games(search):
    first, second = (play(make_rivals("mcts:playouts=30"), share=0.7, games=16, **search) for _ in range(2))
    assert [played.moves for played in first] == [played.moves for played in second]
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_each_game_has_a_rival_of_its_own_which_keeps_its_thoughts():
    game = make_game("gomoku:size=7")
    rivals = Rivals("mcts:playouts=50", game, games=2, seed=1)
    seeds = np.random.SeedSequence(1).generate_state(2)
    alone = [make_player("mcts:playouts=50", game, seed=int(seed)) for seed in seeds]
    positions = {0: game.after([14]), 1: game.after([15])}
    for _ in range(3):
        chosen = rivals.choose(positions)
        for number, position in positions.items():
            assert chosen[number] == alone[number].think(position).action
            after = position.play(chosen[number])
            positions[number] = after.play(int(after.legal_moves[-1]))
    rivals.new_game(0)
    alone[0].new_game()
    assert rivals.choose({0: game.after([20])}) == {0: alone[0].think(game.after([20])).action}


def test_a_rival_that_breaks_the_rules_is_named(tmp_path, monkeypatch):
    (tmp_path / "stubborn.py").write_text("class Stubborn:\n    def move(self, position):\n        return 12\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    rivals = Rivals("python:stubborn:Stubborn", make_game(GAME), games=1, seed=1)
    assert rivals.choose({0: make_game(GAME).start()}) == {0: 12}
    with pytest.raises(EightfoldError, match="the rival python:stubborn:Stubborn chose action 12, which is not legal"):
        rivals.choose({0: make_game(GAME).after([12])})


def test_the_score_against_a_rival_is_told():
    monitor = SelfPlayMonitor(make_game(GAME))
    assert "rival_score" not in monitor.figures()
    games = play(make_rivals("random"), share=0.6)
    for played in games:
        monitor.see(played)
    points = [0.5 if p.result == DRAW else float(p.result != p.rival) for p in games if p.rival]
    assert monitor.figures()["rival_score"] == pytest.approx(np.mean(points))
    assert np.mean(points) > 0.6, "it is not hard to beat"


def test_a_run_trains_against_a_rival_notes_it_and_plays(tmp_path):
    training = Training(with_changes(load_preset("rival"), SMALL), tmp_path / "run")
    training.train()
    training.evaluate(2)
    training.save()
    training.close()
    assert training.progress.steps > 0
    notes = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    assert {note.get("rival", 0) for note in notes} <= {0, BLACK, WHITE}
    assert any("rival" in note for note in notes)
    card = (tmp_path / "run" / "checkpoint" / "card.md").read_text()
    assert "games against `mcts:playouts=20` (75%) and itself" in card
    game = make_game(GAME)
    position, player = game.start(), make_player(f"net:{tmp_path / 'run'},playouts=16", game)
    while not position.is_over:
        position = position.play(player.think(position).action)


@pytest.fixture
def checkpoint(tmp_path):
    """A network that sees rivals, with weights by chance."""
    torch.manual_seed(1)
    description = Description(
        network="resnet:blocks=1,filters=8", game=make_game(GAME).text, encoder="rival", symmetry="none"
    )
    save_checkpoint(tmp_path / "network", description.make(), description)
    return tmp_path / "network"


def rivals_colour(player) -> int:
    return int(player._search.forest.states[0, RIVAL])


def test_who_is_asked_about_both_sides_of_a_game_takes_nobody_for_the_rival(checkpoint):
    game = make_game(GAME)
    player = make_player(f"net:{checkpoint},playouts=16", game)
    plain = make_player(f"net:{checkpoint},playouts=16,rival=no", game)
    position = game.start()
    for ply in range(4):
        result = player.think(position)
        assert rivals_colour(player) == (0 if ply else WHITE)
        if ply:
            np.testing.assert_array_equal(result.visits, plain.think(position).visits)
        position = position.play(result.action)
    player.think(game.after([3]))
    assert rivals_colour(player) == BLACK, "another line"


def test_who_the_opponent_is_taken_for_can_be_said(checkpoint):
    game = make_game(GAME)
    for choice, colour in (("yes", WHITE), ("no", 0), ("auto", WHITE)):
        player = make_player(f"net:{checkpoint},playouts=16,rival={choice}", game)
        player.think(game.start())
        assert rivals_colour(player) == colour
    with pytest.raises(EightfoldError, match="rival"):
        make_player(f"net:{checkpoint},rival=perhaps", game)


class TwoMinds:
    """Expects the rival on the lowest points, and one like itself on the highest."""

    encoder = "rival"

    def evaluate(self, planes):
        slope = np.where(planes[:, 5, :1, :1].any(axis=(1, 2)), -0.2, 0.2)
        points = np.arange(planes.shape[-1] ** 2)
        return (slope[:, None] * points).astype(np.float32), np.zeros(len(planes), np.float32)


def test_an_opponent_is_recognised_by_its_moves():
    game = make_game("gomoku:size=8")
    for replies, is_rival in (([0, 1, 2], True), ([63, 62, 61], False)):
        recognition, position = Recognition(TwoMinds()), game.start()
        for own, reply in zip((27, 36, 28), replies, strict=True):
            recognition.look(position)
            recognition.look(position)  # to be asked twice is no evidence
            left = position.play(own)
            recognition.leave(left)
            before = recognition.evidence
            position = left.play(reply)
            recognition.look(position)
            scores = 0.2 * left.legal_moves
            as_itself = 0.2 * reply - np.logaddexp.reduce(scores)
            as_rival = -0.2 * reply - np.logaddexp.reduce(-scores)
            assert recognition.evidence == pytest.approx(before + as_rival - as_itself, abs=1e-4)
        assert recognition.is_rival == is_rival
        recognition.look(game.after([5]))
        assert recognition.evidence == 0, "another game"


def test_passes_and_arranged_stones_are_evidence_or_none_and_do_no_harm():
    class AnyMove(TwoMinds):
        def evaluate(self, planes):
            return np.zeros((len(planes), 26), np.float32), np.zeros(len(planes), np.float32)

    game = make_game("go:size=5")
    recognition = Recognition(AnyMove())
    for start in (game.start(), arranged(game, [(3, WHITE)], BLACK)):
        recognition.new_game()
        recognition.look(start)
        left = start.play(12)
        recognition.leave(left)
        recognition.look(left.play("pass"))
        assert recognition.is_rival
        assert recognition.evidence == pytest.approx(0)


def test_a_player_that_finds_its_opponent_strong_changes_its_mind_in_the_middle_of_a_game(checkpoint, monkeypatch):
    game = make_game(GAME)
    player = make_player(f"net:{checkpoint},playouts=16", game)
    position = game.start()
    position = position.play(player.think(position).action)
    monkeypatch.setattr(recognition_module, "DOUBT", 1000.0)
    position = position.play(int(position.legal_moves[0]))
    result = player.think(position)
    assert player._recognition.evidence != 0
    assert rivals_colour(player) == 0
    plain = make_player(f"net:{checkpoint},playouts=16,rival=no", game).think(position)
    np.testing.assert_array_equal(result.visits, plain.visits)
    player.new_game()
    monkeypatch.undo()
    player.think(game.start())
    assert rivals_colour(player) == WHITE


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["encoder=rival", "selfplay.rival=mtcs"], "unknown player 'mtcs' (did you mean 'mcts'?)"),
        (
            ["encoder=rival", "selfplay.rival=mcts:playout=3"],
            "unknown option of player mcts 'playout' (did you mean 'playouts'?)",
        ),
        (["encoder=rival", "selfplay.rival=gtp:gnugo --mode gtp"], "the rival gtp:gnugo --mode gtp is a program"),
        (["selfplay.rival=random", "selfplay.rival_share=1.5"], "selfplay.rival_share = 1.5 is not between 0 and 1"),
        (["selfplay.rival=random"], "selfplay.rival needs encoder = rival, which shows whose turn it is"),
        (["encoder=rival"], "encoder = rival needs a selfplay.rival, and a selfplay.rival_share above 0"),
        (
            ["encoder=rival", "selfplay.rival=random", "selfplay.rival_share=0"],
            "encoder = rival needs a selfplay.rival, and a selfplay.rival_share above 0",
        ),
        (
            ["encoder=rival", "selfplay.rival=random", "selfplay.rival_exploration=-1"],
            "rival_exploration = -1.0 is out of range; 0 or a larger number is needed",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_a_folder_is_made(changes, said, tmp_path):
    with pytest.raises(EightfoldError) as caught:
        Training(with_changes(TrainConfig(), changes), tmp_path / "run")
    assert str(caught.value).startswith(said)
    assert not (tmp_path / "run").exists()


def test_random_stones_may_lie_anywhere():
    for everywhere in (False, True):
        selfplay = SelfPlay(
            make_game("gomoku:size=8"),
            Guess(),
            settings=SelfPlaySettings(games=1, playouts=2, opening_share=1.0, opening_everywhere=everywhere),
            search=SearchSettings(),
            random=np.random.default_rng(1),
        )
        stones = {stone for _ in range(300) for stone in selfplay._random_opening()}
        at_the_edge = {stone for stone in stones if 0 in divmod(stone, 8) or 7 in divmod(stone, 8)}
        assert len(at_the_edge) == (28 if everywhere else 0)
