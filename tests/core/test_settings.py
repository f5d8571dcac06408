"""Every setting: declared once, checked everywhere, and refused in one line."""

from __future__ import annotations

import dataclasses
import math
from typing import get_type_hints

import pytest

from eightfold.config import load_config, with_changes
from eightfold.core.errors import EightfoldError
from eightfold.core.settings import Setting, check_settings, settings_of
from eightfold.learning.config import EvaluationConfig, SelfPlayConfig, TrainConfig, TrainingConfig
from eightfold.learning.td.config import ClimbConfig, TdConfig, UnitsConfig
from eightfold.search.settings import SearchSettings
from refusals import refusal

CONFIGS = (TrainConfig, TdConfig)
SETTINGS = [(config, one.name, one) for config in CONFIGS for one in settings_of(config)]
NUMBERS = [entry for entry in SETTINGS if type(entry[2].default) in (int, float)]


def named(entries):
    return [pytest.param(*entry, id=f"{entry[0].__name__}:{entry[1]}") for entry in entries]


def written(number: float) -> str:
    """As people write it: whole numbers in groups of three digits."""
    return f"{int(number):,}" if number == int(number) else str(number)


@pytest.mark.parametrize(
    "config",
    [TrainConfig, SelfPlayConfig, TrainingConfig, EvaluationConfig, TdConfig, UnitsConfig, ClimbConfig, SearchSettings],
)
def test_every_field_is_declared_with_its_help_and_its_range(config):
    hints, declared = get_type_hints(config), {one.name: one for one in settings_of(config)}
    for item in dataclasses.fields(config):
        if dataclasses.is_dataclass(hints[item.name]):
            assert any(key.startswith(f"{item.name}.") for key in declared)
            continue
        allowed = declared[item.name]
        assert type(allowed.default) is (tuple if item.name == "symmetries" else hints[item.name])
        assert allowed.default == item.default
        assert allowed.help
        assert "\n" not in allowed.help
        assert allowed.fault(allowed.default) == ""
        if type(allowed.default) in (int, float):
            assert allowed.least is not None
            assert allowed.most is not None
    check_settings(config())


def text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, (bool, float)) else str(value)


@pytest.mark.parametrize(("config", "key", "allowed"), named(NUMBERS))
def test_numbers_out_of_range_are_refused_with_what_would_be_right(config, key, allowed):
    below = allowed.least - 1
    above = int(allowed.most) + 1 if isinstance(allowed.default, int) else 2 * allowed.most + 1
    for value, said in (
        (below, f"is too small; {written(allowed.least)} or more is needed"),
        (above, f"is too large; {written(allowed.most)} or less is needed"),
        (10**400, "is too large"),
        (math.nan, "is not a"),
        (math.inf, "is not a"),
        (-math.inf, "is not a"),
        ("many", "is not a"),
        (True, "is not a"),
        ([1], "is not a"),
    ):
        text = refusal(lambda value=value: with_changes(config(), [f"{key}={text_of(value)}"]))
        assert text.startswith(f"--set: {key} = ")
        assert said in text
    if isinstance(allowed.default, int):
        assert "is not a whole number" in refusal(lambda: with_changes(config(), [f"{key}=2.5"]))
    for value in (allowed.least, allowed.most):
        value = type(allowed.default)(value)
        changed = with_changes(config(), [f"{key}={value}"])
        for part in key.split("."):
            changed = getattr(changed, part)
        assert changed == value
        assert type(changed) is type(allowed.default)


@pytest.mark.parametrize(("config", "key", "allowed"), named(e for e in SETTINGS if isinstance(e[2].default, str)))
def test_texts_are_texts_and_choices_are_listed(config, key, allowed):
    for value in ("3", "true", "[0]"):
        assert f"--set: {key} = " in refusal(lambda value=value: with_changes(config(), [f"{key}={value}"]))
    if allowed.choices:
        text = refusal(lambda: with_changes(config(), [f"{key}=wavy"]))
        assert text == f"unknown {key} in --set 'wavy'; known: {', '.join(allowed.choices)}"


@pytest.mark.parametrize("turns", ["[]", "[8]", "[-1]", "[0.5]", "[true]", "3", "nan", "x"])
def test_turns_are_some_of_the_eight(turns):
    assert "--set: training.symmetries = " in refusal(
        lambda: with_changes(TrainConfig(), [f"training.symmetries={turns}"])
    )


@pytest.mark.parametrize("value", ["1", "0.5", "yes", "[]"])
def test_a_switch_is_true_or_false(value):
    said = refusal(lambda: with_changes(TrainConfig(), [f"selfplay.count_reused_visits={value}"]))
    assert said.endswith("is not true or false")


def test_a_file_is_named_where_the_mistake_is(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[training]\nbatch_size = 0\n")
    said = refusal(lambda: load_config(TrainConfig(), path))
    assert said == f"{path}: training.batch_size = 0 is too small; 1 or more is needed"
    path.write_text(f"seed = {'9' * 5000}\n")
    assert "mine.toml is not TOML" in refusal(lambda: load_config(TrainConfig(), path))


def test_values_given_directly_are_checked_too():
    broken = TrainConfig(training=TrainingConfig(batch_size=0))
    assert refusal(lambda: check_settings(broken)) == "training.batch_size = 0 is too small; 1 or more is needed"
    with pytest.raises(EightfoldError, match="exploration = nan is not a number from 0 to 1,000"):
        SearchSettings(exploration=math.nan)


def test_what_is_allowed_in_words():
    assert Setting(default=4, help="", least=1, most=20).expected() == "a whole number from 1 to 20"
    assert Setting(default=4.0, help="", least=1).expected() == "a number of at least 1"
    assert Setting(default="a", help="", choices=("a", "b")).expected() == "one of a, b"
    assert Setting(default=True, help="").expected() == "true or false"
    assert Setting(default=(0,), help="", least=0, most=7).expected() == "whole numbers from 0 to 7"
