"""A function of an API, and where its request has each of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from flows.core.function_description import FunctionDescription, JsonSchema

Location = Literal["path", "query", "header", "body", "whole body"]


@dataclass(frozen=True)
class RequestArgument:
    """An argument of a function, and where the request has it: `wire` is its name there."""

    name: str
    location: Location
    wire: str
    style: str = ""
    explode: bool = True


# An argument, its schema, and whether it is required.
Part: TypeAlias = tuple[RequestArgument, JsonSchema, bool]


@dataclass(frozen=True)
class BodyField:
    """How a field of a form is written: its media type in a multipart body, "" for plain text, and
    whether its text is the content of a file; `style` and `explode` as those of the query."""

    kind: str = ""
    is_file: bool = False
    style: str = "form"
    explode: bool = True


@dataclass(frozen=True)
class Body:
    """The body of a request: its media type, "" for none, and the fields of a form by their names
    that are written in another way than a text."""

    kind: str = ""
    fields: Mapping[str, BodyField] = field(default_factory=dict)

    @property
    def bare_kind(self) -> str:
        """The media type without parameters, in lower case."""
        return self.kind.partition(";")[0].strip().lower()


@dataclass(frozen=True)
class Operation:
    """A function of an API: what it says of itself, and the request that calls it. `notes` are what
    it says less than its document."""

    description: FunctionDescription
    method: str
    path: str
    arguments: tuple[RequestArgument, ...]
    body: Body = Body()
    notes: tuple[str, ...] = ()
