"""What a change explained finds: by how much a measure has changed, and by which groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class ChangePart:
    """The change of the whole, or the part that a group has in it."""

    dimension: Told
    group: Told
    since: Annotated[Told, InColumn("from")]
    until: Annotated[Told, InColumn("to")]
    value_before: Told
    value_after: Told
    change: Told
    percent: Told
    effect: Told
    contribution: Told

    @property
    def words(self) -> str:
        return f"{self.effect.text()}, {self.contribution.text()} % of the change"
