"""GTP version 2, engine side: lines of a controller in, answers out.

`Gtp.handle` answers one line; it knows nothing of pipes and threads, which are in `session.py`. An answer begins with
`=`, or with `?` where something was wrong, and then nothing has changed; an empty line ends it. The syntax of the
protocol is in `syntax.py`, the board is in `board.py`, analysis in `analysis.py`, the end of a game in `scoring.py`,
clocks in `time_settings.py`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable

from eightfold import __version__
from eightfold.arena.forfeit import Resignation
from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position
from eightfold.games.records.files import read_records, write_records
from eightfold.games.records.sgf import write_sgf
from eightfold.protocols.engine import Engine
from eightfold.protocols.gtp.analysis import Request, Stream, read_request
from eightfold.protocols.gtp.board import Board
from eightfold.protocols.gtp.display import board_text, gogui_board, gogui_commands, gogui_result, legal_vertices
from eightfold.protocols.gtp.scoring import final_score, final_status_list
from eightfold.protocols.gtp.syntax import (
    PASS,
    SHOWN,
    STOP,
    STREAMS,
    Line,
    game_id,
    read_colour,
    read_line,
    read_number,
    read_rules,
    read_vertex,
    read_whole,
    rules_of,
    write_colour,
    write_vertex,
)
from eightfold.protocols.gtp.time_settings import set_kgs_time, set_left, set_time

NAME = "Eightfold"
RESIGN = "resign"
QUIT = "quit"


class Gtp:
    """One conversation with a controller."""

    def __init__(self, engine: Engine, game: Game, say: Callable[[str], None], *, seed: int = 0) -> None:
        self._board = Board(engine, game)
        self._say, self._seed = say, seed
        self._answered: Position | None = None  # the board after the last move that was asked of us
        self._since: float | None = None
        self._free = 0.0  # when the last answer was given: the clock of a line that waited begins then
        self._stop: threading.Event | None = None
        self._commands: dict[str, Callable[[Line], str | None]] = {  # None: all was said already
            "protocol_version": lambda line: "2",
            "name": lambda line: NAME,
            "version": lambda line: __version__,
            "known_command": lambda line: str(line.rest in self._commands).lower(),
            "list_commands": lambda line: "\n".join(self._commands),
            QUIT: lambda line: "",
            "boardsize": self._board_size,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._generate,
            "undo": self._undo,
            "reg_genmove": self._suggest,
            "fixed_handicap": self._fixed_handicap,
            "place_free_handicap": self._place_handicap,
            "set_free_handicap": self._set_handicap,
            "time_settings": self._time_settings,
            "kgs-time_settings": self._kgs_time_settings,
            "time_left": self._time_left,
            "kata-set-rules": self._set_rules,
            "kata-get-rules": self._get_rules,
            "kgs-rules": self._set_rules,
            "kgs-genmove_cleanup": self._generate,  # ours always plays until dead stones are captured
            "final_score": lambda line: final_score(self._board.position, seed=self._seed),
            "final_status_list": self._final_status_list,
            "loadsgf": self._load,
            "printsgf": self._print,
            "showboard": lambda line: f"\n{board_text(self._board.position)}",
            "lz-analyze": self._analyse,
            "kata-analyze": self._analyse,
            "analyze": self._analyse,
            "lz-genmove_analyze": self._generate_and_analyse,
            "kata-genmove_analyze": self._generate_and_analyse,
            "genmove_analyze": self._generate_and_analyse,
            STOP: lambda line: "",  # `session.py` has stopped what it stops
            "clear_cache": self._clear_cache,
            "gogui-analyze_commands": lambda line: gogui_commands(self._board.game),
            "gogui-rules_game_id": lambda line: game_id(self._board.game),
            "gogui-rules_board_size": lambda line: str(self._board.game.size),
            "gogui-rules_board": lambda line: f"\n{gogui_board(self._board.position)}",
            "gogui-rules_legal_moves": lambda line: legal_vertices(self._board.position),
            "gogui-rules_side_to_move": lambda line: write_colour(self._board.position.to_move),
            "gogui-rules_final_result": lambda line: gogui_result(self._board.position),
        }

    def handle(self, line: str, *, since: float | None = None, stop: threading.Event | None = None) -> bool:
        """Answer a line that came at the time `since` (perf_counter); False when it was `quit`."""
        self._since, self._stop = None if since is None else max(since, self._free), stop
        command = read_line(line)
        if not command.name and not command.number:
            return True  # an empty line or a comment
        try:
            answer = self._answer(command)
        except EightfoldError as error:
            self._reply("?", command, str(error))
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours or of a user's player must not end a game silently
            self._reply("?", command, f"{type(error).__name__}: {error}")
        else:
            if answer is not None:
                self._reply("=", command, answer)
        self._free = time.perf_counter()
        return command.name != QUIT

    def ponder(self, stop: threading.Event) -> None:
        """Think on, if a move that was asked of us is the last on the board."""
        try:
            if self._answered is not None and self._board.position is self._answered:
                self._board.ponder(stop)
        except Exception:  # what is wrong is told when the player is asked for a move
            self._answered = None

    def close(self) -> None:
        self._board.engine.close()

    def _answer(self, command: Line) -> str | None:
        found = self._commands.get(command.name)
        if found is None:
            raise EightfoldError(f"unknown command {command.name[:SHOWN]!r}")
        return found(command)

    def _reply(self, sign: str, command: Line, text: str) -> None:
        lines = "\n".join(line for line in text.splitlines() if line.strip())  # an empty one would end the answer
        gap = "\n" if text.startswith("\n") else " "
        self._say(f"{sign}{command.number}{gap}{lines}\n")

    # ---- the board ----------------------------------------------------------------------------------

    def _board_size(self, line: Line) -> str:
        size = read_whole(self._one_word(line, "a size"), "size")
        try:
            self._board.resize(size)
        except EightfoldError as error:
            raise EightfoldError(f"unacceptable size: {error}") from None
        return ""

    def _clear_board(self, line: Line) -> str:
        self._board.clear()
        return ""

    def _komi(self, line: Line) -> str:
        komi = read_number(self._one_word(line, "a komi"), "komi")
        self._need_option("komi")
        self._board.change(komi=komi)
        return ""

    def _set_rules(self, line: Line) -> str:
        self._need_option("rules")
        options = read_rules(line.rest)
        self._board.change(**dict(pair.split("=") for pair in options.split(",")))
        return ""

    def _get_rules(self, line: Line) -> str:
        self._need_option("rules")
        return json.dumps(rules_of(self._board.game), separators=(",", ":"))

    def _play(self, line: Line) -> str:
        if len(line.words) != 2:
            raise EightfoldError("syntax error: play takes a color and a vertex")
        colour, action = read_colour(line.words[0]), read_vertex(line.words[1], self._board.game)
        try:
            self._board.history.play(action, colour)
        except EightfoldError as error:
            raise EightfoldError(f"illegal move: {error}") from None
        return ""

    def _undo(self, line: Line) -> str:
        self._board.history.undo()
        return ""

    def _fixed_handicap(self, line: Line) -> str:
        return self._place(self._handicap(line, fewer=False))

    def _place_handicap(self, line: Line) -> str:
        return self._place(self._handicap(line, fewer=True))

    def _handicap(self, line: Line, *, fewer: bool) -> list[int]:
        """The fixed points. GTP lets an engine that chooses for itself place fewer stones than it may."""
        from eightfold.games.go.setup import handicap_points, most_handicap

        self._need_option("handicap")
        number, most = read_whole(self._one_word(line, "a number"), "stones"), most_handicap(self._board.game.size)
        placed = min(number, most) if fewer else number
        if not 2 <= placed <= most:
            allowed = f"2 to {most}" if most else "none"
            raise EightfoldError(f"invalid number of stones: {number}; on this board {allowed}")
        return handicap_points(self._board.game.size, placed)

    def _set_handicap(self, line: Line) -> str:
        self._need_option("handicap")
        game = self._board.game
        points = [read_vertex(word, game) for word in line.words]
        if len(points) < 2 or len(set(points)) < len(points) or game.points in points:
            raise EightfoldError("bad vertex list: two different points at least, and no pass")
        self._place(points)
        return ""

    def _place(self, points: list[int]) -> str:
        self._board.place(points)
        return " ".join(write_vertex(point, self._board.game) for point in points)

    def _need_option(self, name: str) -> None:
        if name not in self._board.game.values:
            raise EightfoldError(f"{self._board.game.name} has no {name}")

    def _one_word(self, line: Line, what: str) -> str:
        if len(line.words) != 1:
            raise EightfoldError(f"syntax error: {line.name} takes {what}")
        return line.words[0]

    # ---- time ---------------------------------------------------------------------------------------

    def _time_settings(self, line: Line) -> str:
        set_time(list(self._board.clocks.values()), line.words)
        return ""

    def _kgs_time_settings(self, line: Line) -> str:
        set_kgs_time(list(self._board.clocks.values()), line.words)
        return ""

    def _time_left(self, line: Line) -> str:
        if not line.words:
            raise EightfoldError("syntax error: time_left takes a color, a time and stones")
        set_left(self._board.clocks[read_colour(line.words[0])], line.words[1:])
        return ""

    # ---- moves --------------------------------------------------------------------------------------

    def _generate(self, line: Line) -> str:
        colour = read_colour(self._one_word(line, "a color"))
        return self._generated(colour, None)

    def _generated(self, colour: int, stream: Stream | None) -> str:
        """Think, play and answer. After two passes the answer is another pass."""
        game, history = self._board.game, self._board.history
        if self._ended_by_passes:
            history.play(game.points, colour)  # a move as any other: an undo takes this one back
            return PASS
        try:
            result = self._board.think(colour, since=self._since, stop=self._stop, on_progress=stream)
        except Resignation:
            return RESIGN
        if stream is not None:
            stream.report(result)
        history.play(result.action, colour)
        self._answered = history.position
        return write_vertex(result.action, game)

    @property
    def _ended_by_passes(self) -> bool:
        """Whether nothing but a pass is left."""
        return self._board.history.ended_by_passes

    def _suggest(self, line: Line) -> str:
        """A move that is not played."""
        colour = read_colour(self._one_word(line, "a color"))
        if self._ended_by_passes:
            return PASS
        try:
            result = self._board.think(colour, keep=False, since=self._since, stop=self._stop)
        except Resignation:
            return RESIGN
        return write_vertex(result.action, self._board.game)

    def _clear_cache(self, line: Line) -> str:
        self._board.engine.forget()
        return ""

    # ---- analysis -----------------------------------------------------------------------------------

    def _analyse(self, line: Line) -> None:
        """Analyse until the next line arrives; where the search ends before, its last report stands until then."""
        stream, colour = self._stream(line)
        stop = self._stop or threading.Event()

        def work() -> None:
            stream.report(self._board.analyse(colour, stop, stream))
            stop.wait()

        self._stream_answer(line, work)

    def _generate_and_analyse(self, line: Line) -> str | None:
        if self._ended_by_passes:
            return f"\nplay {self._generated(self._request(line).colour, None)}"
        stream, colour = self._stream(line)
        self._stream_answer(line, lambda: self._say(f"play {self._generated(colour, stream)}"))
        return None

    def _stream_answer(self, line: Line, work: Callable[[], None]) -> None:
        """The rest of an answer that has begun: an error goes to the error output."""
        try:
            work()
        except BrokenPipeError:
            raise
        except Exception as error:
            print(f"{line.name}: {type(error).__name__}: {error}", file=sys.stderr)
        self._say("")

    def _stream(self, line: Line) -> tuple[Stream, int]:
        """Check everything before the answer begins."""
        request = self._request(line)
        position = self._board.ready(request.colour)
        self._say(f"={line.number}")
        return Stream(request, position, self._say, seed=self._seed), request.colour

    def _request(self, line: Line) -> Request:
        return read_request(line.words, self._board.position.to_move, kata=line.name.startswith("kata"))

    # ---- records and the end ------------------------------------------------------------------------

    def _final_status_list(self, line: Line) -> str:
        return final_status_list(self._board.position, self._one_word(line, "a status"), seed=self._seed)

    def _load(self, line: Line) -> str:
        """`loadsgf FILE [MOVE]`: the position before that move, or the last one."""
        path, number = line.rest, 0
        if len(line.words) > 1 and line.words[-1].isdecimal():
            path, number = line.rest[: line.rest.rindex(line.words[-1])].rstrip(), read_whole(line.words[-1], "move")
        try:
            if not path or not os.path.isfile(path):  # a pipe or a device might never end
                raise EightfoldError(f"{path[:SHOWN]!r} is not a file")
            [record] = read_records(path, first=True)
            if record.position().game.rules is not self._board.game.rules:
                raise EightfoldError(f"it holds {record.game}, and this engine plays {self._board.game.name}")
            self._board.load(record, number - 1 if number else None)
        except (EightfoldError, ValueError) as error:
            raise EightfoldError(f"cannot load file: {error}") from None
        return ""

    def _print(self, line: Line) -> str:
        record = self._board.history.record()
        if not line.rest:
            return write_sgf([record])
        write_records(line.rest, [record])
        return ""


def answers(engine: Engine, game: Game, lines: list[str]) -> str:
    """The answers of an engine to some lines, for tests and for trying things out; analysis stops at once.

    >>> from eightfold.games.game import make_game
    >>> said = answers(Engine("random"), make_game("go:size=5"), ["7 protocol_version", "fly", "play b f9"])
    >>> print(said.strip())
    =7 2
    <BLANKLINE>
    ? unknown command 'fly'
    <BLANKLINE>
    ? invalid vertex 'f9': A1 to E5 or pass on this board
    """
    said: list[str] = []
    gtp, stop = Gtp(engine, game, said.append), threading.Event()
    stop.set()
    for line in lines:
        streams = read_line(line).name in STREAMS
        if not gtp.handle(line, since=time.perf_counter(), stop=stop if streams else None):
            break
    return "".join(f"{text}\n" for text in said)
