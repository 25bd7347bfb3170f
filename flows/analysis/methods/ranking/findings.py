"""What a ranking finds: the place of each row in its group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class RankedRow:
    """The rank of a row in its group, and its share of the group's total."""

    group: Annotated[Told, InColumn(lambda study: study.group)]
    label: Annotated[Told, InColumn(lambda study: study.columns[0])]
    value: Annotated[Told, InColumn(lambda study: study.columns[1])]
    rank: Told
    share: Told
