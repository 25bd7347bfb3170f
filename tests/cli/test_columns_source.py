"""Columnar stores as functions of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.memory.columns.store import ColumnarStore
from tests.cli.inside import inside
from tests.contracts.columnar_store import Reading, readings
from tests.servers.s3 import KEYS, missing_s3, s3_server

CALL = """\
_target_: tests.tools.call_flow:CallFunctions
name: Calls
functions: {sources: {lake: {_target_: functions.columns, SOURCE}}}
inputs:
  question: how much precipitation was there at the harbour
  calls: [[lake/search_readings, {question: total precipitation at the harbour}]]
"""


def write(folder: Path, source: str) -> str:
    file = folder / "calls.yaml"
    file.write_text(CALL.replace("SOURCE", source))
    return str(file)


def check_answer(folder: Path, *arguments: str) -> None:
    ended = inside("run", *arguments, "--trust", "tests", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    outputs = ended.json()["outputs"]
    assert outputs["found"] == ["lake/search_readings"]
    [observation] = outputs["observations"]
    assert observation["kind"] == "ok"
    assert "19.75" in observation["text"]


def test_the_stores_of_a_folder_are_functions_of_a_run(tmp_path: Path) -> None:
    with ColumnarStore(Reading, tmp_path / "stores", profiles=None) as store:
        store.append(readings())
    check_answer(tmp_path, write(tmp_path, "folder: stores"))
    wrong = write(tmp_path, "folder: stores, stores: [weather/reading]")
    ended = inside("run", wrong, "--trust", "tests", "--json", cwd=tmp_path)
    assert "did you mean 'weather/readings'?" in ended.out + ended.err


def test_the_keys_of_s3_go_where_a_person_allowed_it(tmp_path: Path) -> None:
    source = "address: s3://lake/stores, endpoint: http://127.0.0.1:9"
    for name in ("check", "run"):
        ended = inside(
            name, write(tmp_path, source), "--trust", "tests", cwd=tmp_path, env=dict(KEYS)
        )
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in ended.out + ended.err
        if name == "run":
            assert ended.code == 2
            assert "AWS_ACCESS_KEY_ID would be sent to http://127.0.0.1:9" in ended.err


@pytest.mark.skipif(bool(missing_s3()), reason=missing_s3() or "it is there")
@pytest.mark.long("a server of S3, which takes seconds to start")
def test_stores_on_s3_are_functions_of_a_run(tmp_path: Path) -> None:
    with s3_server("lake") as address:
        with ColumnarStore(
            Reading, "s3://lake/stores", cache=tmp_path / "c", endpoint=address, region="us-east-1"
        ) as store:
            store.append(readings())
        source = f"address: s3://lake/stores, endpoint: '{address}', region: us-east-1"
        check_answer(tmp_path, write(tmp_path, source), "--trust", address)
        for path in (tmp_path / "runs").rglob("*"):
            if path.is_file():
                assert KEYS["AWS_SECRET_ACCESS_KEY"].encode() not in path.read_bytes(), path


@pytest.mark.long("whole runs of the command")
def test_the_interpreter_answers_with_a_store_and_cites_its_cells(tmp_path: Path) -> None:
    with ColumnarStore(Reading, tmp_path / "stores", profiles=None) as store:
        store.append(readings())
    (tmp_path / "gauges.yaml").write_text(
        "defaults: [interpreter, _self_]\n"
        "functions: {sources: {lake: {_target_: functions.columns, folder: stores}}}\n"
        "inputs: {question: What was the average rain of each site}\n"
    )
    ended = inside("run", "gauges.yaml", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    outputs = ended.json()["outputs"]
    assert outputs["status"] == "answered"
    assert "airport: 2.25; harbour: 4.94; hill: 3" in outputs["answer"]
    assert outputs["uncited"] == []
    cited = {each["path"]: each["value"] for each in outputs["citations"]}
    assert (cited["/rows/1/site"], cited["/rows/1/average_rain"]) == ("harbour", "4.94")
    asked = "inputs.question=How many penguins were seen"
    lost = inside("run", "gauges.yaml", asked, "--json", cwd=tmp_path)
    assert lost.json()["outputs"]["status"] == "abstained"
