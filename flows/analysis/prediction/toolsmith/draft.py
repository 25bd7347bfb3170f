"""A tool as it was made for a table, before anybody tried it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ToolDraft(BaseModel):
    """The text of a tool's module, and what in the data calls for it. `columns` are those that it
    reads, `template` is the form that it was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    source: str
    why: str
    template: str
    columns: tuple[str, ...] = ()
