"""What a run came to, as the result of a tool: text to read, data by its schema, and links."""

from __future__ import annotations

import json
from typing import Final

from mcp_types import CallToolResult, TextContent
from pydantic_core import to_json

from flows.config.redaction import redact, redact_pieces
from flows.core.artifacts import Artifact
from flows.core.result import RunResult
from flows.core.values import Values
from flows.services.reply_markdown import question_markdown, reply_markdown
from flows.services.run_reply import PersonQuestion, RunReply
from flows.web.mcp.resources import artifact_link, artifact_uri
from flows.web.mcp.tools import ANSWER

_LONGEST: Final = 60_000  # characters of the text; the data are whole


def run_result(reply: RunReply, result: RunResult) -> CallToolResult:
    """The result of a run that ended or waits. A question is told with how it is answered."""
    text = reply_markdown(reply)
    if len(text) > _LONGEST:
        text = (
            f"{text[:_LONGEST]}…\n\nThis is the beginning; the whole is in the structured content."
        )
    if reply.question is not None:
        text = f"{text}\n\n{_how_to_answer(reply.run_id, reply.question, said=reply.open_ended)}"
    elif result.status == "failed":
        text = f"{text}\n\nThis is run {result.run_id}."
    links = [artifact_link(result.run_id, each) for each in reply.files]
    return CallToolResult(
        content=[TextContent(text=text.strip()), *links],
        structured_content=_data(reply, result),
        is_error=result.status == "failed",
    )


def waiting_result(run_id: str, question: PersonQuestion) -> CallToolResult:
    """The result of a run whose question the person did not answer."""
    text = f"{question_markdown(question)}\n\n{_how_to_answer(run_id, question)}"
    data: Values = {"run": run_id, "status": "waiting", "outputs": {}}
    data["question"] = _question(question)
    return CallToolResult(content=[TextContent(text=text)], structured_content=_plain(data))


def refusal(text: str) -> CallToolResult:
    """The result of a call that began no run, or did not go on with one."""
    return CallToolResult(content=[TextContent(text=redact_pieces(text))], is_error=True)


def _how_to_answer(run_id: str, question: PersonQuestion, *, said: bool = False) -> str:
    what = "goes on with what is said next" if said else "waits for an answer"
    call = f'{ANSWER}(run="{run_id}", {ANSWER}="...")'
    return f"The run {what}: call the tool {call}; it is asked by the step {question.step}."


def _data(reply: RunReply, result: RunResult) -> Values:
    """By the schema of the tool."""
    data: Values = {
        "run": result.run_id,
        "status": result.status,
        "outputs": dict(result.outputs),
        "artifacts": [_artifact(result.run_id, each) for each in result.artifacts],
    }
    if result.reason:
        data["reason"] = result.reason
    if reply.question is not None:
        data["question"] = _question(reply.question)
    return _plain(data)


def _artifact(run_id: str, artifact: Artifact) -> Values:
    name = artifact.name
    return {"name": name, "uri": artifact_uri(run_id, name), "description": artifact.description}


def _question(question: PersonQuestion) -> Values:
    return {
        "step": question.step,
        "text": question.text,
        "options": [{"label": each.label, "answer": each.answer} for each in question.options],
        "takes_text": question.takes_text,
    }


def _plain(data: Values) -> Values:
    """Data as JSON, in which no secret stands."""
    text = to_json(data, inf_nan_mode="null", fallback=str).decode()
    found: Values = json.loads(redact(text))
    return found
