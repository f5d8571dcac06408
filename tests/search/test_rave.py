"""The full style of the Monte Carlo player: its statistics, threads, passes and limits."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

from eightfold.arena import play_match
from eightfold.games import BLACK, WHITE, make_game
from eightfold.search import Mcts
from eightfold.search.rave import Rave
from patience import finished


class Watched(Rave):
    """Keeps what every playout was: path, moves, who was first where, result; and which nodes had children then."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.seen, kernels = [], self._kernels

        def back_up(tree, side, count, weights, batch):
            for slot in range(count):
                path = batch.paths[slot, : batch.depths[slot] + 1].tolist()
                moves = [int(tree.move[node]) for node in path]
                inner = [node for node in path if tree.first[node] >= 0]
                self.seen.append((path, moves, batch.firsts[slot].copy(), int(batch.results[slot]), inner))
            kernels.back_up(tree, side, count, weights, batch)

        self._kernels = SimpleNamespace(**{**vars(kernels), "back_up": back_up})


@pytest.mark.parametrize("text", ["go:size=4,komi=1.5", "go:size=3,komi=0.5"])
def test_statistics_are_those_of_a_plain_count(text):
    game = make_game(text)
    position = game.after(["b2"])
    player = Watched(game, Mcts.Options(playouts=400), seed=5)
    player.think(position)
    tree = player._tree
    used = int(tree.used[0])
    visits, value, amaf, amaf_value = (np.zeros(used) for _ in range(4))
    for path, moves, first, result, inner in player.seen:
        for step, node in enumerate(path):
            side = WHITE if step % 2 == 0 else BLACK  # to move there: white, after one stone
            score = 0 if result not in (BLACK, WHITE) else 1 if result == side else -1
            visits[node] += 1
            value[node] -= score
            if node not in inner:
                continue
            later = moves[step + 1 :]
            for child in range(tree.first[node], tree.first[node] + tree.children[node]):
                move = int(tree.move[child])
                # Who was first on it: the side to move, if an even number of plies came before.
                mine = later.index(move) % 2 == 0 if move in later else first[move] == side
                amaf[child] += mine
                amaf_value[child] += mine * score
    np.testing.assert_array_equal(tree.visits[:used], visits)
    np.testing.assert_allclose(tree.value[:used], value, atol=1e-3)
    np.testing.assert_array_equal(tree.amaf_visits[:used], amaf)
    np.testing.assert_allclose(tree.amaf_value[:used], amaf_value, atol=1e-3)
    assert amaf.max() > visits[1:].max(), "all moves as first see far more games"


def test_threads_do_not_change_what_is_visited():
    game = make_game("go:size=7")
    found = []
    for threads in (1, 2, 3):
        player = Mcts(game, Mcts.Options(playouts=700, threads=threads), seed=4)
        position, visits = game.start(), []
        for _ in range(2):
            result = player.think(position)
            visits.append(result.visits.tolist())
            position = position.play(result.action)
        found.append(visits)
    assert found[0] == found[1] == found[2]
    other = Mcts(game, Mcts.Options(playouts=700, threads=1), seed=5).think(game.start())
    assert other.visits.tolist() != found[0][0]


def test_the_tree_below_the_moves_played_is_kept():
    game = make_game("go:size=5")
    player = Rave(game, Mcts.Options(playouts=500), seed=3)
    position = game.after(["c3"])
    first = player.think(position)
    reply = first.principal_variation[1]
    kept = player._child(player._child(0, first.action), reply)
    before, amaf = int(player._tree.visits[kept]), float(player._tree.amaf_visits[kept])
    assert before > 1
    later = position.play(first.action).play(reply)
    second = player.think(later)
    assert int(player._tree.visits[0]) == before + 500
    assert float(player._tree.amaf_visits[0]) == amaf
    assert second.effort == 500
    assert second.visits.sum() >= before + 500 - 10, "but for the visits before the node had children"


def test_a_full_tree_goes_on_with_what_it_has():
    game = make_game("go:size=5")
    player = Rave(game, Mcts.Options(playouts=600), seed=1)
    player._tree, player._spare = player._make_tree(80), player._make_tree(80)  # room for three nodes' children
    position = game.start()
    for _ in range(3):
        result = player.think(position)
        assert result.effort == 600
        assert int(player._tree.used[0]) <= 80
        assert position.legal_mask[result.action]
        position = position.play(result.action)


@pytest.mark.parametrize("playouts", [1, 2, 3])
def test_very_few_playouts_still_give_a_legal_move(playouts):
    game = make_game("go:size=5")
    position = game.after(["c3"])
    result = Mcts(game, Mcts.Options(playouts=playouts), seed=1).think(position)
    assert position.legal_mask[result.action]
    assert result.policy.sum() == pytest.approx(1)
    assert result.effort == playouts


def test_time_is_a_limit_too():
    game = make_game("go:size=7")
    enough = threading.Event()
    player = Mcts(game, Mcts.Options(playouts=10, seconds=1e6, memory=2), seed=1)
    result = finished(lambda: player.think(game.start(), stop=enough, on_progress=lambda snapshot: enough.set()))
    assert result.effort > 10
    assert player.timed
    assert finished(lambda: Mcts(game, Mcts.Options(seconds=0.05, memory=2), seed=1).think(game.start())).effort > 0
    assert player.bytes_a_game <= 2_000_000 + 4_000_000, "the tree, and the batches beside it"


