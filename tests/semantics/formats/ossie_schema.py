"""What the published JSON schema of Apache Ossie 0.2.0.dev0 allows (core-spec/ossie-schema.json,
as of September 2026), said again in our own words; the descriptions are left out."""

from __future__ import annotations

from typing import Any

NAME = {"type": "string", "minLength": 1}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


def closed(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def list_of(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


DIALECT = {
    "enum": [
        "ANSI_SQL", "SNOWFLAKE", "MDX", "TABLEAU", "DATABRICKS", "MAQL", "BIGQUERY", "SIGMA",
        "THOUGHTSPOT", "DAX", "HOLISTICS_AQL", "OSSIE_SQL_2026",
    ]
}  # fmt: skip
DATATYPE = {
    "enum": [
        "String", "Integer", "Decimal", "Float", "Boolean", "Date", "Time", "DateTime",
        "DateTimeTz", "Opaque",
    ]
}  # fmt: skip
EXPRESSION = closed(
    ("dialects",),
    dialects=list_of(closed(("dialect", "expression"), dialect=DIALECT, expression=TEXT), 1),
)
CONTEXT = {
    "oneOf": [
        TEXT,
        {
            "type": "object",
            "properties": {"instructions": TEXT, "synonyms": TEXTS, "examples": TEXTS},
        },
    ]
}
EXTENSION = closed(("vendor_name", "data"), vendor_name=TEXT, data={"type": "object"})
COMMON = {"ai_context": CONTEXT, "description": TEXT, "custom_extensions": list_of(EXTENSION)}
FIELD = closed(
    ("name", "expression"),
    name=NAME,
    expression=EXPRESSION,
    dimension=closed((), is_time={"type": "boolean"}),
    label=TEXT,
    datatype=DATATYPE,
    **COMMON,
)
DATASET = closed(
    ("name", "source"),
    name=NAME,
    source=NAME,
    primary_key=TEXTS,
    unique_keys=list_of(TEXTS),
    fields=list_of(FIELD),
    **COMMON,
)
RELATIONSHIP = closed(
    ("name", "from", "to", "from_columns", "to_columns"),
    name=NAME,
    to=NAME,
    from_columns=list_of(TEXT, 1),
    to_columns=list_of(TEXT, 1),
    **{"from": NAME},
    ai_context=CONTEXT,
    custom_extensions=list_of(EXTENSION),
)
METRIC = closed(
    ("name", "expression"), name=NAME, expression=EXPRESSION, datatype=DATATYPE, **COMMON
)
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **closed(
        ("version", "name", "datasets"),
        version={"const": "0.2.0.dev0"},
        name=NAME,
        datasets=list_of(DATASET, 1),
        relationships=list_of(RELATIONSHIP),
        metrics=list_of(METRIC),
        **COMMON,
    ),
}
