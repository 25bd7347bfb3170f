"""A JSON Schema of run files, for editors: completion, and a mark under a key that is not known.

More lenient than the check: what may come from a defaults list, an override or an interpolation
is not required here, and any value may be a `${...}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from flows.config.tree import DEFAULTS, SUBFLOWS, TARGET

Schema = dict[str, Any]
NOTES = ("description", "default")
DIALECT = "http://json-schema.org/draft-07/schema#"
INTERPOLATION: Schema = {"type": "string", "pattern": r"\$\{|^\?\?\?$"}
# A class of a package that the user trusts, or aiflows' name of one.
IMPORT_PATH: Schema = {
    "type": "string",
    "description": "An import path into a package given with --trust, or a name of aiflows.",
    "pattern": r"^[A-Za-z_]\w*(\.\w+)*[.:][A-Z]\w*(\.instantiate_\w+)?$",
}
DEFAULTS_LIST: Schema = {
    "type": "array",
    "description": "The config groups to start from; later items win, `_self_` is this file.",
    "items": {
        "anyOf": [
            {"type": "string"},
            {"type": "object", "minProperties": 1, "maxProperties": 1},
        ]
    },
}


def json_schema_for(
    entries: Mapping[str, type[BaseModel]],
    run_model: type[BaseModel],
    slots: Mapping[str, Mapping[str, type[BaseModel]]] | None = None,
) -> Schema:
    """The schema of a run file.

    `entries` are the registered flows with their Config; `run_model` describes the keys that a run
    file has besides its flow's. `slots` gives, for a key such as `model`, the services that its
    `_target_` may name.
    """
    definitions: dict[str, Schema] = {}
    made = _Made(definitions, {SUBFLOWS: "flow", **{key: f"slot.{key}" for key in slots or {}}})
    definitions["flow"] = made.chooser("flow", entries)
    for key, services in (slots or {}).items():
        definitions[f"slot.{key}"] = made.chooser(key, services)
    run = made.properties("run", run_model)
    run[DEFAULTS] = DEFAULTS_LIST
    run.setdefault(TARGET, _names(entries, "The registered name of the flow."))
    cases = [
        _case(name, {**made.properties(f"flow.{name}", model), **run})
        for name, model in sorted(entries.items())
    ]
    return {
        "$schema": DIALECT,
        "title": "analyst-flows run file",
        "type": "object",
        "properties": run,
        "allOf": cases,
        "definitions": definitions,
    }


class _Made:
    """The definitions made so far, and which keys hold something with a `_target_`."""

    def __init__(self, definitions: dict[str, Schema], holders: Mapping[str, str]) -> None:
        self.definitions = definitions
        self.holders = holders

    def chooser(self, kind: str, entries: Mapping[str, type[BaseModel]]) -> Schema:
        """A mapping whose `_target_` says which keys it has."""
        cases = [
            _case(name, self.properties(f"{kind}.{name}", model))
            for name, model in sorted(entries.items())
        ]
        target = _names(entries, f"The registered name of a {kind}.")
        return {"type": "object", "properties": {TARGET: target}, "allOf": cases}

    def properties(self, name: str, model: type[BaseModel]) -> dict[str, Schema]:
        """The lenient schemas of a model's fields. They, and models inside, are definitions."""
        template = f"#/definitions/{name}.{{model}}"
        schema = model.model_json_schema(by_alias=True, ref_template=template)
        for inner, definition in schema.get("$defs", {}).items():
            self.definitions[f"{name}.{inner}"] = _lenient(definition)
        properties: dict[str, Schema] = {}
        for key, each in schema.get("properties", {}).items():
            self.definitions[f"{name}.{key}"] = self._held(key, _lenient(each))
            properties[key] = {"$ref": f"#/definitions/{name}.{key}"}
        return properties

    def _held(self, key: str, schema: Schema) -> Schema:
        holder = self.holders.get(key)
        if holder is None or not _may_hold(schema):
            return schema
        reference: Schema = {"$ref": f"#/definitions/{holder}"}
        if key == SUBFLOWS:
            described = schema.get("description", "The subflows, by name.")
            reference = {"anyOf": [reference, INTERPOLATION]}
            return {"type": "object", "description": described, "additionalProperties": reference}
        notes = {note: schema[note] for note in NOTES if note in schema}
        return {**notes, "anyOf": [reference, INTERPOLATION, {"type": "null"}]}


def _names(entries: Mapping[str, object], description: str) -> Schema:
    """What a `_target_` may be."""
    names: Schema = {"enum": sorted(entries)}
    return {"description": description, "anyOf": [names, IMPORT_PATH, INTERPOLATION]}


def _may_hold(schema: Schema) -> bool:
    """Whether a mapping may stand there. The key of a slot can be a plain value elsewhere."""
    if "anyOf" in schema:
        return any(_may_hold(each) for each in schema["anyOf"])
    return "$ref" in schema or schema.get("type", "object") == "object"


def _case(name: str, properties: Mapping[str, Schema]) -> Schema:
    """If the `_target_` is this name, these are the keys, and no others."""
    keys = {**properties, TARGET: {"const": name}}
    return {
        "if": {"properties": {TARGET: {"const": name}}, "required": [TARGET]},
        "then": {"properties": keys, "additionalProperties": False},
    }


def _lenient(schema: Any) -> Any:
    """The schema with nothing required, and an interpolation wherever a value may stand."""
    if isinstance(schema, list):
        return [_lenient(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made: Schema = {}
    for key, value in schema.items():
        if key in ("required", "title"):
            continue
        if key in ("properties", "$defs", "patternProperties"):
            made[key] = {name: _lenient(each) for name, each in value.items()}
        elif key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems"):
            made[key] = _lenient(value)
        else:
            made[key] = value
    return _or_interpolation(made)


def _or_interpolation(schema: Schema) -> Schema:
    """The schema, or the text of an interpolation; a schema of any text stays as it is."""
    is_any_text = schema.get("type") == "string" and not {"enum", "const", "pattern"} & set(schema)
    constrains = {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"} & set(schema)
    if is_any_text or not constrains:
        return schema
    notes: Schema = {note: schema[note] for note in NOTES if note in schema}
    rest = {key: value for key, value in schema.items() if key not in notes}
    return {**notes, "anyOf": [rest, INTERPOLATION]}