def test_after_an_interruption_it_starts_a_new_tree():
    game = make_game("go:size=5")
    player, reference = (Rave(game, Mcts.Options(playouts=200), seed=1) for _ in range(2))
    kernels, calls = player._kernels, []

    def play_out(*arguments):
        calls.append(arguments)
        if len(calls) == 20:
            raise KeyboardInterrupt
        kernels.play_out(*arguments)

    player._kernels = SimpleNamespace(**{**vars(kernels), "play_out": play_out})
    with pytest.raises(KeyboardInterrupt):
        player.think(game.start())
    player._kernels = kernels
    result, expected = player.think(game.start()), reference.think(game.start())
    assert result.visits.sum() == expected.visits.sum() == 200


@pytest.mark.parametrize(
    "change",
    [
        {"rave": 0.0},
        {"captures": False},
        {"self_atari": 0},
        {"mercy": 0.05},
        {"priors": "off"},
        {"priors": "puct"},
        {"exploration": 1.0},
        {"nakade": True},
    ],
    ids=str,
)
def test_every_ingredient_is_an_option_of_its_own(change):
    game = make_game("go:size=7")
    position = game.after(["d4", "e4", "d5", "e5"])

    def visits(**options):
        return Mcts(game, Mcts.Options(playouts=200, **options), seed=1).think(position).visits.tolist()

    assert visits(**change) != visits()


@pytest.mark.slow
def test_the_full_style_is_stronger_than_the_plain_one_at_equal_playouts():
    report = play_match(
        make_game("go:size=7,komi=9.5"), "mcts:playouts=80", "mcts:style=plain,playouts=80", games=12, seed=1
    )
    assert report.total.score > 0.6


# ---- passing ----------------------------------------------------------------------------------------

# Black has the columns a to c, white d and e.
WALLS = [name for row in range(1, 6) for name in (f"c{row}", f"d{row}")]


def chosen(text, moves, playouts=600):
    game = make_game(text)
    return game.name_of(Mcts(game, Mcts.Options(playouts=playouts), seed=2).think(game.after(moves)).action)


def test_a_pass_that_wins_at_once_is_played():
    assert chosen("go:size=5,komi=7.5", [*WALLS, "pass"]) == "pass", "white has 10 and 7.5, black 15"
    assert chosen("go:size=5,komi=0.5", [*WALLS, "b3", "pass"]) == "pass", "black has 15, white 10.5"


def test_it_passes_when_all_is_settled_and_won_as_it_stands():
    assert chosen("go:size=5,komi=0.5", [*WALLS, "b2", "e2", "b4", "e4"], 3000) == "pass", "both have their eyes"
    assert chosen("go:size=5,komi=0.5", WALLS[:-2]) != "pass", "two points are still open"


def test_it_does_not_pass_in_the_opening_though_the_komi_wins_as_the_board_stands():
    game = make_game("go:size=9,komi=7.5")
    for seed in range(30):
        result = Mcts(game, Mcts.Options(playouts=20), seed=seed).think(game.after(["e3", "e4", "f3", "f4", "g3"]))
        assert game.name_of(result.action) != "pass"


def test_it_does_not_pass_while_the_win_depends_on_dead_stones():
    """A white stone in black's area has no life, but as the board stands it costs black everything there."""
    game = make_game("go:size=5,komi=0.5")
    position = game.after([*WALLS, "b1", "a3", "b2", "pass"])
    player = Mcts(game, Mcts.Options(playouts=300), seed=1)
    for _ in range(20):
        move = player.think(position).action
        position = position.play(move)
        if position.is_over:
            break
        assert game.name_of(move) != "pass" or position.stones[2, 0] == 0, "not before the stone is gone"
        position = position.play("pass")
        if position.is_over:
            break
    assert position.is_over
    assert position.winner == BLACK


def test_it_does_not_play_on_where_the_opponent_has_passed_and_all_is_lost():
    assert chosen("go:size=5,komi=7.5", [*WALLS, "b2", "e2", "b4", "pass"]) == "pass"


def test_it_fills_no_eyes_of_its_own():
    game = make_game("go:size=5,komi=0.5")
    # Black owns the board but for its eyes a1 and e1, and white's last stone is gone.
    stones = [f"{column}{row}" for row in (2, 3) for column in "abcde"] + ["b1", "d1"]
    position = game.after([each for name in stones for each in (name, "pass")])
    result = Mcts(game, Mcts.Options(playouts=200), seed=1).think(position)
    assert result.visits[game.action("a1")] == result.visits[game.action("e1")] == 0


def test_who_watches_does_not_change_the_visits(monkeypatch):
    monkeypatch.setattr("eightfold.search.tree_player.INTERRUPTIBLE", 512)
    game = make_game("go:size=5")
    alone, watched = (Mcts(game, Mcts.Options(playouts=1300), seed=3) for _ in range(2))
    expected = alone.think(game.start()).visits
    assert watched.think(game.start(), on_progress=lambda snapshot: None).visits.tolist() == expected.tolist()


def test_a_pass_that_is_better_is_not_given_up_for_a_bad_move(monkeypatch):
    """As in a seki: passing wins as the board stands, random games doubt it, and every other move is worse."""
    game = make_game("go:size=5")
    player, position = Rave(game, Mcts.Options(playouts=10), seed=1), game.after(["c3"])
    values = np.full(game.actions, np.nan, np.float32)
    values[game.points], values[0] = 0.9, -0.8
    visits = np.zeros(game.actions, np.int64)
    visits[game.points], visits[0] = 900, 50
    monkeypatch.setattr(player, "_passing_wins", lambda position: True)
    monkeypatch.setattr(player, "_root_values", lambda actions: values)
    assert player._choose(position, visits, None) == game.points
    values[0] = 0.91
    assert player._choose(position, visits, None) == 0
