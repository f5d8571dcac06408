"""What a cluster of so many actors would give, from what was measured with one: the model of docs/scaling.md.

Everything an actor does is its own, so games and bytes grow with the number of actors. One thing is shared: the
learner, which stores every game and trains on its samples. It is saturated when either takes all of its time:

    stored       games/s × seconds to take in a game                                    at most 1
    trained      games/s × samples a game × replay ratio / samples trained a second     at most 1

A learner that cannot train as fast as the games come takes them in all the same, and trains less often on each sample.
One that cannot take them in lets the actors wait. Weights go to every node once a version, a version a second at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DAY = 86_400


@dataclass(frozen=True, kw_only=True)
class Measured:
    """On this machine, by `eightfold bench cluster`."""

    games_per_s: float  # of one actor with one thread
    two_actors: float  # times as much as one
    samples_a_game: float
    bytes_a_game: float  # as it travels
    line_bytes: float  # as games.jsonl keeps it
    sample_bytes: float  # of the buffer, on the disk
    weights_bytes: float
    take_in_seconds: float  # of the learner's thread, for a game: receive, unpack, replay, store
    trained_per_s: float  # samples
    replay_ratio: float
    window: int  # samples that the buffer keeps
    seconds_a_version: float  # between two versions of the weights, at the least


@dataclass(frozen=True, kw_only=True)
class Capacity:
    actors: int
    nodes: int
    offered: float  # games a second, if no actor ever waited
    games_per_s: float  # that the learner takes in
    received: float  # bytes a second, games
    sent: float  # bytes a second, weights
    stored: float  # share of the learner's time that taking in all games on offer would need
    trained: float  # the same for training on the games that it takes in
    line_bytes_a_day: float


def capacity(measured: Measured, actors: int, *, actors_a_node: int = 16, trained_per_s: float = 0.0) -> Capacity:
    """The model; `trained_per_s` is that of another learner than the measured one.

    >>> one = Measured(games_per_s=2.0, two_actors=1.9, samples_a_game=10, bytes_a_game=3000, line_bytes=100,
    ...     sample_bytes=200, weights_bytes=1e6, take_in_seconds=0.01, trained_per_s=4000, replay_ratio=32,
    ...     window=30_000, seconds_a_version=1)
    >>> many = capacity(one, 32)
    >>> many.games_per_s, many.received, many.sent, round(many.trained, 2)
    (64.0, 192000.0, 2000000.0, 5.12)
    >>> capacity(one, 1000).offered, capacity(one, 1000).games_per_s
    (2000.0, 100.0)
    """
    nodes, offered = -(-actors // actors_a_node), actors * measured.games_per_s
    games = min(offered, 1 / measured.take_in_seconds)
    return Capacity(
        actors=actors,
        nodes=nodes,
        offered=offered,
        games_per_s=games,
        received=games * measured.bytes_a_game,
        sent=nodes * measured.weights_bytes / measured.seconds_a_version,
        stored=offered * measured.take_in_seconds,
        trained=games * measured.samples_a_game * measured.replay_ratio / (trained_per_s or measured.trained_per_s),
        line_bytes_a_day=DAY * games * measured.line_bytes,
    )


def table(measured: Measured, counted: dict[int, float], projected: Sequence[int]) -> str:
    """Markdown: what was measured with some numbers of actors (games a second), and what the model says of others."""
    numbers = [*counted, *projected]
    rows = [capacity(measured, number) for number in numbers]
    heads = [f"{number:,} {'measured' if number in counted else 'projected'}" for number in numbers]
    lines = [
        ("games/s measured", [f"{counted[n]:,.2f}" if n in counted else "" for n in numbers]),
        ("games/s by the model", [f"{row.offered:,.2f}" for row in rows]),
        ("games/s that one learner takes in", [f"{row.games_per_s:,.2f}" for row in rows]),
        ("nodes of 16 processors", [f"{row.nodes:,}" for row in rows]),
        ("games received", [_bytes(row.received) + "/s" for row in rows]),
        ("weights sent, at most", [_bytes(row.sent) + "/s" for row in rows]),
        ("learner: taking in games", [f"{row.stored:.1%}" for row in rows]),
        (f"learner: training, replay ratio {measured.replay_ratio:g}", [f"{row.trained:.0%}" for row in rows]),
        ("games.jsonl", [_bytes(row.line_bytes_a_day) + " a day" for row in rows]),
        ("buffer", [_bytes(measured.window * measured.sample_bytes)] * len(rows)),
    ]
    header = ["| actors |", *(f" {head} |" for head in heads)]
    text = ["".join(header), "|---|" + "---:|" * len(heads)]
    text += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in lines]
    return "\n".join(text) + "\n"


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,.0f} B"
