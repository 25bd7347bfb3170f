"""The description of a Python function by its signature and its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from pydantic import ConfigDict, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from flows.core.function import place_of
from flows.core.function_description import FunctionDescription
from flows.errors import ConfigError
from flows.tools.functions.docstring import read_docstring


def described(function: Callable[..., Any], namespace: str = "default") -> FunctionDescription:
    """Errors: `ConfigError` with FILE:LINE for an argument without a type or a word on it."""
    where, name = place_of(function), function.__name__
    doc = read_docstring(inspect.getdoc(function) or "")
    if not doc.summary:
        raise ConfigError(f"{where}: {name} has no docstring, which says what it is for")
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise ConfigError(f"{where}: {name}: its types cannot be read: {error}") from error
    fields: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        if each.name not in hints:
            raise ConfigError(f"{where}: {name}: the argument {each.name} has no type")
        default = ... if each.default is inspect.Parameter.empty else each.default
        fields[each.name] = (hints[each.name], default)
    try:
        model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
        schema = model.model_json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        first = str(error).splitlines()[0]
        raise ConfigError(f"{where}: {name}: a type that JSON cannot hold: {first}") from error
    for argument, part in (schema.get("properties") or {}).items():
        part.pop("title", None)
        if text := doc.arguments.get(argument):
            part["description"] = text
    schema.pop("title", None)
    text = "\n".join(each for each in (doc.summary, doc.description) if each)
    return FunctionDescription(
        name=name,
        description=text,
        parameters=schema,
        returns=doc.returns,
        namespace=namespace,
        function_class="python",
        source=f"python:{function.__module__}.{name}",
    )
