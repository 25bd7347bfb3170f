"""The report of a conversation: its answers, with what each number in them rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from flows.core.artifacts import Artifacts
from flows.data.answers.citations import Citation
from flows.errors import NotFound
from flows.library.csv_chat.conversation import SAY
from flows.library.csv_chat.reply import TurnReply
from flows.records.record import RunRecord
from flows.report.cleaning import one_line
from flows.report.page import html_page
from flows.report.report import Answered, Cost, Report
from flows.semantics.findings import Finding, Task, TaskResult, Told

_AGENT = "Conversation"


def turns_of(record: RunRecord) -> list[TurnReply]:
    """The turns of a conversation that are over, in their order; none of a run that is none."""
    found: dict[str, TurnReply] = {}
    for row in record.place.rows():
        if row.kind == "outcome" and row.address.rpartition("#")[0] == SAY:
            found[row.address] = TurnReply.model_validate(row.data()["outputs"]["reply"])
    return sorted(found.values(), key=lambda each: each.turn)


def is_answered(record: RunRecord) -> bool:
    """Whether a run is a conversation in which something was answered."""
    return any(each.has_answer for each in turns_of(record))


def conversation_page(record: RunRecord) -> bytes:
    """All turns that are over as one HTML page, which opens offline and needs nothing beside it.

    Errors: `NotFound` for a run in which nothing was answered; `JournalError` for an artifact that
    is gone or was changed.
    """
    turns = turns_of(record)
    answered = [each for each in turns if each.has_answer]
    if not answered:
        raise NotFound(f"nothing was answered yet in the run {record.place.run_id}")
    artifacts = Artifacts(record.place.folder)
    for each in record.artifacts:
        artifacts.register(each)
    return html_page(_report(record, turns, answered), artifacts)


def _report(record: RunRecord, turns: Sequence[TurnReply], answered: Sequence[TurnReply]) -> Report:
    whole = len(answered) == len([each for each in turns if each.clarification is None])
    state: Answered = "answered" if whole else "partly"
    usage = record.spent.usage
    return Report(
        run_id=record.place.run_id,
        question=_question(answered[0]),
        answered=state,
        summary=_summary(answered),
        results=tuple(_result(each) for each in answered),
        cost=Cost(
            seconds=record.spent.seconds,
            model_calls=usage.model_calls,
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
        ),
        made_at=f"{datetime.fromtimestamp(record.place.began, UTC):%Y-%m-%d %H:%M} UTC",
    )


def _question(turn: TurnReply) -> str:
    """What a turn is about in a line: as it was asked, or of a chosen option as it was read."""
    said = turn.question_read if turn.said.strip().isdecimal() else turn.said
    return one_line(said or turn.question_read or "A question")


def _summary(turns: Sequence[TurnReply]) -> Told:
    """The answers one after the other; of several, each under its question."""
    text, citations = "", list[Citation]()
    for each in turns:
        if len(turns) > 1:
            text += f"### {_question(each)}\n"
        citations += _moved(each.citations, len(text))
        text += f"{each.answer}\n\n"
    return Told(text=text.rstrip(), citations=tuple(citations))


def _moved(citations: Iterable[Citation], by: int) -> Iterable[Citation]:
    for each in citations:
        yield each.model_copy(update={"start": each.start + by, "end": each.end + by})


def _result(turn: TurnReply) -> TaskResult:
    """A turn as a task of the report."""
    asked = _question(turn)
    return TaskResult(
        task=Task(task_id=turn.turn, name=_AGENT, description=asked),
        status="done",
        finding=Finding(
            output_type="table" if turn.table else "text",
            response=f"Read as: {turn.question_read}" if turn.question_read else "",
            sql=turn.sql,
            code=turn.code,
            table=turn.table,
            figures=turn.figures,
            cautions=turn.warnings,
            confidence=turn.confidence,
        ),
    )
