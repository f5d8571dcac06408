"""The rules of Go: cases with names, counts that are known, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eightfold.arena import make_player, play_match
from eightfold.benchmarks.reference.go import PlainGo
from eightfold.core.errors import EightfoldError
from eightfold.core.jit import kernel
from eightfold.games import BLACK, WHITE, make_game
from eightfold.games.go.board import cell_at, count_liberties, head_of, in_atari, span, stone_count
from eightfold.games.go.layout import COLOUR, ONE_LIBERTY, TAKEN, longest_game
from eightfold.games.go.setup import handicap_points, put_stones
from eightfold.games.points import count
from eightfold.games.setup import start_from, with_side
from eightfold.games.state import NO_MOVE, RESULT, SIDE
from eightfold.symmetry.group import COUNT, destinations
from gnugo import action, gnugo, needs_gnugo
from refusals import refusal


def drawn(picture: str, *, text: str = "go", to_move: int = BLACK):
    """A position from a picture: X is black, O is white, . is empty; a row after another."""
    rows = picture.split()
    stones = {
        r * len(rows) + c: "XO".index(mark) + 1
        for r, row in enumerate(rows)
        for c, mark in enumerate(row)
        if mark != "."
    }
    return start_from(make_game(f"{text}{',' if ':' in text else ':'}size={len(rows)}"), stones, to_move=to_move)


def picture(position) -> str:
    return " ".join("".join(".XO"[stone] for stone in row) for row in position.stones)


# ---- captures, ko, suicide --------------------------------------------------------------------------


def test_a_group_without_liberties_is_taken_off():
    position = drawn("OO.X. OXX.. XX... ..... .....").play("c5")
    assert picture(position) == "..XX. .XX.. XX... ..... ....."
    assert position.state[TAKEN + WHITE - BLACK] == 3


def test_what_captures_is_no_suicide_and_two_groups_may_go_at_once():
    position = drawn(".XO.. XO... O.... ..... .....", to_move=WHITE).play("a5")
    assert picture(position) == "O.O.. .O... O.... ..... ....."


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
def test_a_ko_may_not_be_retaken_at_once(ko):
    taken = drawn(".XO.. XO.O. .XO.. ..... .....", text=f"go:ko={ko}").play("c4")
    assert picture(taken) == ".XO.. X.XO. .XO.. ..... ....."
    assert refusal(lambda: taken.play("b4")) == "move b4 is not legal: it retakes a ko at once"
    away = taken.play("e1").play("d1")
    assert picture(away.play("b4")) == ".XO.. XO.O. .XO.. ..... ...XO"


@pytest.mark.parametrize(("ko", "legal"), [("simple", True), ("positional", False), ("situational", True)])
def test_sending_two_and_returning_one(ko, legal):
    """Black sends two stones, white takes them, black takes one back: the board of the start, with white to move."""
    start = drawn(".X.X. OOX.. ..... ..... .....", text=f"go:ko={ko}")
    sent = start.play("a5").play("c5")
    assert picture(sent) == "..OX. OOX.. ..... ..... ....."
    assert bool(sent.legal_mask[start.game.action("b5")]) is legal
    if legal:
        returned = sent.play("b5")
        assert picture(returned) == picture(start)
        # A pass makes the situation of the start, with black to move, and the next round a repetition of this one.
        assert bool(returned.play("pass").legal_mask[0]) is (ko == "simple")
    else:
        said = refusal(lambda: sent.play("b5"))
        assert said == "move b5 is not legal: it repeats position 0 of the game (superko)"


def test_suicide_is_forbidden_or_allowed_and_never_of_one_stone():
    alone = drawn(".O... O.... ..... ..... .....", text="go:suicide=allowed")
    assert refusal(lambda: alone.play("a5")) == "move a5 is not legal: it is suicide"
    two = ".XO.. OO... ..... ..... ....."
    assert refusal(lambda: drawn(two).play("a5")) == "move a5 is not legal: it is suicide"
    after = drawn(two, text="go:suicide=allowed").play("a5")
    assert picture(after) == "..O.. OO... ..... ..... ....."
    assert after.state[TAKEN] == 2, "prisoners of white's"
    assert after.to_move == WHITE


def test_suicide_that_repeats_a_position_is_forbidden_by_superko():
    """Black puts a second stone beside its first and loses both: the board is what it was before the first."""
    for ko, legal in (("simple", True), ("positional", False)):
        position = drawn("..O.. OO... ..... ..... .....", text=f"go:suicide=allowed,ko={ko}").play("b5").play("pass")
        assert bool(position.legal_mask[0]) is legal
        if not legal:
            assert refusal(lambda position=position: position.play("a5")).endswith(
                "it repeats position 0 of the game (superko)"
            )


# ---- the end ----------------------------------------------------------------------------------------


def test_two_passes_end_a_game_and_one_does_not():
    game = make_game("go:size=5,komi=0.5")
    position = game.after(["c3", "pass"])
    assert not position.is_over
    over = position.play("pass")
    assert over.is_over
    assert over.outcome == "black wins by 24.5"
    assert over.legal_moves.size == 0
    assert refusal(lambda: over.play("a1")) == "move a1 is not legal: the game is over (black wins by 24.5)"
    assert not game.after(["c3", "pass", "d3", "pass"]).is_over


def test_komi_decides_and_may_draw():
    for komi, winner in ((0, BLACK), (24, BLACK), (25, None), (25.5, WHITE), (-3, BLACK)):
        over = make_game(f"go:size=5,komi={komi}").after(["c3", "pass", "pass"])
        assert over.winner == winner
        assert over.margin == 25 - komi


def test_a_game_ends_when_its_row_is_full():
    game = make_game("go:size=2,ko=simple")
    random, position = np.random.default_rng(1), game.start()
    while not position.is_over:
        points = [move for move in position.legal_moves.tolist() if move < 4]
        position = position.play(int(random.choice(points)) if points else 4)
    assert position.ply == longest_game(2)


TERRITORY = """
.X.XO....
XX.XO....
..XXO.O..
XXXOOO...
OOOO.....
..O......
.......O.
...X.X...
.........
"""


def test_area_and_territory_with_dead_stones_given():
    position = drawn(TERRITORY, text="go:komi=0.5")
    dead = ["d2", "f2"]
    plain = PlainGo(9, komi=0.5)
    plain.stones = {(r, c): int(position.stones[r, c]) for r, c in np.argwhere(position.stones)}
    points = [divmod(position.game.action(name), 9) for name in dead]
    for scoring, lead in (("area", plain.area), ("territory", plain.territory)):
        assert count(position, scoring=scoring).margin == lead() - 0.5
        counted = count(position, scoring=scoring, dead=dead)
        assert counted.margin == lead(points) - 0.5
        assert counted.dead == tuple(sorted(position.game.action(name) for name in dead))
        assert counted.text == f"W+{-counted.margin:g}"
        assert counted.winner == WHITE
    own = plain.owners(points)
    assert {(r, c): int(counted.owners[r, c]) for r, c in np.argwhere(counted.owners)} == own


def test_a_dead_stone_stands_for_its_group_and_must_be_one():
    position = drawn("XX.O. XX.O. ...O. OOOO. .....")
    assert len(count(position, dead=["a5"]).dead) == 4
    assert refusal(lambda: count(position, dead=["c5"])) == "no stone lies on c5; only stones can be dead"
    assert "no stone lies on pass" in refusal(lambda: count(position, dead=["pass"]))
    assert "known: area, territory" in refusal(lambda: count(position, scoring="points"))
    assert "seki matters to territory scoring alone" in refusal(lambda: count(position, seki=True))


SEKI = """
.X.O.OX
XXXOOOX
OOOXXXX
..OX...
..OX...
..OX...
..OX...
"""


def test_eyes_in_seki_count_for_area_and_not_under_article_8():
    """The two groups at the top share the point c7 and have an eye each."""
    position = drawn(SEKI, text="go:komi=0")
    usual, strict = (count(position, scoring="territory", seki=seki) for seki in (False, True))
    assert (usual.black, usual.white) == (13, 9)
    assert (strict.black, strict.white) == (12, 8)
    differ = [position.game.name_of(int(point)) for point in np.flatnonzero(usual.owners != strict.owners)]
    assert differ == ["a7", "e7"]
    assert (count(position).black, count(position).white) == (13 + 14, 9 + 12)


def test_prisoners_count_under_territory_rules():
    moves = ["b2", "a1", "a2", "pass", "b1", "pass", "pass"]  # black takes one stone in the corner
    japanese = make_game("go:size=5,rules=japanese,komi=0").after(moves)
    assert japanese.state[TAKEN + 1] == 1
    assert japanese.margin == 25 - 3 + 1
    assert make_game("go:size=5,komi=0").after(moves).margin == 25


# ---- starts -----------------------------------------------------------------------------------------


def test_handicap_stones_are_there_and_white_begins():
    position = make_game("go:size=9,handicap=4,komi=0.5").start()
    assert position.to_move == WHITE
    assert sorted(np.flatnonzero(position.stones == BLACK).tolist()) == sorted(handicap_points(9, 4))
    assert position.play("e5").to_move == BLACK


@needs_gnugo
def test_handicap_stones_are_where_gnugo_puts_them():
    with gnugo() as engine:
        for size in range(7, 20):
            for handicap in range(2, 10):
                answer = engine.ask([f"boardsize {size}", "clear_board", f"fixed_handicap {handicap}"])[2]
                try:
                    game = make_game(f"go:size={size},handicap={handicap}")
                except EightfoldError:
                    assert answer.startswith("?")
                    continue
                assert {action(name, size) for name in answer.split()} == set(
                    np.flatnonzero(game.start().stones).tolist()
                )


def test_the_side_to_move_can_be_changed_without_a_pass():
    taken = drawn(".XO.. XO.O. .XO.. ..... .....", text="go:ko=simple").play("c4")
    again = with_side(taken, BLACK)
    assert (again.to_move, again.ply) == (BLACK, 1)
    assert with_side(again, BLACK) is again
    without_ko = start_from(taken.game, {int(p): int(taken.stones.flat[p]) for p in np.flatnonzero(taken.stones)})
    assert again.orbit_key == without_ko.orbit_key
    assert picture(with_side(again.play("e1"), BLACK).play("e2")) == ".XO.. X.XO. .XO.. ....X ....X"


def test_positions_that_cannot_be_set_up():
    game = make_game("go:size=5")
    assert "without a liberty" in refusal(lambda: start_from(game, {0: BLACK, 1: WHITE, 5: WHITE}))
    assert "stone 1 on pass" in refusal(lambda: start_from(game, {25: BLACK}))
    assert "stone 3 on c3: black is 1, white 2" in refusal(lambda: start_from(game, {12: 3}))
    assert "move 26 is not an action" in refusal(lambda: start_from(game, {26: BLACK}))
    assert "move 0.5 is not" in refusal(lambda: start_from(game, {0.5: BLACK}))
    for call in (lambda: start_from(game, {}, to_move=3), lambda: with_side(game.start(), 3)):
        assert refusal(call) == "3 to move: black is 1, white 2"


def test_other_games_are_neither_set_up_nor_counted():
    gomoku = make_game("gomoku:size=9")
    assert "cannot be set up" in refusal(lambda: start_from(gomoku, {0: BLACK}))
    said = refusal(lambda: count(gomoku.start()))
    assert said == "gomoku:size=9,win=5,rule=freestyle has no points to count; a game such as go has"


# ---- counts that are known --------------------------------------------------------------------------


def reachable_positions(size: int) -> int:
    """Positions that stones of either colour lead to from the empty board, by the rules' own moves."""
    game = make_game(f"go:size={size},ko=simple")
    empty = game.start().state
    seen, waiting = {bytes(size * size)}, [bytes(size * size)]
    state, board = empty.copy(), np.zeros((size, size), np.int8)
    moves = np.empty(game.actions, np.int64)
    while waiting:
        stones = np.frombuffer(waiting.pop(), np.int8).copy()
        for side in (BLACK, WHITE):
            before = empty.copy()
            assert put_stones(before, stones, side)
            for move in moves[: game.rules.legal(before, moves) - 1].tolist():
                state[:] = before
                game.rules.play(state, move)
                game.rules.stones(state, board)
                key = board.tobytes()
                if key not in seen:
                    seen.add(key)
                    waiting.append(key)
    return len(seen)


