"""The report of the experiment `isn`: text and figures made from its numbers, and from nothing else."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from eightfold.games.game import make_game
from eightfold.nets.store.checkpoint import replace_file
from eightfold.studies.plot import Series, line_plot

REPORT = "README.md"


def write_report(results: dict[str, Any], folder: Path) -> None:
    """README.md and the figures it shows."""
    parts = [
        "# Internal Symmetry Networks by TD(λ) self-play",
        "Written by `eightfold experiment isn` from the numbers in [results.json](results.json); do not edit. The"
        " network, its inputs and outputs are explained in Eightfold's docs/isn.md, the training in docs/td.md.",
    ]
    for name, section in (
        ("training", _training),
        ("round_robin", _round_robin),
        ("opponents", _opponents),
        ("look_ahead", _look_ahead),
        ("large", _large),
        ("variants", _variants),
    ):
        if name in results:
            parts += section(results[name], folder)
    replace_file(folder / REPORT, ("\n\n".join(parts) + "\n").encode())


def _training(found: dict[str, Any], folder: Path) -> list[str]:
    fastest, machines = found["fastest"], found.get("machines", [])
    board = f" of `{found['game']}`" if "game" in found else ""
    trained_on = f" on {'; then '.join(machines)}" if machines else ""
    fastest_on = f" ({fastest['machine']})" if len(machines) > 1 and fastest["machine"] else ""
    replace_file(
        folder / "loss.svg",
        line_plot(
            [Series(name="loss", points=tuple((games, loss, loss, loss) for games, loss in found["loss"]))],
            title="Cross entropy of a position above what its targets leave at best",
            x="games",
            y="cross entropy",
        ).encode(),
    )
    return [
        "## The run",
        f"{found['games']:,} games of self-play{board} in {found['minutes']:.1f} minutes{trained_on}:"
        f" {found['games'] / (60 * found['minutes']):.1f} games a second over the whole run,"
        f" {found['moves_a_game']:.0f} moves a game. At its fastest, for some seconds,"
        f" {fastest['games_per_s']:.1f} games a second of {fastest['moves_a_game']:.0f} moves,"
        f" {fastest['candidates_per_s']:,.0f}"
        f" candidate moves a second{fastest_on}. The document: 860,000 games, two a second.",
        f"λ = {found['trace']:g}, learning rate {found['learning_rate']:g}, falling to {found['final_share']:g} of it;"
        f" weights × {found['decay']:g} a game; β = {found['beta']:g}; c = {found['c']:g}, s = {found['s']:g};"
        " the shortcut alone"
        f" for the first {found['linear_games']:,} games; {found['games_an_update']} games for each change of the"
        " weights; seed"
        f" {found['seed']}.",
        "![loss](loss.svg)",
    ]


def _round_robin(found: dict[str, Any], folder: Path) -> list[str]:
    snapshots = found["snapshots"]
    _figure(folder / "figure1.svg", snapshots, "Wins in a round robin of all snapshots (document 003, figure 1)")
    best = max(snapshots, key=lambda entry: entry["score"])
    half = len(snapshots) // 2
    first, second = (_mean(part) for part in (snapshots[:half], snapshots[half:]))
    drops = [max(0.0, a["score"] - b["score"]) for a, b in pairwise(snapshots)]
    return [
        "## Strength over training",
        f"{len(snapshots)} snapshots, {found['games_a_pair']} games a pair, β = {found['beta']:g}, `{found['game']}`,"
        f" {found['moves_a_game']:.0f} moves a game on average. Bars are 95 % intervals (Wilson).",
        "![figure 1](figure1.svg)",
        f"The earlier half of the snapshots wins {first:.1%} on average, the later half {second:.1%}. The best is"
        " the one after"
        f" {best['games']:,} games with {_score(best)}. From one snapshot to the next the percentage falls by up to"
        f" {max(drops, default=0.0):.1%}.",
        _table(
            ("after games", "wins", "95 % interval"),
            [(f"{entry['games']:,}", f"{entry['score']:.1%}", _interval(entry)) for entry in snapshots],
        ),
    ]


def _opponents(found: dict[str, Any], folder: Path) -> list[str]:
    return [
        "## The best snapshot without look-ahead",
        f"After {found['snapshot']:,} games, `{found['game']}`, always the move after which the board is worth most.",
        _matches(found["matches"]),
    ]


def _look_ahead(found: dict[str, Any], folder: Path) -> list[str]:
    return [
        "## With alpha-beta, pruned by the network itself",
        "The same snapshot; at every ply the six moves that the network likes best. Against itself without"
        " look-ahead games"
        " begin with four random moves, each opening twice with colours swapped.",
        _matches(found["matches"]),
    ]


def _large(found: dict[str, Any], folder: Path) -> list[str]:
    size = make_game(found["game"]).size
    return [
        f"## The same weights on {size}x{size}",
        f"The weights of the run above, playing `{found['game']}`. A round robin of some snapshots,"
        f" {found['games_a_pair']} games a pair,"
        f" {found['moves_a_game']:.0f} moves a game on average:",
        _table(
            ("after games", "wins", "95 % interval"),
            [(f"{entry['games']:,}", f"{entry['score']:.1%}", _interval(entry)) for entry in found["snapshots"]],
        ),
        f"And the snapshot after {found['snapshot']:,} games, no look-ahead:",
        _matches(found["matches"]),
    ]


def _variants(found: dict[str, Any], folder: Path) -> list[str]:
    variants = found["variants"]
    replace_file(
        folder / "variants.svg",
        line_plot(
            [
                Series(
                    name=name,
                    points=tuple(
                        (e["games"], 100 * e["score"], *(100 * x for x in e["ci95"])) for e in of["snapshots"]
                    ),
                )
                for name, of in variants.items()
            ],
            title="Wins in a round robin of all variants' later snapshots",
            x="games",
            y="% of wins",
        ).encode(),
    )
    rows = []
    for name, of in variants.items():
        snapshots = of["snapshots"]
        scores = [entry["score"] for entry in snapshots]
        mean = sum(scores) / len(scores)
        spread = (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5
        drop = max((max(0.0, a - b) for a, b in pairwise(scores)), default=0.0)
        rows.append(
            (name, f"{mean:.1%}", _score(snapshots[-1]), f"{spread:.1%}", f"{drop:.1%}", f"{of['moves_a_game']:.0f}")
        )
    parts = [
        "## Variants",
        f"{found['games']:,} training games each with the run's settings, one seed."
        " *document's rate*: its learning rate, which does not fall;"
        " *higher rate*: 5e-5, falling as in the run; *one output*: the reward"
        " itself, with groups"
        " by their number of liberties; *liberty counts*: seven outputs, but groups by their number of liberties"
        " (both are the"
        " document's first attempts); *recurrent*: one step of recurrent links; *hill-climb*: TD as mutation, see"
        " below."
        f" A round robin over all snapshots of the later half, {found['games_a_pair']} games a pair.",
        "![variants](variants.svg)",
        _table(
            ("variant", "mean of snapshots", "last snapshot", "spread", "largest drop", "moves a game"),
            rows,
        ),
    ]
    climb = variants.get("hill-climb")
    if climb and climb["contests"]:
        parts.append(
            f"The hill-climb let new weights stay in {climb['accepted']} of {climb['contests']} contests, which took"
            f" {climb['contest_games']:,} games on top of the {found['games']:,} of training. Spread and largest"
            " drop say how"
            " much the percentage fluctuates between its snapshots, beside plain TD's; with one seed and these"
            " intervals,"
            " differences of a few percent mean nothing."
        )
    return parts


# ---- pieces -------------------------------------------------------------------------------------------------


def _figure(path: Path, snapshots: list[dict[str, Any]], title: str) -> None:
    points = tuple(
        (entry["games"], 100 * entry["score"], 100 * entry["ci95"][0], 100 * entry["ci95"][1]) for entry in snapshots
    )
    text = line_plot([Series(name="wins", points=points)], title=title, x="games", y="% of wins", y_range=(0, 100))
    replace_file(path, text.encode())


def _matches(matches: list[dict[str, Any]]) -> str:
    rows = []
    for match in matches:
        lead = f"{match['lead']:+.1f}" if "lead" in match else ""
        rows.append(
            (match["player"], match["opponent"], match["games"], f"{match['score']:.1%}", _interval(match), lead,
             f"{1000 * match['seconds_per_move']:.1f} ms")
        )  # fmt: skip
    return _table(("player", "opponent", "games", "score", "95 % interval", "mean lead", "time a move"), rows)


def _table(headings: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _interval(entry: dict[str, Any]) -> str:
    low, high = entry["ci95"]
    return f"{low:.1%} to {high:.1%}"


def _score(entry: dict[str, Any]) -> str:
    return f"{entry['score']:.1%} ({_interval(entry)})"


def _mean(entries: list[dict[str, Any]]) -> float:
    return sum(entry["score"] for entry in entries) / max(1, len(entries))
