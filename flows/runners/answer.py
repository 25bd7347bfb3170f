"""Recording what a person said to a question of a run that waits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from flows.config.json_faults import json_fault
from flows.core.file_lock import is_held
from flows.core.history import History, read_history
from flows.core.human import Answer, Question
from flows.core.journal import Journal
from flows.core.rows import Row
from flows.core.store import Durability, JournalFile
from flows.errors import JournalError, UsageError
from flows.human.answers import read_answer
from flows.records.lookup import RunPlace

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

ENDED: Final = ("finished", "unfinished", "degraded")
TRIES: Final = 40
WAIT_SECONDS: Final = 0.05
SHOWN: Final = 200


def meant_question(place: RunPlace, text: str, step: str | None) -> Row:
    """The question of the run that the text answers, as things stand; it stays this one whatever
    another process does until the answer is recorded.

    Errors: `UsageError`, when there is no such question, when it was answered before, when it is
    not said which of several is meant, or when the answer does not fit.
    """
    rows = place.rows()
    row = question_of(read_history(rows), step, _ended(rows))
    check_answer(Question.model_validate_json(row.body), text)
    return row


def question_of(history: History, step: str | None, ended: str = "") -> Row:
    """The open question that is meant. Errors: `UsageError`."""
    waiting = history.open_questions()
    meant = [row for row in waiting if step in (None, row.address)]
    if len(meant) == 1:
        return meant[0]
    listed = ", ".join(row.address for row in waiting)
    if meant:
        raise UsageError(f"several steps wait for an answer; say which with --step: {listed}")
    answered = [row for row in history.answers.values() if step in (None, row.address)]
    already = _already(answered[-1]) if answered else ""
    if answered and step is not None:
        raise UsageError(already)
    if waiting:
        raise UsageError(f"the step {step!r} waits for no answer; these do: {listed}")
    none = f"this run is {ended}: it waits" if ended else "this run waits"
    raise UsageError("; ".join(each for each in (f"{none} for no answer", already) if each))


def _ended(rows: Sequence[Row]) -> str:
    """The status of a run that came to its end, else nothing."""
    last = rows[-1] if rows else None
    status = str(last.data()["status"]) if last is not None and last.kind == "end" else ""
    return status if status in ENDED else ""


def _already(row: Row) -> str:
    """The first answer that was recorded counts; a later one is told so."""
    answer = Answer.model_validate_json(row.body)
    said = "q" if answer.kind == "quit" else shorten(answer.text)
    at = datetime.fromtimestamp(row.at).isoformat(sep=" ", timespec="seconds")
    return f"the question of {row.address} was answered before, at {at}, with {said!r}; that counts"


def shorten(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


async def open_journal_to_answer(place: RunPlace, question: Row, durability: Durability) -> Journal:
    """The run's journal, held by this process so that it can record the answer and go on.

    Another process may hold it for a moment, to answer too. Errors: `UsageError` when it did;
    `JournalError` when it goes on to hold it.
    """
    for _ in range(TRIES):
        try:
            return open_journal_of(place, durability)
        except JournalError:
            refuse_answered(read_history(place.rows()), question)
            if not is_held(place.journal):
                raise
        await asyncio.sleep(WAIT_SECONDS)
    raise JournalError(
        f"another process is running {place.run_id}, and the question of {question.address} is "
        "open still; the answer was not recorded"
    )


def open_journal_of(place: RunPlace, durability: Durability) -> Journal:
    """The journal of a recorded run, for going on with it. Errors: `JournalError`."""
    if not place.shared:
        return Journal.open(place.journal, durability=durability)
    file = JournalFile(place.journal, durability=durability)
    try:
        return Journal(file, place.run_id, owned=True)
    except BaseException:
        file.close()
        raise


def refuse_answered(history: History, question: Row) -> None:
    """Errors: `UsageError` that says what the answer was and when, if there is one."""
    if (first := history.answers.get(question.digest)) is not None:
        raise UsageError(_already(first))


async def record_answer(journal: Journal, question: Row, text: str) -> None:
    """Record the answer to a question, unless another was first. Errors: `UsageError`."""
    refuse_answered(journal.history, question)
    body = to_json(read_answer(text)).decode()
    await journal.write("answer", question.address, question.digest, body)
    journal.history.answers[question.digest] = question._replace(kind="answer", body=body)


def check_answer(question: Question, text: str) -> None:
    """Errors: `UsageError` when what was said does not fit the schema of the question.

    By a schema that cannot be used nothing is refused: the flow that asked reads the answer too.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    answer = read_answer(text)
    said = answer.text if answer.kind == "text" else text.strip()
    validator = Draft202012Validator(dict(question.answer_schema))
    try:
        validator.check_schema(validator.schema)
        readings = (said,) if question.takes_text else _readings(said)
        found = [list(validator.iter_errors(value)) for value in readings]
    except (SchemaError, Unresolvable):
        return
    if all(found):
        raise UsageError(
            f"{said!r} is no answer to the question {question.text.strip()!r}: {_why(found[-1])}"
            f"{_json_hint(said)}"
        )


def _why(errors: Sequence[ValidationError]) -> str:
    """What is wrong, in the terms of the alternative that comes nearest."""
    from jsonschema.exceptions import best_match

    problem = best_match(errors)
    if problem is None or problem.validator != "anyOf":
        return problem.message if problem is not None else "it does not fit"
    allowed = [_form(each) for each in problem.validator_value]
    return f"it may be {', '.join(allowed[:-1])} or {allowed[-1]}"


def _form(schema: Any) -> str:
    """An alternative of a schema, in a few words."""
    if isinstance(schema, dict) and "pattern" in schema and "description" in schema:
        return str(schema["description"])
    if not isinstance(schema, dict) or "const" not in schema:
        names = ", ".join(schema.get("properties", ())) if isinstance(schema, dict) else ""
        return f"JSON with {names}" if names else "JSON that fits its schema"
    return json.dumps(schema["const"], ensure_ascii=False)


def _json_hint(text: str) -> str:
    """What is wrong with an answer that was meant as JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        meant = text.lstrip()[:1] in ("{", "[")
        return f"\nas JSON it is wrong: {json_fault(error)}" if meant else ""
    return ""


def _readings(text: str) -> Sequence[Any]:
    """An answer is a text, or what its text says as JSON."""
    try:
        return text, json.loads(text)
    except ValueError:
        return (text,)
