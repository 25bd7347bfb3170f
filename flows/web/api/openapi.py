"""What the OpenAPI document says of each flow: its own path, with the types of its ports."""

from __future__ import annotations

import copy
from typing import Any, Final

from flows.core.values import Values
from flows.services.hosting.service import RunService

START: Final = "/api/flows/{name}/runs"
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["what"],
            "properties": {
                "what": {"type": "string"},
                "where": {"type": ["string", "null"]},
                "allowed": {"type": ["array", "null"], "items": {"type": "string"}},
            },
        }
    },
}
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 200},
    "description": "The same key with the same body is one run.",
}


def describe_flows(document: Values, service: RunService) -> None:
    """Put a path for each flow in the place of the one for all, and the schemas of its ports."""
    paths, components = document["paths"], document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Error"] = _ERROR
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"token": []}]
    general = paths.pop(START, {})
    for name, flow in service.flows.items():
        inputs = _own(flow.inputs_schema(), f"{name}.inputs", schemas)
        outputs = _own(flow.outputs_schema(), f"{name}.outputs", schemas)
        operation = copy.deepcopy(general.get("post", {}))
        operation["operationId"] = f"start_{name}"
        operation["summary"] = f"Start {name}"
        operation["description"] = flow.plan.flow.config.description or ""
        operation["parameters"] = [_KEY]
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _request(inputs)}},
        }
        operation["responses"] = _responses(outputs)
        paths[START.replace("{name}", name)] = {"post": operation}


def _request(inputs: Values) -> Values:
    properties = {"inputs": inputs, "session": {"type": "string", "maxLength": 200}}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _responses(outputs: Values) -> dict[str, Any]:
    started = {
        "type": "object",
        "required": ["id", "status"],
        "properties": {"id": {"type": "string"}, "status": {"type": "string"}},
    }
    told = {"content": {"application/json": {"schema": started}}}
    failed = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return {
        "202": {"description": "The run was taken on", **told, "x-outputs": outputs},
        "200": {"description": "The run that the same key started before", **told},
        "409": {"description": "The key was used for another request", **failed},
        "422": {"description": "An input does not fit", **failed},
        "429": {"description": "The queue is full: see Retry-After", **failed},
    }


def _own(schema: Values, name: str, schemas: Values) -> Values:
    """Keep a schema among the document's, and its definitions under its name; a reference to it."""
    moved = {key: f"{name}.{key}" for key in schema.get("$defs", {})}
    for key, value in schema.get("$defs", {}).items():
        schemas[moved[key]] = _moved(value, moved)
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    schemas[name] = _moved(rest, moved)
    return {"$ref": f"#/components/schemas/{name}"}


def _moved(value: Any, moved: dict[str, str]) -> Any:
    if isinstance(value, dict):
        found = {key: _moved(each, moved) for key, each in value.items()}
        reference = found.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/$defs/"):
            key = reference.removeprefix("#/$defs/")
            found["$ref"] = f"#/components/schemas/{moved.get(key, key)}"
        return found
    if isinstance(value, list):
        return [_moved(each, moved) for each in value]
    return value
