"""A step that must not be done twice, began, and was lost before its outcome was recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from flows.core.flow import AtomicFlow, Ports
from flows.core.human import Question
from flows.core.rows import Row
from flows.errors import StepError

AGAIN: Final = "again"
FAILED: Final = "failed"


def outcome_question(
    intent: Row, flow: AtomicFlow, inputs: Any, address: str, effect_key: str
) -> Question:
    """What a person is asked about it. Another attempt that is lost is another question."""
    outputs = flow.outputs_adapter.json_schema()
    shared = {"$defs": outputs.pop("$defs")} if "$defs" in outputs else {}
    return Question(
        id=f"{effect_key}-{intent.seq}",
        text=(
            f"{address or flow.name} began and what came of it is unknown. Is it to be done again "
            f"({AGAIN}), did it fail ({FAILED}), or what did it return (its outputs as JSON)? "
        ),
        context={
            "step": address,
            "description": flow.label,
            "inputs": to_jsonable_python(inputs, fallback=str),
            "began": datetime.fromtimestamp(intent.at, UTC).isoformat(timespec="seconds"),
        },
        answer_schema={"anyOf": [{"const": AGAIN}, {"const": FAILED}, outputs], **shared},
    )


def read_outcome(flow: AtomicFlow, text: str) -> Ports | None:
    """What an answer means: the outputs, or None to do the step again.

    Errors: `StepError` when it failed; `ValueError` for what is no answer.
    """
    word = text.strip().strip('"').casefold()
    if word == AGAIN:
        return None
    if word == FAILED:
        raise StepError(f"{flow.name} did not do it: so it was answered")
    try:
        return flow.outputs_adapter.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        problem = f"{where}: {first['msg']}" if where else first["msg"]
        raise ValueError(f"{AGAIN}, {FAILED}, or its outputs as JSON ({problem})") from None
