"""The common base of everything that a request is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    # What a node means is hashed once: readings are compared and counted by the thousand. A copy
    # begins without it.
    __slots__ = ("_hash",)
    if TYPE_CHECKING:
        _hash: int

    model_config = ConfigDict(frozen=True, extra="forbid")

    spans: tuple[Span, ...] = Field(default=(), repr=False, json_schema_extra={REPLY: False})

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        theirs = other.__dict__
        for name, value in self.__dict__.items():
            their = theirs[name]
            if value is their or name == "spans":
                continue
            if type(value) is not type(their) or value != their:
                return False
        return True

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
        try:
            known = self._hash
        except AttributeError:
            values = [value for name, value in self.__dict__.items() if name != "spans"]
            known = hash((type(self), *values))
            object.__setattr__(self, "_hash", known)
        return known
