"""What one number of several rows is when a question does not say: a sum or an average."""

from __future__ import annotations

from flows.analysis.reading.draft import Draft
from flows.analysis.reading.plan import Field, Measure
from flows.semantics.inference.quantities import adds_up


def of_each(draft: Draft, field: Field) -> Measure:
    """The measure of a group of rows: the sum of what adds up, else the average."""
    added = adds_up(draft.schema.by_name[field.column])
    return Measure("sum" if added else "average", field)
