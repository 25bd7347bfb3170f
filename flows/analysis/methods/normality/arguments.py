"""Tests of a normal distribution: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Groups, Numbers


class Normality(Arguments):
    """The columns that are tested; the test by name, or the one that fits their number."""

    method: ClassVar[str] = "normality"
    called: ClassVar[str] = "a test of normality"

    fields: tuple[Numbers, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    group: Groups = ""
    variant: Literal["", "shapiro", "dagostino"] = ""
