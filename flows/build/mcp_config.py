"""How `flows mcp` offers a run file to its clients: as a tool, a prompt or a resource."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class McpConfig(BaseModel):
    """The keys under `mcp` in a run file. Other commands pass over them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["tool", "prompt", "resource"] = Field(
        default="tool",
        description="tool: the client's model calls it; prompt: the person picks it, and its "
        "outputs are messages; resource: it is read at an address",
    )
    uri: str = Field(
        default="",
        description="the address of a resource; {name} in it is the input of that name, as in "
        "sales://shops/{shop}",
    )

    task: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="whether a call is a task for clients that take tasks: auto, when it takes "
        "longer than a moment; always also refuses the other clients",
    )

    @model_validator(mode="after")
    def _has_its_address(self) -> McpConfig:
        if self.kind == "resource" and "://" not in self.uri:
            raise ValueError("a resource needs a uri, such as sales://shops/{shop}")
        if self.kind != "resource" and self.uri:
            raise ValueError(f"uri is for kind: resource, and this is a {self.kind}")
        return self
