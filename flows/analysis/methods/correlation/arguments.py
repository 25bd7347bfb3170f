"""Correlations: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Groups, Numbers

Order = Literal["strongest", "weakest", "highest", "lowest"]


class Correlation(Arguments):
    """The columns of which pairs are made; with a `target` only its pairs. `order` says which
    pairs come first."""

    method: ClassVar[str] = "correlation"

    fields: tuple[Numbers, ...] = Field(min_length=2, max_length=MOST_COLUMNS)
    target: Numbers = ""
    group: Groups = ""
    variant: Literal["pearson", "spearman", "kendall"] = "pearson"
    order: Order = "strongest"