@pytest.mark.parametrize(("size", "positions"), [(2, 57), (3, 12675)])
def test_the_legal_positions_of_tiny_boards_are_all_reached(size, positions):
    """Tromp and Farnebäck, Combinatorics of Go: 57 on 2x2, 12,675 on 3x3."""
    assert reachable_positions(size) == positions


@kernel
def legal_positions(empty, stones):
    """How many of all ways to fill a board leave every group a liberty."""
    state = empty.copy()
    found = 0
    while True:
        state[:] = empty
        found += put_stones(state, stones, 1)
        point = 0
        while point < stones.shape[0] and stones[point] == 2:
            stones[point] = 0
            point += 1
        if point == stones.shape[0]:
            return found
        stones[point] += 1


@pytest.mark.parametrize(("size", "positions"), [(2, 57), (3, 12675)])
def test_setting_up_refuses_exactly_the_illegal_positions(size, positions):
    start = make_game(f"go:size={size}").start().state
    assert legal_positions(start, np.zeros(size * size, np.int8)) == positions


@pytest.mark.slow
def test_there_are_24318165_legal_positions_on_4x4():
    start = make_game("go:size=4").start().state
    assert legal_positions(start, np.zeros(16, np.int8)) == 24_318_165


# ---- laws -------------------------------------------------------------------------------------------


