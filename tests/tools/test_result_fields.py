"""Which fields a function's result has, as its type tells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict as ReadableDict

from flows.core.function_description import FunctionDescription
from flows.tools.description.function import describe_function
from flows.tools.description.module import read_functions
from flows.tools.description.result_fields import field_paths


class Berth(ReadableDict):
    harbour: str
    metres: int


class Plan(TypedDict):
    lots: list[Berth]
    day: str


@dataclass
class Ship:
    name: str
    berths: list[Berth]


class Voyage(BaseModel):
    ship: Ship
    fee: float | None = None


def find_berth(number: str) -> Berth | None:
    """A berth.

    Args:
        number: its number
    """
    del number
    return None


def list_voyages(year: int) -> list[Voyage]:
    """The voyages of a year.

    Args:
        year: the year
    """
    del year
    return []


def list_plans() -> list[Plan] | None:
    """The plans."""
    return None


def look(number: int) -> dict[str, Any]:
    """Anything.

    Args:
        number: of what
    """
    return {"number": number}


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (find_berth, ("/harbour", "/metres")),
        (
            list_voyages,
            ("/*/ship/name", "/*/ship/berths/*/harbour", "/*/ship/berths/*/metres", "/*/fee"),
        ),
        (list_plans, ("/*/lots/*/harbour", "/*/lots/*/metres", "/*/day")),
        (look, ()),
    ],
)
def test_a_type_names_the_fields_of_the_result(function: Any, fields: tuple[str, ...]) -> None:
    assert describe_function(function).fields == fields


def test_a_file_that_is_only_read_tells_them_too(tmp_path: Path) -> None:
    file = tmp_path / "harbour.py"
    file.write_text(
        "from typing import TypedDict\n\n"
        "class Berth(TypedDict):\n    harbour: str\n    metres: int\n\n"
        'def find(number: str) -> list[Berth]:\n    """Berths.\n\n'
        '    Args:\n        number: the number\n    """\n'
    )
    described = [each for each in read_functions(file) if isinstance(each, FunctionDescription)]
    assert [each.fields for each in described] == [("/*/harbour", "/*/metres")]


def test_a_schema_that_holds_itself_ends() -> None:
    tree: dict[str, Any] = {"type": "object", "properties": {"a/b": {"type": "string"}}}
    tree["properties"]["inner"] = tree
    found = field_paths(tree)
    assert found[0] == "/a~1b"
    assert len(found) < 10
