"""`flows functions`: functions are indexed, searched, listed, shown and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.library.interpreter.response_table import (
    LoggedFunction,
    LoggedResponse,
    ResponseTable,
)
from tests.cli.command import flows
from tests.cli.inside import inside

DICTIONARIES = (
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of a city on a day.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "the city"}},
                "required": ["city"],
            },
        },
    },
    # As the public sets of functions have them: a map of the arguments, with Python's types.
    {
        "name": "convert_money",
        "description": "An amount in another currency.",
        "parameters": {
            "amount": {"type": "float", "description": "how much"},
            "currency": {"type": "str", "description": "its code"},
        },
        "required": ["amount"],
        "namespace": "bank",
        "also_named": ["convert"],
    },
)
CODE = '''
from dataclasses import dataclass
from enum import Enum
from typing import Literal

raise SystemExit("this file is never run")

Speed = Literal["slow", "fast"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Parcel:
    weight: float
    size: Size = Size.SMALL


def send_parcel(parcel: Parcel, to: str, speed: Speed = "slow", note: str = None) -> bool:
    """Send a parcel to a customer.

    **Args**
        parcel: what is sent
        to: the customer's address
        speed: how fast
        note: written on it
    """


def untold(a, b: int):
    """Nobody knows what it takes."""


def _hidden(a): ...
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = [json.dumps(each) for each in DICTIONARIES]
    (tmp_path / "tools.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "parcels.py").write_text(CODE)
    return tmp_path


@pytest.mark.long("whole runs of the command")
def test_functions_are_indexed_found_shown_and_removed(folder: Path) -> None:
    indexed = flows("functions", "index", "tools.jsonl", "--json", cwd=folder)
    assert indexed.code == 0, indexed.err
    assert indexed.json() == {
        "added": 2, "changed": 0, "unchanged": 0, "embedded": 0, "functions": 2, "faults": [],
        "notes": [], "stale": [],
    }  # fmt: skip
    again = inside("functions", "index", "tools.jsonl", cwd=folder)
    assert again.out == "0 added, 0 changed, 2 unchanged; the index has 2 functions\n"

    found = inside("functions", "search", "weather in Oslo", "--json", cwd=folder).json()
    assert found["ranked"] == ["get_weather"]
    assert found["matches"][0]["id"] == "default/get_weather"
    assert 0 < found["matches"][0]["score"] <= 1
    other = inside("functions", "search", "money", "--namespace", "default", "--json", cwd=folder)
    assert other.json()["ranked"] == []
    assert "bank/convert_money" in inside("functions", "list", cwd=folder).out

    shown = inside("functions", "show", "convert_money", "--json", cwd=folder).json()
    properties = shown["function"]["parameters"]["properties"]
    assert properties["amount"] == {"type": "number", "description": "how much"}
    assert shown["function"]["parameters"]["required"] == ["amount"]
    assert (
        "amount (number): how much" in inside("functions", "show", "convert_money", cwd=folder).out
    )
    missing = inside("functions", "show", "get_wether", cwd=folder)
    assert missing.code == 2
    assert "did you mean: default/get_weather" in missing.err

    gone = inside("functions", "remove", "bank/convert_money", "--json", cwd=folder)
    assert gone.json() == {"removed": ["bank/convert_money"]}
    listed = inside("functions", "list", "--json", cwd=folder).json()["functions"]
    assert [each["id"] for each in listed] == ["default/get_weather"]
    assert set(listed[0]) == {"id", "name", "description", "namespace", "function_class"}


def test_a_python_file_is_read_and_not_run(folder: Path) -> None:
    indexed = inside("functions", "index", "parcels.py", "--namespace", "post", cwd=folder)
    assert indexed.code == 2
    assert indexed.out == "1 added, 0 changed, 0 unchanged; the index has 1 functions\n"
    line = CODE.splitlines().index("def untold(a, b: int):") + 1
    assert f"left out: parcels.py:{line}:1: the argument a has no type" in indexed.err
    assert "_hidden" not in indexed.err
    shown = inside("functions", "show", "send_parcel", "--json", cwd=folder).json()
    assert shown["id"] == "post/send_parcel"
    properties = shown["function"]["parameters"]["properties"]
    assert properties["parcel"]["properties"]["size"] == {"enum": ["small", "large"]}
    assert properties["parcel"]["required"] == ["weight"]
    assert properties["speed"]["enum"] == ["slow", "fast"]
    assert properties["speed"]["default"] == "slow"
    assert {"type": "null"} in properties["note"]["anyOf"]
    assert shown["function"]["parameters"]["required"] == ["parcel", "to"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"name": "f"', "tools.jsonl:2:13: this is no JSON"),
        ("[1]", "tools.jsonl:2:1: this is no JSON object with a function's name"),
        ('{"name": "f"}', "tools.jsonl:2:1: the function has no description"),
        ('{"name": "f g", "description": "F."}', "tools.jsonl:2:1: name is 'f g'"),
        (
            '{"name": "f", "description": "F.", "parameters": {"a": {"type": "strin"}}}',
            "tools.jsonl:2:1: parameters.a: 'strin' is no type; did you mean: string",
        ),
        (
            '{"name": "f", "description": "F.", "parameters": {}, "required": ["a"]}',
            "tools.jsonl:2:1: 'a' is required and no argument",
        ),
    ],
)
def test_a_wrong_line_is_named_and_the_others_are_indexed(
    folder: Path, line: str, said: str
) -> None:
    lines = [json.dumps(each) for each in DICTIONARIES]
    (folder / "tools.jsonl").write_text("\n".join([lines[0], line, lines[1]]))
    indexed = inside("functions", "index", "tools.jsonl", cwd=folder)
    assert indexed.code == 2
    assert said in indexed.err
    assert indexed.out.startswith("2 added")


@pytest.mark.parametrize("name", ["tools.jsonl", "tools.py"])
def test_a_file_without_a_function_is_told(folder: Path, name: str) -> None:
    (folder / name).write_text("")
    indexed = inside("functions", "index", name, cwd=folder)
    assert indexed.code == 2
    assert f"{name}: there is no function in it" in indexed.err


def test_many_questions_are_answered_line_by_line(folder: Path) -> None:
    inside("functions", "index", "tools.jsonl", cwd=folder)
    asked = '{"id": "a", "question": "the weather"}\n\nother currency\n{"query": "zygote"}\n'
    (folder / "asked.jsonl").write_text(asked)
    found = inside("functions", "search", "--batch", "asked.jsonl", "--k", "1", cwd=folder)
    lines = [json.loads(each) for each in found.out.splitlines()]
    assert [(each["id"], each["ranked"]) for each in lines] == [
        ("a", ["get_weather"]), ("3", ["convert_money"]), ("4", []),
    ]  # fmt: skip
    piped = flows("functions", "search", "--batch", "-", cwd=folder, stdin="weather\n")
    assert json.loads(piped.out)["ranked"] == ["get_weather"]
    (folder / "asked.jsonl").write_text('{"text": "weather"}')
    wrong = inside("functions", "search", "--batch", "asked.jsonl", cwd=folder)
    assert wrong.code == 2
    assert 'asked.jsonl:1: the object has no text under "question"' in wrong.err


API = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example"}],
    "paths": {
        "/pets/{pet}": {
            "get": {
                "operationId": "getPet",
                "summary": "One pet of the shop.",
                "parameters": [
                    {"name": "pet", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {"200": {"description": "the pet"}},
            }
        }
    },
}


def test_operations_of_an_openapi_document_are_indexed(folder: Path) -> None:
    (folder / "pets.json").write_text(json.dumps(API))
    (folder / "list.json").write_text(json.dumps(list(DICTIONARIES)))
    ended = inside("functions", "index", "pets.json", "list.json", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    assert ended.json()["added"] == 3
    found = inside("functions", "search", "pet of a shop", "--json", cwd=folder).json()
    assert found["ranked"][0] == "getPet"
    (folder / "old.json").write_text(json.dumps({"swagger": "2.0"}))
    old = inside("functions", "index", "old.json", cwd=folder)
    assert old.code == 2
    assert "convert it to OpenAPI 3" in old.err


def test_stats_tell_which_function_lowers_confidence(folder: Path) -> None:
    table = ResponseTable(folder / ".flows" / "responses.sqlite")
    for key, confidence, name in (("a", 90, "good"), ("b", 30, "poor"), ("c", 40, "poor")):
        called = LoggedFunction(function=name, calls=1, used=True)
        response = LoggedResponse(
            key=key, at=key, run=key, question="q", answer="a", status="answered",
            confidence=confidence, model_confidence=0, functions=(called,),
        )  # fmt: skip
        table.add(response)
    found = inside("functions", "stats", "--json", cwd=folder).json()["functions"]
    assert [(each["function"], each["effect"]) for each in found] == [
        ("poor", -55.0),
        ("good", 55.0),
    ]
    assert "-55.0" in inside("functions", "stats", cwd=folder).out
    nobody = inside("functions", "stats", "--user", "somebody", cwd=folder)
    assert "No answer is in the table" in nobody.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("serch", "x"), "did you mean: search"),
        (("search",), 'flows functions search "QUESTION"'),
        (("search", "x", "--class", "vectorsearch"), "did you mean: VectorSearch"),
        (("index",), "index FILE"),
        (("index", "tools.txt"), "files that end in"),
        (("index", "nothing.jsonl"), "there is no file nothing.jsonl"),
        (("list", "x"), "takes no name"),
        (("list", "--batch", "x"), "--batch is of a search"),
    ],
)
def test_wrong_usage_says_what_is_right(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    ended = inside("functions", *arguments, cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
