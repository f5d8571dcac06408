"""Learning patterns from records, one core, on games that the project plays itself.

Counting is compared with coding every legal point at every move, reading with sgfmill's parsing and replay, on the same
games. The floor of counting is memory: each move touches some 120 words at random places in tables of 115 MB.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from eightfold.benchmarks.report import Benchmark, Figure
from eightfold.core.extras import is_installed
from eightfold.core.jit import Ints
from eightfold.core.rng import make_random, random_below
from eightfold.core.specialise import specialise
from eightfold.games.game import Game, make_game
from eightfold.games.records import GameRecord, write_sgf
from eightfold.patterns.combine import combine
from eightfold.patterns.learn import learn_library
from eightfold.patterns.library import Library, Table
from eightfold.patterns.placements import lay_out
from eightfold.patterns.records.game import RecordedGames
from eightfold.patterns.records.stream import Games, RecordReader, blocks
from eightfold.patterns.tally import MATCH_BITS, MATCHES, empty_tally, places_for
from eightfold.patterns.templates import Template, placements, read_names, templates_with

GAMES, MOVES, PLAIN_GAMES, SGFMILL_GAMES = 600, 200, 12, 12
LARGE = ("3x3", "4x4-centre-a", "4x4-edge-a")  # tables of 230 MB; all ten templates would make 800


def self_made_games(game: Game, count: int, length: int, seed: int = 1) -> list[GameRecord]:
    """Random games in which most stones are put beside others, as shapes are."""
    random, records = make_random(seed), []
    replay = game.rules.replay
    for _ in range(count):
        state, moves, scratch = game.start().state.copy(), list[int](), np.zeros(game.actions, np.int64)
        last = game.points // 2
        while len(moves) < length:
            row, column = divmod(last, game.size)
            near = (row + int(random_below(random, 7)) - 3, column + int(random_below(random, 7)) - 3)
            move = near[0] * game.size + near[1]
            if not (0 <= near[0] < game.size and 0 <= near[1] < game.size) or random_below(random, 6) == 0:
                move = int(random_below(random, game.points))
            last = move
            if replay(state, move, scratch) > 0:
                moves.append(move)
        records.append(GameRecord(game=game.text, moves=tuple(moves)))
    return records


def seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """The best of some runs: others use this machine too."""
    job()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


class Counting:
    """The same games counted move by move, and plainly."""

    def __init__(self, game: Game, games: Games, names: tuple[str, ...]) -> None:
        self.game, self.games, self.templates = game, games, read_names(names)
        self.options = np.array(game.numbers, np.int64)
        self._kernels = specialise("eightfold.patterns.counting", game.rules)
        self._plain = specialise("eightfold.benchmarks.reference.patterns", game.rules)
        layout = lay_out(self.templates, game.size)
        length = game.spec.state_length(game.size)
        self._arguments = (layout, places_for(self.templates, combined=False))
        self._board, self._waiting = self._kernels.make_board(length, game.size, layout), self._kernels.make_waiting()
        self.tally = empty_tally(self.templates, combined=False)
        self._points, self._base = _plain_tables(self.templates, game.size)
        self.matches, self.plays = np.zeros_like(self.tally), np.zeros_like(self.tally)
        self._state = np.zeros(length, np.int64)

    def quickly(self, count: int) -> None:
        moves, first, last = self.games.moves, self.games.first[:count], self.games.last[:count]
        self._kernels.count_games(
            self._board, self._waiting, self.game.size, self.options, moves, first, last, *self._arguments, self.tally
        )

    def plainly(self, count: int) -> None:
        moves, first, last = self.games.moves, self.games.first[:count], self.games.last[:count]
        self._plain.count_plainly(
            self._state, self.game.size, self.options, moves, first, last,
            self._points, self._base, self.matches, self.plays,
        )  # fmt: skip

    def agree(self, count: int) -> bool:
        """Whether both give the same counts, to the last unit."""
        for counts in (self.tally, self.matches, self.plays):
            counts[:] = 0
        self.quickly(count)
        self.plainly(count)
        return bool(((self.tally & MATCHES) == self.matches).all() and ((self.tally >> MATCH_BITS) == self.plays).all())


def _plain_tables(templates: tuple[Template, ...], size: int) -> tuple[np.ndarray, Ints]:
    points = np.full((len(templates), size * size, max(t.digits for t in templates)), -1, np.int32)
    for k, template in enumerate(templates):
        points[k, :, : template.digits] = placements(template, size)
    return points, np.cumsum([0, *(template.codes for template in templates[:-1])], dtype=np.int64)


def sgfmill_replay(lines: list[str]) -> None:
    """Parse games and play all their moves with sgfmill."""
    from sgfmill import sgf, sgf_moves

    for line in lines:
        board, plays = sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_bytes(line.encode()))
        for colour, move in plays:
            if move is not None:
                board.play(*move, colour)


def full_library() -> Library:
    """A raw library in which every code of all seven 4x4 templates was seen."""
    templates = templates_with((4,))
    codes = np.arange(templates[0].codes, dtype=np.uint32)
    table = Table(codes=codes, matches=codes % 97 + 1, plays=codes % 5)  # the same for all, to save memory
    return Library(game="go", combined=False, tables={template.name: table for template in templates})


def run() -> Benchmark:
    game = make_game("go:size=19,ko=simple")
    lines = write_sgf(self_made_games(game, GAMES, MOVES)).splitlines()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "games.sgf"
        path.write_text("\n".join(lines))
        reader = RecordReader(RecordedGames("go"))

        def read() -> list[Games]:
            return [reader.read(block) for block in blocks([path])]

        games = read()[0]
        figures = []
        for key, names in (("3x3", ("3x3",)), ("4x4", LARGE)):
            counting = Counting(game, games, names)
            if not counting.agree(PLAIN_GAMES):
                raise AssertionError("the quick counts and the plain ones differ")
            quick = len(games.first) / seconds(lambda c=counting: c.quickly(len(games.first)))  # type: ignore[misc]
            plain = PLAIN_GAMES / seconds(lambda c=counting: c.plainly(PLAIN_GAMES))  # type: ignore[misc]
            figures += [
                Figure(
                    key=f"{key}_games_per_s",
                    value=quick,
                    unit="/s",
                    note=f"templates {', '.join(names)}, {MOVES} moves",
                ),
                Figure(key=f"{key}_plain_games_per_s", value=plain, unit="/s", note="every legal point at every move"),
                Figure(key=f"{key}_times_plain", value=quick / plain, unit="x", least=10),
            ]
        reading = len(lines) / seconds(read)
        learned = len(lines) / seconds(lambda: learn_library([path], templates=("3x3",), threads=1))
    mill = SGFMILL_GAMES / seconds(lambda: sgfmill_replay(lines[:SGFMILL_GAMES])) if is_installed("sgfmill") else None
    library = full_library()
    return Benchmark(
        name="patterns",
        title="patterns from records of 19x19 Go, one core",
        figures=(
            *figures,
            Figure(key="read_games_per_s", value=reading, unit="/s", note="from a file to legal moves"),
            Figure(key="sgfmill_games_per_s", value=mill, unit="/s", note="" if mill else "sgfmill is not installed"),
            Figure(key="read_times_sgfmill", value=mill and reading / mill, unit="x", least=10),
            Figure(key="learn_3x3_games_per_s", value=learned, unit="/s", note="from a file to a library"),
            Figure(
                key="combine_4x4_s",
                value=seconds(lambda: combine(library), repeats=1),
                unit="s",
                most=5,
                note="every code of all seven templates",
            ),
        ),
    )
