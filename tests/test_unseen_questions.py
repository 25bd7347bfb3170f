"""The questions about trades that no rule was made by: that they are made the same each time, that
each truth is found twice, and that it is its own right answer."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_benchmarks import BENCHMARKS, run
from tests.test_questions_benchmark import write_lines

UNSEEN = "business/unseen.py"
KINDS = {
    "aggregate", "ambiguous", "anti_join", "calendar", "compare", "correlation", "derived",
    "distribution", "filter_count", "growth", "join", "lookup", "multi", "percentile", "quality",
    "rounding", "running", "share", "topn", "unanswerable", "wording",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("unseen")
    done = run(UNSEEN, str(made), "--check")
    assert done.returncode == 0, done.stderr
    return made


def cases_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.long("all data sets of the benchmark are made")
def test_every_data_set_has_every_kind_of_question(folder: Path) -> None:
    cases = cases_of(folder / "cases.jsonl")
    names = {each["dataset"] for each in cases}
    assert len(names) == 16
    for name in names:
        of = [each for each in cases if each["dataset"] == name]
        assert len(of) >= 25
        assert {each["kind"] for each in of} == KINDS
        assert len({each["question"] for each in of}) == len(of)
        assert len({each["part"] for each in of}) == 1
    assert all((folder / path).is_file() for each in cases for path in each["data"])
    locked = [each for each in cases if each["part"] == "locked"]
    assert len({each["dataset"] for each in locked}) == 5


@pytest.mark.long("takes a process, a file or a run of its own")
def test_no_question_stands_in_two_sets(folder: Path) -> None:
    asked = [each["question"] for each in cases_of(folder / "cases.jsonl")]
    assert len(set(asked)) == len(asked)


@pytest.mark.long("all data sets of the benchmark are made")
def test_no_truth_is_empty(folder: Path) -> None:
    """A set or a table without rows would be right for whoever finds nothing."""
    for case, gold in golds_of(cases_of(folder / "cases.jsonl")):
        for each in gold["parts"] if gold["type"] == "parts" else [gold]:
            told = each.get("rows", each.get("values", [each.get("value", "")]))
            assert told, case["id"]
            assert None not in told, case["id"]


def answer_of(gold: dict[str, Any]) -> dict[str, Any]:
    """What would be replied by someone who knows the gold."""
    told = {"status": "answered", "confidence": 0.9, "rows": [], "answer": ""}
    if gold["type"] == "decline":
        return {"status": "abstained"}
    if gold["type"] == "ask":
        options = [{"label": f"by {label_of(each['regex'])}"} for each in gold["readings"]]
        return {"status": "clarify", "clarification": {"options": options}}
    if gold["type"] == "parts":
        return {**told, "rows": [[each["value"] for each in gold["parts"]]]}
    if gold["type"] == "set":
        return {**told, "rows": [[each] for each in gold["values"]]}
    return {**told, "rows": gold["rows"] if gold["type"] == "rows" else [[gold["value"]]]}


def label_of(regex: str) -> str:
    return regex.split("|")[0].replace("\\b", "").replace("[ _]?", " ")


@pytest.mark.long("all data sets of the benchmark are made")
def test_every_gold_is_its_own_right_answer(folder: Path, tmp_path: Path) -> None:
    cases = cases_of(folder / "cases.jsonl")
    answers = [
        {"id": f"{at}", **answer_of(gold)}
        for at, (_, gold) in enumerate(golds_of(cases))
    ]  # fmt: skip
    asked = [{**case, "id": f"{at}"} for at, (case, _) in enumerate(golds_of(cases))]
    file = write_lines(tmp_path / "cases.jsonl", asked)
    replied, target = write_lines(tmp_path / "a.jsonl", answers), tmp_path / "out.json"
    both = ("--part", "all", "--answers", str(replied), "--json", str(target))
    done = run("questions.py", str(file), *both)
    assert done.returncode == 0, done.stderr
    written = json.loads(target.read_text())
    wrong = [asked[int(e["id"])] for e in written["cases"] if e["outcome"] != "right"]
    assert wrong == []
    assert written["kinds"]["all"] == {"right": len(asked)}


def golds_of(cases: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(case, gold) for case in cases for gold in (case["gold"], *case["golds_alt"])]


@pytest.mark.long("all data sets of the benchmark are made")
def test_they_are_made_the_same_each_time(folder: Path, tmp_path: Path) -> None:
    done = run(UNSEEN, str(tmp_path), "--only", "plant,hotel,port,festival")
    assert done.returncode == 0, done.stderr
    for part, name in (
        ("open", "plant"), ("locked", "hotel"), ("open", "port"), ("open", "festival"),
    ):  # fmt: skip
        files = sorted((tmp_path / part / "data" / name).iterdir())
        assert files
        for file in files:
            assert file.read_bytes() == (folder / part / "data" / name / file.name).read_bytes()
        before = [e for e in cases_of(folder / part / "cases.jsonl") if e["dataset"] == name]
        again = cases_of(tmp_path / part / "cases.jsonl")
        assert [e for e in again if e["dataset"] == name] == before


@pytest.mark.long("takes a process, a file or a run of its own")
def test_a_truth_that_sql_does_not_find_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS / "business"), str(BENCHMARKS), *sys.path])
    unseen = importlib.import_module("unseen")

    made = unseen.load("league")
    paths = unseen.write(tmp_path, "league", made)
    cases = unseen.cases_of("league", "open", made, paths)
    (right,) = [each for each in cases if each["question"].startswith("How many games ended")]
    right["gold"]["value"] += 1
    (told,) = unseen.differences(cases, made, paths)
    assert right["id"] in told
