"""Self-play with each way to spend the playouts at a root."""

from __future__ import annotations

import numpy as np
import pytest

from eightfold.config import TrainConfig, load_preset, with_changes
from eightfold.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.state import DRAW, ONGOING, RESULT, SIDE
from eightfold.learning.loop import Training
from eightfold.learning.selfplay import PlayedGame, SelfPlay, SelfPlaySettings
from eightfold.search.forest import SearchSettings
from eightfold.search.result import SearchResult, one_hot


class Guess:
    """An evaluator with an opinion, so that targets are not all alike."""

    encoder = "last-move"

    def evaluate(self, planes):
        logits = planes[:, :2].sum(axis=1).reshape(len(planes), -1)[:, ::-1] + np.linspace(0, 1, planes[0, 0].size)
        return logits.astype(np.float32), np.tanh(planes[:, 0, 1].sum(axis=1) - planes[:, 1, 2].sum(axis=1))


def play(search: SearchSettings, *, seed: int = 3, **settings) -> list[PlayedGame]:
    selfplay = SelfPlay(
        make_game("gomoku:size=5,win=4"),
        Guess(),
        settings=SelfPlaySettings(games=4, playouts=24, opening_share=0.5, opening_stones=2, **settings),
        search=search,
        random=np.random.default_rng(seed),
    )
    return selfplay.play(12)


WAYS = {
    "puct": SearchSettings(exploration=1.25, noise=0.25, kept_count=True),
    "gumbel": SearchSettings(root="gumbel", gumbel_moves=8),
    "gumbel, kept visits count": SearchSettings(root="gumbel", gumbel_moves=8, kept_count=True),
    "gumbel, lanes": SearchSettings(root="gumbel", gumbel_moves=8, lanes=4),
    "forced": SearchSettings(exploration=1.25, noise=0.25, forced_playouts=2.0, kept_count=True),
}


@pytest.mark.parametrize("way", WAYS)
def test_games_are_legal_and_targets_are_policies(way):
    game = make_game("gomoku:size=5,win=4")
    games = play(WAYS[way])
    assert len({played.moves for played in games}) > 6, "noise and openings make games differ"
    for played in games:
        position = game.after(played.moves)  # refuses what is not legal
        assert position.is_over
        assert (played.states[:, RESULT] == ONGOING).all()
        assert len(played.values) == len(played.moves) - played.opening
        np.testing.assert_allclose(played.policies.sum(axis=1), 1, atol=1e-5)
        for ply, policy in enumerate(played.policies, start=played.opening):
            assert set(np.flatnonzero(policy)) <= set(game.after(played.moves[:ply]).legal_moves)
        assert (np.abs(played.values) <= 1).all()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_seed_plays_the_same_games(way):
    first, second = play(WAYS[way], value_mix=0.3), play(WAYS[way], value_mix=0.3)
    for one, other in zip(first, second, strict=True):
        assert one.moves == other.moves
        np.testing.assert_array_equal(one.policies, other.policies)
        np.testing.assert_array_equal(one.values, other.values)


def test_gumbel_search_chooses_the_moves_itself_and_cheap_searches_have_no_noise():
    hot, cold = (play(WAYS["gumbel"], temperature=temperature) for temperature in (1.0, 0.0))
    assert [played.moves for played in hot] == [played.moves for played in cold]
    mixed = play(WAYS["gumbel"], fast_playouts=6, full_share=0.5)
    assert sum(len(played.values) for played in mixed) < sum(len(played.moves) - played.opening for played in mixed)


SMALL = [
    "game=gomoku:size=5,win=4",
    "network=resnet:blocks=1,filters=8",
    "minutes=0",
    "games=8",
    "selfplay.games_at_once=4",
    "selfplay.playouts=12",
    "selfplay.full_share=1.0",
    "selfplay.opening_stones=2",
    "training.batch_size=16",
    "training.games_a_round=4",
    "training.samples_per_sample=2",
    "training.window=200",
    "evaluation.every_minutes=0",
]


