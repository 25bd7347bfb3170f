"""What `flows ask` says of a run, as one object: the same keys whatever it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifacts
from flows.core.observation import Preview
from flows.core.result import RunResult
from flows.data.tables import ResultTable
from flows.errors import FlowsError

KEYS: Final = (
    "status", "answer", "confidence", "sql", "code", "columns", "rows", "chart", "clarification",
    "citations", "warnings", "run_id", "reason",
)  # fmt: skip
EXPLAINED: Final = ("explanation", "words")
CLARIFY: Final = "clarify"


def report(result: RunResult, *, explain: bool = False) -> dict[str, Any]:
    """The object of a run of an ask flow; `status` is answered, clarify, abstained or failed.

    A run that waits for the person's choice is `clarify`, with its question.
    """
    outputs: Mapping[str, Any] = to_jsonable_python(dict(result.outputs), fallback=str)
    keys = (*KEYS, *(EXPLAINED if explain else ()))
    found = {key: outputs.get(key) for key in keys if key in outputs} | {"run_id": result.run_id}
    if "status" in outputs:
        columns, rows = _table(result)
        more = {"columns": columns, "rows": rows, "reason": result.reason}
        return empty(explain=explain) | found | more
    if (asked := _asked(result)) is not None:
        return empty(explain=explain) | found | asked
    reason = result.reason or f"the run ended {result.status}"
    return failed(reason, run_id=result.run_id, explain=explain)


def failed(reason: str, *, run_id: str | None = None, explain: bool = False) -> dict[str, Any]:
    """The object of a question that came to nothing, and why."""
    return empty(explain=explain) | {"status": "failed", "run_id": run_id, "reason": reason}


def empty(*, explain: bool = False) -> dict[str, Any]:
    """All keys, without anything in them."""
    base: dict[str, Any] = dict.fromkeys(KEYS)
    base |= {"columns": [], "rows": [], "citations": [], "warnings": [], "reason": ""}
    return base | ({"explanation": "", "words": []} if explain else {})


def _table(result: RunResult) -> tuple[list[str], list[list[Any]]]:
    """All rows of the answer: those of its preview, or the artifact's where there are more."""
    table = result.outputs.get("table")
    if not isinstance(table, Preview):
        return [], []
    rows = table.rows
    if table.total_rows > len(rows) and table.artifact is not None:
        rows = _kept(result, table.artifact) or rows
    return list(table.columns), [list(row) for row in rows]


def _kept(result: RunResult, name: str) -> tuple[tuple[Any, ...], ...] | None:
    artifacts = Artifacts(result.folder)
    for each in result.artifacts:
        artifacts.register(each)
    try:
        return ResultTable.model_validate_json(artifacts.read(name)).rows
    except (FlowsError, ValueError):
        return None


def _asked(result: RunResult) -> dict[str, Any] | None:
    """What is known of a run that waits with the question back of an ask flow."""
    for each in result.questions:
        context = each.question.context
        found = context.get("clarification")
        if isinstance(found, Mapping) and "question" in found:
            return {
                "status": CLARIFY,
                "answer": found["question"],
                "confidence": context.get("confidence"),
                "clarification": {**found, "step": each.step},
            }
    return None
