"""What a table of summaries says: where the values of each column lie."""

from __future__ import annotations

from typing import Final

from flows.analysis.methods.findings import Spreads, in_columns

read_spreads: Final = in_columns(
    Spreads, column="column", middle="mean median", low="minimum min", high="maximum max",
    mean="mean", median="median", deviation="std",
)  # fmt: skip
