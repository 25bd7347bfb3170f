"""K-means clusters: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, names, text
from flows.analysis.methods.clustering.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study
from flows.analysis.telling.wording import in_words


def _cluster_calls(study: Study, title: str) -> list[Call]:
    return [Call("result", "cluster", (list(study.columns), study.number, title))]


def _say_clusters(study: Study, rows: Sequence[Row], total: int) -> str:
    shown = list(study.columns[:4])
    said = []
    for row in rows[:8]:
        middle = ", ".join(f"{names([name])} {text(row, name)}" for name in shown)
        said.append(f"cluster {text(row, 'cluster')} with {text(row, 'rows')} rows (mean {middle})")
    chosen = "" if study.number else ", the number with the best silhouette from two to ten"
    return (
        f"K-means over {in_words(len(study.columns))} standardised columns{about(study)} makes "
        f"{in_words(total)} "
        f"clusters{chosen} (silhouette {text(rows[0], 'silhouette')}): {'; '.join(said)}."
    )


METHOD = Method(
    kind="clusters",
    cue=CUE,
    calls=_cluster_calls,
    say=_say_clusters,
    needs=("cluster", "rows", "silhouette"),
)
