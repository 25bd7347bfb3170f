"""What came of a business question as an object: closed, explained, the same keys in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from flows.core.chat import Usage
from flows.core.result import RunResult
from flows.semantics.findings import Finding, Task, TaskResult, Told
from flows.services.analysis_answer import KEYS, AnalysisAnswer

DONE = TaskResult(
    task=Task(task_id=1, name="SQLAgent", description="Count."),
    status="done",
    finding=Finding(output_type="table", response="30.", insights=(Told(text="There are 30."),)),
    seconds=0.5,
)
RESULT = RunResult(
    run_id="r", status="finished", usage=Usage(model_calls=2), seconds=1.23456,
    folder=Path("runs/r"),
    outputs={"status": "partly", "answer": "30.", "results": (DONE,), "files": {"md": "a.md"}},
)  # fmt: skip


def test_every_field_says_what_it_is() -> None:
    assert all(each.description for each in AnalysisAnswer.model_fields.values())
    with pytest.raises(ValidationError, match="Extra inputs"):
        AnalysisAnswer.model_validate({"status": "failed", "mood": "good"})


def test_a_run_has_all_keys_and_its_tasks_in_short() -> None:
    found = AnalysisAnswer.of(RESULT).with_reports({"html": Path("mine.html")}).as_json()
    assert tuple(found) == KEYS
    assert (found["status"], found["answer"], found["reason"]) == ("partly", "30.", "")
    assert found["report"] == {"md": "runs/r/a.md", "html": "mine.html"}
    assert (found["usage"]["model_calls"], found["usage"]["seconds"]) == (2, 1.235)
    [task] = found["tasks"]
    assert (task["name"], task["status"], task["insights"]) == (
        "SQLAgent",
        "done",
        ["There are 30."],
    )


def test_a_failure_has_all_keys_too() -> None:
    found = AnalysisAnswer.failure("it broke", status="interrupted").as_json()
    assert tuple(found) == KEYS
    assert (found["status"], found["usage"], found["tasks"]) == ("interrupted", {}, [])
