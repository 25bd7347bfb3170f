"""Functions, flows and tools as an index and a model read of them."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import inspect
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from pydantic import BaseModel, Field

from flows.config.read import shown
from flows.errors import CheckError
from flows.tools.description.docstring import read_docstring
from flows.tools.description.function import describe_function
from tests.cli.inside import inside


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Node(BaseModel):
    """A node of a tree."""

    title: str
    children: list[Node] = []


@dataclasses.dataclass
class Point:
    x: float
    colour: Colour = Colour.RED


class Store:
    """The seed's function, as it is written there."""

    @classmethod
    def revise_functions(
        cls,
        questions: list[str],
        issues: str = None,  # type: ignore[assignment] # noqa: RUF013
        prune: bool = False,
        limit: int = 3,
    ) -> None:
        """This function can be used to search for other functions.
            Guidelines:
            - if given specific entities, just call the entity store and not this
        **Args**
            questions: provide a list of precise questions to answer.
                Splitting up questions is useful.
            issues: Optionally explain why are you struggling
            prune: if you want to prune some of the functions
            limit: how wide a search you want to do.
        """


def find(
    node: Node,
    point: Point,
    colour: Colour,
    day: datetime.date,
    share: Annotated[float, Field(ge=0, le=1)],
    kind: Literal["a", "b"] = "a",
    counts: dict[str, int] | None = None,
) -> int:
    """Find it.

    It looks everywhere.

    Args:
        node: where to begin
        point: the place
        colour: its colour
        day: the day
        share: of all
        kind: the kind
        counts: what is known

    Returns:
        how many were found
    """
    return 0


def test_the_function_of_the_seed() -> None:
    described = describe_function(Store.revise_functions)
    function = described.function_dict()["function"]
    assert function["name"] == "revise_functions"
    assert "Guidelines:" in function["description"]
    assert "Args" not in function["description"]
    properties = function["parameters"]["properties"]
    assert properties["questions"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "provide a list of precise questions to answer. "
        "Splitting up questions is useful.",
    }
    assert function["parameters"]["required"] == ["questions"]
    jsonschema.validate({"questions": ["q"]}, function["parameters"])
    jsonschema.validate({"questions": [], "issues": None, "limit": 9}, function["parameters"])
    for wrong in ({}, {"questions": "q"}, {"questions": [], "width": 3}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, function["parameters"])


def test_types_become_a_schema() -> None:
    described = describe_function(find, namespace="trees")
    assert described.id == "trees/find"
    assert described.returns == "int: how many were found"
    assert described.description == "Find it.\n\nIt looks everywhere."
    schema = described.parameters
    jsonschema.Draft202012Validator.check_schema(schema)
    right: dict[str, Any] = {
        "node": {"title": "root", "children": [{"title": "leaf"}]},
        "point": {"x": 1.5, "colour": "green"},
        "colour": "red",
        "day": "2024-02-29",
        "share": 0.5,
    }
    jsonschema.validate(right, schema)
    jsonschema.validate({**right, "kind": "b", "counts": {"a": 1}}, schema)
    for change in (
        {"colour": "blue"}, {"share": 2}, {"kind": "c"}, {"counts": {"a": "x"}},
        {"node": {"title": "root", "children": [{}]}}, {"point": {"colour": "red"}},
    ):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**right, **change}, schema)
    # Definitions are written where they are used; the one that holds itself cannot be.
    assert list(schema["$defs"]) == ["Node"]
    assert schema["properties"]["colour"]["enum"] == ["red", "green"]
    # A property may be called as a key of schemas is.
    assert "title" in schema["$defs"]["Node"]["properties"]


def unclear(a, b: object, c: int, *rest: int, d: Path) -> None:  # type: ignore[no-untyped-def]
    """Do something.

    Args:
        a: the first
        b: the second
        dd: the last
    """


