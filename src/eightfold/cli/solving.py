"""The command solve: a win by force in a position, its proof in words and as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eightfold.cli.app import JsonOption, app
from eightfold.cli.records import chosen_game
from eightfold.core.errors import EightfoldError
from eightfold.core.words import number_of

if TYPE_CHECKING:
    from eightfold.games.game import Position
    from eightfold.search.solving import Solution

SIDES = {"black": 1, "white": 2}
MOST_PICTURES = 8  # of the proof's first replies, beside the main line


@app.command()
def solve(
    position: Annotated[
        list[str], typer.Argument(help="A record, .sgf or .psq, or moves such as h8 h9.", metavar="POSITION...")
    ],
    game: Annotated[
        str | None, typer.Option("--game", help="The game of moves (default: gomoku:size=15); a record has its own.")
    ] = None,
    move: Annotated[
        int | None, typer.Option("--move", min=0, help="Only the moves up to this one (default: all).")
    ] = None,
    number: Annotated[
        int | None, typer.Option(min=1, help="Number of the game in the file (default: the first).")
    ] = None,
    side: Annotated[
        str | None, typer.Option(help="Who is to win, black or white; it is then to move (default: who is to move).")
    ] = None,
    nodes: Annotated[int, typer.Option(min=1, max=10_000_000, help="Nodes to look at.")] = 200_000,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Draw the proof into this file, .svg.")] = None,
    lines: Annotated[int, typer.Option(min=1, max=100_000, help="Lines of the proof to print.")] = 40,
    check: Annotated[bool, typer.Option(help="Play the proof out by the rules, over every legal reply.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Prove that a position is won by fours, or by threes and fours, and check the proof by the rules."""
    from eightfold.core.files import replace_file
    from eightfold.search.solving import solve as find_solution

    if output is not None and output.suffix.lower() != ".svg":
        raise EightfoldError(f"the picture is SVG: name a file that ends in .svg, not {output.name}")
    if output is not None and not output.parent.is_dir():
        raise EightfoldError(f"cannot write {output}: there is no folder {output.parent}; make it first")
    where = _turned(_read_position(position, game, move, number), side)
    solution = find_solution(where, nodes=nodes, check=check)
    if as_json:
        print(json.dumps(solution.as_dict()))
    else:
        _report(solution, lines)
    if output is not None and solution.is_won:
        replace_file(output, _picture(solution).encode())
        if not as_json:
            print(output)


def _read_position(words: list[str], game: str | None, move: int | None, number: int | None) -> Position:
    from eightfold.games.game import DEFAULT_GAME, make_game
    from eightfold.games.records.files import read_records
    from eightfold.games.records.record import replay

    file = Path(words[0])
    if len(words) == 1 and (file.suffix.lower() in (".sgf", ".psq") or file.is_file()):
        if game is not None:
            raise EightfoldError(f"{file} says itself which game it is; leave out --game {game}")
        records, number = read_records(file), number or 1
        return chosen_game(file, records, number, move, options=("--number", "--move")).position(move)
    if number is not None:
        raise EightfoldError(f"--number {number} is for a record; {words[0]} is no .sgf or .psq file here")
    names = " ".join(words).replace(",", " ").split()
    if move is not None and move > len(names):
        raise EightfoldError(f"--move {move} is beyond the end of {number_of(len(names), 'move')}")
    the_game = make_game(DEFAULT_GAME if game is None else game, trusted=True)
    return replay(the_game, [the_game.action(name) for name in names[:move]])


def _turned(position: Position, side: str | None) -> Position:
    """The position with that side to move."""
    from eightfold.games.setup import with_side

    if side is not None and side not in SIDES:
        raise EightfoldError(f"--side {side} is neither black nor white")
    return position if side is None else with_side(position, SIDES[side])


def _report(solution: Solution, lines: int) -> None:
    from eightfold.search.solving import proof_text

    name = solution.position.game.name_of
    print(f"{_verdict(solution)} ({number_of(solution.nodes, 'node')}, {solution.seconds:.2f} s)")
    if not solution.is_won:
        return
    print("main line: " + " ".join(name(move) for move in solution.line))
    if text := proof_text(solution, lines):
        print("proof, each reply with what answers it; all other replies lose to fours:")
        for line in text:
            print(f"  {line}")
    if solution.check is not None:
        print(
            f"checked by the rules over every legal reply: {number_of(solution.check.lines, 'line')} of play, all won"
        )


def _verdict(solution: Solution) -> str:
    side = "black" if solution.position.to_move == SIDES["black"] else "white"
    how = {"fours": "by fours", "threats": "by threes and fours"}
    if solution.is_won:
        return f"{side} wins {how[solution.kind]} in {number_of(solution.length, 'move')}"
    if solution.kind == "none":
        return f"{side}: no win by threes and fours; all threats were tried"
    return f"{side}: no win by threes and fours was found within the limit"


def _picture(solution: Solution) -> str:
    """The main line, and one board for each of the first replies that the proof answers."""
    from eightfold.games.diagram import diagram_of
    from eightfold.games.pictures import draw_sheet
    from eightfold.search.solving import main_line

    position, attack = solution.position, solution.attack
    name = position.game.name_of
    boards = [diagram_of(position, solution.line, title=_verdict(solution), caption=["main line"])]
    if attack is not None:
        after = position.play(attack.move)
        for reply, further in list(attack.replies.items())[:MOST_PICTURES]:
            if reply != solution.line[1]:
                line = [attack.move, reply, *main_line(after.play(reply), further)]
                boards.append(diagram_of(position, line, title=f"if 2 is {name(reply)}"))
    return draw_sheet(boards)
