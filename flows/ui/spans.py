"""A run as OpenTelemetry spans, with the attribute names of the conventions for generative AI.

The run is an `invoke_agent` span; below it are its rounds and steps, and below each step that asked
a model a `chat` span for each call. What was said is left out unless it is asked for.
"""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import (
    Span,
    SpanKind,
    Status,
    StatusCode,
    TracerProvider,
    get_tracer,
    set_span_in_context,
)
from opentelemetry.util.types import AttributeValue

from flows.config.redaction import redact
from flows.core.chat import ImagePart, Message, ToolCall, Usage
from flows.core.events import (
    ArtifactSaved,
    Event,
    ModelCalled,
    Retrying,
    RoundStarted,
    RunEnded,
    RunStarted,
    StepErred,
    StepFinished,
    StepStarted,
)
from flows.ui.event_lines import json_of

Attributes = dict[str, AttributeValue]


class Spans:
    """A listener that makes spans. Without a provider they go to the one that the process has.

    With `content` the inputs and outputs of steps and the messages of chats are attributes, too.
    """

    def __init__(self, provider: TracerProvider | None = None, *, content: bool = False) -> None:
        self._tracer = get_tracer("flows", version("analyst-flows"), tracer_provider=provider)
        self._content = content
        # The open ones by address, "" for the run, `ADDRESS/` for the round of a circular flow;
        # those inside after those around them.
        self._open: dict[str, Span] = {}
        self._used = Usage()

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._begin_run(event)
            case RoundStarted():
                self._begin_round(event)
            case StepStarted():
                self._begin_step(event)
            case StepFinished():
                self._end_step(event)
            case StepErred():
                self._fail_step(event)
            case ModelCalled():
                self._add_call(event)
            case Retrying():
                tried = {"flows.attempt": event.attempt, "flows.wait_s": event.wait_s}
                self._open[event.address].add_event("flows.retrying", tried)
            case ArtifactSaved():
                self._open[event.address].add_event("flows.artifact", {"flows.file": event.path})
            case RunEnded():
                self._end_run(event)
            case _:
                pass

    def close(self) -> None:
        """End what is open: the run was stopped."""
        self._end_inside("")
        if "" in self._open:
            self._open.pop("").end()

    def _begin_run(self, event: RunStarted) -> None:
        attributes: Attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": event.title,
            "gen_ai.conversation.id": event.run,
            "flows.run": event.run,
            "flows.seq": event.seq,
            "flows.resumed": event.resumed,
        }
        self._open[""] = self._tracer.start_span(
            f"invoke_agent {event.title}", attributes=attributes
        )

    def _end_run(self, event: RunEnded) -> None:
        run = self._open[""]
        if event.status == "failed":
            run.set_status(Status(StatusCode.ERROR, redact(event.reason)))
        run.set_attributes({"flows.status": event.status, **_tokens(self._used)})
        self.close()

    def _begin_round(self, event: RoundStarted) -> None:
        self._end_inside(event.address)
        self._open[f"{event.address}/"] = self._tracer.start_span(
            "round", self._context(event.address), attributes=_place(event)
        )

    def _begin_step(self, event: StepStarted) -> None:
        span = self._span_of(event)
        if self._content:
            span.set_attribute("flows.inputs", json_of(event.inputs))

    def _end_step(self, event: StepFinished) -> None:
        span = self._open[event.address]
        if event.address != "":
            span.set_attribute("flows.reused", event.reused)
        if self._content:
            span.set_attribute("flows.outputs", json_of(event.outputs))
        self._end(event.address)

    def _fail_step(self, event: StepErred) -> None:
        _fail(self._span_of(event), event.error, event.message)
        self._end(event.address)

    def _span_of(self, event: StepStarted | StepErred) -> Span:
        """The step's span, a new one if it has none: that of the top flow is the run's. A step
        whose inputs do not fit errs without having begun."""
        if event.address not in self._open:
            self._open[event.address] = self._tracer.start_span(
                event.flow,
                self._context(event.address.rpartition("/")[0]),
                attributes=_place(event),
            )
        return self._open[event.address]

    def _end(self, address: str) -> None:
        self._end_inside(address)
        if address != "":
            self._open.pop(address).end()

    def _end_inside(self, address: str) -> None:
        """End the spans inside a step. An error that goes up is told once, where it began, and
        leaves the steps around it open."""
        head = f"{address}/" if address else ""
        for key in [key for key in reversed(self._open) if key and key.startswith(head)]:
            self._open.pop(key).end()

    def _add_call(self, event: ModelCalled) -> None:
        self._used += event.usage
        provider, model = provider_and_model(event)
        attributes: Attributes = {
            **_place(event),
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": event.run,
            **_tokens(event.usage),
        }
        if event.answered_as:
            attributes["gen_ai.response.model"] = event.answered_as
        if event.finish:
            attributes["gen_ai.response.finish_reasons"] = [event.finish]
        if self._content:
            attributes |= _messages(event)
        now = time.time_ns()
        span = self._tracer.start_span(
            f"chat {model}",
            self._context(event.address),
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=now - int(event.elapsed_ms * 1e6),
        )
        if event.error:
            _fail(span, event.error)
        span.end(now)

    def _context(self, address: str) -> Context:
        """Inside the step, or inside its round that goes on."""
        return set_span_in_context(self._open.get(f"{address}/") or self._open[address])