def random_moves(text: str, seed: int, most: int) -> list[int]:
    random = np.random.default_rng(seed)
    position = make_game(text).start()
    while not position.is_over and position.ply < most:
        legal = position.legal_moves
        position = position.play(
            int(random.choice(legal[:-1]) if len(legal) > 1 and random.random() < 0.97 else legal[-1])
        )
    return list(position.moves)


RULES = ["chinese", "japanese", "new-zealand"]


@settings(max_examples=40)
@given(st.integers(2, 9), st.sampled_from(RULES), st.integers(0, 10**6), st.integers(1, 120), st.integers(0, COUNT - 1))
def test_turning_a_game_commutes_with_the_rules(size, rules, seed, most, g):
    game = make_game(f"go:size={size},rules={rules}")
    turned = np.append(destinations(size)[g], size * size)  # a pass stays
    position, image = game.start(), game.start()
    for move in random_moves(game.text, seed, most):
        assert sorted(turned[position.legal_moves]) == image.legal_moves.tolist()
        position, image = position.play(move), image.play(int(turned[move]))
        assert position.orbit_key == image.orbit_key
        np.testing.assert_array_equal(position.stones.ravel(), image.stones.ravel()[turned[:-1]])
        np.testing.assert_array_equal(count(position).owners.ravel(), count(image).owners.ravel()[turned[:-1]])
        assert position.state[RESULT] == image.state[RESULT]
    for encoder in game.spec.encoders:
        planes, images = position.encode(encoder), image.encode(encoder)
        flat = images.reshape(len(images), -1)[:, turned[:-1]]
        np.testing.assert_array_equal(planes.reshape(len(planes), -1), flat)


