"""What a table of outliers says: how many values of each column lie far outside."""

from __future__ import annotations

from typing import Final

from flows.analysis.methods.findings import Outlying, in_columns

read_outlying: Final = in_columns(
    Outlying, count="outliers", rows="rows", lower="lower_bound", upper="upper_bound"
)
