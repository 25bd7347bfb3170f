"""A tool as people and models read of it: a Markdown document, and the schema of its call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from flows.analysis.prediction.phases import TITLES
from flows.core.function_description import FunctionDescription
from flows.core.function_tool import FunctionTool, ToolParameter
from flows.tools.description.annotations import schema_of


def document_of(tool: FunctionTool) -> str:
    """The tool's document in Markdown."""
    return "\n".join(_lines(tool)) + "\n"


def describe_tool(tool: FunctionTool) -> FunctionDescription:
    """The tool as a function that a model may call.

    A table is given by the name of the variable that holds it.
    """
    return FunctionDescription(
        name=tool.name,
        description=tool.purpose,
        parameters={
            "type": "object",
            "properties": {each.name: _property(each) for each in tool.parameters},
            "required": [each.name for each in tool.parameters if each.required],
            "additionalProperties": False,
        },
        returns=tool.returns,
        namespace="tools",
        function_class="python",
        source=f"tool:{tool.name}",
        effect="pure",
    )


def signature_of(tool: FunctionTool) -> str:
    """The tool's name with its arguments and their types, on one line."""
    said = [
        f"{each.name}: {each.type}" + (f" = {each.default}" if not each.required else "")
        for each in tool.parameters
    ]
    return f"{tool.name}({', '.join(said)})"


def _property(parameter: ToolParameter) -> dict[str, Any]:
    schema = schema_of(ast.parse(parameter.type, mode="eval").body)
    described = parameter.description
    if parameter.frame:
        is_one = "string" in (schema.get("type"), *_listed(schema.get("type")))
        variable = "the name of its variable" if is_one else "the names of their variables"
        described = f"{described.rstrip('.')} ({variable})"
    found = {**schema, "description": described}
    if not parameter.required:
        try:
            found["default"] = _jsonable(ast.literal_eval(parameter.default))
        except ValueError:  # a default that is no plain value is told in words
            found["description"] = f"{described} (default: {parameter.default})"
    return found


def _listed(kinds: Any) -> list[Any]:
    return kinds if isinstance(kinds, list) else []


def _jsonable(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_jsonable(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _jsonable(each) for key, each in value.items()}
    raise ValueError(f"{value!r} is no plain data")


def _lines(tool: FunctionTool) -> Iterator[str]:
    yield from (f"# {tool.name}", "", tool.purpose, "")
    if tool.description and tool.description != tool.purpose:
        yield from (tool.description, "")
    yield from ("```python", signature_of(tool), "```", "")
    yield from ("## Arguments", "", *_arguments(tool), "")
    yield from ("## Returns", "", _sentence(tool.returns, "nothing"))
    if tool.gives:
        yield from ("", f"Assigned to: {', '.join(f'`{each}`' for each in tool.gives)}.")
    errors = [f"- {each}" for each in tool.errors.splitlines()] or ["None is named."]
    yield from ("", "## Errors", "", *errors)
    if tool.example:
        yield from ("", "## Example", "", "```python", tool.example, "```")
    yield from ("", "## Phases", "")
    yield from (f"- {TITLES[each]}" if each in TITLES else f"- {each}" for each in tool.phases)
    yield from ("", "## Tests", "")
    yield from (f"- {each.removeprefix('test_').replace('_', ' ')}" for each in tool.tests)
    yield from ("", "## Record", "")
    yield f"Version {tool.version}, made by: {tool.origin}."
    calls = "call" if tool.uses == 1 else "calls"
    yield f"{tool.uses} {calls}, {tool.successes} of them without an error."


def _arguments(tool: FunctionTool) -> Iterator[str]:
    if not tool.parameters:
        yield "It takes none."
    for each in tool.parameters:
        needed = "required" if each.required else f"default `{each.default}`"
        table = ", a table" if each.frame else ""
        yield f"- `{each.name}` (`{each.type}`{table}, {needed}): {each.description}"


def _sentence(text: str, otherwise: str) -> str:
    return text or f"It returns {otherwise}."
