"""A JSON Schema of run files, for editors: completion, and a mark under a key that is not known.

More lenient than the check: what may come from a defaults list, an override or an interpolation
is not required here, and any value may be a `${...}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from flows.config.definitions import PREFIX, Schema, drop_unused, reference, share_properties
from flows.config.flow_names import FlowNames, TakenFlows
from flows.config.tree import DEFAULTS, SUBFLOWS, TARGET

Models = Mapping[str, type[BaseModel]]
NOTES = ("description", "default")
SOURCES = "sources"  # services of one kind by name, as subflows are flows by name
DIALECT = "http://json-schema.org/draft-07/schema#"
VALUE = reference("interpolation")
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
    entries: Models,
    run_model: type[BaseModel],
    services: Mapping[str, Models] | None = None,
    slots: Mapping[str, str] | None = None,
    built_in: Mapping[str, FlowNames] | None = None,
) -> Schema:
    """The schema of a run file.

    `entries` are the registered flows with their Config; `run_model` describes the keys that a run
    file has besides its flow's. `services` are those of each kind with their Config, and `slots`
    gives the kind that may stand under a key, such as `store` for `memory`. `built_in` are the
    configs that a defaults list can take over, by their names, with the flows that they have.
    """
    kinds = services or {}
    models = [*entries.values(), run_model, *(m for each in kinds.values() for m in each.values())]
    held = {key: f"{kind} service" for key, kind in (slots or {}).items()}
    keys = SchemaKeys(models, {SUBFLOWS: "flow", **held})
    run = {**keys.of(run_model), DEFAULTS: DEFAULTS_LIST}
    cases = _flow_cases(keys, entries, run)
    taken = TakenFlows(cases, list(kinds))
    of_defaults = [taken.case(name, each) for name, each in (built_in or {}).items()]
    definitions = {
        **keys.definitions,
        **taken.definitions,
        "interpolation": INTERPOLATION,
        "import path": IMPORT_PATH,
        "flow names": _names(entries, "The registered name of the flow."),
        "keys of flows": {"allOf": cases},
        "flow": _subflow(keys, entries, run),
        **{f"{kind} service": _service(keys, kind, known) for kind, known in kinds.items()},
    }
    schema: Schema = {
        "$schema": DIALECT,
        "title": "analyst-flows run file",
        "type": "object",
        "properties": {TARGET: reference("flow names"), **run},
        "allOf": [reference("keys of flows"), *of_defaults],
        "definitions": definitions,
    }
    drop_unused({key: schema[key] for key in ("properties", "allOf")}, definitions)
    share_properties(schema, definitions)
    return schema


class SchemaKeys:
    """The keys of config models with their schemas, and the definitions that those refer to."""

    def __init__(self, models: list[type[BaseModel]], holders: Mapping[str, str]) -> None:
        unique = list(dict.fromkeys(models))
        self._names, made = models_json_schema(
            [(model, "validation") for model in unique],
            by_alias=True,
            ref_template=f"{PREFIX}{{model}}",
        )
        self.definitions: dict[str, Schema] = {
            name: _lenient(each) for name, each in made["$defs"].items()
        }
        self._models: dict[str, Schema] = made["$defs"]
        self._holders = holders
        for definition in self.definitions.values():
            for each in (definition, *definition.get("anyOf", ())):
                properties = each.get("properties", {})
                if SOURCES in properties:
                    properties[SOURCES] = self._held(SOURCES, properties[SOURCES])

    def of(self, model: type[BaseModel]) -> dict[str, Schema]:
        """The lenient schemas of a model's keys."""
        name = self._names[model, "validation"]["$ref"].removeprefix(PREFIX)
        found = self._models[name].get("properties", {})
        return {key: self._held(key, _lenient(each)) for key, each in found.items()}

    def _held(self, key: str, schema: Schema) -> Schema:
        """The schema of a key, in which a mapping with a `_target_` is one of the known."""
        holder = self._holders.get(key)
        if holder is None or not _may_hold(schema):
            return schema
        if key in (SUBFLOWS, SOURCES):
            described = schema.get("description", "The subflows, by name.")
            each = {"anyOf": [reference(holder), VALUE]}
            return {"type": "object", "description": described, "additionalProperties": each}
        notes = {note: schema[note] for note in NOTES if note in schema}
        return {**notes, "anyOf": [reference(holder), VALUE, {"type": "null"}]}