@settings(max_examples=40)
@given(st.integers(3, 9), st.integers(0, 10**6), st.integers(1, 120))
def test_groups_and_liberties_kept_up_to_date_are_those_found_by_flooding(size, seed, most):
    game = make_game(f"go:size={size},rules=new-zealand")
    position, plain = game.start(), PlainGo(size, suicide=True, ko="situational")
    seen, stamp = np.zeros(1000, np.int64), 0
    for move in random_moves(game.text, seed, most):
        position = position.play(move)
        plain.play(move)
    state, stride = position.state, size + 1
    for point in plain.stones:
        cell = int(cell_at(point[0] * size + point[1], size))
        head, stamp = int(head_of(state, stride, cell)), stamp + 1
        liberties, group = plain.liberties(point), plain.flood(point, plain.stones)[0]
        assert count_liberties(state, stride, head, 1000, seen, stamp) == len(liberties)
        assert in_atari(state, stride, head) == (len(liberties) == 1)
        assert stone_count(state, stride, head) == len(group)
        if len(liberties) == 1:
            [(row, column)] = liberties
            word = state[head + 3 * span(stride)]  # how often a stone touches the liberty, and the sum of its cells
            assert (word & (ONE_LIBERTY - 1)) == (word // ONE_LIBERTY) * cell_at(row * size + column, size)
        assert state[cell] & COLOUR == plain.stones[point]


def test_keys_tell_apart_what_is_different():
    game = make_game("go:size=5")
    keys = [
        game.start().orbit_key,
        game.after(["pass"]).orbit_key,
        game.after(["c3"]).orbit_key,
        game.after(["pass", "c3"]).orbit_key,
        game.after(["c3", "pass"]).orbit_key,
        drawn(".XO.. X.XO. .XO.. ..... .....", to_move=WHITE).orbit_key,  # no ko
        drawn(".XO.. XO.O. .XO.. ..... .....").play("c4").orbit_key,  # the same stones, and a ko
    ]
    assert len(set(keys)) == len(keys)
    assert game.after(["a1", "c3", "e5"]).orbit_key == game.after(["e5", "c3", "a1"]).orbit_key
    assert game.after(["a1", "c3", "e5"]).orbit_key == game.after(["a5", "c3", "e1"]).orbit_key


# ---- planes -----------------------------------------------------------------------------------------


def test_encoders_show_the_real_past():
    game = make_game("go:size=5,ko=simple")
    moves = ["b4", "b5", "a5", "pass", "c5", "e1", "d2"]  # black's c5 takes b5
    position = game.after(moves)
    planes = position.encode("alphazero")
    for back in range(8):
        earlier = game.after(moves[: len(moves) - back]) if back <= len(moves) else game.start()
        np.testing.assert_array_equal(planes[2 * back], earlier.stones == position.to_move)
        np.testing.assert_array_equal(planes[2 * back + 1], earlier.stones == 3 - position.to_move)
    assert not planes[16].any(), "white is to move"
    np.testing.assert_array_equal(position.encode("history"), planes[:4])
    own, opponent, last, colour = game.after(moves[:5]).encode("last-move")
    assert np.argwhere(last).tolist() == [[0, 2]]
    assert not colour.any()
    assert opponent.sum() == 3
    assert own.sum() == 0, "the stone that was taken is gone"
    assert not game.after(["c3", "pass"]).encode("last-move")[2].any()


def test_liberty_planes():
    taken = drawn(".XO.. XO.O. .XO.. ..... .....", text="go:ko=simple").play("c4")
    planes = taken.encode("liberties")
    state, stride = taken.state, 6
    seen = np.zeros(1000, np.int64)
    for point in range(25):
        if taken.stones.flat[point]:
            liberties = count_liberties(
                state, stride, int(head_of(state, stride, cell_at(point, 5))), 99, seen, point + 1
            )
            assert [plane.flat[point] for plane in planes[2:5]] == [liberties == 1, liberties == 2, liberties == 3]
        else:
            assert not planes[2:5].reshape(3, -1)[:, point].any()
    illegal = {int(move) for move in np.flatnonzero(planes[5])}
    assert illegal == set(taken.forbidden_moves.tolist())
    assert taken.game.action("b4") in illegal
    assert np.flatnonzero(planes[6]).tolist() == [taken.game.action("c4")]
    assert not planes[7:13].any()
    assert taken.play("pass").encode("liberties")[12].all()
    eyes = taken.play("pass").encode("liberties")[13]  # black's
    assert [taken.game.name_of(int(point)) for point in np.flatnonzero(eyes)] == ["a5"], "white has two corners of b4"


@pytest.mark.parametrize("encoder", ["last-move", "history", "alphazero", "liberties"])
def test_encoding_writes_every_number_and_a_batch_is_its_samples(encoder):
    game = make_game("go:size=6")
    positions = [game.start(), game.after(["pass"]), game.after(["a6", "a5", "c3", "b6"])]
    number, planes = game.encoder(encoder)
    batch = np.full((3, planes, 6, 6), np.nan, np.float32)
    game.kernels.encode_batch(np.stack([position.state for position in positions]), number, batch)
    np.testing.assert_array_equal(batch, np.stack([position.encode(encoder) for position in positions]))
    assert np.isin(batch, (0, 1)).all()


# ---- what people type -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("go:size=1", "go: size=1 is not a whole number from 2 to 25"),
        ("go:size=26", "go: size=26 is not a whole number from 2 to 25"),
        ("go:komi=6.3", "go: komi=6.3 is not a multiple of 0.5"),
        ("go:komi=nan", "komi=nan is not a number"),
        ("go:rules=chinesse", "unknown value for 'rules' of go 'chinesse' (did you mean 'chinese'?)"),
        ("go:ko=super", "unknown value for 'ko' of go 'super'"),
        ("go:handicap=1", "go: handicap=1 has no fixed places on a 19x19 board; 0, or 2 to 9 has"),
        ("go:size=8,handicap=5", "go: handicap=5 has no fixed places on a 8x8 board; 0, or 2 to 4 has"),
        ("go:size=5,handicap=2", "go: handicap=2 has no fixed places on a 5x5 board; 0 has"),
        ("go:win=5", "unknown option of go 'win'"),
    ],
)
def test_games_that_do_not_exist(text, said):
    assert said in refusal(lambda: make_game(text))