def _fail(span: Span, error: str, message: str = "") -> None:
    span.set_attribute("error.type", error)
    span.set_status(Status(StatusCode.ERROR, redact(message) or None))


def provider_and_model(event: ModelCalled) -> tuple[str, str]:
    """Who was asked: `openai:small` of LangChain names its provider, else the model's kind does."""
    kind = event.kind.removesuffix("Model").lower()
    before, colon, after = event.model.partition(":")
    return (before, after) if kind == "langchain" and colon else (kind, event.model)


def _place(event: RoundStarted | StepStarted | StepErred | ModelCalled) -> Attributes:
    return {
        "flows.run": event.run,
        "flows.path": event.address,
        "flows.round": event.round,
        "flows.seq": event.seq,
    }


def _tokens(usage: Usage) -> Attributes:
    counted = {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
    }
    return {name: count for name, count in counted.items() if count is not None}


def _messages(event: ModelCalled) -> Attributes:
    """What was said, in the form of the conventions."""
    system = [_part(each.content) for each in event.messages if each.role == "system"]
    others = [message_of(each) for each in event.messages if each.role != "system"]
    found: Attributes = {"gen_ai.input.messages": json_of(others)}
    if system:
        found["gen_ai.system_instructions"] = json_of(system)
    if event.text or event.tool_calls:
        calls = event.tool_calls
        answer = message_of(Message(role="assistant", content=event.text, tool_calls=calls))
        found["gen_ai.output.messages"] = json_of([{**answer, "finish_reason": event.finish}])
    return found


def message_of(message: Message) -> dict[str, Any]:
    """A message in the form of the conventions."""
    if message.role == "tool":
        result = {"id": message.tool_call_id, "response": message.content}
        return {"role": "tool", "parts": [{"type": "tool_call_response", **result}]}
    said = [_part(message.content)] if message.content or not message.tool_calls else []
    calls = [_call(each) for each in message.tool_calls]
    return {"role": message.role, "parts": [*said, *calls, *map(_picture, message.images)]}


def _picture(image: ImagePart) -> dict[str, object]:
    where = {"type": "uri", "uri": image.url} if image.url else {"type": "file"}
    named = {} if image.url else {"file_id": image.artifact}
    return {**where, **named, "modality": "image"}


def _call(call: ToolCall) -> dict[str, object]:
    asked = {"id": call.id, "name": call.name, "arguments": dict(call.arguments)}
    return {"type": "tool_call", **asked}


def _part(content: str) -> dict[str, str]:
    return {"type": "text", "content": content}