@pytest.mark.parametrize(
    "changes", [["selfplay.root=gumbel", "selfplay.gumbel_moves=4"], ["selfplay.forced_playouts=2"]]
)
def test_a_run_trains_with_each_option(changes, tmp_path):
    training = Training(with_changes(load_preset("quick"), [*SMALL, *changes]), tmp_path / "run")
    training.train()
    training.close()
    assert training.selfplay.search.settings.root == ("gumbel" if "root" in changes[0] else "puct")
    assert training.progress.games >= 8
    assert training.progress.steps > 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["selfplay.root=gumbal"], "unknown root 'gumbal' (did you mean 'gumbel'?); known: puct, gumbel"),
        (["selfplay.gumbel_moves=0"], "gumbel_moves = 0 is too few; at least 1 is needed"),
        (["selfplay.forced_playouts=-1"], "forced_playouts = -1.0 is out of range; 0 or a larger number is needed"),
        (
            ["selfplay.rival=mtcs"],
            "unknown player 'mtcs' (did you mean 'mcts'?);"
            " known: random, greedy, alphabeta, mcts, net:RUN, gomocup:COMMAND, python:MODULE:CLASS",
        ),
        (["selfplay.rival=random", "selfplay.rival_share=1.5"], "selfplay.rival_share = 1.5 is not between 0 and 1"),
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
        settings=SelfPlaySettings(games=4, playouts=8),
        search=SearchSettings(threats=20),
        random=np.random.default_rng(3),
    ).play(12)
    dead = [one for one in played if len(one.moves) < game.points and game.after(one.moves).winner is None]
    assert dead, "some games were over early"
    assert all(game.rules.is_dead(game.after(one.moves).state) and one.result == DRAW for one in dead)


class Witness:
    """A rival that remembers where it was asked, and plays the first free point."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def new_game(self) -> None:
        pass

    def think(self, position):
        self.asked.append(position.moves)
        action = int(position.legal_moves[0])
        return SearchResult(action=action, policy=one_hot(position.game.actions, action), value=0.0)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_rival_plays_one_side_of_its_share_of_the_games(share):
    game, rivals = make_game("gomoku:size=5,win=4"), [Witness(), Witness()]
    games = SelfPlay(
        game,
        Guess(),
        settings=SelfPlaySettings(games=8, playouts=12, rival_share=share, opening_share=0.5, opening_stones=2),
        search=WAYS["puct"],
        random=np.random.default_rng(5),
        rivals=rivals,
    ).play(60)
    asked = {moves for rival in rivals for moves in rival.asked}
    with_rival, colours = 0, set()
    for played in games:
        plies = range(played.opening, len(played.moves))
        if len(played.values) == len(plies):
            continue  # every move was searched
        with_rival += 1
        searched = {int(side) - 1 for side in played.states[:, SIDE]}
        assert len(searched) == 1, "it has the whole of one side"
        colours |= searched
        rivals_plies = [ply for ply in plies if ply % 2 not in searched]
        assert len(played.values) == len(plies) - len(rivals_plies), "all that was searched is kept"
        for ply in rivals_plies:
            assert played.moves[:ply] in asked
            assert played.moves[ply] == game.after(played.moves[:ply]).legal_moves[0]
    assert all(rival.asked for rival in rivals) == (share > 0), "they share the work"
    assert len(colours) == (2 if share else 0)
    assert abs(with_rival / len(games) - share) < 0.25


def test_a_run_trains_against_a_rival_and_the_same_seed_repeats_it(tmp_path):
    changes = ["selfplay.rival=mcts:playouts=20", "selfplay.rival_share=0.7", "games=8"]
    moves = []
    for name in ("one", "other"):
        training = Training(with_changes(load_preset("quick"), [*SMALL, *changes]), tmp_path / name)
        training.selfplay.play(8, on_game=training._store)
        assert training.progress.samples > 0
        training.close()
        moves.append((tmp_path / name / "games.jsonl").read_text())
    assert moves[0] == moves[1]