def test_names_leave_out_the_i_and_a_pass_has_one():
    game = make_game("go:size=9")
    assert game.action("j1") == 80
    assert game.name_of(80) == "j1"
    assert game.action("PASS") == 81
    assert game.name_of(81) == "pass"
    assert refusal(lambda: game.action("i1")) == "'i1' is not a point of a 9x9 board: a1 to j9 or pass"
    assert str(make_game("go:size=9").start()).splitlines()[-1] == "   a b c d e f g h j"
    before = game.after(["e5"])
    assert refusal(lambda: before.play("e5")) == "move e5 is not legal: a black stone is there"
    assert before.ply == 1


# ---- the players ------------------------------------------------------------------------------------


def test_a_game_text_says_all_of_its_rules():
    for text in ("go", "go:size=9,rules=japanese", "go:rules=aga,suicide=allowed", "go:size=13,handicap=3,komi=0.5"):
        assert make_game(make_game(text).text).text == make_game(text).text
    assert make_game("go:rules=tromp-taylor").text.endswith("ko=positional,suicide=allowed")
    assert make_game("go:komi=-0").text == make_game("go:komi=0").text


@pytest.mark.parametrize("player", ["random", "greedy", "mcts:playouts=30", "alphabeta:depth=1"])
def test_every_player_plays_whole_games(player):
    for text in ("go:size=5", "go:size=7,rules=japanese,handicap=2,komi=0.5"):
        report = play_match(make_game(text), player, "greedy", games=2, seed=1)
        assert report.total.games == 2
        assert all(result.position.is_over for result in report.results)
        result = report.results[0]
        assert result.record().result == (
            "Draw"
            if result.position.winner is None
            else f"{'BW'[result.position.winner - 1]}+{abs(result.position.margin):g}"
        )


