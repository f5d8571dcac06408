"""The rules of Go against GNU Go, sgfmill and a plain implementation, over random games."""

from __future__ import annotations

import numpy as np
import pytest
from sgfmill.boards import Board as SgfmillBoard

from eightfold.benchmarks.reference.go import PlainGo
from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.go.board import cell_at, has_liberty, touches_own
from eightfold.games.go.layout import COLOUR, RULES, SUICIDE, TAKEN
from eightfold.games.go.memory import repeats
from eightfold.games.points import count
from eightfold.games.setup import start_from
from eightfold.games.state import BLACK, ONGOING, RESULT, SIDE, SIZE, WHITE
from gnugo import COLOURS, GnuGo, action, gnugo, needs_gnugo, vertex

GNUGO_OPTIONS = {
    "go:ko=simple,suicide=forbidden": ("--simple-ko", "--forbid-suicide"),
    "go:ko=positional,suicide=forbidden": ("--positional-superko", "--forbid-suicide"),
    "go:ko=positional,suicide=allowed": ("--positional-superko", "--allow-suicide"),
    "go:ko=situational,suicide=forbidden": ("--situational-superko", "--forbid-suicide"),
    "go:ko=simple,suicide=allowed": ("--simple-ko", "--allow-suicide"),
}


GNUGO_REMEMBERS = 500  # moves: what came before is no repetition to it any more


class Players:
    """Moves for random games: mostly anywhere, often where stones were just taken or beside the last move."""

    def __init__(self, random: np.random.Generator, size: int) -> None:
        self._random, self._size, self._hot = random, size, set[int]()

    def choose(self, legal: list[int], before: np.ndarray, after: np.ndarray) -> int:
        passed = self._size**2
        if len(legal) == 1 or self._random.random() < 0.01:
            return passed
        self._hot |= set(np.flatnonzero((before != 0) & (after == 0)).tolist())
        points = legal[:-1]
        hot = [point for point in points if point in self._hot]
        if hot and self._random.random() < 0.5:
            return int(self._random.choice(hot))  # kos and other repetitions come about
        return int(self._random.choice(points))


def game_at(text: str, size: int):
    return make_game(f"{text},size={size}" if ":" in text else f"{text}:size={size}")


# ---- the plain implementation -----------------------------------------------------------------------


def test_random_games_from_setups_go_as_in_the_plain_rules():
    """What is set up was there before, so it may not come again; the empty board was never there."""
    random, forbidden = np.random.default_rng(5), 0
    for number in range(120):
        size, ko = int(random.integers(2, 5)), ("simple", "positional", "situational")[number % 3]
        suicide, side = ("allowed", "forbidden")[number % 2], int(random.integers(BLACK, WHITE + 1))
        points = random.choice(size * size, int(random.integers(1, size * size)), replace=False)
        stones = {int(point): int(random.integers(BLACK, WHITE + 1)) for point in points}
        plain = PlainGo(size, ko=ko, suicide=suicide == "allowed", stones=stones, side=side)
        game = make_game(f"go:size={size},ko={ko},suicide={suicide}")
        if not all(plain.liberties(point) for point in plain.stones):
            with pytest.raises(EightfoldError, match="without a liberty"):
                start_from(game, stones, to_move=side)
            continue
        position = start_from(game, stones, to_move=side)
        while not position.is_over and position.ply < 2 * size * size:
            legal = position.legal_moves.tolist()
            assert legal == plain.legal()
            forbidden += len(position.forbidden_moves)
            move = int(random.choice(legal[:-1])) if len(legal) > 1 and random.random() < 0.9 else legal[-1]
            position = position.play(move)
            plain.play(move)
            assert {(r, c): int(position.stones[r, c]) for r, c in np.argwhere(position.stones)} == plain.stones
    assert forbidden > 100


