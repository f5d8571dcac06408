"""GNU Go as an opponent in experiments, over GTP: one process a match, told the moves as they are played."""

from __future__ import annotations

import os
import shutil
import subprocess

from eightfold.errors import EightfoldError
from eightfold.games.game import COLOUR_NAMES, Game, Position
from eightfold.search.result import SearchResult, one_hot


def gnugo_program() -> str | None:
    """Where it is, if it is installed (Debian: gnugo)."""
    return shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))


class GnuGo:
    """Chinese rules with positional superko; dead stones are captured before it passes, as they count as alive here."""

    def __init__(self, game: Game, *, level: int = 1, seed: int = 0) -> None:
        program = gnugo_program()
        if program is None:
            raise EightfoldError("GNU Go is not installed (Debian: gnugo)")
        options = ["--mode", "gtp", "--quiet", "--level", str(level), "--seed", str(seed + 1), "--never-resign"]
        options += ["--chinese-rules", "--positional-superko", "--forbid-suicide", "--capture-all-dead"]
        self._game = game
        self._moves: tuple[int, ...] = ()
        self._process = subprocess.Popen(
            [program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._ask(f"boardsize {game.size}")
        self._ask(f"komi {game.values['komi']}")

    def new_game(self) -> None:
        self._ask("clear_board")
        self._moves = ()

    def think(self, position: Position) -> SearchResult:
        game, known = self._game, len(self._moves)
        if position.moves[:known] != self._moves:
            raise EightfoldError("GNU Go was told of another game")
        colour = position.to_move
        fresh = position.moves[known:]
        for k, move in enumerate(fresh):
            mover = colour if (len(fresh) - k) % 2 == 0 else 3 - colour
            self._ask(f"play {COLOUR_NAMES[mover]} {game.name_of(move)}")
        answer = self._ask(f"genmove {COLOUR_NAMES[colour]}")
        action = game.action(answer)
        self._moves = (*position.moves, action)
        return SearchResult(action=action, policy=one_hot(game.actions, action), value=0.0)

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.kill()
        self._process.wait()

    def _ask(self, command: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise EightfoldError("GNU Go has gone")
            if line == "\n" and lines:
                break
            lines.append(line.strip())
        if not lines[0].startswith("="):
            raise EightfoldError(f"GNU Go does not accept {command!r}: {lines[0]}")
        return lines[0][1:].strip()
