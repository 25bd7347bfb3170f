"""References of an OpenAPI document: followed in its folder, refused with a word elsewhere."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import flows as package
from flows.build.consents import Consents
from flows.build.trust import consent_to
from flows.core.events import Event, Notice
from flows.core.function_description import Function
from flows.errors import ConfigError, UntrustedError
from flows.tools.sources.openapi.source import OpenAPISource
from tests.cli.inside import inside
from tests.servers.local_http import LocalHttp, Reply
from tests.tools.shop_api import write_document

RUN = """\
_target_: tests.tools.call_flow.CallFunctions
functions:
  sources:
    shop: {_target_: functions.openapi, document: shop.json, base_url: BASE}
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def operation(schema: Any, name: str = "find", **more: Any) -> dict[str, Any]:
    """An operation with one parameter of the schema."""
    parameter = {"name": "what", "in": "query", "schema": schema}
    return {"get": {"operationId": name, "parameters": [parameter], **more}}


def source_of(folder: Path, paths: dict[str, Any], **more: Any) -> OpenAPISource:
    components = more.pop("components", {})
    document = write_document(folder, paths=paths, components=components)
    config = OpenAPISource.Config.model_validate({"document": document, **more})
    return OpenAPISource(config)


def functions_of(source: OpenAPISource) -> dict[str, Function]:
    return {each.description.name: each for each in asyncio.run(source.functions())}


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("http://127.0.0.1:9/x.json", "is at another address, which is not fetched"),
        ("//127.0.0.1/x.json#/a", "is at another address"),
        ("file:///etc/passwd", "is at another address"),
        ("../outside.json#/a", "is outside of the document's folder"),
        ("%2e%2e/outside.json#/a", "is outside of the document's folder"),
        ("/etc/x.json", "is outside of the document's folder"),
        ("link.json#/a", "is outside of the document's folder"),
        ("missing.json#/a", "missing.json: there is no such file"),
        ("broken.json#/a", "broken.json:1:7: not valid JSON"),
        ("keys.env#/a", "is in no file that ends in .json, .yaml, .yml"),
        ("parts.json#/nowhere", "leads nowhere"),
        ("#/components/schemas/Nothing", "leads nowhere"),
        ("#Nothing", "is no JSON pointer"),
        ("#/components/schemas/Loop", "leads back to itself"),
        ("#/info/title", "leads to no object"),
        ("http://[", "is no address"),
    ],
)
def test_an_operation_whose_reference_leads_nowhere_is_left_out_with_its_place(
    tmp_path: Path, reference: str, why: str
) -> None:
    folder = tmp_path / "api"
    folder.mkdir()
    (tmp_path / "outside.json").write_text('{"a": {"type": "string"}}')
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    (folder / "broken.json").write_text('{"a": ?')
    (folder / "keys.env").write_text('{"a": {"description": "a key"}}')
    (folder / "parts.json").write_text("{}")
    inner = {"type": "object", "properties": {"a/b": {"items": {"$ref": reference}}}}
    paths = {"/bad": operation(inner), "/good": operation({"type": "string"}, "good")}
    loop = {"schemas": {"Loop": {"$ref": "#/components/schemas/Loop"}}}
    source = source_of(folder, paths, components=loop)
    assert set(functions_of(source)) == {"good"}
    [note] = source.notes
    assert "left out: api/shop.json#/paths/~1bad/get: find (GET /bad): the reference" in note
    assert f"{reference!r} at " in note
    assert why in note
    if "Loop" not in reference:
        at = "#/paths/~1bad/get/parameters/0/schema/properties/a~1b/items"
        assert f" at {at} " in note
    with pytest.raises(
        ConfigError, match=r"no operation .find. that can be called: .*the reference"
    ):
        source_of(folder, paths, components=loop, operations=("find",))


def test_references_into_files_of_the_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths" / "orders.yaml").write_text(
        "get:\n"
        "  operationId: orders\n"
        "  parameters:\n"
        "    - $ref: '../common/parts.json#/parameters/State'\n"
        "    - {name: of, in: query, schema: {$ref: '#/own/Name'}}\n"
        "own: {Name: {type: string, description: a name}}\n"
    )
    (tmp_path / "common").mkdir()
    parts = {
        "parameters": {"State": {"name": "state", "in": "query", "schema": {"$ref": "#/State"}}},
        "State": {"enum": ["open", "paid"]},
        "Tree": {"type": "object", "properties": {"inner": {"$ref": "parts.json#/Tree"}}},
    }
    (tmp_path / "common" / "parts.json").write_text(json.dumps(parts))
    paths = {
        "/orders": {"$ref": "paths/orders.yaml"},
        "/trees": operation({"$ref": "common/parts.json#/Tree"}, "trees"),
    }
    source = source_of(tmp_path, paths)
    found = functions_of(source)
    assert source.notes == ()
    properties = found["orders"].description.parameters["properties"]
    assert properties["state"] == {"enum": ["open", "paid"]}
    assert properties["of"] == {"type": "string", "description": "a name"}
    tree = found["trees"].description.parameters["properties"]["what"]
    assert tree["properties"]["inner"] == {"type": "object"}


