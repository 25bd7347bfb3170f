"""How OpenAI's protocol is asked for JSON: the parameter `response_format`."""

from __future__ import annotations

from typing import Any

from flows.core.reply import ReplySchema
from flows.models.strict_schema import strict_schema


def response_format(json_reply: bool, schema: ReplySchema | None) -> dict[str, Any] | None:
    """The parameter for a reply of a schema (a strict one if it can be), else for one JSON object.

    None asks for neither.
    """
    if schema is not None:
        return _of_schema(schema)
    return {"type": "json_object"} if json_reply else None


def _of_schema(schema: ReplySchema) -> dict[str, Any]:
    strict = strict_schema(schema.schema)
    given = {
        "name": schema.name,
        "schema": schema.schema if strict is None else strict,
        "strict": strict is not None,
    }
    return {"type": "json_schema", "json_schema": given}
