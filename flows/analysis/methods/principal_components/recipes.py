"""What the sandbox runs for principal components."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from flows.analysis.methods.clustering.recipes import scaled
from flows.analysis.methods.recipes import warn


def components(data: pd.DataFrame, columns: list[str], share: float) -> pd.DataFrame:
    """The principal components of standardised columns: what percentage of the variance each
    explains, with those before it, and the weight of each column in it.

    `needed` is how many of them hold `share` percent of the variance.
    """
    from sklearn.decomposition import PCA

    known, points = scaled(data, columns)
    if len(known) <= len(columns):
        warn("small_sample", f"{len(known)} rows are few for {len(columns)} columns.")
    model = PCA().fit(points)
    explained = 100 * model.explained_variance_ratio_
    found = pd.DataFrame({"component": range(1, len(explained) + 1), "explained": explained})
    found["cumulative"] = explained.cumsum()
    found["needed"] = int((explained.cumsum() < share - 1e-9).sum()) + 1
    found["wanted"] = share
    weights = pd.DataFrame(model.components_, columns=columns)
    found["heaviest"] = weights.abs().idxmax(axis=1)
    found["rows"] = len(known)
    _, axes = plt.subplots(layout="constrained")
    axes.bar(found["component"], explained)
    axes.plot(found["component"], found["cumulative"], color="black", marker="o", ms=3)
    axes.set(xlabel="component", ylabel="percent of the variance", title="Principal components")
    return pd.concat([found, weights], axis=1)
