"""The ratings of a tournament as a picture: a point for each player, and its 95 % interval."""

from __future__ import annotations

import io

from eightfold.arena.tournaments.standings import Standings
from eightfold.core.plot_style import COLOURS, STYLE

DOTS_AN_INCH = 150


def ratings_plot(standings: Standings) -> bytes:
    """A PNG, by Matplotlib."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ratings, places = standings.fit.ratings, list(range(len(standings.names)))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.6, 1.4 + 0.34 * len(places)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.errorbar(
            [rating.elo for rating in ratings],
            places,
            xerr=[rating.error for rating in ratings],
            fmt="o",
            markersize=5,
            capsize=3,
            linewidth=1.5,
            color=COLOURS[0],
        )
        for place, rating in zip(places, ratings, strict=True):
            text, point = f"{round(rating.elo):+d}", (rating.elo, place)
            axes.annotate(text, point, (0, 5), textcoords="offset points", ha="center", fontsize=8)
        axes.set_yticks(places, standings.names)
        axes.set_ylim(len(places) - 0.4, -0.7)  # the strongest at the top
        axes.margins(x=0.08)
        axes.grid(visible=False, axis="y")
        axes.set(
            title=f"{standings.settings.game}, {len(standings.games):,} games",
            xlabel=f"Elo with 95 % intervals, {standings.zero} at 0",
        )
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=DOTS_AN_INCH, metadata={"Software": "eightfold"})
    return drawn.getvalue()
