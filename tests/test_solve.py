"""The command solve, and what it says of a solution."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from eightfold.core.errors import EightfoldError
from eightfold.games import make_game
from eightfold.games.records.files import write_records
from eightfold.games.records.record import GameRecord
from eightfold.search.solving import proof_text, solve
from launching import eightfold

HARD = "h8 g9 g7 i9 f9 h9 i7 h6 j8 f6 g10 e8"
CROSSING = "e5 a1 f5 i1 d6 a9 d7 i9"  # on 9x9, black to move


def test_a_win_by_threes_and_fours_is_told_checked_and_drawn(tmp_path):
    picture = tmp_path / "proof.svg"
    done = eightfold("solve", *CROSSING.split(), "--game", "gomoku:size=9", "-o", str(picture))
    assert done.returncode == 0, done.stderr
    first, line, _, *proof = done.stdout.splitlines()
    assert first.startswith("black wins by threes and fours in ")
    game = make_game("gomoku:size=9")
    end = game.after([*CROSSING.split(), *line.removeprefix("main line: ").split()])
    assert end.winner == 1
    assert "every reply loses to fours" in "\n".join(proof)
    assert proof[-2].startswith("checked by the rules over every legal reply: ")
    root = ElementTree.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    texts = [text.text for text in root.iter() if text.tag.endswith("text")]
    assert "1" in texts
    assert "main line" in texts


def test_json_is_one_object(tmp_path):
    done = eightfold("solve", CROSSING, "--game", "gomoku:size=9", "--json")
    told = json.loads(done.stdout)
    assert (told["verdict"], told["won"], told["side"]) == ("threats", True, "black")
    assert told["checked"]["lines"] > 1000
    assert told["proof"]["move"] == told["line"][0]
    record = tmp_path / "game.sgf"
    moves = [make_game("gomoku:size=9").action(name) for name in CROSSING.split()]
    write_records(record, [GameRecord(game="gomoku:size=9", moves=(*moves, 80 - 44))])
    earlier = json.loads(eightfold("solve", str(record), "--move", "8", "--json").stdout)
    assert {**earlier, "seconds": 0} == {**told, "seconds": 0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("h8", "h8"), "move 2: h8 already has the stone of move 1"),
        (("h99",), "'h99' is not a point of a 15x15 board: a1 to o15"),
        (("none.sgf",), "none.sgf: no such file"),
        (("h8", "--number", "2"), "--number 2 is for a record; h8 is no .sgf or .psq file here"),
        (("h8", "--side", "red"), "--side red is neither black nor white"),
        (("h8", "--move", "2"), "--move 2 is beyond the end of 1 move"),
        (("c3", "--game", "go:size=9"), "go has no search for wins by threats; gomoku has one"),
        (("h8", "-o", "proof.png"), "the picture is SVG: name a file that ends in .svg, not proof.png"),
    ],
)
def test_bad_input_is_one_line(arguments, said):
    done = eightfold("solve", *arguments)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (2, "", f"eightfold: {said}")


def test_other_verdicts():
    game = make_game("gomoku:size=9")
    fours = solve(game.after(["e5", "a1", "f5", "a3", "g5", "c1"]), nodes=1000)
    assert (fours.kind, fours.length, fours.attack, proof_text(fours, 10)) == ("fours", 2, None, [])
    nothing = solve(game.after(["e5", "a1"]), nodes=1000)
    assert (nothing.kind, nothing.line, nothing.check) == ("none", (), None)
    limit = solve(make_game("gomoku:size=15").after(HARD.split()), nodes=50)
    assert (limit.kind, limit.is_won) == ("limit", False)
    over = game.after(["e5", "a1", "f5", "a3", "g5", "c1", "h5", "a7", "d5"])
    with pytest.raises(EightfoldError, match="the game is over"):
        solve(over, nodes=10)


def test_a_long_proof_is_cut():
    hard = make_game("gomoku:size=15").after(HARD.split())
    solution = solve(hard, nodes=20_000, check=False)
    whole = proof_text(solution, 1000)
    cut = proof_text(solution, 4)
    assert cut[:4] == whole[:4]
    assert cut[4] == f"... and {len(whole) - 4} more"
