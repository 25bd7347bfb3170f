"""Outliers: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Groups, Numbers


class Outliers(Arguments):
    """The columns, and by which rule a value lies outside: further than `limit` times the
    interquartile range from the quartiles (usually 1.5), or as many standard deviations from the
    mean (usually 3)."""

    method: ClassVar[str] = "outliers"

    fields: tuple[Numbers, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    group: Groups = ""
    variant: Literal["iqr", "zscore"] = "iqr"
    limit: float | None = Field(default=None, gt=0)
