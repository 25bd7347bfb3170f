"""What no flow uses need not be there; its names and keys have to be right all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.builder import build
from flows.errors import ConfigError
from tests.cli.inside import inside, write

FLOW = """\
_target_: finish
name: End
inputs: {answer: Hello}
"""
AWAY = {
    "documents": "documents: no-such-folder",
    "documents with settings": "documents: {_target_: documents.folder, folder: no-such-folder}",
    "data": "data: {sales: no-such.csv}",
    "a secret": "data: {sales: '${env:FLOWS_NOT_SET}'}",
    "a model": "model: {_target_: model.openai, model: m, api_key: '${env:FLOWS_NOT_SET}'}",
    "a cassette": "model: {_target_: model.replay, path: no-such.jsonl}",
    "a memory": "memory: {_target_: memory.chroma, folder: /proc/nowhere}",
}
WRONG = {
    "model: {_target_: model.openai, modle: m}": "unknown key 'modle'",
    "model: {_target_: model.opnai}": "there is no model named 'model.opnai'",
    "memory: {_target_: memory.chroma, embedder: {_target_: embedder.endpoint, modle: m}}": (
        "unknown key 'modle'"
    ),
    "documents: {_target_: documents.folder, folder: x, indx: y}": "unknown key 'indx'",
    "data: {sales: {path: x.csv, delimter: ';'}}": "unknown key 'delimter'",
}


@pytest.mark.parametrize("text", AWAY.values(), ids=AWAY)
def test_what_no_flow_uses_need_not_be_there(text: str, tmp_path: Path) -> None:
    file = write(tmp_path, f"{FLOW}{text}\n")
    for command in ("check", "run"):
        ended = inside(command, file, cwd=tmp_path)
        assert ended.code == 0, ended.err


@pytest.mark.parametrize(("text", "problem"), WRONG.items())
def test_its_names_and_keys_are_checked(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        build(tmp_path / write(tmp_path, f"{FLOW}{text}\n"))
    assert any(problem in str(each) for each in getattr(caught.value, "errors", [caught.value]))
    assert caught.value.place is not None
    assert caught.value.place.line == 4


def test_what_a_flow_uses_has_to_be_there(tmp_path: Path) -> None:
    text = "_target_: sql\nname: Look\ninputs: {query: SELECT 1}\ndata: {sales: no-such.csv}\n"
    for command in ("check", "run"):
        ended = inside(command, write(tmp_path, text), cwd=tmp_path)
        assert ended.code == 2
        assert "my.yaml:4:15: data.sales" in ended.err


def test_check_says_that_no_flow_uses_the_data(tmp_path: Path) -> None:
    ended = inside("check", write(tmp_path, f"{FLOW}{AWAY['data']}\n"), cwd=tmp_path)
    assert "1 source: no flow uses them" in ended.out
