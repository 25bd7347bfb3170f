"""K-means clusters: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, names, text
from flows.analysis.methods.clustering.arguments import Clustering
from flows.analysis.methods.clustering.cue import CUE
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.telling.wording import in_words


def _calls(study: Specification[Clustering], title: str) -> list[Call]:
    return [Call("result", "cluster", (list(study.columns), study.arguments.number, title))]


def _say(study: Specification[Clustering], rows: Sequence[Row], total: int) -> str:
    shown = list(study.columns[:4])
    said = []
    for row in rows[:8]:
        middle = ", ".join(f"{names([name])} {text(row, name)}" for name in shown)
        said.append(f"cluster {text(row, 'cluster')} with {text(row, 'rows')} rows (mean {middle})")
    chosen = (
        "" if study.arguments.number else ", the number with the best silhouette from two to ten"
    )
    return (
        f"K-means over {in_words(len(study.columns))} standardised columns{about(study)} makes "
        f"{in_words(total)} "
        f"clusters{chosen} (silhouette {text(rows[0], 'silhouette')}): {'; '.join(said)}."
    )


def _follow_ups(study: Specification[Clustering]) -> list[FollowUp]:
    if len(study.columns) < 2:
        return []
    return [FollowUp("principal_components", {"fields": study.columns})]


METHOD = Method(
    arguments=Clustering,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("cluster", "rows", "silhouette"),
    steps=computing("Scale the columns and group the rows that are near to each other."),
    picture="the rows in a plane, coloured by cluster",
    cautions=words("missing_left_out small_groups weak_clusters"),
    findings=in_rows,
    answers=frozenset({"segments"}),
    follow_ups=_follow_ups,
)
