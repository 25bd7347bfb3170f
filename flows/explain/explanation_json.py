"""An explanation as plain data, for programs."""

from __future__ import annotations

from pydantic_core import to_jsonable_python

from flows.core.result import iso_time
from flows.explain.explain import Explanation, StepDetail
from flows.explain.model_requests import Sent
from flows.explain.origins import OriginLink
from flows.explain.retrace import Retold


def explanation_json(found: Explanation) -> dict[str, object]:
    """The explanation as plain data; the parts of a request, put together, are its body."""
    plain: dict[str, object] = to_jsonable_python(
        {
            "run_id": found.told.place.run_id,
            "path": found.path,
            "value": found.value,
            "links": [_link_as_json(link, found.told) for link in found.links],
            "requests": [request_json(sent) for sent in found.requests],
        },
        fallback=str,
    )
    return plain


def _link_as_json(link: OriginLink, told: Retold) -> dict[str, object]:
    source, row = link.source, link.step.row
    return {
        "kind": link.kind,
        "step": link.step.address,
        "key": link.key,
        "flow": link.step.flow.code_class.__name__,
        "effect": link.effect,
        "at": iso_time(row.at) if row is not None else None,
        "how": source.how,
        "inner": ".".join(source.inner),
        "value": source.value,
        "of": link.of,
        "by": link.by,
        "changes": [each.said for each in told.changes_before(link.step)],
    }


def request_json(sent: Sent) -> dict[str, object]:
    """A request to a model: its bytes as text, and where the parts of it come from."""
    return {
        "step": sent.step,
        "model": sent.model,
        "at": iso_time(sent.at) if sent.at is not None else None,
        "digest": sent.digest,
        "matches": sent.matches,
        "why": sent.why,
        "body": sent.body.decode(errors="replace") if sent.body is not None else None,
        "parts": sent.parts,
    }


def step_json(found: StepDetail) -> dict[str, object]:
    """A step with all that it was given and gave, and what it asked a model."""
    plain: dict[str, object] = to_jsonable_python(
        {
            "address": found.step.address,
            "flow": found.step.flow.code_class.__name__,
            "inputs": found.step.inputs,
            "outputs": found.step.outputs,
            "failure": found.step.failure or None,
            "steps": list(found.below),
            "request": request_json(found.request) if found.request is not None else None,
        },
        fallback=str,
    )
    return plain
