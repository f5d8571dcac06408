"""What a study has measured, on disk; every file is written whole or not at all.

    results.json            what the report is written from: the result of every stage, with its key
    kept/STAGE-KEY.json     the same by itself, also for settings that were used earlier
    kept/MEASURE-KEY.json   a part of a stage: one match, one trained network
    kept/MEASURE-KEY/       where that part keeps files of its own, such as a run

A key is a digest of everything that a result depends on. So what is found under a key need not be measured again, and
nothing that was measured is ever overwritten by something else. Without `kept/` the report can still be written.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from eightfold import __version__
from eightfold.core.errors import EightfoldError
from eightfold.core.files import replace_file

RESULTS, KEPT = "results.json", "kept"


def digest(facts: Any) -> str:
    """A short name for facts: what JSON can hold, configurations, and paths, which stand for what their files hold.

    >>> digest({"games": 2, "seed": 1}) == digest({"seed": 1, "games": 2}) != digest({"seed": 1, "games": 3})
    True
    """
    return hashlib.blake2b(json.dumps(plain(facts), sort_keys=True).encode(), digest_size=8).hexdigest()


def plain(value: Any) -> Any:
    """Facts as JSON holds them."""
    if isinstance(value, Path):
        seen = value.stat()
        return {"file": _content(value, seen.st_mtime_ns, seen.st_size)}
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(item) for item in value]
    return value


@functools.lru_cache(maxsize=4096)
def _content(path: Path, changed: int, size: int) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


class Store:
    """The folder of one study. `results` holds what has been found to be valid since the folder was opened."""

    def __init__(self, folder: Path, study: str, *, subject: Any = None) -> None:
        """`subject` is what the numbers are about, such as a run; others are not mixed with them."""
        self.folder, self._study, self._subject = folder, study, subject
        self.results: dict[str, Any] = {}
        self.keys: dict[str, str] = {}
        self._before = read_results(folder, study)
        if self._before and self._before.get("subject") != subject:
            raise EightfoldError(
                f"{folder / RESULTS} holds numbers about something else (another run, or --small);"
                " choose another --output"
            )
        try:
            (folder / KEPT).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EightfoldError(f"cannot make the folder {folder}: {error.strerror}") from None
        for name, entry in self._before.get("stages", {}).items():
            if not self._path(name, entry["key"]).exists():
                self.keep(name, entry["key"], entry["result"])

    def kept(self, name: str, key: str) -> tuple[bool, Any]:
        """Whether something was measured under this key, and what."""
        try:
            return True, json.loads(self._path(name, key).read_text(encoding="utf-8"))["result"]
        except (OSError, ValueError, KeyError):
            return False, None

    def keep(self, name: str, key: str, result: Any, facts: Any = None) -> Any:
        """Write down what was measured; as it will be read again."""
        entry = {"facts": plain(facts), "result": plain(result)}
        text = json.dumps(entry, indent=1, allow_nan=False)
        replace_file(self._path(name, key), f"{text}\n".encode())
        return json.loads(text)["result"]

    def add(self, stage: str, key: str, result: Any) -> None:
        """From now on this is the result of a stage."""
        self.results[stage], self.keys[stage] = result, key

    def place(self, name: str, key: str) -> str:
        """The folder of a part, seen from the study's."""
        return f"{KEPT}/{name}-{key}"

    def save(self, settings: Any) -> None:
        """Write results.json, if there is anything new to it."""
        stages = {name: {"key": self.keys[name], "result": result} for name, result in self.results.items()}
        now = {"study": self._study, "subject": self._subject, "settings": plain(settings), "stages": stages}
        if {**self._before, "version": ""} != {**now, "version": ""}:
            self._before = {"version": __version__, **now}
            replace_file(self.folder / RESULTS, (json.dumps(self._before, indent=1) + "\n").encode())

    def _path(self, name: str, key: str) -> Path:
        return self.folder / f"{self.place(name, key)}.json"


def read_results(folder: Path, study: str) -> dict[str, Any]:
    """All of results.json; nothing where there is none yet."""
    path = folder / RESULTS
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["study"] == study and all(isinstance(entry["key"], str) for entry in found["stages"].values()):
            return dict(found)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise EightfoldError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise EightfoldError(f"{path} does not hold the numbers of the study {study}; choose another --output")


def stage_results(folder: Path, study: str, stages: Iterable[str]) -> dict[str, Any]:
    """The results that a report can be written from."""
    found = read_results(folder, study).get("stages", {})
    if not found:
        raise EightfoldError(f"{folder} holds no {RESULTS} of the study {study}; run the study first")
    return {name: found[name]["result"] for name in stages if name in found}