def play_beside_plain(text: str, size: int, random: np.random.Generator, most: int) -> dict[str, int]:
    """One random game in both, compared after every move; what it had of interest."""
    game = game_at(text, size)
    state = game.start().state.copy()
    komi, ko, suicide = (game.values[name] for name in ("komi", "ko", "suicide"))
    plain = PlainGo(size, komi=float(komi), ko=str(ko), suicide=suicide == "allowed")
    moves, board = np.empty(game.actions, np.int64), np.zeros((size, size), np.int8)
    players, before, seen = Players(random, size), np.zeros(size * size, np.int8), {"moves": 0, "forbidden": 0}
    territory = game.values["rules"] == "japanese"
    while state[RESULT] == ONGOING and seen["moves"] < most:
        legal = moves[: game.rules.legal(state, moves)].tolist()
        assert legal == plain.legal()
        assert state[SIDE] == plain.side
        seen["forbidden"] += size * size - len(plain.stones) - len(legal) + 1
        move = players.choose(legal, before, board.ravel())
        before = board.ravel().copy()
        game.rules.play(state, move)
        plain.play(move)
        game.rules.stones(state, board)
        assert {(r, c): int(board[r, c]) for r, c in np.argwhere(board)} == plain.stones
        assert [state[TAKEN], state[TAKEN + 1]] == [plain.taken[BLACK], plain.taken[WHITE]]
        seen["moves"] += 1
    lead = (plain.territory() if territory else plain.area()) - plain.komi
    if plain.result:
        assert state[RESULT] == (BLACK if lead > 0 else WHITE if lead < 0 else 3)
        assert game.rules.margin_of(state) == lead
    return seen | {"taken": sum(plain.taken.values())}


PLAIN_BOARDS = [(2, 40), (3, 40), (4, 20), (5, 10), (7, 3), (9, 2)]


@pytest.mark.parametrize("rules", ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"])
@pytest.mark.parametrize(("size", "games"), PLAIN_BOARDS)
def test_random_games_go_as_in_the_plain_rules(rules, size, games):
    random = np.random.default_rng([size, len(rules)])
    seen = [play_beside_plain(f"go:rules={rules}", size, random, 2 * size * size + 30) for _ in range(games)]
    assert sum(each["taken"] for each in seen) > 0
    assert sum(each["forbidden"] for each in seen) > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["chinese", "japanese", "aga", "new-zealand", "tromp-taylor"])
@pytest.mark.parametrize(
    ("size", "games"), [(2, 500), (3, 500), (4, 300), (5, 100), (7, 20), (9, 10), (13, 2), (19, 1)]
)
def test_many_more_random_games_go_as_in_the_plain_rules(rules, size, games):
    random = np.random.default_rng([size, len(rules), 1])
    for _ in range(games):
        play_beside_plain(f"go:rules={rules}", size, random, 3 * size * size + 60)


# ---- GNU Go -----------------------------------------------------------------------------------------


def repeating_suicides(state: np.ndarray) -> list[int]:
    """What GNU Go allows and superko does not: it compares no position that a suicide makes with those before."""
    size, side = int(state[SIZE]), int(state[SIDE])
    stride, moves = size + 1, []
    for move in range(size * size if state[RULES] & SUICIDE else 0):
        cell = cell_at(move, size)
        if (
            state[cell] & COLOUR == 0
            and not has_liberty(state, stride, cell, side)
            and touches_own(state, stride, cell, side)
        ):
            moves += [move] if repeats(state, stride, cell, side) else []
    return moves


