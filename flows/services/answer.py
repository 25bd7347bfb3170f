"""The answer that a run of an ask flow came to."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifacts
from flows.core.observation import Cell, Preview
from flows.core.result import RunResult
from flows.data.tables import ResultTable
from flows.errors import FlowsError
from flows.library.ask.answer import EXPLAINED, AskAnswer, QuestionBack

Rows = tuple[tuple[Cell, ...], ...]


def answer_of(result: RunResult, *, explain: bool = False) -> AskAnswer:
    """The answer of the run; with `explain` it says how each word was read.

    A run that waits for the person's choice is a `clarify`, with its question; one that gave no
    outputs has `failed`, with its reason.
    """
    if "status" in result.outputs:
        return _answer(result, explain=explain)
    found = _question_back(result)
    if found is not None:
        return found.explained() if explain else found
    reason = result.reason or f"the run ended {result.status}"
    return AskAnswer.failure(reason, run_id=result.run_id, explain=explain)


def _answer(result: RunResult, *, explain: bool) -> AskAnswer:
    own = ("columns", "rows", "run_id", "reason", *(() if explain else EXPLAINED))
    outputs = to_jsonable_python(dict(result.outputs), fallback=str)
    names = [name for name in AskAnswer.model_fields if name in outputs and name not in own]
    columns, rows = _table(result)
    mine = {"columns": columns, "rows": rows, "run_id": result.run_id, "reason": result.reason}
    return AskAnswer.model_validate({**{name: outputs[name] for name in names}, **mine})


def _question_back(result: RunResult) -> AskAnswer | None:
    """What is known of a run that waits with the question back of an ask flow."""
    for each in result.questions:
        context = each.question.context
        asked = context.get("clarification")
        if isinstance(asked, Mapping) and "question" in asked:
            return AskAnswer(
                status="clarify",
                answer=asked["question"],
                confidence=context.get("confidence"),
                clarification=QuestionBack.model_validate({**asked, "step": each.step}),
                run_id=result.run_id,
            )
    return None


def _table(result: RunResult) -> tuple[tuple[str, ...], Rows]:
    """All rows of the answer: those of its preview, or the artifact's where there are more."""
    table = result.outputs.get("table")
    if not isinstance(table, Preview):
        return (), ()
    rows = table.rows
    if table.total_rows > len(rows) and table.artifact is not None:
        rows = _saved_rows(result, table.artifact) or rows
    return table.columns, rows


def _saved_rows(result: RunResult, name: str) -> Rows | None:
    """The rows of a table among the run's artifacts; None if it is not there any more."""
    artifacts = Artifacts(result.folder)
    for each in result.artifacts:
        artifacts.register(each)
    try:
        return ResultTable.model_validate_json(artifacts.read(name)).rows
    except (FlowsError, ValueError):
        return None
