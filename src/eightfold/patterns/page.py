"""A library as one web page: the first patterns in every order, each as a picture with what is known of it.

The page is a single file, loads nothing and runs no script. The orders are radio buttons whose sections the style
sheet shows and hides; the orbit of a pattern unfolds below its picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from eightfold.patterns.library import Library
from eightfold.patterns.pictures import SVG_STYLE, orbit_pictures, svg_picture
from eightfold.patterns.ranking import ELO, MATCHES, PLAYS, POSTERIOR, ShownPattern, facts_of

TITLES = {POSTERIOR: "Posterior", ELO: "Elo", PLAYS: "Plays", MATCHES: "Matches"}
LARGE, SMALL = 132, 58  # pictures, in pixels

STYLE = """
:root { color-scheme: light dark; --paper: #f5f1ea; --surface: #fffdf9; --sunken: #efe9df; --ink: #2a2622;
  --muted: #6f665d; --line: #e0d8cb; --accent: #22695f; --wood: #e8c68b; --lines: #6b4a22; --anchor: #0b5f9e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #171514; --surface: #211e1c; --sunken: #2b2724; --ink: #ece6dc; --muted: #a59b8f; --line: #38332e;
    --accent: #7cc4b6; --wood: #bd9455; --lines: #4b3315; --anchor: #06406d; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 3rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-variant-numeric: tabular-nums; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 0.4rem; overflow-wrap: anywhere; }
p { margin: 0 0 0.5rem; color: var(--muted); max-width: 60rem; overflow-wrap: anywhere; }
.orders { margin-top: 1.2rem; }
.orders > input { position: absolute; opacity: 0; pointer-events: none; }
.orders > label { display: inline-block; padding: 0.35rem 0.95rem; margin: 0 0.2rem 0.8rem 0; border-radius: 99px;
  border: 1px solid var(--line); background: var(--surface); cursor: pointer; font-weight: 550; }
.orders > input:checked + label { background: var(--accent); color: var(--paper); border-color: var(--accent); }
.orders > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.orders > ol { display: none; list-style: none; margin: 0; padding: 0; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(18.5rem, 1fr)); align-items: start; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 14px; padding: 0.9rem; min-width: 0; }
.top { display: flex; gap: 0.9rem; }
.facts { min-width: 0; font-size: 0.9rem; color: var(--muted); line-height: 1.4; }
.facts b { display: block; font-size: 1.35rem; line-height: 1.2; color: var(--ink); font-weight: 650; }
.facts .rank { color: var(--accent); font-weight: 650; }
.facts span { display: block; }
.facts .missing { color: var(--bad, #b3392b); }
.where { display: flex; justify-content: space-between; gap: 0.5rem; font-size: 0.82rem; color: var(--muted);
  margin-top: 0.6rem; flex-wrap: wrap; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.95em; }
details { margin-top: 0.5rem; font-size: 0.9rem; }
summary { cursor: pointer; color: var(--accent); }
.orbit { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.5rem; }
.pattern { flex: none; }
"""


def library_page(
    library: Library, name: str, shown: Mapping[str, Sequence[ShownPattern]], *, first: str, note: str = ""
) -> str:
    """The page. `shown`: the patterns in each order; `first`: the order to begin with; `note`: what was chosen."""
    order_style = "".join(f"#order-{order}:checked ~ #list-{order} {{ display: grid; }}\n" for order in shown)
    choices = "".join(
        f'<input type="radio" name="order" id="order-{order}"{" checked" if order == first else ""}>'
        f'<label for="order-{order}">{TITLES.get(order, order)}</label>\n'
        for order in shown
    )
    lists = "".join(
        f'<ol id="list-{order}">{"".join(_card(place, each) for place, each in enumerate(patterns, 1))}</ol>\n'
        for order, patterns in shown.items()
    )
    together = "are counted together" if library.combined else "are counted each by itself"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Patterns of {escape(library.game)}: {escape(name)}</title>
<style>{STYLE}{SVG_STYLE}{order_style}</style>
</head>
<body>
<h1>Patterns of {escape(library.game)}: {escape(name)}</h1>
<p>{escape(facts_of(library))}. Patterns that are the same up to a symmetry {together}. {escape(note)}</p>
<p>Black is the side to move, the diamond the point to be played. The posterior is how often the point was played where
the pattern stood round a legal move, with its 95 % interval; its order is by the lower end.</p>
<div class="orders">
{choices}{lists}</div>
</body>
</html>
"""


def _card(place: int, pattern: ShownPattern) -> str:
    known, pictures = pattern.statistics, orbit_pictures(pattern.picture)
    label = f"pattern {known.code} of {known.table}"
    orbit = "".join(svg_picture(each, width=SMALL, label=label) for each in pictures)
    return f"""<li class="card"><div class="top">{svg_picture(pattern.picture, width=LARGE, label=label)}
<div class="facts"><span class="rank">{place}</span>{_facts(pattern)}</div></div>
<div class="where"><span>{known.table}</span><span>code <code>{known.code}</code></span></div>
<details><summary>{orbit_words(len(pictures))}</summary><div class="orbit">{orbit}</div></details></li>
"""


def _facts(pattern: ShownPattern) -> str:
    known = pattern.statistics
    if not known.matches:
        return '<span class="missing">never seen</span>'
    low, high = pattern.interval
    elo = "" if known.elo is None else f"<span>Elo {known.elo:+.0f}</span>"
    return (
        f"<b>{100 * known.posterior:.1f} %</b><span>{100 * low:.1f} to {100 * high:.1f} %</span>{elo}"
        f"<span>plays {known.plays:,}</span><span>matches {known.matches:,}</span>"
    )


def orbit_words(size: int) -> str:
    """How many ways there are for a shape to lie on a board."""
    return "looks the same from all sides" if size == 1 else f"{size} ways to lie on a board"
