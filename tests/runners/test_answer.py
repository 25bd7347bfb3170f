"""Answering a run that waits, from Python: in a journal of its own and in one that many share."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.core.human import Question
from flows.core.journal import load
from flows.core.store import JournalFile
from flows.errors import JournalError, UsageError
from flows.runners.answer import check_answer
from flows.runners.door import resume, run
from flows.runners.local import run_plan
from tests.cli.inside import write
from tests.cli.talk import TALK


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / write(tmp_path, TALK)


def test_the_result_holds_the_questions(file: Path) -> None:
    result = run(file)
    [asked] = result.questions
    assert (asked.step, asked.question.text) == ("ask#1", "What comes first? ")
    [again] = resume(result.run_id[:-1], answer="oaks").questions
    assert again.step == "again#1"
    done = resume("last", answer="elms")
    assert (done.questions, done.outputs) == ((), {"first": "oaks", "second": "elms"})


def test_without_a_journal_the_question_is_told_all_the_same(file: Path) -> None:
    plan, _ = build(file)
    result = asyncio.run(run_plan(plan, journal=False))
    [asked] = result.questions
    assert (result.status, asked.question.text, asked.step) == ("waiting", "What comes first?", "")
    assert not Path("runs").exists()


def test_runs_that_share_a_journal_are_gone_on_with(file: Path) -> None:
    plan, _ = build(file)
    Path("runs").mkdir()
    shared = JournalFile(Path("runs"), new=True, grouped=True)

    async def both() -> None:
        await asyncio.gather(*(run_plan(plan, run_id=name, file=shared) for name in ("a", "b")))

    asyncio.run(both())
    with pytest.raises(JournalError, match="another process is running"):
        resume("a")
    shared.close()
    before = load(Path("runs"), "b")
    resume("a", answer="oaks")
    done = resume("a", answer="elms")
    assert (done.status, done.outputs) == ("finished", {"first": "oaks", "second": "elms"})
    assert load(Path("runs"), "b") == before
    with pytest.raises(UsageError, match="this run is finished: it waits for no answer"):
        resume("a", answer="more")
    assert resume("b").status == "waiting"


def test_an_answer_is_not_recorded_when_the_run_cannot_go_on(file: Path) -> None:
    run_id = run(file).run_id
    before = load(Path("runs") / run_id)
    held = JournalFile(Path("runs") / run_id)
    try:
        with pytest.raises(JournalError, match=r"open still; the answer was not recorded"):
            resume(run_id, answer="oaks")
    finally:
        held.close()
    assert load(Path("runs") / run_id) == before


@pytest.mark.parametrize(
    ("schema", "text", "problem"),
    [
        ({"type": "string"}, "q", ""),
        ({"type": "string"}, "", ""),
        ({"type": "integer"}, "12", ""),
        ({"type": "integer"}, "twelve", "is not of type 'integer'"),
        ({"type": "nonsense"}, "twelve", ""),
        ({"$ref": "#/$defs/nothing"}, "twelve", ""),
        ({"enum": ["yes", "no"]}, "yes", ""),
        ({"enum": ["yes", "no"]}, "q", "is not one of"),
        ({"type": "object", "required": ["n"]}, "{}", "'n' is a required property"),
        ({"type": "string", "maxLength": 3}, "four", "is too long"),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, "c", 'it may be "a" or "b"'),
    ],
)
def test_what_fits_a_question(schema: dict[str, object], text: str, problem: str) -> None:
    question = Question(id="q", text="Which? ", answer_schema=schema)
    if not problem:
        check_answer(question, text)
        return
    with pytest.raises(UsageError, match=f"'{text}' is no answer to the question 'Which\\?'") as no:
        check_answer(question, text)
    assert problem in str(no.value)
