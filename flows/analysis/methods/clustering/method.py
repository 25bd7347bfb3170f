"""K-means clusters: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.clustering.arguments import Clustering
from flows.analysis.methods.clustering.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import about, names
from flows.analysis.telling.cells import CitedCell
from flows.analysis.telling.query_words import in_words


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster, and the means of its columns."""

    cluster: CitedCell
    rows: CitedCell
    silhouette: CitedCell
    means: Annotated[tuple[CitedCell, ...], InColumn(lambda study: study.columns[:4])]


def _calls(study: Specification[Clustering], title: str) -> list[Call]:
    return [Call("result", "cluster", (list(study.columns), study.arguments.number, title))]


def _say(study: Specification[Clustering], clusters: Sequence[Cluster], total: int) -> str:
    said = []
    for each in clusters[:8]:
        middle = ", ".join(
            f"{names([name])} {mean}" for name, mean in zip(study.columns, each.means, strict=False)
        )
        said.append(f"cluster {each.cluster} with {each.rows} rows (mean {middle})")
    chosen = (
        "" if study.arguments.number else ", the number with the best silhouette from two to ten"
    )
    return (
        f"K-means over {in_words(len(study.columns))} standardised columns{about(study)} makes "
        f"{in_words(total)} clusters{chosen} (silhouette {clusters[0].silhouette}): "
        f"{'; '.join(said)}."
    )


def _follow_ups(study: Specification[Clustering]) -> list[FollowUp]:
    if len(study.columns) < 2:
        return []
    return [FollowUp("principal_components", {"fields": study.columns})]


METHOD = Method(
    arguments=Clustering,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Cluster, _say),),
    steps=computing("Scale the columns and group the rows that are near to each other."),
    picture="the rows in a plane, coloured by cluster",
    answers=frozenset({"segments"}),
    follow_ups=_follow_ups,
)
