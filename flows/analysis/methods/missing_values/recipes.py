"""What the sandbox runs for values that are missing."""

from __future__ import annotations

import pandas as pd

from flows.analysis.methods.recipes import warn


def missing(data: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """How many values each column lacks, most first, and how many rows lack none of them."""
    lacking = data[columns].isna().sum()
    whole = int(data[columns].notna().all(axis=1).sum())
    found = pd.DataFrame({"column": lacking.index, "missing": lacking.to_numpy()})
    found["percent"] = 100 * found["missing"] / len(data)
    found["rows"] = len(data)
    found["complete_rows"] = whole
    found["complete_percent"] = 100 * whole / len(data)
    gaps = found[found["percent"] > 5]
    if len(gaps):
        named = ", ".join(
            f"{row.column} ({row.percent:.0f} %)" for row in gaps.head(5).itertuples()
        )
        warn("missing_data", f"More than 5 % is missing in {named}.")
    return found.sort_values("missing", ascending=False, kind="stable").reset_index(drop=True)
