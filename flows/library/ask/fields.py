"""The named fields that a question wants its answer in, filled from what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.core.observation import Caution, Preview
from flows.library.ask.outputs import TOLD


def with_fields(
    question: str, outputs: dict[str, Any], told: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The outputs with the fields of the question's form, if it has one, filled from the tables of
    `told`. A field that is not sure lowers the confidence, and a warning says why."""
    from flows.analysis.analyst.task import UNSETTLED
    from flows.analysis.tasks.figures import RequestResult
    from flows.analysis.tasks.fill import fill
    from flows.analysis.tasks.text import read_task

    task = read_task(question)
    if task is None or outputs["status"] not in TOLD:
        return outputs
    results = [
        RequestResult(each["request"], each["table"].columns, each["table"].rows)
        for each in told
        if isinstance(each["table"], Preview)
    ]
    filled = fill(task, results)
    answer = "\n".join(filter(None, (outputs["answer"], filled.line)))
    doubts = tuple(Caution(code="field", text=each) for each in filled.doubts)
    sure = outputs["confidence"]
    return {
        **outputs,
        "answer": answer,
        "fields": filled.values,
        "confidence": min(sure, UNSETTLED) if doubts else sure,
        "warnings": (*outputs["warnings"], *doubts),
    }
