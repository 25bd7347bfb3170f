"""What the sandbox runs for k-means clusters."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, say_left_out, warn


def scaled(data: pd.DataFrame, columns: list[str]) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """The whole rows, and the same with mean 0 and standard deviation 1."""
    known = numeric(data, columns).dropna()
    say_left_out(len(data), len(known))
    still = [each for each in columns if known[each].nunique() < 2]
    if still:
        raise ValueError(f"{' and '.join(still)} does not vary")
    return known, ((known - known.mean()) / known.std(ddof=0)).to_numpy()


def cluster(data: pd.DataFrame, columns: list[str], number: int, title: str) -> pd.DataFrame:
    """The clusters of k-means over standardised columns: sizes and means, the largest first.

    Without a number, the number from 2 to 10 whose silhouette is best. `silhouette` goes from -1
    to 1: how much closer rows are to their own cluster than to the next.
    """
    from sklearn.cluster import KMeans

    known, points = scaled(data, columns)
    distinct = len(np.unique(points, axis=0))
    if max(number, 2) >= distinct:
        raise ValueError(f"{len(known)} rows ({distinct} of them different) cannot make "
                         f"{number or 2} clusters")  # fmt: skip
    numbers = [number] if number else range(2, min(10, distinct - 1) + 1)
    tried = {k: KMeans(k, n_init=10, random_state=0).fit_predict(points) for k in numbers}
    quality = {k: separation(points, labels) for k, labels in tried.items()}
    best = max(quality, key=lambda k: quality[k])
    order = pd.Series(tried[best]).value_counts().index
    labels = pd.Series(tried[best], index=known.index).map({o: i + 1 for i, o in enumerate(order)})
    found = known.groupby(labels).mean().rename_axis("cluster").reset_index()
    found.insert(1, "rows", found["cluster"].map(labels.value_counts()).astype("int64"))
    found["silhouette"] = quality[best]
    if quality[best] < 0.25:
        warn("weak_clusters", f"The clusters overlap much (silhouette {quality[best]:.2f} of 1): "
             "the data may have no natural groups.")  # fmt: skip
    if found["rows"].min() < 5:
        warn("small_groups", f"The smallest cluster has {found['rows'].min()} rows only.")
    draw_plane(points, labels.to_numpy(), columns, title)
    return found


def separation(points: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> float:
    """The silhouette, of at most 2000 rows."""
    from sklearn.metrics import silhouette_score

    most = min(len(points), 2000)
    return float(silhouette_score(points, labels, sample_size=most, random_state=0))


def draw_plane(
    points: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], columns: list[str], title: str
) -> None:
    """The rows in the plane of the two columns, or of the first two principal components."""
    names = columns[:2]
    plane = points[:, :2]
    if len(columns) > 2:
        from sklearn.decomposition import PCA

        plane = PCA(2).fit_transform(points)
        names = ["first principal component", "second principal component"]
    _, axes = plt.subplots(layout="constrained")
    for label in np.unique(labels):
        chosen = labels == label
        axes.scatter(plane[chosen, 0], plane[chosen, -1], s=14, alpha=0.7, label=str(label))
    axes.set(xlabel=names[0], ylabel=names[-1], title=title)
    axes.legend(title="cluster")
