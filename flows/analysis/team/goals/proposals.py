"""What a method proposes to ask next, as requests over the rows of its analysis."""

from __future__ import annotations

from typing import Final

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.check import follow_ups
from flows.analysis.methods.specification import Specification
from flows.semantics.query import Expression, FieldRef
from flows.semantics.request import Analysis, Chart, ChartType

# Methods whose result is a picture.
_PICTURES: Final[dict[str, ChartType]] = {
    "scatter_plot": "scatter", "box_plot": "box", "distribution": "histogram",
}  # fmt: skip


def proposals(asked: Analysis, specification: Specification[Arguments]) -> list[Analysis | Chart]:
    """The follow-ups of an analysis, with its own names for the fields."""
    given = [value for each in asked.arguments for value in each.values]
    fields = {each.field: each for each in given if isinstance(each, FieldRef)}
    fields |= {f"{each.dataset}_{each.field}": each for each in fields.values()}
    found: list[Analysis | Chart] = []
    for each in follow_ups(specification):
        assert isinstance(each.request, Analysis)
        arguments = each.request.arguments
        named = {e.field for a in arguments for e in a.values if isinstance(e, FieldRef)}
        if not named <= fields.keys():
            continue

        def placed(value: Expression) -> Expression:
            return fields[value.field] if isinstance(value, FieldRef) else value

        if style := _PICTURES.get(each.kind):
            show = tuple(fields[name] for name in (*each.columns, each.group) if name)
            found.append(Chart(of=asked.over.model_copy(update={"show": show}), type=style))
            continue
        whole = tuple(
            a.model_copy(update={"values": tuple(map(placed, a.values))}) for a in arguments
        )
        found.append(Analysis(method=each.kind, over=asked.over, arguments=whole))
    return found
