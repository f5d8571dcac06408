"""The ideas that the study `efficiency` asks about: each a small change of a run, which can be made or taken back.

A preset has some of them already. Its arm for such an idea is the run without; for any other it is the run with it. So
every arm differs from the preset in one thing, and the answer is always what the idea is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from eightfold.config import with_changes
from eightfold.core.errors import unknown
from eightfold.core.specs import spec_values, split_name, write_spec
from eightfold.games.game import make_game
from eightfold.learning.config import TrainConfig
from eightfold.nets.heads import HEADS, NEXT, POINTS, SOFT, heads_text, read_heads
from eightfold.nets.networks import read_network

OWN = "preset"  # the arm without a change
MODES = ("none", "augment", "slap", "slap-cc", "random", "average")


@dataclass(frozen=True, kw_only=True)
class Idea:
    name: str
    about: str
    is_there: Callable[[TrainConfig], bool]
    made: Callable[[TrainConfig], TrainConfig]
    taken_back: Callable[[TrainConfig], TrainConfig] | None = None  # None: only what lacks it is changed
    fits: Callable[[TrainConfig], bool] = lambda config: True
    late: bool = False  # the change comes when half of the time is over


def _set(*changes: str) -> Callable[[TrainConfig], TrainConfig]:
    return lambda config: with_changes(config, changes)


def _caps(config: TrainConfig) -> TrainConfig:
    fast = max(1, config.selfplay.playouts // 5)
    return with_changes(config, ["selfplay.full_share=0.3", f"selfplay.fast_playouts={fast}"])


def _head(head: str, about: str) -> Idea:
    def change(config: TrainConfig, *, have: bool) -> TrainConfig:
        heads = set(_heads(config)) - {head} | ({head} if have else set())
        return _with_options(config, auxiliary=heads_text(tuple(name for name in HEADS if name in heads)))

    return Idea(
        name=head,
        about=about,
        is_there=lambda config: head in _heads(config),
        made=lambda config: change(config, have=True),
        taken_back=lambda config: change(config, have=False),
        fits=lambda config: (
            "auxiliary" in _options(config) and (head != POINTS or make_game(config.game, trusted=True).has_ownership)
        ),
    )


def _mode(mode: str) -> Idea:
    return Idea(
        name=mode,
        about=f"the symmetry mode `{mode}` instead of the preset's",
        is_there=lambda config: config.symmetry == mode,
        made=_set(f"symmetry={mode}"),
    )


def _larger(name: str, *, late: bool) -> Idea:
    when = ", grown from the preset's when half of the time is over" if late else ""
    about = f"a network half as large again{when}"
    return Idea(
        name=name,
        about=about,
        is_there=lambda config: False,
        made=_grown,
        late=late,
        fits=lambda config: bool(_growing(config)),
    )


def _grown(config: TrainConfig) -> TrainConfig:
    """Half as many blocks more, and half as many filters, in eights."""
    options = _options(config)
    larger = {name: _half_more(int(options[name]), 8 if name != "blocks" else 1) for name in _growing(config)}
    return _with_options(config, **larger)


def _half_more(number: int, unit: int) -> int:
    """
    >>> _half_more(32, 8), _half_more(3, 1), _half_more(4, 8)
    (48, 5, 8)
    """
    return -(-3 * number // (2 * unit)) * unit


IDEAS = {
    idea.name: idea
    for idea in (
        Idea(
            name="caps",
            about="playout caps: three moves in ten are searched in full, the others cheaply and without a sample",
            is_there=lambda config: config.selfplay.full_share < 1,
            made=_caps,
            taken_back=_set("selfplay.full_share=1", "selfplay.fast_playouts=0"),
        ),
        Idea(
            name="pruning",
            about="forced playouts and a pruned policy target (k = 2)",
            is_there=lambda config: config.selfplay.forced_playouts > 0,
            made=_set("selfplay.forced_playouts=2"),
            taken_back=_set("selfplay.forced_playouts=0"),
            fits=lambda config: config.selfplay.root == "puct",
        ),
        Idea(
            name="gumbel",
            about="Gumbel search at the root instead of PUCT with noise",
            is_there=lambda config: config.selfplay.root == "gumbel",
            made=_set("selfplay.forced_playouts=0", "selfplay.root=gumbel"),
            taken_back=_set("selfplay.root=puct"),
        ),
        _head(POINTS, "the auxiliary heads of ownership and score"),
        _head(SOFT, "the auxiliary head of the soft policy"),
        _head(NEXT, "the auxiliary head of the opponent's next move"),
        Idea(
            name="openings",
            about="random stones at the start of most games",
            is_there=lambda config: config.selfplay.opening_share > 0,
            made=_set("selfplay.opening_share=0.8"),
            taken_back=_set("selfplay.opening_share=0"),
        ),
        Idea(
            name="averaged",
            about="averaged weights in play (the mean over 500 steps)",
            is_there=lambda config: config.training.average_weights > 0,
            made=_set("training.average_weights=500"),
            taken_back=_set("training.average_weights=0"),
        ),
        _larger("larger", late=False),
        _larger("larger-late", late=True),
        *map(_mode, MODES),
    )
}


def read_ideas(text: str) -> list[Idea]:
    """The ideas that a text names, separated by spaces."""
    for name in text.split():
        if name not in IDEAS:
            raise unknown("idea", name, IDEAS)
    return [IDEAS[name] for name in dict.fromkeys(text.split())]


def arms_of(config: TrainConfig, ideas: Sequence[Idea]) -> list[Idea]:
    """The ideas that make an arm of their own with this preset."""
    able = [idea for idea in ideas if idea.fits(config)]
    return [idea for idea in able if not idea.is_there(config) or idea.taken_back is not None]


def arm_config(config: TrainConfig, name: str) -> TrainConfig:
    """The run of an arm: the preset with an idea, or without one that it has."""
    if name == OWN:
        return config
    idea = IDEAS[name]
    if not idea.is_there(config):
        return idea.made(config)
    assert idea.taken_back is not None, "such an idea makes no arm"
    return idea.taken_back(config)


def _options(config: TrainConfig) -> dict[str, int | float | str]:
    return spec_values(read_network(config.network)[1])


def _with_options(config: TrainConfig, **options: int | str) -> TrainConfig:
    name = split_name(config.network)[0]
    return replace(config, network=write_spec(name, {**_options(config), **options}))


def _heads(config: TrainConfig) -> tuple[str, ...]:
    return read_heads(str(_options(config).get("auxiliary", "0")))


def _growing(config: TrainConfig) -> tuple[str, ...]:
    return getattr(read_network(config.network)[0], "grows", ())
