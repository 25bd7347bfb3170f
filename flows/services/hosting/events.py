"""What the world is told of a run: journal rows and live events as public JSON.

The events of rows have the row's number as `id` and are the same whoever reads them and when. The
live ones have none: they come between, and nothing is lost with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from pydantic_core import to_json, to_jsonable_python

from flows.config.redaction import redact
from flows.core.events import (
    ArtifactSaved,
    Event,
    Notice,
    Retrying,
    RoundStarted,
    StepErred,
    StepFinished,
    StepStarted,
    TextArrived,
)
from flows.core.history import is_open
from flows.core.result import OpenQuestion
from flows.core.rows import Row
from flows.core.values import Values
from flows.records.steps import flow_path
from flows.services.run_reply import question_of

SHOWN: Final = 2_000  # characters of a value that stand in an event; the rest is at its step
CONTEXT_SHOWN: Final = 20_000  # what a person sees before they answer
ENDED: Final = "ended"


def row_event(row: Row) -> Values:
    """A row as a public event."""
    common: Values = {"id": row.seq, "at": exact_time(row.at)}
    if row.address:
        common |= {"address": row.address, "flow": flow_path(row.address)}
    return {**common, **_told(row, row.data())}


def _told(row: Row, body: Mapping[str, Any]) -> Values:
    match row.kind:
        case "start":
            return _start(body)
        case "intent":
            return {"kind": "step_started"}
        case "call":
            return {"kind": "model_called", "model": body.get("model", "")}
        case "outcome":
            return _outcome(body)
        case "failure":
            kind = "step_stopped" if is_open(row) else "step_failed"
            return {"kind": kind, "error": body["type"], "message": body["message"]}
        case "question":
            return {"kind": "question", "question": question_json(OpenQuestion.of(row))}
        case "answer":
            said = {"said": body["kind"], "text": body["text"]}
            return {"kind": "answer", "question": row.digest, **said}
        case "change":
            return {"kind": "change", **{key: body[key] for key in ("said", "asked", "undo")}}
        case "limit":
            return {"kind": "limit", "stopped": bool(body.get("stop"))}
        case "stop":
            return {"kind": "interrupted", "seconds": body["used"]}
    return _end(body)


def exact_time(seconds: float) -> str:
    """Seconds since 1970 as a date and time in UTC, with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _start(body: Mapping[str, Any]) -> Values:
    title = body["spec"].get("name") or "flow"
    head = {"kind": "started", "run": body["run_id"], "title": title, "resumed": body["resumed"]}
    return {**head, **shortened("inputs", body["inputs"])}


def _outcome(body: Mapping[str, Any]) -> Values:
    saved = [
        {key: each[key] for key in ("name", "kind", "what", "description")}
        for each in body.get("saved", ())
    ]
    rest = {"usage": body.get("usage"), "artifacts": saved}
    return {"kind": "step_finished", **shortened("outputs", body["outputs"]), **rest}


def _end(body: Mapping[str, Any]) -> Values:
    head = {"status": body["status"], "reason": body["reason"], "seconds": body["used"]}
    kind = "waiting" if body["status"] == "waiting" else ENDED
    return {"kind": kind, **head, **shortened("outputs", body["outputs"])}


def question_json(asked: OpenQuestion) -> Values:
    """A question to the person: its text, its options with the answer that each stands for, and the
    JSON schema of an answer."""
    found = question_of([asked])
    assert found is not None
    return {
        "id": found.id,
        "step": found.step,
        "text": found.text,
        "options": [{"label": each.label, "answer": each.answer} for each in found.options],
        "takes_text": found.takes_text,
        "schema": dict(asked.question.answer_schema),
        **shortened("context", dict(asked.question.context), CONTEXT_SHOWN),
    }


def shortened(name: str, values: Mapping[str, Any], most: int = SHOWN) -> Values:
    """The values under the name, each with at most `most` characters as JSON; `cut` names those
    that are not whole."""
    cut = []
    shown: Values = {}
    for key, value in values.items():
        plain = to_jsonable_python(value, fallback=str)
        text = plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
        if len(text) > most:
            cut.append(key)
            shown[key] = f"{text[:most]}…"
        else:
            shown[key] = plain
    return {name: shown, **({"cut": True, "cut_keys": cut} if cut else {})}


def live_event(event: Event) -> Values | None:
    """An event that no row tells, or None for one that a row does."""
    place = {"address": event.address, "flow": flow_path(event.address), "round": event.round}
    match event:
        case TextArrived():
            return {"kind": "text", **place, "text": event.text}
        case RoundStarted():
            return {"kind": "round", **place, "max_rounds": event.max_rounds}
        case StepStarted():
            return {"kind": "progress", "state": "begun", **place, "goal": event.goal}
        case StepFinished():
            ms = round(event.elapsed_ms, 1)
            state = "retold" if event.reused else "done"
            return {"kind": "progress", "state": state, **place, "elapsed_ms": ms}
        case StepErred():
            return {"kind": "progress", "state": "failed", **place, "message": event.message}
        case Retrying():
            why = {"attempt": event.attempt, "wait_s": event.wait_s, "message": event.message}
            return {"kind": "progress", "state": "retrying", **place, **why}
        case ArtifactSaved():
            what = {"name": event.name, "description": event.description}
            return {"kind": "artifact", **place, **what}
        case Notice():
            return {"kind": "notice", **place, "text": event.text, "alarm": event.alarm}
    return None


def event_json(event: Mapping[str, Any]) -> str:
    """An event as one line of JSON, without secrets."""
    return redact(to_json(event, fallback=str).decode())
