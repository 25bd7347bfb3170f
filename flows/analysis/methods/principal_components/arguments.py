"""Principal components: the arguments."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Numbers


class PrincipalComponents(Arguments):
    """The columns, and the percentage of their variance that the components are to hold."""

    method: ClassVar[str] = "principal_components"

    fields: tuple[Numbers, ...] = Field(min_length=2, max_length=MOST_COLUMNS)
    share: float = Field(default=90.0, gt=0, lt=100)