def test_a_reply_that_is_described_elsewhere_keeps_its_operation(tmp_path: Path) -> None:
    reply = {"description": "It", "content": {"application/json": {"schema": {"$ref": "http://x"}}}}
    paths = {"/x": operation({"type": "string"}, responses={"200": reply})}
    source = source_of(tmp_path, paths)
    assert functions_of(source)["find"].description.returns == "It"
    [note] = source.notes
    assert note.startswith("find: what it returns is not told: the reference 'http://x' at ")


def test_a_yes_holds_for_the_files_beside_the_document_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "parts.json").write_text('{"Name": {"type": "string"}}')
    write_document(tmp_path, paths={"/x": operation({"$ref": "parts.json#/Name"})})
    run = tmp_path / "run.yaml"
    with LocalHttp(lambda _: Reply(json={})) as server:
        run.write_text(RUN.replace("BASE", server.url))
        with pytest.raises(UntrustedError) as caught:
            package.run(run, trust=("tests",))
        assert caught.value.sending.files == (tmp_path / "shop.json", tmp_path / "parts.json")
        consent = consent_to(caught.value.sending)
        assert consent is not None
        Consents().give(consent)
        assert package.run(run, trust=("tests",)).status == "finished"
        (tmp_path / "parts.json").write_text('{"Name": {"type": "string", "description": "!"}}')
        with pytest.raises(UntrustedError):
            package.run(run, trust=("tests",))


def test_a_run_and_its_check_tell_what_is_left_out(tmp_path: Path) -> None:
    write_document(
        tmp_path,
        paths={"/x": operation({"$ref": "http://x/y"}), "/y": operation({"type": "string"}, "y")},
    )
    run = tmp_path / "run.yaml"
    with LocalHttp(lambda _: Reply(json={})) as server:
        run.write_text(RUN.replace("BASE", server.url))
        events: list[Event] = []
        package.run(run, trust=("tests", server.url), listeners=[events.append])
        told = [each.text for each in events if isinstance(each, Notice)]
        assert any("functions.sources.shop: left out: shop.json#/paths/~1x/get" in n for n in told)
        checked = inside(
            "check", "run.yaml", "--trust", "tests", "--trust", server.url, cwd=tmp_path
        )
    assert "left out: shop.json#/paths/~1x/get: find (GET /x)" in checked.out


def test_indexing_tells_each_operation_that_is_left_out(tmp_path: Path) -> None:
    paths = {
        "/x": operation({"$ref": "http://x/y"}),
        "/y": operation({"type": "string"}, "y"),
        "/z": {"post": {"operationId": "z", "requestBody": body_of("image/png", required=True)}},
        "/w": {"post": {"operationId": "w", "requestBody": body_of("image/png", required=False)}},
        "/v": {"get": ["what"]},
    }
    write_document(tmp_path, paths=paths)
    indexed = inside("functions", "index", "shop.json", "--json", cwd=tmp_path)
    assert indexed.code == 2
    told = indexed.json()
    assert told["functions"] == 2
    assert [each.partition(": ")[0] for each in told["faults"]] == [
        "shop.json#/paths/~1x/get", "shop.json#/paths/~1z/post", "shop.json#/paths/~1v/get",
    ]  # fmt: skip
    assert "its body is image/png" in told["faults"][1]
    assert told["notes"] == ["w: its body, image/png, cannot be given"]


def body_of(kind: str, *, required: bool) -> dict[str, Any]:
    return {"required": required, "content": {kind: {"schema": {"type": "string"}}}}


def test_operations_beyond_the_limit_are_counted(tmp_path: Path) -> None:
    paths = {f"/p{n}": operation({"type": "string"}, f"p{n}") for n in range(30)}
    source = source_of(tmp_path, paths, most_operations=20)
    assert len(functions_of(source)) == 20
    [note] = source.notes
    assert "10 operations after the first 20 are left out" in note
    assert "most_operations" in note
    named = source_of(tmp_path, paths, most_operations=20, operations=("p29",))
    assert set(functions_of(named)) == {"p29"}
    assert named.notes == ()


def test_an_index_takes_so_many_operations_of_a_document_and_tells_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.services.functions.MOST_OPERATIONS", 20)
    write_document(
        tmp_path, paths={f"/p{n}": operation({"type": "string"}, f"p{n}") for n in range(30)}
    )
    indexed = inside("functions", "index", "shop.json", cwd=tmp_path)
    assert "20 added" in indexed.out
    assert "shop.json: 10 operations after the first 20 are left out" in indexed.out + indexed.err


@pytest.mark.long("tools run in the sandbox, each a process")
def test_an_index_takes_all_operations_of_a_document(tmp_path: Path) -> None:
    paths = {f"/p{n}": operation({"type": "string"}, f"p{n}") for n in range(5_100)}
    write_document(tmp_path, paths=paths)
    indexed = inside("functions", "index", "shop.json", "--json", cwd=tmp_path)
    assert indexed.json()["functions"] == 5_100
    assert indexed.code == 0
