"""A function that an agent may call, as models and people read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from flows.core.flow import Effect
from flows.core.observation import Observation

# A JSON schema as plain data.
JsonSchema: TypeAlias = dict[str, Any]


class FunctionDescription(BaseModel):
    """What a function does and takes. `parameters` is the JSON schema of its arguments, an object.

    `function_class` is what kind of function it is (`api`, `entity`, `VectorSearch`,
    `ColumnarQuantitativeSearch`, `flow`, `python`); `namespace` groups functions and is part of the
    `id`. `source` says where it comes from, as in `openapi:petstore.json`. `returns` is what it
    gives, in a sentence; `fields` are JSON pointers to the values of its result, as far as its type
    or schema names them, with a `*` for every element of a list (`/orders/*/id`). `changing` says
    that it is declared to change something: a person is asked before an agent calls it. What is
    `unapproved` stands for a function that its server has changed, until a person approves it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,127}$")
    description: str
    parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
    returns: str = ""
    fields: tuple[str, ...] = ()
    namespace: str = "default"
    function_class: str = "api"
    source: str = ""
    effect: Effect = "once"
    changing: bool = False
    unapproved: bool = False

    @property
    def id(self) -> str:
        """The name with its namespace: one function of an index has it."""
        return f"{self.namespace}/{self.name}"

    @property
    def size(self) -> int:
        """Bytes of the function in OpenAI's form, as JSON."""
        return len(to_json(self.function_dict()))

    def function_dict(self) -> dict[str, Any]:
        """The function in OpenAI's form, for the `tools` of a request."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }


@runtime_checkable
class Function(Protocol):
    """A function that can be called."""

    @property
    def description(self) -> FunctionDescription: ...

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        """`ok` or `empty`. Errors: `CommandError`, with a reason for people, when it did not work.

        The arguments fit the schema: whoever calls has checked them.
        """
        ...
