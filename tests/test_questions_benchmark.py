"""The benchmark of questions as people ask them: how answers are scored, and what is kept back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_benchmarks import run

SALES = "region,revenue\nNorth,100\nSouth,200\nNorth,50\n"
TOTALS = {
    "type": "rows",
    "columns": ["region", "revenue"],
    "rows": [["North", 150], ["South", 200]],
}
# By the hash of its name `shop` is a data set to make rules by, `people` is locked.
OPEN, LOCKED = "shop", "people"


def case(identity: str, gold: dict[str, Any], kind: str = "sum", **more: Any) -> dict[str, Any]:
    made = {"id": identity, "dataset": OPEN, "data": ["sales.csv"], "question": "?", "kind": kind}
    return {**made, "gold": gold, **more}


def scalar(value: object) -> dict[str, Any]:
    return {"type": "scalar", "value": value}


def told(*rows: list[Any], sure: float = 0.9, text: str = "") -> dict[str, Any]:
    return {"status": "answered", "rows": list(rows), "confidence": sure, "answer": text}


def asked(*options: str) -> dict[str, Any]:
    return {"status": "clarify", "clarification": {"options": [{"label": o} for o in options]}}


def write_lines(file: Path, lines: list[dict[str, Any]]) -> Path:
    file.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return file


READINGS = [{"regex": "depart", "gold": scalar(12)}, {"regex": "arriv", "gold": scalar(6)}]
ASK = {"type": "ask", "readings": READINGS}
ORDERED = {"ordered": True}
SHARE = {"unit": "share"}
BOTH = {"type": "parts", "parts": [scalar(350), scalar("South")]}
REFUSED = {"status": "abstained"}


JUDGED: tuple[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str], ...] = (
    (scalar(350), {}, told([350]), "right"),
    (scalar(350), {}, told([351]), "wrong, sure"),
    (scalar(350), {}, told([351], sure=0.6), "wrong, unsure"),
    (scalar(350), {}, told([350], [1]), "partly"),
    (scalar(12345.678), {}, told(["$12,345.68"]), "right"),
    (scalar(0.1234), SHARE, told([12.34]), "right"),
    (scalar(0.1234), {}, told([12.34]), "wrong, sure"),
    (scalar(-5), {"unit": "abs"}, told([5]), "right"),
    (scalar("South"), {"golds_alt": [scalar("North")]}, told(["north"]), "right"),
    (scalar(350), {}, told(text="It is 350 in all."), "right"),
    (TOTALS, {}, told(["South", 9, 200], ["North", 8, 150]), "right"),
    (TOTALS, ORDERED, told(["South", 200], ["North", 150]), "partly"),
    (TOTALS, {}, told(["South", 200], ["North", 151]), "partly"),
    (TOTALS, {}, told([150, 200]), "right"),
    (TOTALS, {}, told(["South", 1], ["North", 2]), "wrong, sure"),
    ({"type": "set", "values": ["2024-03", "2024-04"]}, {},
     told(["March 2024"], ["2024-04-01"]), "right"),
    ({"type": "set", "values": ["Ada Byron", "Bo Li"]}, {},
     told(["Ada", "Byron"], ["Bo", "Li"]), "right"),
    (BOTH, {}, told(["South", 200]), "partly"),
    (BOTH, {}, told(["South", 200], text="350 in all."), "right"),
    (BOTH, {}, told(["South", 350]), "right"),
    (ASK, {}, asked("departure delay", "arrival delay"), "right"),
    (ASK, {}, asked("departure delay", "delayed departures"), "asked"),
    (ASK, {}, told([6]), "partly"),
    (scalar(350), {}, asked("revenue", "rows"), "asked"),
    ({"type": "decline"}, {}, REFUSED, "right"),
    ({"type": "decline"}, {}, told([350]), "wrong, sure"),
    ({"type": "decline"}, {}, {"status": "failed"}, "declined"),
    (scalar(350), {}, REFUSED, "declined"),
)  # fmt: skip


def test_answers_are_scored(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(len(JUDGED))]
    cases = [case(n, gold, **more) for n, (gold, more, *_) in zip(names, JUDGED, strict=True)]
    answers = [{"id": n, **each[2]} for n, each in zip(names, JUDGED, strict=True)]
    file = write_lines(tmp_path / "cases.jsonl", cases)
    replied, target = write_lines(tmp_path / "a.jsonl", answers), tmp_path / "out.json"
    done = run("questions.py", str(file), "--answers", str(replied), "--json", str(target))
    assert done.returncode == 0, done.stderr
    found = {each["id"]: each["outcome"] for each in json.loads(target.read_text())["cases"]}
    assert found == {n: each[3] for n, each in zip(names, JUDGED, strict=True)}


@pytest.mark.long("the benchmark itself")
def test_real_answers_by_kind_and_of_locked_data_nothing_but_sums(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    total = "What is the total revenue for each region?"
    cases = [
        case("open", TOTALS, question=total),
        case("secret", TOTALS, question=total, dataset=LOCKED),
        case("future", {"type": "decline"}, "beyond", question="How many robots will dream?"),
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    target = tmp_path / "out.json"
    done = run("questions.py", str(tmp_path), "--part", "all", "--json", str(target))
    assert done.returncode == 0, done.stderr
    written = json.loads(target.read_text())
    assert written["kinds"]["sum"] == {"right": 2}
    assert written["kinds"]["all"] == {"right": 3}
    assert written["reliability"]["bins"][0]["answers"] == 2
    assert [each["id"] for each in written["cases"]] == ["open", "future"]
    assert "secret" not in done.stdout
    assert "mean confidence" in done.stdout


def test_parts_and_answers_that_are_missing(tmp_path: Path) -> None:
    cases = write_lines(
        tmp_path / "cases.jsonl", [case("a", scalar(1)), case("b", scalar(1), dataset=LOCKED)]
    )
    answers = write_lines(tmp_path / "answers.jsonl", [{"id": "a", **told([1])}])
    target = ("--answers", str(answers), "--json", str(tmp_path / "out.json"))
    done = run("questions.py", str(cases), *target)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["kinds"]["all"] == {"right": 1}
    done = run("questions.py", str(cases), "--part", "locked", *target)
    assert done.returncode == 1
    assert "1 cases have no answer" in done.stderr
    assert json.loads((tmp_path / "out.json").read_text())["cases"] == []
