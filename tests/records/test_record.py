"""What is read of a run from its rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.core.journal import Journal
from flows.records.lookup import places
from flows.records.record import RunRecord, records_of
from tests.runners.journals import (
    Told,
    add,
    call,
    change_row,
    end,
    make_version_1,
    outcome,
    start,
    write_run,
    write_shared,
)

QUESTION: Told = ("question", "ask#1", {"id": "q1", "text": "What? ", "context": {"n": 1}})
ANSWER: Told = ("answer", "ask#1", {"id": "q1"})
WAITS: Told = ("failure", "ask#1", {"type": "Waiting", "error": "FlowsError", "message": "m"})
SPENT = {"model_calls": 1, "input_tokens": 10, "output_tokens": 5, "unpriced_calls": 1}


def record(runs: Path) -> RunRecord:
    [found] = records_of(places(runs))
    json.dumps(found.as_json())
    return found


@pytest.mark.parametrize("status", ["finished", "unfinished", "degraded", "failed", "waiting"])
def test_the_last_end_says_the_status(tmp_path: Path, status: str) -> None:
    write_run(
        tmp_path / "r", [start(), end("failed"), start(), end(status, reason="why", rounds=3)]
    )
    found = record(tmp_path)
    assert (found.status, found.reason, found.epochs, found.spent.rounds) == (status, "why", 2, 3)
    assert found.goes_on == (status in ("waiting", "failed"))


def test_without_an_end_it_runs_or_was_interrupted(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    journal = Journal.open(tmp_path / "r", create=True)
    assert record(tmp_path).status == "running"
    add(journal, [start(), end("waiting"), start(), call("a#1")])
    found = record(tmp_path)
    assert (found.status, found.ended, found.spent.under_way) == ("running", None, 1)
    assert (found.spent.usage.possibly_billed, found.spent.held_tokens) == (0, 0)
    journal.close()
    found = record(tmp_path)
    assert (found.status, found.spent.under_way) == ("interrupted", 0)
    assert (found.spent.usage.possibly_billed, found.spent.held_tokens) == (1, 500)


def test_questions_are_open_until_they_are_answered(tmp_path: Path) -> None:
    write_run(tmp_path / "r", [start(), QUESTION, WAITS, end("waiting")])
    found = record(tmp_path)
    [asked] = found.as_json()["questions"]
    assert (asked["step"], asked["text"], asked["context"]) == ("ask#1", "What? ", {"n": 1})
    assert (found.steps[0].came_to, found.answers) == ("waiting", ())
    journal = Journal.open(tmp_path / "r")
    journal.append("answer", "ask#1", "q1", '{"kind": "text", "text": "that"}')
    journal.close()
    found = record(tmp_path)
    assert (found.questions, found.answers[0].answer.text) == ((), "that")
    assert found.status == "waiting"


def test_steps_with_their_tries_usage_and_files(tmp_path: Path) -> None:
    saved = {"name": "t-1", "kind": "csv", "path": "artifacts/t-1.csv", "sha256": "", "bytes": 1,
             "description": "d", "step": "a#1/b#1"}  # fmt: skip
    failure: Told = (
        "failure",
        "a#1/b#1",
        {"type": "OSError", "error": "StepError", "message": "m"},
    )
    rows = [
        start(),
        call("a#1/b#1"),
        failure,
        end("failed"),
        start(),
        call("a#1/b#1"),
        outcome("a#1/b#1", usage=SPENT, saved=[saved]),
        ("intent", "c#1", {}),
    ]
    write_run(tmp_path / "r", rows)
    found = record(tmp_path)
    done, began = found.steps
    assert (done.came_to, done.tries, done.flow, list(done.models)) == ("done", 2, "a/b", ["gpt"])
    assert (began.came_to, began.once, began.address) == ("began", True, "c#1")
    assert [each.path for each in found.artifacts] == ["artifacts/t-1.csv"]
    assert (found.spent.usage.model_calls, found.spent.usage.unpriced_calls) == (1, 1)


def test_a_version_1_journal(tmp_path: Path) -> None:
    rows = [start(), outcome("a#1"), end(used=2.5)]
    write_run(tmp_path / "r", rows)
    make_version_1(tmp_path / "r")
    found = record(tmp_path)
    assert (found.status, found.title, found.spent.seconds) == ("finished", "Demo", 2.5)
    assert found.spent.rounds is None


def test_many_runs_in_one_file(tmp_path: Path) -> None:
    runs = {f"r{number}": [start(f"T{number}"), end()] for number in range(20)}
    write_shared(tmp_path, runs)
    found = list(records_of(places(tmp_path)))
    assert [each.title for each in found] == [f"T{number}" for number in reversed(range(20))]
    change_row(tmp_path, "end")
    assert {each.status for each in records_of(places(tmp_path))} == {"damaged"}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("start", "", {})], "holds what no run writes: KeyError('spec')"),
        ([("outcome", "a#1", {})], "its journal has no beginning"),
        ([start(limits={"calls": 1})], "holds what no run writes: "),
    ],
)
def test_rows_that_no_run_writes(tmp_path: Path, rows: list[Told], reason: str) -> None:
    write_run(tmp_path / "r", rows)
    [found] = records_of(places(tmp_path))
    assert reason in found.reason


def test_a_damaged_journal_is_told_and_hides_no_other(tmp_path: Path) -> None:
    for name in ("a", "b", "c", "d"):
        write_run(tmp_path / name, [start(), end()])
    change_row(tmp_path / "a", "end")
    (tmp_path / "b" / "journal.sqlite").write_bytes(b"x" * 5000)
    (tmp_path / "c" / "lock").write_bytes(b"y")
    found = {each.place.run_id: each for each in records_of(places(tmp_path))}
    assert {name: each.status for name, each in found.items()} == {
        "a": "damaged",
        "b": "damaged",
        "c": "damaged",
        "d": "finished",
    }
    assert "is damaged at row 2" in found["a"].reason
    assert "b/journal.sqlite is damaged" in found["b"].reason
    assert "c/lock is damaged" in found["c"].reason
