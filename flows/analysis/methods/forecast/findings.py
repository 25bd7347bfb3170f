"""What a forecast finds: what is to be expected at times to come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn, OfGroup
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Expectation(OfGroup):
    """What is to be expected at a time, and between which bounds."""

    time: Annotated[Told, InColumn(lambda study: study.time)]
    forecast: Told
    lower: Told
    upper: Told
    method: Told
    points: Told
