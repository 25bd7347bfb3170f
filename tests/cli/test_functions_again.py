"""`flows functions index` run again on a document that has changed, is broken, or is hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.errors import ConfigError
from flows.tools.sources.openapi.document import read_document
from flows.tools.sources.openapi.operations import OperationReader
from tests.cli.inside import inside


def operation(name: str, does: str = "One thing of the shop.", **more: Any) -> dict[str, Any]:
    return {"get": {"operationId": name, "summary": does, **more}}


def write(folder: Path, paths: dict[str, Any]) -> str:
    text = json.dumps({"openapi": "3.1.0", "info": {"title": "x"}, "paths": paths}, indent=1)
    (folder / "shop.json").write_text(text)
    return text


def indexed(folder: Path, *files: str) -> tuple[int, dict[str, Any]]:
    ended = inside("functions", "index", *(files or ("shop.json",)), "--json", cwd=folder)
    return ended.code, ended.json()


def found(folder: Path, question: str) -> list[str]:
    ranked: list[str] = inside("functions", "search", question, "--json", cwd=folder).json()[
        "ranked"
    ]
    return ranked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, {"/a": operation("orders", "All orders."), "/b": operation("pets", "Pets.")})
    assert indexed(tmp_path)[0] == 0
    return tmp_path


def test_what_a_document_no_longer_has_stays_and_is_told(folder: Path) -> None:
    write(folder, {"/a": operation("orders", "All open orders."), "/c": operation("boats")})
    ended = inside("functions", "index", "shop.json", cwd=folder)
    assert ended.out == "1 added, 1 changed, 0 unchanged; the index has 3 functions\n"
    assert "1 function of before not in the files now, kept as before" in ended.err
    assert "kept: default/pets" in ended.err
    assert found(folder, "pets") == ["pets"]
    code, told = indexed(folder)
    assert (code, told["unchanged"], told["stale"]) == (0, 2, ["default/pets"])
    assert inside("functions", "remove", "default/pets", cwd=folder).code == 0
    assert indexed(folder)[1]["stale"] == []


def test_a_document_of_another_namespace_is_no_earlier_one(folder: Path) -> None:
    write(folder, {"/c": operation("boats")})
    more = ("index", "shop.json", "--namespace", "harbour", "--json")
    assert inside("functions", *more, cwd=folder).json()["stale"] == []


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text[: len(text) // 2], "shop.json:"),
        (lambda text: text.replace('"3.1.0"', '"2.9"'), "allowed: 3.0.x, 3.1.x"),
        (lambda text: text.replace("{", "[", 1), "shop.json:"),
        (lambda text: text.replace('"paths"', '"pahts"'), "there is no function in it"),
        (lambda text: text.replace("}", '"a": ' + '{"a": ' * 5_000 + "}", 1), "shop.json"),
        (lambda _: "", "shop.json: there is no function in it"),
    ],
)
def test_a_broken_document_takes_nothing_away_and_the_other_files_are_indexed(
    folder: Path, damage: Any, said: str
) -> None:
    text = (folder / "shop.json").read_text()
    (folder / "shop.json").write_text(damage(text))
    (folder / "more.jsonl").write_text('{"name": "boats", "description": "Boats."}\n')
    code, told = indexed(folder, "shop.json", "more.jsonl")
    assert code == 2
    assert said in told["faults"][0]
    assert len(told["faults"]) < 5
    assert told["stale"] == ["default/orders", "default/pets"]
    assert told["functions"] == 3
    assert found(folder, "orders") == ["orders"]


def test_a_half_readable_document_gives_the_other_half(folder: Path) -> None:
    schema = {"$ref": "http://elsewhere.example/x"}
    parameters = [{"name": "x", "in": "query", "schema": schema}]
    write(
        folder,
        {
            "/a": operation("orders", "Old orders.", parameters=parameters),
            "/b": operation("pets", "Many pets."),
            "/c": {"get": {"operationId": ["x"], "parameters": [7, None, {"name": ["y"]}]}},
            "/d": 7,
        },
    )
    code, told = indexed(folder)
    assert code == 2
    assert len(told["faults"]) == 1
    assert (told["changed"], told["added"]) == (1, 1)
    assert told["stale"] == ["default/orders"]
    assert found(folder, "orders") == ["orders"]  # as it was before


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"properties": {f"p{n}": {} for n in range(40_000)}}, "has 40,000 properties"),
        ({"allOf": [{"properties": {"a": {}}}] * 40_000}, "has 40,000 parts"),
    ],
)
def test_an_operation_that_is_too_large_is_left_out(
    tmp_path: Path, schema: dict[str, Any], said: str
) -> None:
    many = [{"name": f"a{n}", "in": "query", "schema": {}} for n in range(40_000)]
    large = {"name": "x", "in": "query", "schema": schema}
    write(
        tmp_path,
        {
            "/a": operation("large", parameters=[large]),
            "/b": operation("many", parameters=many),
            "/c": operation("fine"),
        },
    )
    code, told = indexed(tmp_path)
    assert (code, told["added"]) == (2, 1)
    assert said in told["faults"][0]
    assert "it takes 40,000 arguments; 500 are the most" in told["faults"][1]
    assert (tmp_path / ".flows" / "functions" / "functions.sqlite3").stat().st_size < 200_000


@pytest.mark.long("whole runs of the command")
def test_alternatives_without_number_are_any_value(tmp_path: Path) -> None:
    schema = {"anyOf": [{"type": "string"}] * 40_000}
    write(
        tmp_path,
        {"/a": operation("a", parameters=[{"name": "x", "in": "query", "schema": schema}])},
    )
    assert indexed(tmp_path)[0] == 0
    shown = inside("functions", "show", "a", "--json", cwd=tmp_path).json()
    assert shown["function"]["parameters"]["properties"] == {"x": {}}


def test_halves_of_characters_are_no_end(tmp_path: Path) -> None:
    half = "\ud800"
    schema = {"type": "string", "default": half, "enum": [half]}
    parameters = [{"name": half, "in": "query", "schema": schema}]
    write(tmp_path, {f"/{half}": operation(f"a{half}b", half, parameters=parameters)})
    (tmp_path / "more.jsonl").write_text('{"name": "boats", "description": "Boats\\ud800."}\n')
    code, told = indexed(tmp_path, "shop.json", "more.jsonl")
    assert (code, told["added"]) == (0, 2)
    assert found(tmp_path, "boats") == ["boats"]


@pytest.mark.long("whole runs of the command")
def test_a_small_document_does_not_make_a_large_index(tmp_path: Path) -> None:
    schemas = {
        f"S{n}": {
            "type": "object",
            "properties": {
                f"p{m}": {"$ref": f"#/components/schemas/S{(n * 7 + m) % 50}"} for m in range(50)
            },
        }
        for n in range(50)
    }
    parameters = [{"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/S0"}}]
    paths = {f"/{n}": operation(f"f{n}", parameters=parameters) for n in range(100)}
    document = {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}
    (tmp_path / "shop.json").write_text(json.dumps(document))
    reader = OperationReader(read_document(tmp_path / "shop.json"), "shop", most_parts=20_000)
    found = [each for each in reader.read() if not isinstance(each, ConfigError)]
    assert len(found) == 100
    assert found[-1].description.size < found[0].description.size * 0.7
    [note] = [note for each in found for note in each.notes]
    assert "from here on schemas are cut" in note
