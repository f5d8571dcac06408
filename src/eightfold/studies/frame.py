"""The frame of every study: stages that measure, each kept under a key, and a report made of what they found.

    Study = stages + settings         run_study      for every stage: its key -> kept, or measured now -> the report
    Stage = measure + section         write_report   the report again, from results.json alone

A stage's `measure` gets a `Work` and gives back what JSON can hold; its `section` writes that into the report. Its key
is made of its name and version, of the settings that it names, of the keys of the stages that it comes after and of
its `inputs` (files count by their content). It sees no other settings and no other results, so that nothing else can
change what it finds. Long stages work in parts: functions whose name and facts, all of their arguments, are their key.
A part is on disk as soon as it is done. Stop a study in any way and start it again: it goes on with the first part
that is missing.

Read next: `eightfold.studies.isn`, or the shorter example in docs/studies.md.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from eightfold.arena.engine import PlayGames, play_games
from eightfold.config import with_changes
from eightfold.core.errors import EightfoldError, unknown
from eightfold.core.files import replace_files
from eightfold.core.user_code import USER_CODE, import_user_module
from eightfold.studies import MODULES, STUDIES
from eightfold.studies.command import command_of
from eightfold.studies.plots import require_matplotlib
from eightfold.studies.progress import StudyProgress
from eightfold.studies.report import REPORT, Report
from eightfold.studies.store import Store, digest, plain, read_results, stage_results


@dataclass(frozen=True, kw_only=True)
class Stage:
    name: str
    measure: Callable[[Work], Any]  # None: there is nothing to measure with these settings
    section: Callable[[Report, Any], None]  # is given what `measure` found
    settings: tuple[str, ...] | None = None  # those that it reads; None: all
    after: tuple[str, ...] = ()  # stages whose results it reads
    inputs: Callable[[Work], Any] = lambda work: None  # what else its numbers depend on, as facts
    version: int = 1  # to be raised when the same settings are measured in another way
    summary: Callable[[Report, Any], None] | None = None  # writes what the report begins with, in short


@dataclass(frozen=True, kw_only=True)
class Study:
    name: str
    title: str
    introduction: str
    settings: Any  # a frozen dataclass of `setting(...)` fields
    small: tuple[str, ...]  # changes of the settings, as --set takes them, that make it a matter of seconds
    stages: tuple[Stage, ...]
    check: Callable[[Any], None] = lambda settings: None  # an error, before anything is measured
    identify: Callable[[Path], Any] | None = None  # which run `--run` names, also after it went on; None: takes no run

    def folder(self, run: Path | None, *, small: bool = False) -> Path:
        """Where it goes if nobody says otherwise."""
        folder = Path("studies") / self.name if run is None else run / "study"
        return folder.with_name(f"{folder.name}-small") if small else folder


class Visible(SimpleNamespace):
    """The settings that a stage's key covers."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the stage does not name the setting {name!r}, so its key would not cover it")


@dataclass(frozen=True, kw_only=True)
class Part:
    """What a part is given besides its facts."""

    output: Path  # the study's folder
    place: str  # a folder in it for this part alone; not made yet
    progress: Callable[[float], None]  # to be told which share of it is done
    play: PlayGames = play_games  # what plays its matches: here, or on a cluster

    @property
    def folder(self) -> Path:
        return self.output / self.place


# Measures parts together: what measures one, and the parts with their facts; their numbers and results, as they come.
Together = Callable[[Callable[..., Any], Sequence[tuple[Part, Mapping[str, Any]]]], Iterator[tuple[int, Any]]]


class Work:
    """What a stage has to work with."""

    def __init__(
        self,
        stage: Stage,
        store: Store,
        progress: StudyProgress,
        settings: Any,
        results: dict[str, Any],
        run: Path | None,
        play: PlayGames = play_games,
    ) -> None:
        self.settings, self.results, self.run, self.output = settings, results, run, store.folder
        self._stage, self._store, self._progress, self._play = stage, store, progress, play

    def part(self, measure: Callable[..., Any], **facts: Any) -> Any:
        """One part: `measure(part, **facts)`, or what it gave when it had these facts before."""
        return self.parts(measure, [facts])[0]

    def parts(
        self,
        measure: Callable[..., Any],
        cases: Sequence[Mapping[str, Any]],
        labels: Sequence[str] = (),
        *,
        together: Together | None = None,
    ) -> list[Any]:
        """The same for many cases (see `grid`), in their order; the labels are what people see while they wait.

        One case is measured after another, or all that are missing as `together` says (`together.py`).
        """
        name = measure.__name__.strip("_")
        keys = [digest({"measure": name, "version": self._stage.version, "facts": dict(facts)}) for facts in cases]
        found = {key: self._store.kept(name, key) for key in keys}
        first: dict[str, int] = {}
        for number, key in enumerate(keys):
            first.setdefault(key, number)
        missing = [number for key, number in first.items() if not found[key][0]]
        self._progress.begin(len(missing))
        shares = dict.fromkeys(missing, 0.0)

        def part_of(number: int) -> Part:
            def share_done(share: float) -> None:
                shares[number] = min(1.0, share)
                self._progress.share_of_parts(sum(shares.values()))

            place = self._store.place(name, keys[number])
            return Part(output=self.output, place=place, progress=share_done, play=self._play)

        def one_by_one() -> Iterator[tuple[int, Any]]:
            for place, number in enumerate(missing):
                self._progress.part(labels[number] if labels else _label(cases[number], cases))
                yield place, measure(part_of(number), **cases[number])

        pending = [(part_of(number), cases[number]) for number in missing]
        for place, result in one_by_one() if together is None else together(measure, pending):
            number = missing[place]
            found[keys[number]] = True, self._store.keep(name, keys[number], result, dict(cases[number]))
            shares[number] = 0.0
            self._progress.part_done()
        return [found[key][1] for key in keys]


