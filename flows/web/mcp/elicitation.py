"""A question to the person as a form that an MCP client shows, and what comes back as an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from flows.config.redaction import redact
from flows.services.run_reply import PersonQuestion

FIELD: Final = "answer"
_SIMPLE: Final = ("string", "number", "integer", "boolean")


@dataclass(frozen=True, slots=True)
class PersonForm:
    """A question of a run as a form; `key` tells it from the other things that the client is asked
    at the same time, `refused` says why the last answer was none."""

    key: str
    question: PersonQuestion
    refused: str = ""

    @property
    def id(self) -> str:
        return self.question.id

    def request(self) -> ElicitRequest:
        return ElicitRequest(params=question_form(self.question, self.refused))


def question_form(question: PersonQuestion, refused: str = "") -> ElicitRequestFormParams:
    """The form that asks the person. A question for an object with simple properties is a form
    with these fields, any other one with the field `answer`."""
    offered = [f"- {each.label}" for each in question.options] if question.takes_text else []
    said = [refused, question.text.strip(), "\n".join(offered)]
    schema: Mapping[str, Any] = (
        question.schema
        if has_fields(question)
        else {"type": "object", "properties": {FIELD: _field(question)}, "required": [FIELD]}
    )
    return ElicitRequestFormParams(
        message=redact("\n\n".join(each for each in said if each)), requested_schema=dict(schema)
    )


def form_answer(question: PersonQuestion, result: ElicitResult) -> str | None:
    """The answer of a form that came back; None where the person gave none. The answer to a form
    of several fields is their JSON. The label of an option means its answer, and so does the only
    value of a form, whatever its field is called."""
    if result.action != "accept":
        return None
    content = result.content or {}
    if has_fields(question):
        return json.dumps(content, ensure_ascii=False)
    said = content.get(FIELD) if len(content) != 1 else next(iter(content.values()))
    if said is None or isinstance(said, list):
        return None
    text = str(said).lower() if isinstance(said, bool) else str(said)
    answers = {each.label: each.answer for each in question.options}
    return text if text in answers.values() else answers.get(text, text)


def has_fields(question: PersonQuestion) -> bool:
    """Whether the answer is an object that a form can show: texts, numbers, yes or no, choices."""
    properties = question.schema.get("properties")
    if question.schema.get("type") != "object" or not isinstance(properties, Mapping):
        return False
    return bool(properties) and all(map(_is_simple, properties.values()))


def _is_simple(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    if schema.get("type") == "array":
        items = schema.get("items")
        return isinstance(items, Mapping) and ("enum" in items or "anyOf" in items)
    return schema.get("type") in _SIMPLE


def can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client can show a form to the person. One that says nothing of the forms that it
    knows, knows this one."""
    capabilities = context.session.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    if asking is None or (asking.form is None and asking.url is not None):
        return False
    return is_modern(context) or context.session.can_send_request


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client speaks a protocol in which a form is a result, and comes back with the
    same call."""

    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


async def asked_form(context: ServerRequestContext[Any, Any], form: PersonForm) -> ElicitResult:
    """Ask the person while the call waits. A client that cannot after all has cancelled it."""

    params = question_form(form.question, form.refused)
    try:
        return await context.session.elicit_form(
            params.message, params.requested_schema, related_request_id=context.request_id
        )
    except (MCPError, ValueError):
        return ElicitResult(action="cancel")


def _field(question: PersonQuestion) -> dict[str, Any]:
    """The schema of the one field: a choice where nothing but an option is an answer."""
    field: dict[str, Any] = {"type": "string", "title": "Answer"}
    if question.options and not question.takes_text:
        field["oneOf"] = [
            {"const": each.answer, "title": redact(each.label)} for each in question.options
        ]
    return field
