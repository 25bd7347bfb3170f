"""What a run came to, as the result of a tool: text to read, data by its schema, and links."""

from __future__ import annotations

import json
from typing import Final

from mcp_types import CallToolResult, TextContent
from pydantic_core import to_json

from flows.config.redaction import redact, redact_pieces
from flows.core.values import Values
from flows.records.record import RunRecord
from flows.services.reply_markdown import reply_markdown
from flows.services.run_reply import PersonQuestion, RunReply
from flows.web.mcp.content import reply_content
from flows.web.mcp.resources import artifact_uri
from flows.web.mcp.tools import ANSWER

_LONGEST: Final = 60_000  # characters of the text; the data are whole


def run_result(reply: RunReply, whole: Values, record: RunRecord) -> CallToolResult:
    """The result of a run that ended or waits; `whole` is the run in JSON. A question is told with
    how it is answered."""
    text = reply_markdown(reply)
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…\n\nThis is cut; the structured content is whole."
    failed = whole["status"] == "failed"
    if reply.question is not None:
        text = f"{text}\n\n{_how_to_answer(reply, reply.question)}"
    elif failed:
        text = f"{text}\n\nThis is run {reply.run_id}."
    return CallToolResult(
        content=reply_content(text.strip(), reply, record),
        structured_content=_data(whole),
        is_error=failed,
    )


def refusal(text: str) -> CallToolResult:
    """The result of a call that began no run, or did not go on with one."""
    return CallToolResult(content=[TextContent(text=redact_pieces(text))], is_error=True)


def _how_to_answer(reply: RunReply, question: PersonQuestion) -> str:
    what = "goes on with what is said next" if reply.open_ended else "waits for an answer"
    call = f'{ANSWER}(run="{reply.run_id}", {ANSWER}="...")'
    asks = f"; it is asked by the step {question.step}" if question.step else ""
    return f"The run {what}: call the tool {call}{asks}."


def _data(whole: Values) -> Values:
    """By the schema of the tool; no secret stands in it."""
    run_id = whole["id"]
    data: Values = {
        "run": run_id,
        "status": whole["status"],
        "outputs": whole["outputs"],
        "artifacts": [
            {"uri": artifact_uri(run_id, each["name"])}
            | {key: each[key] for key in ("name", "what", "description")}
            for each in whole["artifacts"]
        ],
    }
    data |= {key: whole[key] for key in ("reason", "question") if whole[key]}
    text = to_json(data, inf_nan_mode="null", fallback=str).decode()
    found: Values = json.loads(redact(text))
    return found
