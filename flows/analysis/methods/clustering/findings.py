"""What clustering finds: groups of rows that are near to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster, and the means of its columns."""

    cluster: Told
    rows: Told
    silhouette: Told
    means: Annotated[tuple[Told, ...], InColumn(lambda study: study.columns[:4])]
