"""`eightfold patterns show`: the first patterns of a library as pictures, in the terminal or as a web page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eightfold.cli.app import GameOption, JsonOption, patterns_app
from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.words import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from eightfold.patterns.library import Library
    from eightfold.patterns.pictures import Picture
    from eightfold.patterns.ranking import ShownPattern

GAP = 3  # columns between two patterns


@patterns_app.command("show")
def show_patterns(
    library: Annotated[
        Path | None, typer.Argument(help="A pattern library. Default: the one that comes with Eightfold for --game.")
    ] = None,
    game: GameOption = "go",
    template: Annotated[
        list[str] | None,
        typer.Option(help="Only patterns of these templates, e.g. 3x3, 4x4-centre, 4x4-edge-a; repeatable."),
    ] = None,
    sort: Annotated[
        str, typer.Option(help="The order: posterior (by the lower end of its interval), elo, plays or matches.")
    ] = "posterior",
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many patterns.")] = 20,
    least_matches: Annotated[int, typer.Option(min=1, help="Leave out patterns that were seen less often.")] = 1,
    code: Annotated[
        int | None, typer.Option(help="The pattern with this code and its whole orbit; --template says of which table.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a web page: one file that loads nothing.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the patterns of a library as pictures: the likeliest, the strongest, the most played."""
    from eightfold.games.game import make_game
    from eightfold.patterns.files import load_library
    from eightfold.patterns.ranking import ORDERS, orders_of, show_pattern, tables_named, top_patterns
    from eightfold.patterns.shipped import open_library

    if sort not in ORDERS:
        raise unknown("order of patterns", sort, ORDERS)
    if library is None:
        opened, name = open_library("", make_game(game, trusted=True)), f"shipped-{game}"
    else:
        opened, name = load_library(library), str(library)
    tables = tables_named(opened, template or [])
    if code is not None:
        if len(tables) != 1:
            raise EightfoldError(f"say with --template which pattern {code} is meant: {', '.join(tables)}")
        shown = [show_pattern(opened, tables[0], code)]
    else:
        shown = top_patterns(opened, tables=tables, order=sort, top=top, least_matches=least_matches)
    if html is not None:
        from eightfold.core.files import replace_file
        from eightfold.patterns.page import library_page

        orders = {sort: shown}
        if code is None:
            orders = {
                each: top_patterns(opened, tables=tables, order=each, top=top, least_matches=least_matches)
                for each in orders_of(opened)
            }
        note = f"Tables: {', '.join(tables)}." if template else ""
        page = library_page(opened, Path(name).stem, orders, first=sort, note=note)
        replace_file(html, page.encode())
    if as_json:
        print(json.dumps({"library": name, **_about(opened), "sort": sort, "patterns": list(map(_entry, shown))}))
    elif html is not None:
        print(f"{html}: {number_of(len(shown), 'pattern')}")
    elif code is not None:
        _print_orbit(shown[0])
    else:
        _print_all(opened, shown, sort)


def _about(library: Library) -> dict[str, Any]:
    return {
        "game": library.game,
        "combined": library.combined,
        "about": {name: value for name, value in library.about.items() if not isinstance(value, dict | list)},
        "tables": {name: len(table.codes) for name, table in library.tables.items()},
    }


def _entry(pattern: ShownPattern) -> dict[str, Any]:
    from eightfold.patterns.pictures import orbit_pictures

    known = pattern.statistics
    return {
        "table": known.table,
        "code": known.code,
        "matches": known.matches,
        "plays": known.plays,
        "posterior": known.posterior,
        "interval": list(pattern.interval),
        "elo": known.elo,
        "rows": pattern.picture.rows,
        "orbit": len(orbit_pictures(pattern.picture)),
    }


# ---- the terminal ------------------------------------------------------------------------------------


def _print_all(library: Library, shown: Sequence[ShownPattern], sort: str) -> None:
    from rich.console import Console

    from eightfold.patterns.ranking import facts_of

    console = Console(emoji=False, highlight=False)
    kind = "combined" if library.combined else "raw"
    console.print(f"{library.game}, {kind}, {facts_of(library)}; by {sort}", markup=False)
    console.print("● the side to move  ○ its opponent  ◆ the point to be played\n")
    if not shown:
        console.print("no pattern was seen so often")
        return
    cells = [_cell(number, pattern) for number, pattern in enumerate(shown, 1)]
    _print_side_by_side(console, cells)


def _print_orbit(pattern: ShownPattern) -> None:
    from rich.console import Console
    from rich.text import Text

    from eightfold.patterns.page import orbit_words
    from eightfold.patterns.pictures import orbit_pictures

    console = Console(emoji=False, highlight=False)
    pictures = orbit_pictures(pattern.picture)
    words = [
        f"{pattern.statistics.table}, code {pattern.statistics.code}",
        *_words(pattern),
        orbit_words(len(pictures)),
    ]
    console.print(Text("\n".join(words) + "\n"))
    _print_side_by_side(console, [_drawn(each) for each in pictures])


def _cell(number: int, pattern: ShownPattern) -> list[Text]:
    """The lines of one pattern: its place, its picture, its figures."""
    from rich.text import Text

    from eightfold.patterns.pictures import orbit_pictures

    known, orbit = pattern.statistics, len(orbit_pictures(pattern.picture))
    head = Text(f"{number}. {known.table} {known.code}", style="bold")
    return [head, *_drawn(pattern.picture), *map(Text, _words(pattern)), Text(f"orbit {orbit}", style="dim")]


def _words(pattern: ShownPattern) -> list[str]:
    known = pattern.statistics
    if not known.matches:
        return ["never seen"]
    low, high = pattern.interval
    elo = [] if known.elo is None else [f"Elo {known.elo:+.0f}"]
    share = f"{100 * known.posterior:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return [share, *elo, f"{known.plays:,} of {known.matches:,}"]


def _drawn(picture: Picture) -> list[Text]:
    from rich.text import Text

    from eightfold.patterns.pictures import ANCHOR, STONES, text_picture

    styles = dict(zip((*STONES.values(), ANCHOR), ("bold cyan", "bold yellow", "bold red"), strict=True))
    lines = []
    for line in text_picture(picture):
        text = Text()
        for sign in line:
            text.append(sign, style=styles.get(sign, "dim"))
        lines.append(text)
    return lines


def _print_side_by_side(console: Any, cells: Sequence[list[Text]]) -> None:
    """As many cells in a row as the terminal is wide."""
    from rich.text import Text

    width = max(line.cell_len for cell in cells for line in cell)
    columns = max(1, (console.width + GAP) // (width + GAP))
    for start in range(0, len(cells), columns):
        row = cells[start : start + columns]
        for k in range(max(map(len, row))):
            line = Text()
            for cell in row:
                part = cell[k].copy() if k < len(cell) else Text()
                part.pad_right(width + GAP - part.cell_len)
                line.append_text(part)
            line.rstrip()
            console.print(line, no_wrap=True, overflow="ignore")
        console.print()
