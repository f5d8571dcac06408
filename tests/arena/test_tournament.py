"""Tournaments: what is missing is played, and nothing twice, after any stop; what is written reads back."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from eightfold.arena import Forfeit, make_player, tournament
from eightfold.arena.tournaments import play, report
from eightfold.arena.tournaments.schedule import missing_games, pairs_of
from eightfold.arena.tournaments.settings import TournamentSettings
from eightfold.benchmarks.reference.bradley_terry import plain_ratings
from eightfold.core.lock import lock_folder
from eightfold.games import make_game
from eightfold.games.records.files import read_records
from launching import Launch, eightfold, server
from refusals import refusal

GAME = "gomoku:size=5,win=4"
SMALL = {"game": GAME, "games": 4, "opening_plies": 2, "seed": 1}
THREE = ["random", "greedy", "mcts:playouts=20"]


def lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def games_of(folder: Path) -> dict[tuple[str, str, int], tuple[str, str, list[int]]]:
    """Who was black, how it ended and the moves, by pair and number."""
    found = {(*line["pair"], line["number"]): (line["black"], line["result"], line["moves"]) for line in lines(folder)}
    assert len(found) == len(lines(folder)), "no game is there twice"
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> Path:
    """A tournament of three, to be looked at and not to be changed."""
    folder = tmp_path_factory.mktemp("played") / "cup"
    tournament(folder, THREE, **SMALL)
    return folder


def test_everybody_plays_everybody_from_both_sides_of_each_opening(played):
    games = games_of(played)
    pairs = {("greedy", "random"), ("mcts:playouts=20", "random"), ("greedy", "mcts:playouts=20")}
    assert set(games) == {(*pair, number) for pair in pairs for number in range(4)}
    for pair in pairs:
        blacks, _, moves = zip(*(games[*pair, number] for number in range(4)), strict=True)
        assert blacks == (pair[0], pair[1]) * 2
        openings = [each[:2] for each in moves]
        assert openings[0] == openings[1] != openings[2] == openings[3]
        assert openings == [games["greedy", "random", number][2][:2] for number in range(4)], "the same for all pairs"


def test_a_pair_plays_the_same_games_whoever_else_takes_part(played, tmp_path):
    tournament(tmp_path / "two", ["mcts:playouts=20", "greedy"], **SMALL)
    alone = games_of(tmp_path / "two")
    assert alone == {key: game for key, game in games_of(played).items() if "random" not in key}
    tournament(tmp_path / "other", ["mcts:playouts=20", "greedy"], **{**SMALL, "seed": 2})
    assert games_of(tmp_path / "other") != alone
    tournament(tmp_path / "two", THREE)  # as it was set: only the pairs with random are missing
    assert lines(tmp_path / "two")[:4] == [line for line in lines(tmp_path / "two") if "random" not in line["pair"]]
    assert games_of(tmp_path / "two") == games_of(played)


def test_nothing_is_played_twice(played, tmp_path):
    told = []
    tournament(tmp_path, THREE[:2], **{**SMALL, "games": 2})
    before = (tmp_path / "games.jsonl").read_bytes()
    tournament(tmp_path, THREE[:2], progress=lambda done, total: told.append((done, total)))
    assert (told, (tmp_path / "games.jsonl").read_bytes()) == ([(2, 2)], before)
    tournament(tmp_path, THREE[:2], games=4, progress=lambda done, total: told.append((done, total)))
    assert told[1:] == [(2, 4), (3, 4), (4, 4)]
    assert (tmp_path / "games.jsonl").read_bytes().startswith(before)
    assert games_of(tmp_path) == {
        key: game for key, game in games_of(played).items() if key[:2] == ("greedy", "random")
    }


def test_a_gauntlet_is_the_first_named_against_each_of_the_others(played, tmp_path):
    found = tournament(tmp_path, THREE, style="gauntlet", **SMALL)
    assert {line["pair"][1] for line in lines(tmp_path)} == {"random"}
    assert games_of(tmp_path) == {key: game for key, game in games_of(played).items() if "random" in key}
    assert sorted(tally.games for tally in found.tallies) == [4, 4, 8]


def test_all_pairs_play_an_opening_before_any_plays_the_next():
    pairs = pairs_of(["c", "a", "b"], "round-robin")
    assert pairs == [("a", "c"), ("b", "c"), ("a", "b")]
    order = list(missing_games(pairs, 3, {(("b", "c"), 0)}))
    assert [number for _, number in order] == [0, 1, 1, 0, 1, 2, 2, 2]
    assert [pair for pair, _ in order[-3:]] == pairs


# ---- what is written --------------------------------------------------------------------------------------------


def test_standings_are_what_the_games_say(played):
    found = tournament(played)
    assert set(found.names) == set(THREE)
    elo = [rating.elo for rating in found.fit.ratings]
    assert elo == sorted(elo, reverse=True)
    assert sum(elo) == pytest.approx(0, abs=1e-6)
    for one, name in enumerate(found.names):
        mine = [line for line in lines(played) if name in line["pair"]]
        won = [line for line in mine if line["result"][0] == ("B" if line["black"] == name else "W")]
        assert (found.tallies[one].games, found.tallies[one].wins) == (len(mine), len(won))
        for two, other in enumerate(found.names):
            against = [line for line in won if other in line["pair"] and other != name]
            assert found.pair(one, two).wins == len(against)
            assert found.first(one, two).wins == sum(line["black"] == name for line in against)
        times = [
            seconds
            for line in mine
            for ply, seconds in enumerate(line["seconds"])
            if ply >= 2 and (ply % 2 == 0) == (line["black"] == name)
        ]
        assert found.seconds_a_move[one] == pytest.approx(sum(times) / len(times))


def test_ratings_are_those_of_the_plain_implementation(played):
    found = tournament(played)
    plain = plain_ratings(len(found.names), found.scores)
    assert [rating.elo for rating in found.fit.ratings] == pytest.approx(plain.elo, abs=0.05)
    assert [rating.error for rating in found.fit.ratings] == pytest.approx(plain.errors, rel=1e-3)


def test_reports_tell_the_standings(played):
    found = tournament(played)
    results = json.loads((played / "results.json").read_text())
    assert results == json.loads(json.dumps({"version": results["version"], **found.as_dict()}))
    rows = [line.split(",") for line in (played / "crosstable.csv").read_text().splitlines()]
    assert [row[1] for row in rows] == ["player", *found.names]
    assert rows[0][6:] == list(found.names)
    assert float(rows[1][7]) == pytest.approx(found.pair(0, 1).score)
    assert rows[1][6] == ""
    page = (played / "README.md").read_text()
    assert all(f"| `{name}` |" in page for name in THREE)
    assert "12 games of gomoku:size=5,win=4,rule=freestyle; openings: 2 random moves" in page
    assert f"moving first is worth {round(found.fit.first_move.elo):+d} ±" in page.replace("Moving", "moving")
    assert (played / "ratings.png").read_bytes().startswith(b"\x89PNG")


def test_records_read_back(played):
    files = sorted((played / "sgf").iterdir())
    assert len(files) == len(lines(played)) == 12
    for file, line in zip(files, lines(played), strict=True):
        [record] = read_records(file)
        assert (record.black, record.white, record.result) == (line["black"], line["white"], line["result"])
        assert list(record.moves) == line["moves"]
        assert record.position().is_over


def test_what_somebody_keeps_among_the_records_stays(tmp_path):
    settings = {**SMALL, "games": 2}
    tournament(tmp_path / "cup", ["random", "greedy"], **settings)
    records = tmp_path / "cup" / "sgf"
    (records / "notes.txt").write_text("look at game 2")
    (records / "best").mkdir()
    (records / "game-00009.sgf").write_text("of a line that was taken out")
    tournament(tmp_path / "cup", ["random", "greedy"], **settings)
    assert sorted(path.name for path in records.iterdir()) == ["best", "game-00001.sgf", "game-00002.sgf", "notes.txt"]
    assert (records / "notes.txt").read_text() == "look at game 2"


def test_the_anchor_has_the_rating_0(played, tmp_path):
    free = tournament(played)
    bound = tournament(played, anchor="random")
    places = [found.names.index("random") for found in (free, bound)]
    assert bound.fit.elo[places[1]] == 0
    assert bound.fit.elo[0] - bound.fit.elo[1] == pytest.approx(free.fit.elo[0] - free.fit.elo[1])
    assert bound.zero == "random"
    tournament(played)


def test_without_matplotlib_all_but_the_plot_is_written(tmp_path, monkeypatch):
    for module in (play, report):
        monkeypatch.setattr(module, "is_installed", lambda name: False)
    said: list[str] = []
    tournament(tmp_path, THREE[:2], **SMALL, say=said.append)
    assert said == ['ratings.png is not written: Matplotlib is not installed: pip install "eightfold[studies]"']
    assert not (tmp_path / "ratings.png").exists()
    assert "ratings.png" not in (tmp_path / "README.md").read_text()


def test_a_game_that_no_record_holds_is_played_all_the_same(tmp_path, examples, monkeypatch):
    monkeypatch.syspath_prepend(str(examples))
    said: list[str] = []
    found = tournament(
        tmp_path, dict.fromkeys("ab", "random"), game="python:squares,size=4", games=2, opening_plies=1, say=said.append
    )
    assert [tally.games for tally in found.tallies] == [2, 2]
    assert said == ["no records are written: neither SGF nor psq holds python:squares,size=4"]
    assert not (tmp_path / "sgf").exists()


class Quits:
    def new_game(self) -> None: ...

    def think(self, position, **limits):
        raise Forfeit("it has seen enough")


def test_objects_play_by_names_and_forfeits_count(tmp_path):
    entrants = {"quits": Quits(), "weak": "random", "mine": make_player("greedy", make_game(GAME))}
    found = tournament(tmp_path, entrants, **{**SMALL, "games": 2})
    assert found.names[2] == "quits"
    assert len(found.forfeits) == 4
    assert [line["result"] for line in lines(tmp_path) if "quits" in line["pair"]].count("B+F") == 2
    told = found.as_dict()["forfeits"]
    assert {each["reason"] for each in told} == {"it has seen enough"}
    assert "Forfeits: 4 games, the last by quits" in (tmp_path / "README.md").read_text()


# ---- stopping and going on ----------------------------------------------------------------------------------------

# Plays the first free point. While there is a file `hold`, it never moves in its third game.
WAITS = """
import itertools, pathlib, time
NUMBERS = itertools.count(1)
class Waits:
    def __init__(self):
        self.number = next(NUMBERS)
    def move(self, position):
        while self.number == 3 and pathlib.Path("hold").exists():
            time.sleep(0.01)
        return position.legal_moves[0]
