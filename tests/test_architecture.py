"""`docs/architecture.md` names every room there is, in the order of the contract, and no other."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
DOCUMENT = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")


def named_rooms() -> list[list[str]]:
    """The rooms of the document's table, a list for each line, from the top down."""
    table = DOCUMENT[DOCUMENT.index("| room |") : DOCUMENT.index("## The engine")]
    cells = [line.split("|")[1] for line in table.splitlines()[2:] if line.startswith("|")]
    return [re.findall(r"`(\w+)`", cell) for cell in cells]


def test_every_room_is_named_and_every_named_room_is() -> None:
    rooms = {
        path.stem
        for path in (PROJECT / "flows").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    named = [room for line in named_rooms() for room in line]
    assert len(named) == len(set(named))
    assert set(named) == rooms - {"__init__", "__main__"}


def test_the_table_is_the_contract_that_lint_checks() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    contract = [[room.strip() for room in layer.split("|")] for layer in layers]
    assert contract == [["__main__"], *named_rooms()]


def test_the_places_it_names_exist() -> None:
    places = DOCUMENT[DOCUMENT.index("## Places") :]
    for line in places.splitlines():
        for path in re.findall(r"`([\w/.]+)`", line):
            inside = PROJECT / "flows" / path
            assert (PROJECT / path).exists() or inside.exists() or path == "Config", path
