"""A question to the person as a form that an MCP client shows, and what comes back as an answer."""

from __future__ import annotations

import json
from typing import Any, Final, TypeGuard

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from flows.config.redaction import redact
from flows.services.run_reply import PersonQuestion

FIELD: Final = "answer"


def question_form(question: PersonQuestion, refused: str = "") -> ElicitRequestFormParams:
    """The form that asks the person; `refused` says why their last answer was none."""

    offered = [f"- {each.label}" for each in question.options] if question.takes_text else []
    said = [refused, question.text.strip(), "\n".join(offered)]
    schema = {"type": "object", "properties": {FIELD: _field(question)}, "required": [FIELD]}
    return ElicitRequestFormParams(
        message=redact("\n\n".join(each for each in said if each)), requested_schema=schema
    )


def form_answer(question: PersonQuestion, result: ElicitResult) -> str | None:
    """The answer of a form that came back; None where the person gave none. The label of an option
    means its answer, and so does the only value of a form, whatever its field is called."""
    if result.action != "accept":
        return None
    content = result.content or {}
    said = content.get(FIELD) if len(content) != 1 else next(iter(content.values()))
    if said is None or isinstance(said, list):
        return None
    text = str(said).lower() if isinstance(said, bool) else str(said)
    answers = {each.label: each.answer for each in question.options}
    return text if text in answers.values() else answers.get(text, text)


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


async def asked_form(
    context: ServerRequestContext[Any, Any], question: PersonQuestion, refused: str = ""
) -> ElicitResult:
    """Ask the person while the call waits. A client that cannot after all has cancelled it."""

    form = question_form(question, refused)
    try:
        return await context.session.elicit_form(
            form.message, form.requested_schema, related_request_id=context.request_id
        )
    except (MCPError, ValueError):
        return ElicitResult(action="cancel")


def form_result(run_id: str, question: PersonQuestion, refused: str = "") -> InputRequiredResult:
    """The form as the result of a call, which is to be made again with what comes back. Its state
    is sealed on the way."""

    state = json.dumps({"run": run_id, "question": question.id})
    form = ElicitRequest(params=question_form(question, refused))
    return InputRequiredResult(input_requests={FIELD: form}, request_state=state)


def asked_run(state: str) -> str:
    """The run that a form was a result of, by the state that came back with it."""
    return str(json.loads(state)["run"])


def asked_question(state: str | None) -> str:
    """The id of the question that a form asked."""
    return "" if state is None else str(json.loads(state)["question"])


def is_form_result(given: object) -> TypeGuard[ElicitResult]:
    """Whether something that came back is that of a form."""

    return isinstance(given, ElicitResult)


def _field(question: PersonQuestion) -> dict[str, Any]:
    """The schema of the one field: a choice where nothing but an option is an answer."""
    field: dict[str, Any] = {"type": "string", "title": "Answer"}
    if question.options and not question.takes_text:
        field["oneOf"] = [
            {"const": each.answer, "title": redact(each.label)} for each in question.options
        ]
    return field