def play_beside_gnugo(engine: GnuGo, text: str, size: int, random: np.random.Generator, every: int) -> int:
    """One random game in both: prisoners and, every so many moves, board and legal moves; how many were compared."""
    game = game_at(text, size)
    state = game.start().state.copy()
    moves, board = np.empty(game.actions, np.int64), np.zeros((size, size), np.int8)
    players, before = Players(random, size), np.zeros(size * size, np.int8)
    commands, expected = [f"boardsize {size}", "clear_board"], ["", ""]
    compared = 0
    for ply in range(min(2 * size * size, GNUGO_REMEMBERS)):
        legal = moves[: game.rules.legal(state, moves)].tolist()
        if not legal:
            break
        side = COLOURS[int(state[SIDE])]
        if ply % every == 0:
            commands.append(f"all_legal {side}")
            expected.append("legal " + " ".join(map(str, sorted(legal[:-1] + repeating_suicides(state)))))
            compared += 1
        move = players.choose(legal, before, board.ravel())
        before = board.ravel().copy()
        commands.append(f"play {side} {vertex(move, size)}")
        expected.append("")
        game.rules.play(state, move)
        game.rules.stones(state, board)
        for colour, name in COLOURS.items():
            if ply % every == 0:
                commands.append(f"list_stones {name}")
                expected.append("legal " + " ".join(map(str, np.flatnonzero(board == colour))))
            commands.append(f"captures {name}")  # how many stones this side has taken
            expected.append(str(state[TAKEN + 2 - colour]))
    for command, answer, wanted in zip(commands, engine.ask(commands), expected, strict=True):
        if wanted.startswith("legal"):
            answer = "legal " + " ".join(map(str, sorted(action(name, size) for name in answer.split())))
        assert answer == wanted, command
    return compared


@needs_gnugo
@pytest.mark.parametrize("text", GNUGO_OPTIONS)
def test_random_games_go_as_in_gnugo(text):
    with gnugo(*GNUGO_OPTIONS[text]) as engine:
        for size, games in ((5, 30), (7, 12), (9, 8), (13, 2), (19, 1)):
            random = np.random.default_rng([size, len(text)])
            compared = sum(play_beside_gnugo(engine, text, size, random, every=2) for _ in range(games))
            assert compared >= 5 * games


@needs_gnugo
@pytest.mark.slow
@pytest.mark.parametrize("text", GNUGO_OPTIONS)
def test_a_thousand_random_games_go_as_in_gnugo(text):
    with gnugo(*GNUGO_OPTIONS[text]) as engine:
        for size, games in ((5, 500), (6, 150), (7, 150), (9, 150), (11, 20), (13, 20), (16, 6), (19, 4)):
            random = np.random.default_rng([size, len(text), 1])
            for _ in range(games):
                play_beside_gnugo(engine, text, size, random, every=2)


# ---- sgfmill ----------------------------------------------------------------------------------------


def play_beside_sgfmill(size: int, random: np.random.Generator) -> int:
    """One random game in both: the stones, simple ko and the area after every move; how many stones were taken."""
    game = make_game(f"go:size={size},ko=simple,suicide=allowed,komi=0")
    position, other = game.start(), SgfmillBoard(size)
    players, before = Players(random, size), np.zeros(size * size, np.int8)
    ko = None  # where sgfmill says that the next move may not be
    for _ in range(2 * size * size):
        legal = position.legal_moves.tolist()
        if not legal:
            break
        if ko is not None:
            assert (size - 1 - ko[0]) * size + ko[1] not in legal
        move = players.choose(legal, before, position.stones.ravel())
        before = position.stones.ravel().copy()
        if move < size * size:
            row, column = divmod(move, size)
            ko = other.play(size - 1 - row, column, "b" if position.to_move == BLACK else "w")
        else:
            ko = None
        position = position.play(move)
        theirs = {(size - 1 - row, column): colour for colour, (row, column) in other.list_occupied_points()}
        ours = {(int(r), int(c)): " bw"[position.stones[r, c]] for r, c in np.argwhere(position.stones)}
        assert ours == theirs
        assert count(position).margin == other.area_score()
    return int(position.state[TAKEN] + position.state[TAKEN + 1])


@pytest.mark.parametrize(("size", "games"), [(5, 40), (7, 20), (9, 10), (13, 3), (19, 2), (25, 1)])
def test_random_games_go_as_in_sgfmill(size, games):
    random = np.random.default_rng([size, 7])
    assert sum(play_beside_sgfmill(size, random) for _ in range(games)) > 10 * games


@pytest.mark.slow
@pytest.mark.parametrize(("size", "games"), [(5, 1000), (6, 300), (7, 300), (9, 300), (13, 40), (19, 20)])
def test_thousands_of_random_games_go_as_in_sgfmill(size, games):
    random = np.random.default_rng([size, 8])
    for _ in range(games):
        play_beside_sgfmill(size, random)
