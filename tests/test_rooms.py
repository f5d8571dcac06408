"""Rooms import one way only, files stay small, and what `parts.py` lists is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from eightfold.core.registry import Registry
from rooms import Import, cycles, figures, imports, modules, room

CHECKOUT = Path(__file__).parents[1]
SOURCE = CHECKOUT / "src"
# Each imports only from those before it. `parts` names what rooms offer, without importing it.
ORDER = [
    "core",
    "parts",
    "config",
    "symmetry",
    "games",
    "patterns",
    "search",
    "nets",
    "isn",
    "arena",
    "protocols",
    "learning",
    "studies",
    "benchmarks",
    "web",
    "cli",
]


def test_every_module_is_in_a_room():
    assert {room(name) for name in modules(SOURCE)} - {"", "__main__"} <= set(ORDER)


def test_rooms_import_only_from_rooms_before_them():
    wrong = [each for each in imports(SOURCE) if _is_wrong(each)]
    assert not wrong, "\n".join(f"{each.importer}:{each.line} imports {each.imported}" for each in wrong)


def _is_wrong(each: Import) -> bool:
    importer, imported = room(each.importer), room(each.imported)
    if importer in ("", "__main__") or imported in ("", importer):
        return False  # the package's own page offers everything; its version is for everybody
    return ORDER.index(imported) >= ORDER.index(importer)


def test_no_modules_import_each_other():
    inner = [each for each in imports(SOURCE) if not each.for_types and each.importer and each.imported]
    used = {(each.importer, each.imported) for each in inner}
    assert cycles({(a, b) for a, b in used if a != b}) == []


def test_the_walk_sees_what_is_there(tmp_path):
    package = tmp_path / "src" / "eightfold"
    for name in ("games", "web"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "games" / "a.py").write_text("def later():\n    from eightfold.web import b\n")
    (package / "web" / "b.py").write_text('import eightfold.games.a\nASKED = game.name == "go"\n')
    (tmp_path / "tests").mkdir()
    assert [(each.importer, each.imported, each.is_lazy) for each in imports(tmp_path / "src")] == [
        ("games.a", "web.b", True),
        ("web.b", "games.a", False),
    ]
    found = figures(tmp_path)
    assert found["rooms that import each other"] == [["games", "web"]]
    assert found["questions after a game's name"] == 1


def test_nobody_asks_a_game_for_its_name():
    assert figures(CHECKOUT)["questions after a game's name"] == 0


def test_no_file_is_long():
    long = {name: lines for name, file in modules(SOURCE).items() if (lines := file.read_text().count("\n")) > 450}
    assert not long


def registries() -> list[Registry]:
    from eightfold import parts

    return [value for value in vars(parts).values() if isinstance(value, Registry)]


@pytest.mark.parametrize("registry", registries(), ids=lambda registry: registry.what)
def test_what_parts_lists_can_be_imported(registry):
    assert all(registry[name] is not None for name in registry)
    assert len(registry) > 1
