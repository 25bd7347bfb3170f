"""Values that are missing: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.findings import Gaps, in_columns
from flows.analysis.methods.method import Call, Method
from flows.analysis.methods.missing_values.arguments import MissingValues
from flows.analysis.methods.missing_values.cue import CUE
from flows.analysis.methods.narration import Narration, OfColumn
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class MissingCount(OfColumn):
    """How many values of a column are missing; `complete_rows` lack none of any column."""

    missing: CitedCell
    percent: CitedCell
    rows: CitedCell
    complete_rows: CitedCell
    complete_percent: CitedCell


def _calls(study: Specification[MissingValues], _title: str) -> list[Call]:
    return [Call("result", "missing", (list(study.columns),))]


def _say(study: Specification[MissingValues], gaps: Sequence[MissingCount], total: int) -> str:
    where, first = about(study), gaps[0]
    lacking = [gap for gap in gaps if gap.missing.value]
    if not lacking:
        what = first.column.text() if total == 1 else f"any of the {total} columns"
        return f"No value is missing in {what}{where} ({first.rows} rows)."
    said = [f"{gap.column}: {gap.missing} ({gap.percent} %)" for gap in lacking[:GROUPS]]
    rest = more(lacking, max(len(lacking), total if len(gaps) < total else 0), GROUPS, "columns")
    whole = (
        f" {first.complete_rows} of {first.rows} rows are complete ({first.complete_percent} %)."
    )
    return f"Values that are missing{where}{rest}: {'; '.join(said)}.{whole}"


METHOD = Method(
    arguments=MissingValues,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(MissingCount, _say),),
    steps=computing("Count the missing values of each column."),
    reader=in_columns(Gaps, column="column", missing="missing", without="mean median"),
)
