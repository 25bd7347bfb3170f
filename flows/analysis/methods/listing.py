"""The methods with their arguments, for who has to name them: a language model, a person."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import METHODS


@lru_cache(maxsize=1)
def list_methods() -> str:
    """A line for each method: its name, its arguments and their values, what it is about."""
    return "\n".join(_line(each.arguments) for each in METHODS)


def _line(arguments: type[Arguments]) -> str:
    about = " ".join((arguments.__doc__ or "").split())
    return f"{arguments.method}({', '.join(_given(arguments))}): {about}"


def _given(arguments: type[Arguments]) -> Iterator[str]:
    fields: dict[str, Any] = arguments.model_json_schema()["properties"]
    for name, each in fields.items():
        values = "/".join(map(str, each.get("enum", ())))
        yield f"{name} = {values}" if values else name
