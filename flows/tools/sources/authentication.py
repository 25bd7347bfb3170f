"""How a request to a server shows who sends it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from flows.config.redaction import reveal


class Authentication(BaseModel):
    """How a request shows who sends it: `secret` as a bearer token, or under a `name` in a header
    or in the query."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["bearer", "header", "query"] = "bearer"
    name: str = Field(default="", description="of the header, or of the query's parameter")
    secret: SecretStr = Field(description="the key: ${env:NAME}")

    @model_validator(mode="after")
    def _named(self) -> Authentication:
        if (self.kind == "bearer") == bool(self.name):
            raise ValueError("name is for a header or a query, and these need it")
        return self

    def headers(self) -> dict[str, str]:
        """The header with the key, if it goes there."""
        if self.kind == "query":
            return {}
        if self.kind == "header":
            return {self.name: reveal(self.secret)}
        return {"Authorization": f"Bearer {reveal(self.secret)}"}

    def params(self) -> list[tuple[str, str]]:
        """The parameter of the query with the key, if it goes there."""
        return [(self.name, reveal(self.secret))] if self.kind == "query" else []