def test_what_is_unclear_is_named_with_its_line() -> None:
    first = inspect.getsourcelines(unclear)[1]
    with pytest.raises(CheckError) as raised:
        describe_function(unclear)
    told = str(raised.value).splitlines()
    assert all(each.startswith(f"{shown(Path(__file__))}:{first}:") for each in told)
    for problem in (
        "the argument a has no type",
        "the argument b: its type allows anything",
        "the docstring's Args do not say what c is",
        "*rest: an argument is given by its name",
        "the docstring describes 'dd', no argument; did you mean: d",
    ):
        assert any(problem in each for each in told), problem


def test_each_argument_has_its_own_line() -> None:
    def spread(
        good: int,
        bad: Store,
        untold: str,
    ) -> None:
        """Spread.

        Args:
            good: fine
            bad: a store
        """

    first = inspect.getsourcelines(spread)[1]
    with pytest.raises(CheckError) as raised:
        describe_function(spread)
    lines = [(each.place.line, each.problem) for each in raised.value.errors if each.place]
    assert lines == [
        (first + 2, "the argument bad: Store has no JSON schema"),
        (first + 3, "the docstring's Args do not say what untold is"),
    ]


def test_a_method_needs_its_object() -> None:
    class Shelf:
        def count(self, kind: str) -> int:
            """Count.

            Args:
                kind: of what
            """
            return 0

    assert list(describe_function(Shelf().count).parameters["properties"]) == ["kind"]
    with pytest.raises(CheckError, match="describe the bound method"):
        describe_function(Shelf.count)


@pytest.mark.parametrize(
    ("text", "arguments", "returns"),
    [
        ("A.\nArgs:\n    a: one\n    b, c: two\nReturns:\n    it", ("one", "two", "two"), "it"),
        ("A.\n**Args**:\n  a (int): one\n  b: two\n  c: three", ("one", "two", "three"), ""),
        ("A.\n\n**Returns** what it is", (), "what it is"),
        ("A.\n\nReturns: what it is", (), "what it is"),
    ],
)
def test_headings_in_each_form(text: str, arguments: tuple[str, ...], returns: str) -> None:
    found = read_docstring(text)
    assert found.text == "A."
    assert tuple(found.arguments.values()) == arguments
    assert found.returns == returns


CLASS = '''\
from typing import TypedDict

from flows.core.flow import AtomicFlow, Ports


class Parcel(TypedDict):
    weight: float


class Quote(AtomicFlow):
    """Says what a parcel costs."""

    class Inputs(Ports):
        parcel: Parcel

    async def run(self, inputs: Inputs, run: object) -> Ports:
        return Ports()
'''
FUNCTION = '''\
from typing import TypedDict


class Parcel(TypedDict):
    weight: float


def quote(parcel: Parcel) -> float:
    """The price of a parcel.

    Args:
        parcel: what is sent
    """
    return parcel["weight"]
'''
AGENT = """\
defaults: [interpreter, _self_]
functions: {sources: {w: {_target_: functions.python, modules: [./w.py]}}}
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there typing.TypedDict can be read")
def test_what_to_write_for_a_typed_dictionary_that_cannot_be_read(tmp_path: Path) -> None:
    """In a function of an agent, in a function that is a flow, and in the ports of a class."""
    for text, file, line in (
        (FUNCTION, AGENT, "w.py:8:1: the argument parcel: Parcel has no JSON schema: "),
        (FUNCTION, "_target_: ./w.py:quote\n", "w.py:8:1: quote: "),
        (CLASS, "_target_: ./w.py:Quote\n", "./w.py cannot be imported: w.py:13:5: "),
    ):
        (tmp_path / "w.py").write_text(text)
        (tmp_path / "my.yaml").write_text(file)
        checked = inside("check", "my.yaml", "--trust", "./w.py", cwd=tmp_path)
        assert checked.code == 2
        assert f"{line}typing.TypedDict can be read from Python 3.12 on; " in checked.err
        assert "`from typing_extensions import TypedDict`" in checked.err
        (tmp_path / "w.py").write_text(text.replace("from typing ", "from typing_extensions "))
        checked = inside("check", "my.yaml", "--trust", "./w.py", cwd=tmp_path)
        assert "TypedDict" not in checked.err
