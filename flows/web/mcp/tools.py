"""Flows as tools: their names, what they do, and the JSON schemas of their ports."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final, get_args
from unicodedata import combining, normalize

from mcp_types import Tool, ToolAnnotations
from pydantic_core import to_jsonable_python

from flows.core.events import Status
from flows.core.flow import Flow
from flows.errors import ConfigError, UsageError
from flows.services.hosting.hosted_flow import HostedFlow
from flows.tools.description.flow import describe_flow, port_extra
from flows.tools.description.schema import simplify, walk

ANSWER: Final = "answer"
_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST: Final = 64

_QUESTION: Final[dict[str, Any]] = {
    "type": "object",
    "description": "What a waiting run asks: its text, its options and the step that asks.",
}
_ARTIFACTS: Final[dict[str, Any]] = {
    "type": "array",
    "description": "What the run has made: names, and addresses of resources.",
    "items": {"type": "object"},
}


def flow_tools(flows: Iterable[HostedFlow]) -> dict[str, HostedFlow]:
    """The flows by the names of their tools. Errors: `ConfigError` for names that are the same."""
    found: dict[str, HostedFlow] = {}
    for flow in flows:
        name = tool_name(flow.name)
        if name == ANSWER:
            raise ConfigError(f"{flow.file.path}: {name!r} is the tool that answers; rename it")
        if name in found:
            raise ConfigError(
                f"{found[name].file.path} and {flow.file.path} are both the tool {name!r}; "
                "rename one"
            )
        found[name] = flow
    return found


def tool_name(name: str) -> str:
    """A name as clients take it: Latin letters, digits, `_`, `-` and `.`. One that has other
    letters too ends with a mark of its own, so that two of them stay two."""
    plain = "".join(each for each in normalize("NFKD", name) if not combining(each))
    clean = _NAME.sub("_", plain)[:_LONGEST]
    if not any(each.isalnum() and not each.isascii() for each in plain):
        return clean
    mark = blake2b(name.encode(), digest_size=3).hexdigest()
    return f"{clean.strip('_-.')[: _LONGEST - 7] or 'flow'}-{mark}"


def flow_tool(name: str, flow: HostedFlow) -> Tool:
    """A flow as a tool of that name."""
    described = describe_flow(flow.plan.flow, name)
    return Tool(
        name=name,
        title=flow.name if flow.name != name else None,
        description=flow_about(flow.plan.flow),
        input_schema=flow_input_schema(name, flow),
        output_schema=_result_schema(flow.outputs_schema()),
        annotations=ToolAnnotations(
            read_only_hint=described.effect == "pure", destructive_hint=described.changing
        ),
    )


def flow_about(flow: Flow) -> str:
    """What a flow is for: its description, else what its code says of it."""
    if flow.label != type(flow).__name__:
        return flow.label
    return inspect.cleandoc(type(flow).__doc__ or "").partition("\n\n")[0] or flow.label


def flow_input_schema(name: str, flow: HostedFlow) -> dict[str, Any]:
    """The JSON schema of the inputs, with what the run file gives as defaults. What the class of
    the inputs adds to its schema (`json_schema_extra`), such as `if` and `then`, stands in it, and
    so do the keys `x-...` that one of them adds to its own."""
    schema = _with_preset(describe_flow(flow.plan.flow, name).parameters, flow.plan.inputs)
    fields = flow.plan.flow.inputs_type.model_fields
    properties = {
        key: {
            **each,
            **{
                mark: more
                for mark, more in port_extra(fields[key]).items()
                if mark.startswith("x-")
            },
        }
        for key, each in schema["properties"].items()
    }
    added = flow.plan.flow.inputs_type.model_config.get("json_schema_extra")
    return {**schema, **(added if isinstance(added, dict) else {}), "properties": properties}


def _with_preset(schema: Mapping[str, Any], preset: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of inputs of which the run file gives some, which are their defaults."""
    given = to_jsonable_python(dict(preset), fallback=str)
    properties = {
        name: {**each, "default": given[name]} if name in given else each
        for name, each in schema["properties"].items()
    }
    needed = [name for name in schema["required"] if name not in given]
    return {**schema, "properties": properties, "required": needed}


def answer_tool() -> Tool:
    """The tool that answers the question of a run, for clients that cannot ask the person."""
    text = {"type": "string"}
    return Tool(
        name=ANSWER,
        title="Answer a question",
        description="Answers the question that a run of another tool waits with, and goes on with "
        "the run. `q` ends what asks for feedback.",
        input_schema={
            "type": "object",
            "properties": {
                "run": {**text, "description": "The id of the run."},
                ANSWER: {**text, "description": "The answer: that of an option, or a text."},
                "step": {**text, "description": "The step that asks, where several ask."},
            },
            "required": ["run", ANSWER],
            "additionalProperties": False,
        },
        output_schema=_result_schema({"type": "object"}),
    )


def check_answer_call(given: Mapping[str, Any]) -> None:
    """Errors: `UsageError` for arguments that the tool `answer` does not take, or lacks."""
    schema = answer_tool().input_schema
    lacking = [each for each in schema["required"] if each not in given]
    unknown = [each for each in given if each not in schema["properties"]]
    wrong = [each for each in given if each not in unknown and not isinstance(given[each], str)]
    if lacking or unknown or wrong:
        told = {"is needed": lacking, "is unknown": unknown, "is no text": wrong}
        text = "; ".join(f"{', '.join(names)} {what}" for what, names in told.items() if names)
        raise UsageError(f"{text}. {ANSWER} takes {', '.join(schema['properties'])}")


def _result_schema(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of what a call of a tool comes to. A run that did not finish may lack outputs."""
    made = {key: each for key, each in simplify(outputs).items() if key != "required"}
    definitions = made.pop("$defs", None)
    text = {"type": "string"}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "run": {**text, "description": "The id of the run."},
            "status": {**text, "enum": list(get_args(Status))},
            "reason": {**text, "description": "Why the status is not `finished`."},
            "outputs": _or_null({**made, "additionalProperties": True}),
            "question": _QUESTION,
            "artifacts": _ARTIFACTS,
        },
        "required": ["run", "status", "outputs"],
    }
    return {**schema, "$defs": definitions} if definitions else schema


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an output, in which a number that is none (NaN) is null."""
    found = walk(schema, _or_null)
    if found.get("type") == "number":
        found["type"] = ["number", "null"]
    return found
