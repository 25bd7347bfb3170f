"""A run as its callers see it, in JSON."""

from __future__ import annotations

from typing import Final

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifact
from flows.core.result import iso_time
from flows.core.values import Values
from flows.services.hosting.events import question_json, shortened
from flows.services.hosting.run_index import RunState

INPUT_SHOWN: Final = 200  # characters of an input in a list of runs


def run_json(state: RunState) -> Values:
    """All of a run. One that has recorded nothing yet has no more than its flow and its status."""
    run_id, status, record, stored = state
    head: Values = {
        "id": run_id,
        "flow": stored.flow if stored is not None else None,
        "session": stored.session if stored is not None else "",
        "status": status,
        "accepted": iso_time(stored.at) if stored is not None else None,
    }
    if record is None:
        reason = stored.reason if stored is not None else ""
        return {**head, "reason": reason, "question": None, "outputs": {}, "artifacts": []}
    kept = stored.reason if stored is not None else ""
    reason = kept if kept and status != record.status else record.reason or kept
    plain = record.as_json(steps=False)
    asked = record.questions if status == "waiting" else ()
    return {
        **head,
        "title": record.title,
        "reason": reason,
        "inputs": plain["inputs"],
        "outputs": plain["outputs"],
        "question": question_json(asked[0]) if asked else None,
        "questions": [question_json(each) for each in asked],
        "limits": plain["limits"],
        "usage": plain["usage"],
        "cost": record.spent.usage.cost,
        "started": plain["started"],
        "ended": plain["ended"],
        "artifacts": [artifact_json(each) for each in record.artifacts],
    }


def artifact_json(artifact: Artifact) -> Values:
    """An artifact without its place on the disk; `forms` are the kinds that it can be had in."""
    origin = to_jsonable_python(artifact.origin)
    return {
        "name": artifact.name,
        "what": artifact.what,
        "description": artifact.description,
        "step": artifact.step,
        "bytes": artifact.bytes,
        "forms": [each.kind for each in artifact.files],
        "origin": origin,
    }


def run_line(state: RunState) -> Values:
    """A run in a list."""
    whole = run_json(state)
    kept = ("id", "flow", "session", "title", "status", "reason", "accepted", "started", "ended")
    line = {key: whole.get(key) for key in (*kept, "cost", "question")}
    line["seconds"] = (whole.get("usage") or {}).get("seconds")
    return {**line, **shortened("inputs", whole.get("inputs", {}), INPUT_SHOWN)}