def test_greedy_takes_and_passes():
    game = make_game("go:size=5")
    take = drawn("OOX.. OXX.. .X... ..... .....")
    assert game.name_of(make_player("greedy", game).think(take).action) == "a3"
    filled = drawn(".X.X. XXXXX XXXXX XXXXX .XXX.")
    assert game.name_of(make_player("greedy", game).think(filled).action) == "pass"


@pytest.mark.parametrize(
    "player", ["greedy", "alphabeta:depth=1", "alphabeta:depth=3", "mcts:style=plain,playouts=5000"]
)
def test_players_capture_what_could_still_run(player):
    position = drawn("....... ..XX... .XOOX.. .XOO... ..XXX.. ....... .......", text="go:komi=20")
    game = position.game
    assert game.name_of(make_player(player, game, seed=1).think(position).action) == "e4"


def test_the_last_pass_wins_for_who_is_ahead_and_loses_for_who_is_behind():
    game = make_game("go:size=5,komi=0.5")
    scratch = np.empty(game.actions, np.int64)
    ahead = game.after(["c3", "a1", "d3", "pass"])  # black to move after a pass, two stones to one and a half
    assert ahead.state[SIDE] == BLACK
    assert count(ahead).margin == 0.5
    assert game.rules.find_win(ahead.state, 0, scratch) == 25
    assert game.rules.find_win(game.after(["c3"]).state, 0, scratch) == NO_MOVE
    behind = game.after(["pass", "c3", "a1", "pass"])  # one stone to one and a half
    assert count(behind).margin == -0.5
    assert game.rules.find_win(behind.state, 0, scratch) == NO_MOVE
    for text in ("alphabeta:depth=1", "mcts:playouts=500"):
        assert make_player(text, game, seed=1).think(ahead).action == 25, text
        assert make_player(text, game, seed=1).think(behind).action != 25, text
    assert make_player("alphabeta:depth=1", game).think(ahead).value == 1, "certainly"


