"""Describing a flow by its inputs, as a function that may be called."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from flows.core.flow import AtomicFlow, Effect, Flow, walk
from flows.core.function import FunctionFlow
from flows.core.function_description import FunctionDescription
from flows.errors import ConfigError
from flows.tools.description.docstring import has_sections, read_docstring
from flows.tools.description.schema import schema_of_type

_EFFECTS: Final[tuple[Effect, ...]] = ("pure", "idempotent", "once")
_SIGNS: Final = frozenset({"observation", "EARLY_EXIT"})


def describe_flow(
    flow: Flow,
    name: str = "",
    *,
    namespace: str = "flows",
    source: str = "",
) -> FunctionDescription:
    """What the flow does and takes; `name` is what it is called by, its own without one.

    Errors: `ConfigError` for an input that no JSON can give.
    """
    called = name or flow.name
    ports = argument_ports(flow)
    parameters = {
        "type": "object",
        "properties": {key: _schema_of(key, info, called) for key, info in ports.items()},
        "required": [key for key, info in ports.items() if info.is_required()],
        "additionalProperties": False,
    }
    return FunctionDescription(
        name=called,
        description=flow.label,
        parameters=parameters,
        returns=f"an object with {', '.join(sorted(flow.output_names() - _SIGNS))}",
        namespace=namespace,
        function_class="flow",
        source=source or f"flow:{called}",
        effect=effect_of(flow),
        changing=any(each.changing for _, each in walk(flow) if isinstance(each, AtomicFlow)),
    )


def effect_of(flow: Flow) -> Effect:
    """The strongest effect of the flow and all below it."""
    effects = [each.effect for _, each in walk(flow) if isinstance(each, AtomicFlow)]
    return max(effects, key=_EFFECTS.index, default="pure")


def argument_ports(flow: Flow) -> dict[str, FieldInfo]:
    """The inputs that a caller gives: all but those that say they are no arguments. Those of a
    function have what its docstring says of them under `Args:`."""
    said = _arguments_of(type(flow).__doc__ or "") if isinstance(flow, FunctionFlow) else {}
    return {
        name: info if info.description else _described(info, said.get(name))
        for name, info in flow.inputs_type.model_fields.items()
        if port_extra(info).get("argument", True)
    }


@lru_cache(maxsize=256)
def _arguments_of(docstring: str) -> Mapping[str, str]:
    return read_docstring(docstring).arguments if has_sections(docstring) else {}


def _described(info: FieldInfo, description: str | None) -> FieldInfo:
    if not description:
        return info
    found = copy(info)
    found.description = description
    return found


def port_extra(info: FieldInfo) -> Mapping[str, object]:
    """What a port says of itself beside its type and description."""
    extra = info.json_schema_extra
    return extra if isinstance(extra, dict) else {}


def _schema_of(name: str, info: FieldInfo, flow: str) -> dict[str, Any]:
    kind: Any = info.annotation
    for constraint in info.metadata:
        kind = Annotated[kind, constraint]
    try:
        schema = schema_of_type(kind)
    except ValueError as error:
        raise ConfigError(f"the input {name} of {flow} cannot be an argument: {error}") from error
    if info.description:
        schema["description"] = info.description
    if not info.is_required():
        try:
            schema["default"] = to_jsonable_python(info.get_default(call_default_factory=True))
        except PydanticSerializationError as error:
            problem = f"the input {name} of {flow} has a default that is no plain data: {error}"
            raise ConfigError(problem) from error
    return schema
