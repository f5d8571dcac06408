"""Every setting with its default, what it may be and what it means: `eightfold settings`, and docs/settings.md."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from eightfold.config import toml_value
from eightfold.core.errors import unknown
from eightfold.core.settings import settings_of
from eightfold.learning.config import TrainConfig
from eightfold.learning.td.config import TdConfig

CONFIGS: dict[str, type] = {"train": TrainConfig, "train-isn": TdConfig}

_HEAD = """# Settings

`eightfold settings` prints these lists; this page is `eightfold settings --markdown`. A key is changed with
`--set key=value`, or in a TOML file of your own (see [training.md](training.md)). Anything else than what is allowed
is refused in one line, before a run's folder is made.
"""


def print_settings(command: str) -> None:
    """The settings of one command, as a table for a terminal."""
    if command not in CONFIGS:
        raise unknown("command with settings", command, [*CONFIGS, "study:NAME"])
    print_config(CONFIGS[command]())


def print_config(config: Any) -> None:
    """The keys of a configuration, with the values that it has."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", overflow="fold")
    table.add_column()
    for one in settings_of(type(config)):
        value = attrgetter(".".join((*one.name.split(".")[:-1], one.field)))(config)
        table.add_row(f"{one.name} = {toml_value(value)}", f"{one.help}; {one.expected()}")
    Console(emoji=False, markup=False, highlight=False).print(table)


def settings_page() -> str:
    """The page of the documentation."""
    parts = [_HEAD]
    for command, config in CONFIGS.items():
        rows = [
            f"| `{one.name}` | `{toml_value(one.default)}` | {one.expected()} | {one.help} |"
            for one in settings_of(config)
        ]
        parts.append(
            "\n".join(
                [f"## eightfold {command}\n", "| key | default | allowed | meaning |", "|---|---|---|---|", *rows]
            )
        )
    return "\n".join([parts[0], "\n\n".join(parts[1:])]) + "\n"
