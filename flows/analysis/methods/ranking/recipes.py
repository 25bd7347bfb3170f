"""What the sandbox runs for rank and share within groups."""

from __future__ import annotations

import pandas as pd

from flows.analysis.methods.recipes import numeric, say_left_out, warn


def standing(data: pd.DataFrame, label: str, column: str, group: str) -> pd.DataFrame:
    """Each label's value, its rank within the group (1 is the largest; equals share the better
    one) and its percentage of the group's total. Several rows of one label are added up."""
    known = data[[group, label]].assign(**{column: numeric(data, [column])[column]}).dropna()
    say_left_out(len(data), len(known))
    found = known.groupby([group, label], observed=True)[column].agg(["sum", "size"]).reset_index()
    if (found["size"] > 1).any():
        warn("added_up", f"Several rows of one {label} are added up.")
    found = found.rename(columns={"sum": column}).drop(columns="size")
    by = found.groupby(group, observed=True)[column]
    found["rank"] = by.rank(ascending=False, method="min").astype("int64")
    found["share"] = 100 * found[column] / by.transform("sum")
    return found.sort_values([group, "rank"], kind="stable").reset_index(drop=True)
