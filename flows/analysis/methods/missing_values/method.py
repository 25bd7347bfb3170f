"""Values that are missing: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, text
from flows.analysis.methods.findings import Gaps, in_columns
from flows.analysis.methods.method import Call, Method, Row, words
from flows.analysis.methods.missing_values.arguments import MissingValues
from flows.analysis.methods.missing_values.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[MissingValues], _title: str) -> list[Call]:
    return [Call("result", "missing", (list(study.columns),))]


def _say(study: Specification[MissingValues], rows: Sequence[Row], total: int) -> str:
    where, first = about(study), rows[0]
    lacking = [row for row in rows if row["missing"].value]
    if not lacking:
        what = text(first, "column") if total == 1 else f"any of the {total} columns"
        return f"No value is missing in {what}{where} ({text(first, 'rows')} rows)."
    said = [
        f"{text(row, 'column')}: {text(row, 'missing')} ({text(row, 'percent')} %)"
        for row in lacking[:GROUPS]
    ]
    rest = more(lacking, max(len(lacking), total if len(rows) < total else 0), GROUPS, "columns")
    whole = (
        f" {text(first, 'complete_rows')} of {text(first, 'rows')} rows are complete "
        f"({text(first, 'complete_percent')} %)."
    )
    return f"Values that are missing{where}{rest}: {'; '.join(said)}.{whole}"


METHOD = Method(
    arguments=MissingValues,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("column", "missing", "percent", "rows", "complete_rows"),
    steps=computing("Count the missing values of each column."),
    picture="",
    cautions=words("missing_data"),
    findings=in_columns(Gaps, column="column", missing="missing", without="mean median"),
    answers=frozenset(),
)
