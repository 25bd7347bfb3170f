"""The common base of everything that a request is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from flows.core.reply import REPLY

Span = tuple[int, int]


class Node(BaseModel):
    """A part of a request. It cannot be changed, only copied with changes.

    `spans` are the places of the words that it stands for, each the first and the end position of
    characters in the text that was read. Two nodes are equal when they mean the same, wherever
    their words stood: `spans` takes no part in comparing. As plain data a node has its `kind` and
    what differs from the defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    spans: tuple[Span, ...] = Field(default=(), repr=False, json_schema_extra={REPLY: False})

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _meaning(self) == _meaning(other)

    @model_serializer(mode="wrap")
    def _serialize(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        plain: dict[str, Any] = write(self)
        return {
            name: value
            for name, value in plain.items()
            if name == "kind" or getattr(self, name) != fields[name].default
        }

    def __hash__(self) -> int:
        return hash((type(self), _meaning(self)))


def _meaning(node: Any) -> tuple[Any, ...]:
    """The values of a node's fields without its places; `True` and `1` are kept apart."""
    values = (value for name, value in node.__dict__.items() if name != "spans")
    return tuple((value, type(value)) for value in values)
