"""Values that are missing: the arguments."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.arguments import AnyColumn, Arguments


class MissingValues(Arguments):
    """The columns whose gaps are counted."""

    method: ClassVar[str] = "missing_values"

    fields: tuple[AnyColumn, ...] = Field(min_length=1)
