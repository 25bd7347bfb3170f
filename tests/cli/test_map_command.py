"""`flows map`: the flow of a run file for each row of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from flows.core.chat import Usage
from flows.core.result import RunResult
from flows.services.map_results import write_results
from tests.cli.inside import inside

FLOW = """
_target_: sequential
name: Adding
input_interface: {n: int, by: int}
output_interface: [total]
inputs: {by: 10}
subflows_config: {sum: {_target_: adding.total}}
topology: [{goal: add, flow: sum}]
"""
MODULE = """
from pathlib import Path


def total(n: int, by: int) -> int:
    if n == 13 and not Path("lucky").exists():
        raise ValueError("unlucky")
    return n + by
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "my.yaml").write_text(FLOW)
    (tmp_path / "adding.py").write_text(MODULE)
    return tmp_path


def answers(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.jsonl", '{"n": 1}\n\n{"n": 2, "by": 5}\n'),
        ("rows.json", '[{"n": 1}, {"n": 2, "by": 5}]'),
        ("rows.csv", "n,by\n1,10\n2,5\n"),
    ],
)
def test_each_row_is_one_call(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text)
    ended = inside(
        "map", "my.yaml", "--inputs", name, "--out", "out.jsonl", "--trust", "adding", cwd=folder
    )
    assert ended.code == 0, ended.err
    found = answers(folder / "out.jsonl")
    assert [each["outputs"] for each in found] == [{"total": 11}, {"total": 7}]
    assert [each["error"] for each in found] == [None, None]


def test_a_row_that_fails_is_told_and_the_others_go_on(folder: Path) -> None:
    (folder / "rows.csv").write_text("n\n1\n13\n2\n")
    ended = inside(
        "map", "my.yaml", "--inputs", "rows.csv", "--out", "out.jsonl", "--trust", "adding",
        cwd=folder,
    )  # fmt: skip
    assert ended.code == 0
    assert "1 of 3 elements failed" in ended.out + ended.err
    found = answers(folder / "out.jsonl")
    assert [each["outputs"] for each in found] == [{"total": 11}, None, {"total": 12}]
    assert "unlucky" in str(found[1]["error"])


def test_the_first_failure_can_end_it_and_resume_does_what_is_left(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1}\n{"n": 13}\n{"n": 2}\n')
    ended = inside(
        "map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", "--on-failure", "stop",
        "--max-concurrency", "1", "--out", "out.jsonl", cwd=folder,
    )  # fmt: skip
    assert ended.code == 4
    assert not (folder / "out.jsonl").exists()
    (folder / "lucky").touch()
    resumed = inside("resume", "last", "--json", "--trust", "adding", cwd=folder)
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["outputs"]["results"] == [
        {"total": 11}, {"total": 23}, {"total": 12},
    ]  # fmt: skip
    assert [each["outputs"] for each in answers(folder / "out.jsonl")] == [
        {"total": 11}, {"total": 23}, {"total": 12},
    ]  # fmt: skip


def test_rows_that_all_fail_are_a_failure(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 13}\n')
    ended = inside("map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", cwd=folder)
    assert ended.code == 4


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("rows.jsonl", '{"n": 1}\n{"n":\n', "rows.jsonl:2:6: no JSON"),
        ("rows.jsonl", "[1]\n", "rows.jsonl:1:1: an object"),
        ("rows.json", '[{"n": 1}, 2]', "rows.json: element 2: an object"),
        ("rows.json", '{"n": 1}', "a list of objects is wanted"),
        ("rows.jsonl", "", "there are no rows"),
        ("rows.csv", "", "rows.csv"),
    ],
)
def test_a_file_that_holds_no_rows_is_refused(
    name: str, text: str, said: str, folder: Path
) -> None:
    (folder / name).write_text(text)
    ended = inside("map", "my.yaml", "--inputs", name, "--trust", "adding", cwd=folder)
    assert ended.code == 2
    assert said in ended.err
    assert not (folder / "runs").exists()


def test_each_line_that_is_no_row_is_told_at_once(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1}\n{"n" 2}\n[3]\n' + "no\n" * 30)
    ended = inside(
        "map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", "--json", cwd=folder
    )
    assert ended.code == 2
    for said in ("rows.jsonl:2:6: no JSON", "rows.jsonl:3:1: an object", "and 11 more after it"):
        assert said in ended.err
    assert ended.json()["status"] == "failed"


def test_a_line_ends_where_json_lines_ends_it(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1, "note": "a\u2028b"}\n', encoding="utf-8")
    ended = inside("map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", cwd=folder)
    assert ended.code == 0, ended.err


def test_a_place_that_nothing_can_be_written_to_is_told_first(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1}\n')
    words = ("map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", "--out", "my.yaml/x")
    ended = inside(*words, cwd=folder)
    assert ended.code == 2
    assert "my.yaml/x cannot be written" in ended.err
    assert not (folder / "runs").exists()
    again = ("map", "my.yaml", "--inputs", ".", "--trust", "adding")
    assert ". is a folder" in inside(*again, cwd=folder).err


def test_a_wrong_input_of_a_row_is_its_failure(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1}\n{"m": 2}\n')
    ended = inside(
        "map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding", "--json", cwd=folder
    )
    outputs = json.loads(ended.out)["outputs"]
    assert outputs["results"] == [{"total": 11}, None]
    assert "missing input 'n'" in outputs["failures"][0]["error"]


def test_it_wants_rows(folder: Path) -> None:
    ended = inside("map", "my.yaml", cwd=folder)
    assert ended.code == 2
    assert "--inputs FILE" in ended.err
    ended = inside("map", "my.yaml", "--inputs", "no.jsonl", cwd=folder)
    assert ended.code == 2
    assert "no.jsonl: there is no such file" in ended.err


def test_results_in_parquet_have_the_same_columns(folder: Path) -> None:
    (folder / "rows.jsonl").write_text('{"n": 1}\n{"n": 13, "by": 2}\n')
    words = ("map", "my.yaml", "--inputs", "rows.jsonl", "--trust", "adding")
    ended = inside(*words, "--out", "out/found.parquet", cwd=folder)
    assert ended.code == 0, ended.err
    table = parquet.read_table(folder / "out" / "found.parquet")
    assert table.to_pylist() == [
        {"inputs": {"n": 1, "by": 10}, "outputs": {"total": 11}, "error": None},
        {
            "inputs": {"n": 13, "by": 2},
            "outputs": None,
            "error": "each#2/sum#1: ValueError: unlucky",
        },
    ]


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ([{"a": 1}, {"a": "x"}], [{"a": "1"}, {"a": '"x"'}]),
        ([{"a": {}}, {"a": {}}], [{"a": "{}"}, {"a": "{}"}]),
        ([{"a": [1, {"b": 2}]}], [{"a": '[1, {"b": 2}]'}]),
        ([{}, None], [None, None]),
        ([{"a": 2**70}, {"b": [1, 2]}], [{"a": str(2**70), "b": None}, {"a": None, "b": [1, 2]}]),
    ],
)
def test_what_no_column_of_parquet_can_hold_is_told_as_json(
    outputs: list[Any], told: list[Any], tmp_path: Path
) -> None:
    result = RunResult(
        run_id="one", status="finished", outputs={"results": tuple(outputs), "failures": ()},
        usage=Usage(), seconds=0.0, folder=tmp_path,
    )  # fmt: skip
    write_results(tmp_path / "out.parquet", [{"n": 1}] * len(outputs), result)
    assert parquet.read_table(tmp_path / "out.parquet")["outputs"].to_pylist() == told
