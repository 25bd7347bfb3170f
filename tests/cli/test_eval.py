"""`flows eval`: questions with known answers, asked of any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.command import environment
from tests.cli.farm import AVERAGE, BREEDS, farm, jsonl, two_prices
from tests.cli.inside import inside

HOSTILE = "<script>alert('x')</script> & \u202egnp.exe"
CASES: list[dict[str, Any]] = [
    {"id": "count", "question": "How many cows are there?", "sql": "SELECT COUNT(*) FROM cows"},
    {"id": "each", "question": AVERAGE, "difficulty": "my own",
     "sql": "SELECT AVG(milk), breed FROM cows GROUP BY breed"},
    {"id": "rows", "question": "How many barns are there?", "rows": [[8.0]]},
    {"id": "words", "question": "How many barns are there?", "answer": 8},
    {"id": "off", "question": "How many barns are there?", "sql": "SELECT 9"},
    {"id": "odd", "question": "Why is the sky blue?", "answer": HOSTILE},
    {"id": "broken", "question": "How many cows are there?", "sql": "SELECT nothing FROM cows"},
    {"id": "gone", "question": "How many?", "data": ["gone.db"], "answer": 1},
]  # fmt: skip


@pytest.fixture
def report(tmp_path: Path) -> dict[str, Any]:
    """The report over a farm, of which some cases are wrong on purpose."""
    farm(tmp_path)
    jsonl(tmp_path / "cases.jsonl", [{"data": ["farm.db"], **each} for each in CASES])
    ended = inside("eval", "cases.jsonl", "--json", "--processes", "1", cwd=tmp_path)
    assert ended.code == 0, ended.err
    return ended.json()


@pytest.mark.long("a whole evaluation")
def test_verdicts_figures_and_pages(report: dict[str, Any], tmp_path: Path) -> None:
    verdicts = {each["id"]: each["verdict"] for each in report["cases_judged"]}
    assert verdicts == {
        "count": "right", "each": "right", "rows": "right", "words": "right", "off": "wrong",
        "odd": "abstained", "broken": "invalid", "gone": "failed",
    }  # fmt: skip
    counts = {name: report[name] for name in ("cases", "right", "wrong", "abstained", "failed")}
    assert counts == {"cases": 7, "right": 4, "wrong": 1, "abstained": 1, "failed": 1}
    assert report["invalid"] == 1
    assert report["by_difficulty"]["my own"]["right"] == 1
    assert report["by_difficulty"]["one table"]["cases"] == 2
    wrong = next(each for each in report["cases_judged"] if each["id"] == "off")
    assert (wrong["rows"], wrong["expected_rows"]) == ([[8]], [[9]])
    assert wrong["words"]
    assert json.loads((tmp_path / "evaluation" / "report.json").read_text()) == report
    page = (tmp_path / "evaluation" / "report.html").read_text()
    assert "Precision and coverage" in page
    reliability = report["reliability"]
    assert sum(each["answers"] for each in reliability["bins"]) == 5
    assert sum(each["right"] for each in reliability["bins"]) == 4
    assert f"Calibration error: {reliability['error']:.1%}" in page
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page
    assert "\u202e" not in page


@pytest.mark.long("a whole evaluation")
def test_what_is_shown_names_the_wrong_ones(tmp_path: Path) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "cases.jsonl", CASES[:5])
    ended = inside("eval", "cases.jsonl", "--data", "farm.db", "--out", "r", cwd=tmp_path)
    assert ended.code == 0
    assert "Wrong: 1" in ended.out
    assert "SELECT 9" in ended.out
    assert "80.0%" in ended.out
    assert "Reliability" in ended.out
    assert "calibration error" in ended.out
    assert "r/report.html" in ended.out


@pytest.mark.long("a whole evaluation")
def test_the_expected_sql_may_read_all_files_of_a_case(tmp_path: Path) -> None:
    farm(tmp_path)
    (tmp_path / "price.csv").write_text("breed,price\nJersey,2\nSimmental,3\nAngler,4\n")
    sql = "SELECT SUM(milk * price) FROM cows JOIN price USING (breed)"
    both = {"question": "How many cows are there?", "data": ["price.csv", "farm.db"]}
    own = {**both, "sql": "SELECT COUNT(*) FROM cows"}
    jsonl(tmp_path / "cases.jsonl", [{**both, "sql": sql}, own])
    found = inside("eval", "cases.jsonl", "--json", "--processes", "1", cwd=tmp_path).json()
    first, second = found["cases_judged"]
    price = {"Jersey": 2, "Simmental": 3, "Angler": 4}
    total = sum(n * price[BREEDS[n % 3]] for n in range(1, 31))
    assert (first["verdict"], first["expected_rows"]) == ("wrong", [[total]])
    assert second["verdict"] == "right"


@pytest.mark.long("the cases of several databases, in a process for each core")
def test_cases_that_cannot_be_judged_stand_apart(tmp_path: Path) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "cases.jsonl", [CASES[0], CASES[2], {**CASES[2], "rows": [[7]]}, *CASES[6:]])
    command = ("eval", "cases.jsonl", "--data", "farm.db", "--golden", "g.json")
    ended = inside(*command, cwd=tmp_path)
    assert "Failed: 1" in ended.out
    assert "not counted: 2" in ended.out
    assert 'line 3: another case has the id "rows"' in ended.out
    assert inside(*command, cwd=tmp_path).code == 0  # the second `rows` loses nothing


def test_where_no_report_can_be_written_nothing_is_asked(tmp_path: Path) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "cases.jsonl", CASES[:1])
    ended = inside("eval", "cases.jsonl", "--data", "farm.db", "--out", "farm.db/r", cwd=tmp_path)
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.long("the cases of several databases, in a process for each core")
def test_golden_cases_have_to_stay_right(tmp_path: Path) -> None:
    database = farm(tmp_path)
    cases = jsonl(tmp_path / "cases.jsonl", CASES[:3])
    command = ("eval", "cases.jsonl", "--data", "farm.db", "--golden", "golden.json", "--json")
    assert inside(*command, cwd=tmp_path).code == 0
    golden = (tmp_path / "golden.json").read_text()
    assert json.loads(golden)["right"] == ['"count"', '"each"', '"rows"']
    jsonl(cases, [{**CASES[0], "sql": "SELECT 1"}, *CASES[1:3]])
    worse = inside(*command, cwd=tmp_path)
    assert worse.code == 1
    assert worse.json()["lost"] == ["count"]
    assert (tmp_path / "golden.json").read_text() == golden  # it is not forgotten
    assert database.exists()
    (tmp_path / "golden.json").write_text("[]")
    refused = inside(*command, cwd=tmp_path)
    assert refused.code == 2
    assert "no file of golden cases" in refused.err


@pytest.mark.long("the cases of several databases, in a process for each core")
def test_a_question_back_is_counted_and_thresholds_are_overrides(tmp_path: Path) -> None:
    two_prices(tmp_path)
    case = {"question": "What is the average price?", "sql": "SELECT AVG(price) FROM meals"}
    jsonl(tmp_path / "cases.jsonl", [case])
    command = ("eval", "cases.jsonl", "--data", "prices.db", "--json")
    assert inside(*command, cwd=tmp_path).json()["clarified"] == 1
    forced = inside(*command, "answer_above=0", "ask_above=0", cwd=tmp_path).json()
    assert forced["clarified"] == 0
    assert forced["right"] + forced["wrong"] == 1


@pytest.mark.long("the cases of several databases, in a process for each core")
def test_models_are_compared_and_where_they_differ_is_told(tmp_path: Path) -> None:
    """The rules are right where they are sure, a model that always says 9 in one case by chance,
    both together in both."""
    farm(tmp_path)
    cases = [CASES[0], {"id": "gist", "question": "What is the gist of it all?", "rows": [[9]]}]
    jsonl(tmp_path / "cases.jsonl", cases)
    reply = json.dumps({"sql": "SELECT 9 AS n", "confidence": 0.7})
    with FakeModel(lambda _: FakeAnswer(reply)) as server:
        env = environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="unused")
        names = ("offline", "openai:some-model", "tiered:openai:some-model")
        models = [each for name in names for each in ("--model", name)]
        command = ("eval", "cases.jsonl", "--data", "farm.db", "--processes", "1", *models)
        ended = inside(*command, cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
    assert "Different: 2" in ended.out
    assert "right by" not in ended.out
    found = json.loads((tmp_path / "evaluation" / "comparison.json").read_text())
    assert [found["by"][name]["right"] for name in names] == [1, 1, 2]
    assert found["by"]["offline"]["usage"]["input_tokens"] == 0
    assert found["by"]["openai:some-model"]["usage"]["input_tokens"] > 0
    verdicts = {each["id"]: each["verdicts"] for each in found["differences"]}
    assert [verdicts["count"][name] for name in names] == ["right", "wrong", "right"]
    assert [verdicts["gist"][name] for name in names] == ["abstained", "right", "right"]
    report = tmp_path / "evaluation" / "tiered-openai-some-model" / "report.json"
    assert json.loads(report.read_text())["model"] == "tiered:openai:some-model"


@pytest.mark.long("the cases of several databases, in a process for each core")
def test_a_language_model_is_asked_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "cases.jsonl", CASES[:1])
    reply = json.dumps({"sql": "SELECT COUNT(*) AS n FROM cows", "confidence": 0.7})
    with FakeModel() as server:
        server.script(FakeAnswer(reply), FakeAnswer("{{last[0].n}} cows."))
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "unused")
        command = ("eval", "cases.jsonl", "--data", "farm.db", "--model", "openai:some-model")
        found = inside(*command, "--json", cwd=tmp_path).json()
    assert found["right"] == 1
    assert found["cases_judged"][0]["answer"] == "30 cows."
    assert server.requests[0].body["model"] == "some-model"
