"""What the study `orbits` measures: streams of requests by self-play, and what caches would have answered of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eightfold.games.game import make_game
from eightfold.nets.store.open import open_network
from eightfold.studies.frame import Work
from eightfold.studies.grid import grid
from eightfold.studies.orbits.analysis import KEYS, analyse_stream
from eightfold.studies.orbits.settings import presets_of
from eightfold.studies.orbits.streams import UNTRAINED, record_stream

KEPT = ("seed", "requests", "entries", "hits", "curve", "memory")
COUNTED = ("requests", *(f"{key}_entries" for key in KEYS))
STREAMS = ("game", "presets", "networks", "changes", "requests", "seeds")


def networks(work: Work) -> dict[str, str | Path]:
    """The networks by their names: their files, which stand for what they hold."""
    game = make_game(work.settings.game, trusted=True)
    names = dict.fromkeys(work.settings.networks.split())
    return {name: name if name == UNTRAINED else open_network(name, game).file for name in names}


def streams(work: Work) -> list[dict[str, Any]]:
    settings, files = work.settings, networks(work)
    presets = presets_of(settings)
    told = grid({"seed": settings.seeds, "preset": presets, "network": files})
    cases = [
        {
            "seed": row["seed"],
            "preset": presets[row["preset"]][0],
            "changes": presets[row["preset"]][1],
            "network": files[row["network"]],
            "game": settings.game,
            "requests": settings.requests,
        }
        for row in told
    ]
    labels = [f"{row['preset']}, {row['network']}, seed {row['seed']}" for row in told]
    return [{**row, **found} for row, found in zip(told, work.parts(record_stream, cases, labels), strict=True)]


def caches(work: Work) -> list[dict[str, Any]]:
    """What caches answer of every stream; what is told by ply is that of all seeds together."""
    recorded = work.results["streams"]
    cases = [{"file": work.output / row["file"]} for row in recorded]
    labels = [f"{row['preset']}, {row['network']}, seed {row['seed']}" for row in recorded]
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row, found in zip(recorded, work.parts(analyse_stream, cases, labels), strict=True):
        for each in found:
            names = (row["preset"], row["network"], each["kind"], each["life"])
            groups.setdefault(names, []).append({"seed": row["seed"], **each})
    return [
        {
            **dict(zip(("preset", "network", "kind", "life"), names, strict=True)),
            "seeds": [{name: each[name] for name in KEPT} for each in members],
            "plies": pooled_plies([each["plies"] for each in members]),
        }
        for names, members in groups.items()
    ]


def pooled_plies(tables: Iterable[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """By ply the requests of several streams and, added up, what caches answer of them and have to keep."""
    added: dict[int, dict[str, int]] = {}
    for row in (row for table in tables for row in table):
        here = added.setdefault(row["ply"], dict.fromkeys(COUNTED, 0))
        for name in COUNTED:
            here[name] += row[name]
    return [{"ply": ply, **added[ply]} for ply in sorted(added)]
