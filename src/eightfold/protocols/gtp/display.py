"""The board as text, as GTP programs show it, and answers to the commands of GoGui."""

from __future__ import annotations

from eightfold.games.game import Game, Position
from eightfold.protocols.gtp.syntax import COLUMNS, write_colour, write_vertex

LETTERS = ".XO"


def board_text(position: Position) -> str:
    """The board with its coordinates, and whose turn it is.

    >>> from eightfold.games.game import make_game
    >>> print(board_text(make_game("go:size=2").after(["b1"])))
        A B
      2 . . 2
      1 . X 1
        A B
    white to play, 0 black and 0 white stones taken
    """
    size = position.game.size
    head = "    " + " ".join(COLUMNS[:size])
    rows = [
        f"{size - row:3d} {' '.join(LETTERS[stone] for stone in position.stones[row])} {size - row}"
        for row in range(size)
    ]
    state = position.outcome if position.is_over else f"{write_colour(position.to_move)} to play"
    return "\n".join([head, *rows, head, state + _captures(position)])


def _captures(position: Position) -> str:
    if position.prisoners is None:
        return ""
    white, black = position.prisoners  # black took white stones
    return f", {black} black and {white} white stones taken"


def gogui_board(position: Position) -> str:
    return "\n".join(" ".join(LETTERS[stone] for stone in row) for row in position.stones)


def legal_vertices(position: Position) -> str:
    return " ".join(write_vertex(int(move), position.game) for move in position.legal_moves)


def gogui_result(position: Position) -> str:
    """The result for people; nothing while the game goes on."""
    return position.outcome if position.is_over else ""


def gogui_commands(game: Game) -> str:
    """The commands that GoGui offers in its analyze window: a type, a name and the command."""
    listed = ["none/Clear Cache/clear_cache", "string/Show Board/showboard", "string/Print SGF/printsgf"]
    if game.counts_points:
        listed.append("string/Final Score/final_score")
    if game.has_dead_stones:
        listed += [
            "plist/Final Status List Alive/final_status_list alive",
            "plist/Final Status List Dead/final_status_list dead",
            "plist/Final Status List Seki/final_status_list seki",
            "string/Rules/kata-get-rules",
        ]
    return "\n".join(listed)
