"""Rank and share within groups: the arguments."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.arguments import AnyColumn, Arguments, Groups, Numbers


class Ranking(Arguments):
    """What is ranked and the number it is ranked by, within the values of `group`."""

    method: ClassVar[str] = "ranking"

    fields: tuple[AnyColumn, Numbers]
    group: Groups = Field(min_length=1)
