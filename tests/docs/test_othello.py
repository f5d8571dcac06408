"""Othello, the example of docs/new-game.md: its rules, its points and passes, and every place where it is played."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

from controllers import Controller
from eightfold.core.errors import EightfoldError
from eightfold.games import BLACK, DRAW, WHITE, Game, Position, count, make_game
from eightfold.games.records.record import GameRecord
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.records.variations import read_tree, write_tree
from eightfold.games.state import HASHES, HEADER, LAST
from eightfold.search.ownership import estimate_ownership
from eightfold.symmetry.group import destinations
from eightfold.symmetry.orbit import toggle, toggle_side
from launching import eightfold

PERFT = (4, 12, 56, 244, 1396, 8200, 55092, 390216)  # from the start on 8x8, by the number of plies


class PlainOthello:
    """The rules once more: a dictionary of discs, and rays that are followed disc by disc."""

    def __init__(self, size: int) -> None:
        self.size, self.side, middle = size, BLACK, size // 2
        self.discs = {(middle - 1, middle): BLACK, (middle, middle - 1): BLACK}
        self.discs |= {(middle - 1, middle - 1): WHITE, (middle, middle): WHITE}

    def turned_by(self, point: tuple[int, int], side: int) -> set[tuple[int, int]]:
        if point in self.discs:
            return set()
        turned: set[tuple[int, int]] = set()
        for step in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]:
            ray = [(point[0] + k * step[0], point[1] + k * step[1]) for k in range(1, self.size)]
            colours = [self.discs.get(place, 0) for place in ray]
            own = colours.index(side) if side in colours else 0
            if 0 not in colours[:own]:
                turned |= set(ray[:own])
        return turned

    def moves(self, side: int) -> list[int]:
        points = range(self.size**2)
        return [point for point in points if self.turned_by(divmod(point, self.size), side)]

    def legal(self) -> list[int]:
        if moves := self.moves(self.side):
            return moves
        return [self.size**2] if self.moves(3 - self.side) else []

    def play(self, move: int) -> None:
        if move < self.size**2:
            point = divmod(move, self.size)
            for place in self.turned_by(point, self.side) | {point}:
                self.discs[place] = self.side
        self.side = 3 - self.side

    def lead(self) -> int:
        return sum(1 if colour == BLACK else -1 for colour in self.discs.values())


@pytest.fixture(autouse=True)
def _own_games(examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))


def othello(size: int) -> Game:
    return make_game(f"python:othello,size={size}", trusted=True)


def discs_of(position: Position) -> dict[tuple[int, int], int]:
    return {(int(row), int(column)): int(position.stones[row, column]) for row, column in np.argwhere(position.stones)}


def random_game(game: Game, seed: int) -> list[Position]:
    random = np.random.default_rng(seed)
    positions = [game.start()]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(int(random.choice(positions[-1].legal_moves))))
    return positions


def game_with_a_pass(game: Game) -> Position:
    """The first random game in which somebody had to pass, at its end."""
    return next(p for seed in range(100) if game.points in (p := random_game(game, seed)[-1]).moves)


# ---- rules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_the_rules_are_those_of_the_plain_game_over_random_games(size):
    game, random = othello(size), np.random.default_rng(size)
    results, passes = set(), 0
    for _ in range({4: 12, 6: 5, 8: 2, 10: 1}[size]):
        position, plain = game.start(), PlainOthello(size)
        while moves := plain.legal():
            assert position.legal_moves.tolist() == moves
            assert not position.is_over
            move = int(random.choice(moves))
            passes += move == game.points
            position = position.play(move)
            plain.play(move)
            assert discs_of(position) == plain.discs
            assert position.to_move == plain.side
        assert position.is_over
        assert position.margin == plain.lead()
        assert position.result == (DRAW if plain.lead() == 0 else BLACK if plain.lead() > 0 else WHITE)
        results.add(position.result)
    if size == 4:
        assert len(results) > 1
        assert passes > 0


def leaves(game: Game, state: np.ndarray, plies: int) -> int:
    """How many lines of so many plies there are."""
    moves = np.empty(game.actions, np.int64)
    count = game.rules.legal(state, moves)
    if plies == 1 or count == 0:
        return count
    total = 0
    for move in moves[:count].tolist():
        after = state.copy()
        game.rules.play(after, move)
        total += leaves(game, after, plies - 1)
    return total


@pytest.mark.parametrize("plies", [*range(1, 7), *(pytest.param(plies, marks=pytest.mark.slow) for plies in (7, 8))])
def test_as_many_lines_as_are_known(plies):
    game = othello(8)
    assert leaves(game, game.start().state, plies) == PERFT[plies - 1]


def test_nobody_passes_who_can_move_and_who_cannot_must():
    game = othello(6)
    end = game_with_a_pass(game)
    ply = end.moves.index(game.points)
    before = game.after(end.moves[:ply])
    assert before.legal_moves.tolist() == [game.points]
    with pytest.raises(EightfoldError, match="pass is not legal: the rules forbid it here"):
        game.start().play("pass")
    after = before.play("pass")
    np.testing.assert_array_equal(after.stones, before.stones)
    assert after.to_move != before.to_move
    assert after.last_move == game.points
    assert not after.encode("last-move")[2].any()


def test_an_odd_board_is_refused_in_one_line():
    with pytest.raises(
        EightfoldError, match=r"^othello: size=7 is odd; four discs begin in the middle of an even board$"
    ):
        othello(7)


def test_the_file_is_short(examples):
    for name in ("othello.py", "hex.py"):
        assert len((examples / name).read_text().splitlines()) < 150


# ---- symmetry: the rules have all eight, the start does not -----------------------------------------------------


def turned(position: Position, g: int) -> Position:
    """The same position with the board turned: every disc and the last move elsewhere, and the hashes made anew."""
    game = position.game
    to = np.append(destinations(game.size)[g], game.points)
    state = position.state.copy()
    state[HEADER + to[:-1]] = position.state[HEADER : HEADER + game.points]
    if position.last_move is not None:
        state[LAST] = to[position.last_move]
    state[HASHES : HASHES + 8] = 0
    for (row, column), colour in discs_of(position).items():
        point = divmod(int(to[row * game.size + column]), game.size)
        toggle(state[HASHES : HASHES + 8], colour - BLACK, *point, game.size)
    if position.to_move == WHITE:
        toggle_side(state[HASHES : HASHES + 8])
    return Position(game, state, ())


@pytest.mark.parametrize("g", range(8))
def test_the_rules_commute_with_every_symmetry(g):
    game = othello(6)
    assert game.symmetries == tuple(range(8))
    to = np.append(destinations(6)[g], game.points)
    for seed in range(3):
        positions = random_game(game, seed)
        for position, following in itertools.pairwise(positions):
            image = turned(position, g)
            assert image.orbit_key == position.orbit_key
            assert sorted(to[position.legal_moves]) == image.legal_moves.tolist()
            after = image.play(int(to[following.last_move]))
            assert after == turned(following, g)
            assert (after.result, after.margin) == (following.result, following.margin)


def test_the_start_looks_the_same_from_four_sides_and_has_the_other_colours_from_the_others():
    start = othello(8).start()
    same = [g for g in range(8) if turned(start, g) == start]
    assert same == [0, 2, 6, 7]
    for g in {*range(8)} - {*same}:
        np.testing.assert_array_equal(turned(start, g).stones, (3 - start.stones) * (start.stones > 0))
    assert len({turned(start, g).orbit_key for g in range(8)}) == 1


# ---- points -----------------------------------------------------------------------------------------------


def test_discs_are_points_at_any_time():
    game = othello(6)
    position = game.start().play("c5")
    counted = count(position)
    assert (counted.black, counted.white, counted.text, counted.dead) == (4, 1, "B+3", ())
    np.testing.assert_array_equal(counted.owners, position.stones)
    assert position.margin is None, "the game goes on"
    with pytest.raises(EightfoldError, match=r"c5: in python:othello,size=6 no stone is dead"):
        count(position, dead=["c5"])


@pytest.mark.slow  # it compiles random games
def test_random_games_say_who_will_own_the_points():
    game = othello(4)
    end = random_game(game, 1)[-1]
    predicted = estimate_ownership(end, games=10)
    np.testing.assert_array_equal(predicted.owners, (end.stones == BLACK).astype(int) - (end.stones == WHITE))
    assert predicted.lead == end.margin
    assert abs(estimate_ownership(game.start(), games=200).lead) < 16


# ---- records ----------------------------------------------------------------------------------------------


def test_a_game_with_a_pass_is_written_and_read():
    game = othello(6)
    end = game_with_a_pass(game)
    record = GameRecord(game=game.text, moves=end.moves, black="ann", white="bob", result="B+2")
    text = write_sgf([record])
    assert text.startswith("(;FF[4]GM[2]")
    assert "EIGHTFOLD[python:othello,size=6]" in text
    assert "[];" in text
    assert read_sgf(text) == [record]
    tree = read_tree(text.replace("(;FF", "(;FF", 1), most_nodes=100)
    assert tree.main_line() == list(end.moves)
    assert read_tree(write_tree(tree), most_nodes=100).main_line() == list(end.moves)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(;GM[2]SZ[6];B[dc])", "GM[2]' is not a game that is read"),
        ("(;GM[2]SZ[8]EIGHTFOLD[python:othello,size=6];B[cb])", "SZ[8] and EIGHTFOLD"),
        ("(;GM[2]EIGHTFOLD[python:othello,size=6];B[aa])", "move 1, 'B[aa]': move a6 is not legal"),
        ("(;GM[2]EIGHTFOLD[python:othello,size=6];W[cb])", "move 1, 'W[cb]': it is black's turn"),
        ("(;GM[2]EIGHTFOLD[python:othello,size=6];B[])", "move 1, 'B[]': move pass is not legal"),
        (
            "(;GM[2]EIGHTFOLD[python:othello,size=6];B[b1x])",
            "not a point; two letters are, such as dd, or none to pass",
        ),
        ("(;GM[2]EIGHTFOLD[python:othello,size=6]AB[aa];B[cb])", "AB sets up stones"),
        ("(;GM[11]EIGHTFOLD[python:othello,size=6];B[cb])", "this is not a game of GM[11]"),
        ("(;GM[2]EIGHTFOLD[python:nobody];B[cb])", "python:nobody is code of somebody's own"),
    ],
)
def test_a_bad_record_is_refused_in_one_line(text, said):
    othello(6)  # the user has named it
    with pytest.raises(EightfoldError) as error:
        read_sgf(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


# ---- in a terminal and over GTP -----------------------------------------------------------------------------


def test_it_is_played_in_a_terminal(examples):
    played = eightfold(
        "play", "random", "--game", "python:othello,size=4", "--seed", "1", compiled=False, cwd=examples,
        input="help\na1\npass\nb4\nundo\nquit\n",
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    told = " ".join(played.stdout.split())
    assert "+ possible; points: black 2, white 2: black to move after 0 moves" in told
    assert "+ possible; points: black 4, white 1: white to move after 1 move" in told
    assert "  pass       pass" in played.stdout
    assert "dead" not in played.stdout
    assert "move a1 is not legal" in played.stdout
    assert "move pass is not legal" in played.stdout


def test_it_is_matched_and_the_discs_are_told(examples, tmp_path):
    done = eightfold(
        "match", "mcts:playouts=20", "random", "--game", "python:othello,size=4", "--games", "2", "--show",
        "--sgf", str(tmp_path / "games"), compiled=False, cwd=examples,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "; points: black" in done.stdout
    records = [read_sgf(path.read_text())[0] for path in sorted((tmp_path / "games").iterdir())]
    assert len(records) == 2
    for record in records:
        position = record.position()
        assert position.is_over
        assert record.result == (
            "Draw" if position.is_draw else f"{'BW'[position.margin < 0]}+{abs(position.margin):g}"
        )


def test_it_is_played_over_gtp(examples):
    game = othello(4)
    end = game_with_a_pass(game)
    paths = os.pathsep.join(filter(None, [str(examples), os.environ.get("PYTHONPATH", "")]))
    environment = {"PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"}
    with Controller("--player", "random", "--game", "python:othello,size=4", **environment) as engine:
        assert engine.gtp("gogui-rules_game_id") == "Othello"
        for ply, move in enumerate(end.moves):
            engine.gtp(f"play {'bw'[ply % 2]} {game.name_of(move)}")
        assert engine.gtp("final_score") == ("0" if not end.margin else f"{'BW'[end.margin < 0]}+{abs(end.margin):g}")
        assert "the game is over" in engine.refused("genmove b")
        engine.gtp("undo")
        mover = "bw"[(len(end.moves) - 1) % 2]
        assert engine.gtp(f"genmove {mover}").lower() == game.name_of(end.moves[-1])
        assert "EIGHTFOLD[python:othello,size=4]" in engine.gtp("printsgf")
        assert engine.quit() == 0