def load_study(name: str) -> Study:
    """A study of this package by its name, or `python:MODULE`: the STUDY of a module of one's own."""
    kind, _, module = name.partition(":")
    if kind == USER_CODE and module:
        study = getattr(import_user_module(module, f"study {name}"), "STUDY", None)
        if not isinstance(study, Study):
            raise EightfoldError(f"the module {module} has no STUDY, a Study of eightfold.studies.frame")
        return study
    if name not in STUDIES:
        raise unknown("study", name, [*STUDIES, "python:MODULE"])
    place = MODULES.get(name, name.replace("-", "_"))
    found: Study = importlib.import_module(f"eightfold.studies.{place}").STUDY
    return found


def run_study(
    study: Study,
    output: Path,
    *,
    run: Path | None = None,
    small: bool = False,
    changes: Sequence[str] = (),
    play: PlayGames = play_games,
    until: str | None = None,
) -> Path:
    """Measure what has not been measured for these settings; the report, written from what was found.

    `play` is what plays the matches of parts that ask for it: the same games, here or on a cluster. `until` is the
    last stage to be measured now.
    """
    require_matplotlib()
    names = [stage.name for stage in study.stages]
    if until is not None and until not in names:
        raise unknown(f"stage of {study.name}", until, names)
    settings = with_changes(study.settings, [*(study.small if small else ()), *changes])
    study.check(settings)
    if run is not None and study.identify is None:
        raise EightfoldError(f"the study {study.name} is about no run; leave --run out")
    about = None if run is None or study.identify is None else study.identify(run)
    store = Store(output, study.name, subject=digest([small, about]) if small or run else None)
    try:
        with StudyProgress(study.name) as progress:
            for stage in study.stages:
                _take_stage(study, stage, store, progress, settings, run, play)
                if stage.name == until:
                    break
    except KeyboardInterrupt:
        print(f"stopped; what is measured is kept in {output}, and the same command goes on with it", file=sys.stderr)
        raise
    store.save(settings)
    return write_report(study, output)


def write_report(study: Study, output: Path) -> Path:
    """The report, its plots and its tables, from the kept results alone; nothing is measured."""
    require_matplotlib()
    kept = read_results(output, study.name)
    report = Report(study.title, _command(study, kept), study.introduction)
    results = stage_results(output, study.name, [stage.name for stage in study.stages])
    known = [stage for stage in study.stages if results.get(stage.name) is not None]
    for stage in known:
        if stage.summary is not None:
            stage.summary(report, results[stage.name])
    for stage in known:
        stage.section(report, results[stage.name])
    replace_files({output / name: data for name, data in report.files().items()})
    return output / REPORT


def _command(study: Study, kept: Mapping[str, Any]) -> str:
    """How the results that were kept came about."""
    settings = kept.get("settings", {})
    if settings == plain(with_changes(study.settings, study.small)):
        return f"eightfold study {study.name} --small"
    of_run = kept.get("subject") is not None
    return command_of(study.name, plain(study.settings), settings, of_run=of_run)


def _take_stage(
    study: Study,
    stage: Stage,
    store: Store,
    progress: StudyProgress,
    settings: Any,
    run: Path | None,
    play: PlayGames,
) -> None:
    before = _before(study, stage)
    seen = {name for each in (stage, *before) for name in _setting_names(each, settings)}
    values = {name: getattr(settings, name) for name in sorted(seen)}
    results = {each.name: store.results[each.name] for each in before}
    work = Work(stage, store, progress, Visible(**values), results, run, play)
    key = digest(
        {
            "stage": stage.name,
            "version": stage.version,
            "settings": {name: values[name] for name in _setting_names(stage, settings)},
            "after": {each.name: store.keys[each.name] for each in before},
            "inputs": stage.inputs(work),
        }
    )
    is_kept, result = store.kept(stage.name, key)
    if not is_kept:
        progress.stage(stage.name)
        result = store.keep(stage.name, key, stage.measure(work), values)
    store.add(stage.name, key, result)
    if not is_kept:
        store.save(settings)


def _before(study: Study, stage: Stage) -> list[Stage]:
    """The stages that this one comes after, and those that they come after."""
    named = {each.name: each for each in study.stages}
    found: dict[str, Stage] = {}
    for name in stage.after:
        found |= {each.name: each for each in (*_before(study, named[name]), named[name])}
    return list(found.values())


def _setting_names(stage: Stage, settings: Any) -> tuple[str, ...]:
    return stage.settings if stage.settings is not None else tuple(field.name for field in fields(settings))


def _label(facts: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> str:
    """The facts in which cases differ, as far as they are short."""
    differing = {name: value for name, value in facts.items() if any(case.get(name) != value for case in cases)}
    return ", ".join(f"{name} {value}" for name, value in differing.items() if isinstance(value, (str, int, float)))
