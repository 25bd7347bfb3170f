"""Bodies that are forms: what a server gets of the fields and files of a call."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from flows.core.function_description import Function
from flows.core.observation import Observation
from flows.tools.sources.invoke import invoke
from flows.tools.sources.openapi.source import OpenAPISource
from tests.servers.local_http import LocalHttp, Reply, Request
from tests.tools.shop_api import write_document

PICTURE = b"\x89PNG\r\n\x1a\n\x00\xff--part"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def function_of(folder: Path, url: str, content: Mapping[str, Any], **body: Any) -> Function:
    """The one function of a document, which takes the content as its body."""
    made = {"required": True, "content": content, **body}
    paths = {"/things": {"post": {"operationId": "send", "requestBody": made}}}
    document = write_document(folder, paths=paths)
    source = OpenAPISource(OpenAPISource.Config(document=document, base_url=url))
    [function] = asyncio.run(source.functions())
    return function


def sent(
    folder: Path, content: Mapping[str, Any], arguments: Mapping[str, Any], **body: Any
) -> tuple[Request, Function]:
    """What a server gets of a call with the arguments."""
    with LocalHttp(lambda _: Reply(json={"fine": True})) as server:
        function = function_of(folder, server.url, content, **body)
        found: Observation = asyncio.run(invoke(function, arguments))
    assert found.kind == "ok", found.text
    return server.requests[0], function


def parts_of(request: Request) -> list[tuple[str, str, str, bytes]]:
    """Name, name of the file, media type and content of each part."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    message = message_from_bytes(head + request.body)
    assert message.is_multipart()
    found = []
    for each in message.get_payload():
        assert isinstance(each, Message)
        content = each.get_payload(decode=True)
        assert isinstance(content, bytes)
        kind = each.get_content_type() if each["Content-Type"] else ""
        name = str(each.get_param("name", header="Content-Disposition"))
        found.append((name, each.get_filename() or "", kind, content))
    return found


def test_a_form_is_written_as_its_document_says(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "filter": {"type": "object", "properties": {"from": {"type": "string"}}},
            "fresh": {"type": "boolean"},
        },
    }
    encoding = {"ids": {"explode": False}, "filter": {"style": "deepObject"}}
    request, function = sent(
        tmp_path,
        {FORM: {"schema": schema, "encoding": encoding}},
        {
            "name": "Åsa & co=1", "tags": ["a", "b c"], "ids": [3, 4],
            "filter": {"from": "2024-01-01"}, "fresh": True,
        },
    )  # fmt: skip
    assert function.description.parameters["required"] == ["name"]
    assert request.headers["content-type"] == FORM
    assert parse_qsl(request.body.decode()) == [
        ("name", "Åsa & co=1"), ("tags", "a"), ("tags", "b c"), ("ids", "3,4"),
        ("filter[from]", "2024-01-01"), ("fresh", "true"),
    ]  # fmt: skip


def test_files_and_fields_are_parts_of_a_body(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "required": ["picture"],
        "properties": {
            "picture": {"type": "string", "format": "binary", "description": "a picture"},
            "notes": {"type": "string", "contentMediaType": "text/csv"},
            "pages": {"type": "array", "items": {"type": "string", "format": "binary"}},
            "about": {"type": "object", "properties": {"title": {"type": "string"}}},
            "title": {"type": "string"},
            "count": {"type": "integer"},
            'odd"\r\nX-Other: 1': {"type": "string"},
        },
    }
    encoded = base64.b64encode(PICTURE).decode()
    request, function = sent(
        tmp_path,
        {MULTIPART: {"schema": schema, "encoding": {"picture": {"contentType": "image/png"}}}},
        {
            "picture": f"data:;name=my%20cat%22.png;base64,{encoded}",
            "notes": "a,b\n1,2\n",
            "pages": ["one", "data:text/html,%3Cb%3E"],
            "about": {"title": "Ü"},
            "title": "data:text/plain,stays",
            "count": 3,
            "odd_X-Other_1": "x",
        },
    )
    told = function.description.parameters["properties"]["picture"]["description"]
    assert told.startswith("a picture (the content of the file")
    assert parts_of(request) == [
        ("picture", "my cat%22.png", "image/png", PICTURE),
        ("notes", "notes", "text/csv", b"a,b\n1,2\n"),
        ("pages", "pages", "application/octet-stream", b"one"),
        ("pages", "pages", "text/html", b"<b>"),
        ("about", "", "application/json", '{"title": "Ü"}'.encode()),
        ("title", "", "", b"data:text/plain,stays"),
        ("count", "", "", b"3"),
        ("odd%22%0D%0AX-Other: 1", "", "", b"x"),
    ]


def test_a_file_that_cannot_be_read_is_said_and_not_sent(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
    with LocalHttp(lambda _: Reply(json={})) as server:
        function = function_of(tmp_path, server.url, {MULTIPART: {"schema": schema}})
        found = asyncio.run(invoke(function, {"file": "data:image/png;base64,%%%"}))
        whole = function_of(tmp_path, server.url, {FORM: {}}, required=False)
        wrong = asyncio.run(invoke(whole, {"body": "x=1"}))
    assert "the file 'file': its data: URL is no base64" in found.text
    assert "argument 'body': 'x=1' is not of type 'object'" in wrong.text
    assert server.requests == []


def test_a_body_that_may_be_missing_is_one_argument(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
    request, function = sent(
        tmp_path, {MULTIPART: {"schema": schema}}, {"body": {"file": "text"}}, required=False
    )
    assert "required" not in function.description.parameters
    assert parts_of(request) == [("file", "file", "application/octet-stream", b"text")]


def test_json_is_taken_before_a_form(tmp_path: Path) -> None:
    schema = {"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    request, _ = sent(tmp_path, {MULTIPART: schema, "application/json": schema}, {"a": 1})
    assert request.headers["content-type"] == "application/json"


def test_arguments_whose_names_are_alike_when_cleaned_are_all_there(tmp_path: Path) -> None:
    names = ("größe", "gro ße", "gro__ße", "名", "前", "naïve")
    properties = {name: {"type": "string"} for name in names}
    arguments = {"gro_e": "1", "body_gro_e": "2", "body": "4", "body_2": "5", "naive": "6"}
    request, function = sent(
        tmp_path, {FORM: {"schema": {"type": "object", "properties": properties}}}, arguments
    )
    told = function.description.parameters["properties"]
    assert set(told) == {*arguments, "gro___e"}
    assert told["body_2"]["description"] == "前"
    assert dict(parse_qsl(request.body.decode())) == {
        "größe": "1", "gro ße": "2", "名": "4", "前": "5", "naïve": "6",
    }  # fmt: skip


def test_operations_have_names_whatever_their_ids_are(tmp_path: Path) -> None:
    ids = {
        "/a": "名前",
        "/b": "名前",
        "/b/名": "",
        "/c": None,
        "/d": "créer",
        "/e": "créer",
        "/": 7,
    }
    paths = {path: {"get": {"operationId": each}} for path, each in ids.items()}
    source = OpenAPISource(OpenAPISource.Config(document=write_document(tmp_path, paths=paths)))
    found = [each.description.name for each in asyncio.run(source.functions())]
    assert found == ["get_a", "get_b", "get_b_2", "get_c", "creer", "creer_2", "get"]