def _flow_cases(keys: SchemaKeys, entries: Models, run: Mapping[str, Schema]) -> list[Schema]:
    """What keys a mapping with the `_target_` of each flow may have: its own and the run's.

    The cases are the same for the top of the file and for a subflow, which `_subflow` forbids the
    run's keys. The schemas of the run's keys are not repeated in them.
    """
    of_run = {f"^({'|'.join(sorted(run))})$": True}
    return [
        _case(names, keys.of(model), set(run), patternProperties=of_run)
        for model, names in _by_model(entries)
    ]


def _subflow(keys: SchemaKeys, entries: Models, run: Mapping[str, Schema]) -> Schema:
    """A flow below another: of the run's keys it has only those that are keys of its own."""
    cases: list[tuple[dict[str, Schema | bool], list[str]]] = []
    for model, names in _by_model(entries):
        own = keys.of(model)
        allowed: dict[str, Schema | bool] = {key: own.get(key, False) for key in run}
        same = next((found for schemas, found in cases if schemas == allowed), None)
        if same is None:
            cases.append((allowed, list(names)))
        else:
            same.extend(names)
    return {
        "type": "object",
        "properties": {TARGET: reference("flow names")},
        "allOf": [
            reference("keys of flows"),
            *({"if": _named(sorted(names)), "then": {"properties": own}} for own, names in cases),
        ],
    }


def _service(keys: SchemaKeys, kind: str, entries: Models) -> Schema:
    """A service: a mapping whose `_target_` says which keys it has."""
    return {
        "type": "object",
        "properties": {TARGET: _names(entries, f"The registered name of a {kind}.")},
        "allOf": [_case(names, keys.of(model), set()) for model, names in _by_model(entries)],
    }


def _by_model(entries: Models) -> list[tuple[type[BaseModel], list[str]]]:
    """Each Config with the names of those that have it, in the order of the names."""
    names: dict[type[BaseModel], list[str]] = {}
    for name, model in sorted(entries.items()):
        names.setdefault(model, []).append(name)
    return list(names.items())


def _names(entries: Mapping[str, object], description: str) -> Schema:
    """What a `_target_` may be."""
    names: Schema = {"enum": sorted(entries)}
    return {"description": description, "anyOf": [names, reference("import path"), VALUE]}


def _named(names: list[str]) -> Schema:
    """A mapping with one of the names as its `_target_`."""
    return {"properties": {TARGET: {"enum": names}}, "required": [TARGET]}


def _case(names: list[str], own: Mapping[str, Schema], known: set[str], **more: Any) -> Schema:
    """If the `_target_` is one of the names, these are the keys, and no others."""
    keys = {TARGET: True, **{key: schema for key, schema in own.items() if key not in known}}
    then = {"properties": keys, **more, "additionalProperties": False}
    return {"if": _named(names), "then": then}


def _may_hold(schema: Schema) -> bool:
    """Whether a mapping may stand there. The key of a slot can be a plain value elsewhere."""
    if "anyOf" in schema:
        return any(_may_hold(each) for each in schema["anyOf"] if each != VALUE)
    return "$ref" in schema or schema.get("type", "object") == "object"


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
    constrains = {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"} & set(schema)
    if _takes_any_text(schema) or not constrains:
        return schema
    notes: Schema = {note: schema[note] for note in NOTES if note in schema}
    rest = {key: value for key, value in schema.items() if key not in notes}
    alternatives = _alternatives(rest)
    if not any(_takes_any_text(each) for each in alternatives):
        alternatives.append(VALUE)
    return {**notes, **(alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives})}


def _alternatives(schema: Schema) -> list[Schema]:
    """What a schema without notes allows one or the other of; plain types are one alternative."""
    if set(schema) != {"anyOf"}:
        return [schema]
    found = [each for part in schema["anyOf"] for each in _alternatives(part) if each != VALUE]
    plain = [each["type"] for each in found if set(each) == {"type"}]
    types = [name for each in plain for name in (each if isinstance(each, list) else [each])]
    rest = [each for each in found if set(each) != {"type"}]
    return [{"type": types[0] if len(types) == 1 else types}, *rest] if types else rest


def _takes_any_text(schema: Schema) -> bool:
    """Whether every text is right, and so that of an interpolation."""
    types = schema.get("type")
    is_text = types == "string" or (isinstance(types, list) and "string" in types)
    return is_text and not {"enum", "const", "pattern"} & set(schema)