def test_a_search_with_a_network_knows_who_won_by_passing():
    from eightfold.search.forest import ForestSearch
    from eightfold.search.kernels.tree import WON
    from eightfold.search.settings import SearchSettings

    class Undecided:
        encoder = "liberties"

        def evaluate(self, planes):
            return np.zeros((len(planes), 26), np.float32), np.zeros(len(planes), np.float32)

    for komi, black_wins in ((0.5, True), (30.5, False)):
        game = make_game(f"go:size=5,komi={komi}")
        position = game.after(["c3", "pass"])
        search = ForestSearch(game, Undecided(), playouts=60, settings=SearchSettings())
        search.set_root(0, position.state)
        search.prepare_root(0, 60, noisy=False)
        while search.step():
            pass
        assert (search.forest.proof[0, 0] == WON) == black_wins
        assert (search.root_visits(0)[25] > 0) == black_wins, "a pass that loses the game is not looked at"
        assert (search.root_move(0) == 25) == black_wins


def test_random_games_of_the_search_end_with_full_boards():
    """`rollout` has its own way to the end: its results must have the distribution of plain games of its kind."""
    from eightfold.core.rng import make_random
    from eightfold.core.specialise import specialise

    size, games = 5, 400
    game = make_game(f"go:size={size},komi=2.5")
    results = np.zeros(4, np.int64)
    kernels = specialise("eightfold.search.kernels.playouts", game.rules)
    kernels.random_games(game.start().state, 40_000, make_random(1), np.zeros(game.actions, np.int64), results)
    random, plain = np.random.default_rng(1), np.zeros(4, np.int64)
    for _ in range(games):
        naive = PlainGo(size, komi=2.5, ko="simple")
        while not naive.result and len(naive.moves) < 3 * size * size:
            points = [move for move in naive.legal() if move < size * size]
            good = [move for move in points if not naive.is_eye(divmod(move, size), naive.side)]
            naive.play(int(random.choice(good)) if good else size * size)
        lead = naive.area() - naive.komi
        plain[BLACK if lead > 0 else WHITE] += 1
    assert np.abs(results / 40_000 - plain / games).max() < 0.1, (results, plain)