"""
COMMAND = ("tournament", "cup", "greedy", "mcts:playouts=20", "python:waits:Waits", "--game", GAME, "--games", "4")
ALL = 12  # games


@pytest.fixture
def held(tmp_path) -> Launch:
    """A tournament in the folder `cup` that has played some games and is at the next."""
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "hold").touch()
    launch = server().launch(*COMMAND, together=False, cwd=tmp_path)
    file, deadline = tmp_path / "cup" / "games.jsonl", time.monotonic() + 60
    while not (file.exists() and len(lines(tmp_path / "cup")) == 4 + 2):  # those without it, and two of its own
        assert time.monotonic() < deadline, launch.errors
        time.sleep(0.01)
    return launch


def test_a_killed_tournament_goes_on_where_it_was(held, tmp_path):
    held.kill()
    cup, file = tmp_path / "cup", tmp_path / "cup" / "games.jsonl"
    before = file.read_bytes()
    with file.open("ab") as torn:
        torn.write(b'{"pair": ["random", "')  # as a crash in the middle of a line leaves it
    (cup / "sgf" / "game-00002.sgf").rename(cup / "sgf" / ".eightfold-1-ab.tmp")  # and one in the middle of a record
    (tmp_path / "hold").unlink()
    done = eightfold(*COMMAND, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes().startswith(before)
    assert json.loads(done.stdout)["games"] == ALL
    assert [file.name for file in sorted((cup / "sgf").iterdir())] == [f"game-{n:05d}.sgf" for n in range(1, ALL + 1)]
    assert f"6 of {ALL} games are there already" in done.stderr
    whole = eightfold("tournament", "whole", *COMMAND[2:], cwd=tmp_path)
    assert whole.returncode == 0, whole.stderr
    assert games_of(cup) == games_of(tmp_path / "whole"), "as if nothing had happened"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_with_the_ratings_so_far(held, tmp_path, number):
    held.signal(number)
    assert held.wait() == 128 + number
    assert held.errors == f"stopped: 6 of {ALL} games are played; the same command goes on with cup\n"
    assert "Still missing: 6 games" in (tmp_path / "cup" / "README.md").read_text()


# ---- refusals -------------------------------------------------------------------------------------------------------


def test_bad_input_is_one_line_and_writes_nothing(tmp_path):
    folder = tmp_path / "cup"
    for players, message in (
        ([], f"there is no tournament in {folder} yet; name two players or more to start one: eightfold tournament"),
        (["random"], "a tournament of 1 player has no games; name at least 2"),
        (["random", "gredy"], "unknown player 'gredy' (did you mean 'greedy'?)"),
        (["random", "random"], "player random is named twice"),
        (["greedy", "greedy:lambda=0.5"], "greedy:lambda=0.5 and greedy are the same player"),
        (["random", "human"], "player human is you at the terminal"),
        (["random", "net:nowhere"], "nowhere"),
        ("random", "'random' is one player"),
    ):
        assert message in refusal(lambda players=players: tournament(folder, players, **SMALL))
    for wrong, message in (
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"style": "swiss"}, "unknown style 'swiss'; known: round-robin, gauntlet"),
        ({"games": 0}, "games = 0 is too small; 1 or more is needed"),
        ({"seed": -1}, "seed = -1 is too small"),
        ({"opening_plies": 25}, "opening plies 25 do not fit"),
        ({"anchor": "nobody"}, "the anchor 'nobody' does not take part; there are random, greedy"),
    ):
        assert message in refusal(lambda wrong=wrong: tournament(folder, THREE[:2], **{**SMALL, **wrong}))
    assert not folder.exists()


def test_a_folder_stays_what_it_is(played, tmp_path):
    before = (played / "games.jsonl").read_bytes()
    for other, message in (
        (
            {"game": "gomoku:size=6,win=4"},
            "with game = 'gomoku:size=5,win=4,rule=freestyle', not 'gomoku:size=6",
        ),
        ({"seed": 2}, "was begun with seed = 1, not 2; choose another folder"),
        ({"opening_plies": 4}, "was begun with opening_plies = 2, not 4"),
    ):
        assert message in refusal(lambda other=other: tournament(played, THREE, **other))
    assert "are the same player" in refusal(lambda: tournament(played, ["greedy:lambda=0.5", "random"]))
    with lock_folder(played, "tournament"):
        assert "is in use by another process" in refusal(lambda: tournament(played, THREE))
    assert (played / "games.jsonl").read_bytes() == before
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds other files and no tournament" in refusal(lambda: tournament(tmp_path, THREE, **SMALL))
    assert "it is not a folder" in refusal(lambda: tournament(tmp_path / "notes.txt", THREE, **SMALL))
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_damaged_files_are_named(tmp_path):
    tournament(tmp_path, THREE[:2], **{**SMALL, "games": 2})
    file = tmp_path / "games.jsonl"
    whole = file.read_bytes()
    for bad in (b"nonsense\n", b"[1, 2]\n", b'{"pair": ["random", "greedy"]}\n', whole.splitlines(keepends=True)[0]):
        file.write_bytes(whole + bad)
        assert "games.jsonl is damaged: line 3" in refusal(lambda: tournament(tmp_path, THREE[:2]))
    file.write_bytes(whole)
    (tmp_path / "tournament.toml").write_text("game = 3")
    assert "tournament.toml" in refusal(lambda: tournament(tmp_path, THREE[:2]))


def test_help_names_the_defaults_that_are_declared():
    text = " ".join(eightfold("tournament", "--help", COLUMNS="300").stdout.split())
    usual = TournamentSettings()
    for default in (usual.game, usual.games, usual.opening_plies, usual.seed):
        assert f"(default: {default})" in text
    assert f"{usual.style} (default)" in text


def test_the_command_prints_a_table_or_json(tmp_path):
    arguments = ("tournament", "cup", "random", "greedy", "--game", GAME, "--games", "2")
    done = eightfold(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for words in ("player", "Elo", "±", "score", "draws", "moving first is worth", "scores in per cent"):
        assert words in done.stdout
    told = json.loads(eightfold(*arguments, "--json", cwd=tmp_path).stdout)
    assert [each["name"] for each in told["players"]] == ["greedy", "random"]
    refused = eightfold(*arguments, "--seed", "5", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == "eightfold: the tournament cup was begun with seed = 0, not 5; choose another folder\n"
