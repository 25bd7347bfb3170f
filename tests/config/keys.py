"""The keys of all flows and services with types and defaults: `python -m tests.config.keys`.

Writes `keys.txt` beside it, so that a change of a default or of a key is seen in a review.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from flows.build.names import builtin_registry
from flows.build.run_config import RunConfig
from flows.cli.schema import SLOTS, configs_of
from flows.core.flow import FlowConfig

LIST = Path(__file__).with_name("keys.txt")
PREFIX = "#/$defs/"
TYPES = {"object": "mapping", "array": "list"}
SIGNS = {
    "minimum": ">= {}",
    "exclusiveMinimum": "> {}",
    "maximum": "<= {}",
    "exclusiveMaximum": "< {}",
    "minLength": "from {} characters",
    "maxLength": "to {} characters",
    "minItems": "from {} items",
    "maxItems": "to {} items",
    "pattern": "as {}",
}


def keys() -> str:
    """A heading for the flows or services that have one Config; below it a line a key."""
    registry = builtin_registry(())
    owners: dict[type[BaseModel], list[str]] = {RunConfig: ["run file"], FlowConfig: ["any flow"]}
    for kind in ("flow", *sorted(set(SLOTS.values()))):
        for name, model in sorted(configs_of(registry, kind).items()):
            owners.setdefault(model, []).append(f"{kind} {name}")
    names, made = models_json_schema([(model, "validation") for model in owners])
    schemas = made["$defs"]
    of_models = {names[model, "validation"]["$ref"].removeprefix(PREFIX): model for model in owners}
    headings = {name: "\n".join(owners[model]) for name, model in of_models.items()}
    values = {name: f"value {short(name)}" for name in sorted(schemas) if name not in headings}
    shared = dict(lines(schemas[names[FlowConfig, "validation"]["$ref"].removeprefix(PREFIX)]))
    sections = []
    for name, heading in {**headings, **values}.items():
        known = shared if heading.startswith("flow ") else {}
        told = [line for key, line in lines(schemas[name]) if known.get(key) != line]
        sections.append("\n".join((heading, *told)))
    return "\n\n".join(sections) + "\n"


def lines(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each key, and its line: key, type, default."""
    for key, each in schema.get("properties", {}).items():
        default = f" = {json.dumps(each['default'])}" if "default" in each else ""
        yield key, f"  {key}: {wording(each)}{default}"


def wording(schema: dict[str, Any]) -> str:
    """The type that a schema describes, in a few words."""
    if "$ref" in schema:
        return short(schema["$ref"].removeprefix(PREFIX))
    if "anyOf" in schema:
        return " or ".join(wording(each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return "|".join(map(str, schema.get("enum", [schema.get("const")])))
    of = schema.get("items", schema.get("additionalProperties"))
    inner = f" of {wording(of)}" if isinstance(of, dict) and of else ""
    bounds = [text.format(schema[sign]) for sign, text in SIGNS.items() if sign in schema]
    kind = schema.get("type", "anything")
    return " ".join([f"{TYPES.get(kind, kind)}{inner}", *bounds])


def short(name: str) -> str:
    """A model's name; with its module if another has the same."""
    return name.removeprefix("flows__").replace("__", ".")


if __name__ == "__main__":
    LIST.write_text(keys(), encoding="utf-8")
